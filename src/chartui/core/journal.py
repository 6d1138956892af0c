"""The journal: every change that was meant, before it was sent, and how it ended.

An intent is on the disk before the operation is performed; its outcome follows. An intent without outcome whose program
no longer runs is the trace of a crash: nobody here knows whether it was carried out, and the next start says so. Undo
reads what was there before; the settings screen reads what was last written to members that a service does not give
back (decision 25). Plans are kept here as well, so that an interrupted one can go on.

No key is ever in it: payloads and answers hold none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from chartui.core.clock import Clock, system_clock
from chartui.core.database import Database, OwnThread, Schema
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.presence import Presence
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Asked", "Entry", "Journal", "KeptPlan", "Outcome", "PlanState", "Written", "outcome_of"]

T = TypeVar("T")

#: An entry goes once it is older than this and not among this many last ones.
KEPT_FOR: Final = timedelta(days=90)
KEPT_ENTRIES: Final = 10_000

_SCHEMA: Final = Schema(
    "journal",
    0x6368546A,  # "chTj"
    (
        (
            """
            CREATE TABLE entries (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                at TEXT NOT NULL,
                profile TEXT NOT NULL,
                base TEXT NOT NULL,
                program TEXT NOT NULL,
                operation TEXT NOT NULL,
                character_id TEXT,
                payload TEXT NOT NULL,
                before TEXT,
                origin TEXT NOT NULL,
                plan_id TEXT,
                step INTEGER,
                outcome TEXT NOT NULL CHECK (outcome IN ('open', 'done', 'refused', 'unknown')),
                error TEXT NOT NULL DEFAULT '',
                answer TEXT,
                ended TEXT
            )
            """,
            "CREATE INDEX entries_of_plan ON entries (plan_id) WHERE plan_id IS NOT NULL",
            "CREATE INDEX entries_of_character ON entries (character_id, number)",
            "CREATE INDEX unsettled_entries ON entries (number) WHERE outcome IN ('open', 'unknown')",
            """
            CREATE TABLE plans (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                at TEXT NOT NULL,
                profile TEXT NOT NULL,
                base TEXT NOT NULL,
                program TEXT NOT NULL,
                title TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'cancelled')),
                document TEXT NOT NULL,
                total INTEGER NOT NULL
            )
            """,
        ),
    ),
)


class Outcome(StrEnum):
    """How a change ended, as far as is known here."""

    OPEN = "open"  # meant, and nothing known since
    DONE = "done"
    REFUSED = "refused"  # surely nothing changed
    UNKNOWN = "unknown"  # sent, and no clear answer


class PlanState(StrEnum):
    """How far a plan has come."""

    RUNNING = "running"
    DONE = "done"  # every step was tried
    STOPPED = "stopped"  # by a step that failed
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change. ``at`` and ``ended`` are ISO 8601 in UTC, to the millisecond.

    ``before`` holds what was there, by the members' names in ``payload``; None where nothing could be read.
    ``character_id`` is also known for a character that the change made. ``answer`` is the answer's
    body, or the beginning of a large one. ``running`` says of an open entry that its program still works on it.
    """

    number: int
    at: str
    place: Place
    operation: str
    character_id: str | None
    payload: Mapping[str, Wire]
    before: Mapping[str, Wire] | None
    origin: str
    plan_id: str | None
    step: int | None
    outcome: Outcome
    error: str
    answer: Wire
    ended: str | None
    running: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A value that was written from here, and when."""

    value: Wire
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """A plan as it was kept: ``plan`` is its document in wire form, ``total`` the number of its steps.

    ``alive`` says of a running plan that the program which carries it out still runs.
    """

    id: str
    title: str
    place: Place
    at: str
    state: PlanState
    plan: Wire
    total: int
    alive: bool = False


class Asked(Protocol):
    """What the journal wants to know of a call's context."""

    @property
    def origin(self) -> str:
        """The part of the program that asks."""
        ...

    @property
    def plan_id(self) -> str | None:
        """The plan that the call is a step of."""
        ...

    @property
    def step(self) -> int | None:
        """Which step, counted from 0."""
        ...


#: Failures after which a change may have been made all the same, whatever the client could tell.
_DOUBTFUL: Final = frozenset({ErrorKind.INTERNAL, ErrorKind.UNEXPECTED, ErrorKind.TIMEOUT, ErrorKind.UNREACHABLE})


def outcome_of(error: ServiceError) -> Outcome:
    """What a failed change is known to have come to: ``refused`` only when surely nothing changed, else ``unknown``."""
    if error.sent == "no":
        return Outcome.REFUSED
    if error.sent == "unclear" or error.kind in _DOUBTFUL or (error.status or 0) >= 500:
        return Outcome.UNKNOWN
    return Outcome.REFUSED


class Journal:
    """The journal in the file ``path``, of which nothing is touched before the first call.

    It is private to its owner, may be used by several programs at once, and survives the death of any. Every method
    raises :class:`ServiceError`: ``busy`` when another program kept it for more than 5 s, ``broken`` when the file
    cannot be used.
    """

    def __init__(self, path: Path, clock: Clock = system_clock) -> None:
        self._path = path
        self._thread = OwnThread(lambda: _Records(path, clock), name="journal")

    async def aclose(self) -> None:
        """Let go of the file; safe to call twice. A later call opens it again."""
        await self._thread.aclose()

    async def _read(self, work: Callable[[_Records], tuple[T, ...]]) -> tuple[T, ...]:
        """What ``work`` finds; nothing, and no file is made, where nothing was ever written."""
        return await self._thread.run(work) if self._path.exists() else ()

    # -- changes ------------------------------------------------------------------------------------------------------

    async def intend(
        self,
        place: Place,
        operation: str,
        payload: Mapping[str, Wire],
        *,
        before: Mapping[str, Wire] | None,
        context: Asked,
    ) -> int:
        """Write down what is about to be sent, on the disk when this returns; the entry's number.

        Raises :class:`ServiceError` also with kind ``invalid``, for a payload that JSON cannot say.
        """
        sent = _kept(payload)
        found = None if before is None else _kept(before)
        return await self._thread.run(
            lambda records: records.insert(place, operation, sent, _character(payload), found, context)
        )

    async def conclude(self, number: int, outcome: Outcome, *, error: str = "", answer: Wire = None) -> None:
        """Write down how the change ended."""
        await self._thread.run(lambda records: records.conclude(number, outcome, error, answer))

    async def settle(self, number: int, outcome: Outcome) -> None:
        """Write down what was found out about an open or unknown change; others stay as they are."""
        await self._thread.run(lambda records: records.settle(number, outcome))

    async def entries(
        self,
        place: Place | None = None,
        *,
        limit: int = 200,
        plan_id: str | None = None,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
    ) -> tuple[Entry, ...]:
        """The last ``limit`` changes to which everything given applies, newest first."""
        found = _Filter(place, plan_id=plan_id, character_id=character_id, outcome=outcomes)
        return await self._read(lambda records: records.entries(found, "ORDER BY number DESC LIMIT ?", limit))

    async def entry(self, number: int) -> Entry | None:
        """One change, or None."""
        found = _Filter(number=number)
        return next(iter(await self._read(lambda records: records.entries(found))), None)

    async def unsettled(self, place: Place | None = None) -> tuple[Entry, ...]:
        """Changes whose end is not known and which nobody works on any more, oldest first."""
        found = _Filter(place, outcome=(Outcome.OPEN, Outcome.UNKNOWN))
        entries = await self._read(lambda records: records.entries(found, "ORDER BY number"))
        return tuple(entry for entry in entries if not entry.running)

    async def last_written(self, place: Place, character_id: str) -> Mapping[str, Written]:
        """What was last written from here to each setting of a character, by its name in ``update-character``."""
        return dict(await self._read(lambda records: tuple(records.last_written(place, character_id).items())))

    # -- plans --------------------------------------------------------------------------------------------------------

    async def keep_plan(self, place: Place, plan_id: str, title: str, document: Wire, total: int) -> None:
        """Keep a plan that this program carries out now; one that is kept already goes on under the same id.

        Raises :class:`ServiceError` (kind ``busy``) while a living program, this one included, is carrying it out.
        """
        kept = _kept(document)
        await self._thread.run(lambda records: records.keep_plan(place, plan_id, title, kept, total))

    async def plan(self, plan_id: str) -> KeptPlan | None:
        """One plan, or None."""
        found = _Filter(id=plan_id)
        return next(iter(await self._read(lambda records: records.plans(found))), None)

    async def plans(
        self, place: Place | None = None, *, states: Collection[PlanState] | None = None
    ) -> tuple[KeptPlan, ...]:
        """The plans to which everything given applies, newest first."""
        found = _Filter(place, state=states)
        return await self._read(lambda records: records.plans(found))

    async def end_plan(self, plan_id: str, state: PlanState) -> None:
        """Write down how far a plan came."""
        await self._thread.run(lambda records: records.end_plan(plan_id, state))

    async def forget_plan(self, plan_id: str) -> None:
        """Remove a plan, so that it cannot go on; what was done of it stays in the journal.

        Raises :class:`ServiceError` (kind ``busy``) while a living program is carrying it out.
        """
        await self._thread.run(lambda records: records.forget_plan(plan_id))


def _kept(value: Wire) -> str:
    """``value`` as JSON text that can be read again: one record that cannot would make the others unreadable."""
    try:
        text = dumps(value)
        loads(text)
    except (NotJson, TypeError) as error:
        raise ServiceError(ErrorKind.INVALID, f"The request cannot be kept: {error}.", sent="no") from None
    return text


def _character(members: Any) -> str | None:
    """The character that a payload or an answer names."""
    if not isinstance(members, Mapping):
        return None
    named = members.get("charID", members.get("character_id"))
    return named if isinstance(named, str) else None


class _Filter:
    """A condition of SQL: each column equals its value, or is among its values; None stands for no condition."""

    def __init__(
        self, place: Place | None = None, **columns: str | int | Collection[str] | Collection[Outcome] | None
    ) -> None:
        given = {"profile": place and place.profile, "base": place and place.base, **columns}
        self.values: list[str | int] = []
        terms = []
        for column, value in given.items():
            if value is None:
                continue
            values = [value] if isinstance(value, str | int) else [str(one) for one in value]
            terms.append(f"{column} IN ({', '.join('?' * len(values))})")
            self.values += values
        self.where = f"WHERE {' AND '.join(terms)}" if terms else ""


_ENTRY: Final = (
    "number, at, profile, base, program, operation, character_id, payload, before, origin, plan_id, step, outcome, "
    "error, answer, ended"
)
_PLAN: Final = "id, at, profile, base, program, title, state, document, total"
_SETTINGS: Final = ("model_group_name", "temperature", "reasoning_effort", "backstory")


class _Records:
    """The open file, in its thread."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._presence = Presence(path.with_suffix(".programs"))
        self._path = path
        self._database = Database(path, _SCHEMA)
        try:
            self._forget()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        self._database.close()
        self._presence.close()

    def _now(self) -> str:
        return _written_time(self._clock())

    def _program(self) -> str:
        try:
            return self._presence.own()
        except OSError as error:
            reason = error.strerror or str(error)
            message = f"The journal {self._path} cannot be used: {reason}; nothing was changed."
            raise ServiceError(ErrorKind.BROKEN, message) from error

    def _forget(self) -> None:
        """Remove what is both old and far back, but for what nobody has settled yet."""
        oldest = _written_time(self._clock() - KEPT_FOR)
        gone = "FROM entries WHERE at < ? AND outcome NOT IN ('open', 'unknown')"
        gone += " AND number <= (SELECT max(number) FROM entries) - ?"
        with self._database.reading() as connection:
            anything = connection.execute(f"SELECT 1 {gone} LIMIT 1", (oldest, KEPT_ENTRIES)).fetchone()
        if anything is None:
            return
        try:
            with self._database.writing() as connection:
                connection.execute(f"DELETE {gone}", (oldest, KEPT_ENTRIES))
                connection.execute(
                    "DELETE FROM plans WHERE at < ? AND state != 'running'"
                    " AND id NOT IN (SELECT plan_id FROM entries WHERE plan_id IS NOT NULL)",
                    (oldest,),
                )
        except ServiceError as error:
            if error.kind is not ErrorKind.BUSY:  # tidying up can wait for the next start
                raise

    # -- changes ------------------------------------------------------------------------------------------------------

    def insert(
        self,
        place: Place,
        operation: str,
        payload: str,
        character_id: str | None,
        before: str | None,
        context: Asked,
    ) -> int:
        program = self._program()
        values = (
            self._now(),
            *place,
            program,
            operation,
            character_id,
            payload,
            before,
            context.origin,
            context.plan_id,
            context.step,
            Outcome.OPEN,
        )
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO entries (at, profile, base, program, operation, character_id, payload, before, origin,"
                " plan_id, step, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            number: int = connection.execute("SELECT last_insert_rowid()").fetchone()[0]
        return number

    def conclude(self, number: int, outcome: Outcome, error: str, answer: Wire) -> None:
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE entries SET outcome = ?, error = ?, answer = ?, ended = ?,"
                " character_id = coalesce(character_id, ?) WHERE number = ?",
                (
                    outcome,
                    _storable(error),
                    None if answer is None else dumps(answer),
                    self._now(),
                    _character(answer),
                    number,
                ),
            )

    def settle(self, number: int, outcome: Outcome) -> None:
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE entries SET outcome = ?, ended = coalesce(ended, ?)"
                " WHERE number = ? AND outcome IN ('open', 'unknown')",
                (outcome, self._now(), number),
            )

    def entries(self, found: _Filter, order: str = "", *more: int) -> tuple[Entry, ...]:
        with self._database.reading() as connection:
            statement = f"SELECT {_ENTRY} FROM entries {found.where} {order}"  # noqa: S608 - names of this module
            return tuple(map(self._entry, connection.execute(statement, (*found.values, *more))))

    def _entry(self, row: Sequence[Any]) -> Entry:
        number, at, profile, base, program, operation, character_id, payload, before, *rest = row
        origin, plan_id, step, outcome, error, answer, ended = rest
        return Entry(
            number=number,
            at=at,
            place=Place(profile, base),
            operation=operation,
            character_id=character_id,
            payload=loads(payload),
            before=_loaded(before),
            origin=origin,
            plan_id=plan_id,
            step=step,
            outcome=Outcome(outcome),
            error=error,
            answer=_loaded(answer),
            ended=ended,
            running=outcome == Outcome.OPEN and self._presence.alive(program),
        )

    def last_written(self, place: Place, character_id: str) -> dict[str, Written]:
        found = _Filter(place, character_id=character_id, operation="update-character", outcome=(Outcome.DONE,))
        written: dict[str, Written] = {}
        with self._database.reading() as connection:
            for at, payload in _payloads(connection, found):
                for member in _SETTINGS:
                    if member in payload and member not in written:
                        written[member] = Written(payload[member], at)
                if len(written) == len(_SETTINGS):
                    break
        return written

    # -- plans --------------------------------------------------------------------------------------------------------

    def keep_plan(self, place: Place, plan_id: str, title: str, document: str, total: int) -> None:
        program = self._program()
        values = (plan_id, self._now(), *place, program, _storable(title), PlanState.RUNNING, document, total)
        with self._database.writing() as connection:
            self._refuse_running(connection, plan_id)
            connection.execute(
                "INSERT INTO plans (id, at, profile, base, program, title, state, document, total)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET program = excluded.program, title = excluded.title,"
                " state = excluded.state, document = excluded.document, total = excluded.total",
                values,
            )

    def plans(self, found: _Filter) -> tuple[KeptPlan, ...]:
        with self._database.reading() as connection:
            statement = f"SELECT {_PLAN} FROM plans {found.where} ORDER BY seq DESC"  # noqa: S608 - names of this module
            return tuple(map(self._plan, connection.execute(statement, found.values)))

    def _plan(self, row: Sequence[Any]) -> KeptPlan:
        plan_id, at, profile, base, program, title, state, document, total = row
        return KeptPlan(
            id=plan_id,
            title=title,
            place=Place(profile, base),
            at=at,
            state=PlanState(state),
            plan=loads(document),
            total=total,
            alive=state == PlanState.RUNNING and self._presence.alive(program),
        )

    def _refuse_running(self, connection: sqlite3.Connection, plan_id: str) -> None:
        statement = "SELECT program FROM plans WHERE id = ? AND state = 'running'"
        for (program,) in connection.execute(statement, (plan_id,)):
            if self._presence.alive(program):
                message = "This plan is being carried out just now; nothing was changed from here."
                raise ServiceError(ErrorKind.BUSY, message, sent="no")

    def forget_plan(self, plan_id: str) -> None:
        with self._database.writing() as connection:
            self._refuse_running(connection, plan_id)
            connection.execute("DELETE FROM plans WHERE id = ?", (plan_id,))

    def end_plan(self, plan_id: str, state: PlanState) -> None:
        with self._database.writing() as connection:
            connection.execute("UPDATE plans SET state = ? WHERE id = ?", (state, plan_id))


def _payloads(connection: sqlite3.Connection, found: _Filter) -> Iterator[tuple[str, Mapping[str, Wire]]]:
    statement = f"SELECT at, payload FROM entries {found.where} ORDER BY number DESC"  # noqa: S608 - names of this module
    for at, payload in connection.execute(statement, found.values):
        yield at, loads(payload)


def _loaded(text: str | None) -> Wire:
    return None if text is None else loads(text)


def _written_time(moment: datetime) -> str:
    # In one zone and of one length, so that the texts are in the order of time.
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def _storable(text: str) -> str:
    """``text`` without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode()
