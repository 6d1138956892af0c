"""The journal's file, its tables and their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.core.clock import Clock
from chartui.core.damage import DamagedRow, Schema, is_object, of_kinds
from chartui.core.database import Database
from chartui.core.file_lock import Presence
from chartui.core.journal.model import Entry, KeptPlan, Outcome, PlanState
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    import sqlite3

#: The age at which an entry is removed, unless it is among the last ``KEPT_ENTRIES``.
KEPT_FOR: Final = timedelta(days=90)
KEPT_ENTRIES: Final = 10_000


def _is_plan(value: Wire) -> bool:
    if not (is_object(value) and isinstance(value.get("undoes"), str | None)):
        return False
    steps = value.get("steps", [])
    return isinstance(steps, list) and all(map(is_object, steps))


SCHEMA: Final = Schema(
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
    content="entries",
    documents={
        "entries.payload": is_object,
        "entries.before": is_object,
        "entries.answer": lambda _: True,
        "plans.document": _is_plan,
    },
)


class Filter:
    """An SQL condition.

    Each column must equal the given value, or one of several values. A value of None means that the column may have any
    value.
    """

    def __init__(self, place: Place | None = None, **columns: str | int | Collection[str | int] | None) -> None:
        given = {"profile": place and place.profile, "base": place and place.base, **columns}
        self.values: list[str | int] = []
        terms = []
        for column, value in given.items():
            if value is None:
                continue
            values = [value] if isinstance(value, str | int) else list(value)
            if values and all(isinstance(one, Outcome) for one in values):
                # The value is written out and is not a parameter, because SQLite uses the index of unsettled rows only
                # for literal values.
                allowed = [f"'{one}'" for one in values]
            else:
                allowed = ["?"] * len(values)
                self.values += values
            terms.append(f"{column} IN ({', '.join(allowed)})")
        self.where = f"WHERE {' AND '.join(terms)}" if terms else ""


_TEXT: Final = str | None
_ENTRY: Final = (
    "number, at, profile, base, program, operation, character_id, payload, before, origin, plan_id, step, outcome, "
    "error, answer, ended"
)
_PLAN: Final = "id, at, profile, base, program, title, state, document, total, changed"
#: The plans, with their progress according to the entries of their steps. The last outcome of a step counts:
#: a step that was refused and then applied is done.
_PLANS: Final = """
    SELECT id, at, profile, base, program, title, document, total, seq, changed, CASE
        WHEN changed = total THEN 'done'
        WHEN state = 'done' AND 0 < changed AND changed < ended THEN 'partly done'
        ELSE state END AS state
    FROM (SELECT *,
        (SELECT count(DISTINCT step) FROM entries WHERE plan_id = plans.id AND outcome = 'done') AS changed,
        (SELECT count(DISTINCT step) FROM entries WHERE plan_id = plans.id AND outcome IN ('done', 'refused')) AS ended
        FROM plans)
"""
_ENTRY_KINDS: Final = (int, *(str,) * 5, _TEXT, str, _TEXT, str, _TEXT, int | None, str, str, _TEXT, _TEXT)
_PLAN_KINDS: Final = (*(str,) * 8, int, int)


class JournalFile(Database):
    """The open journal. It can also check whether a program is still running."""

    def __init__(
        self,
        path: Path,
        clock: Clock,
        busy_timeout: float,
        before_writing: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        self._presence = Presence(path.with_suffix(".programs"))
        super().__init__(path, SCHEMA, busy_timeout=busy_timeout, before_writing=before_writing)
        try:
            self._forget(clock)
        except BaseException:  # The file must not stay open after any failure or interrupt.
            super().close()
            raise

    def close(self) -> None:
        super().close()
        with self._asking() as presence:
            presence.close()

    @contextmanager
    def _asking(self) -> Iterator[Presence]:
        try:
            yield self._presence
        except OSError as error:
            reason = error.strerror or str(error)
            message = f"The files next to {self.path} cannot be used: {reason}. Nothing was changed."
            raise ServiceError(ErrorKind.BROKEN, message) from error

    def program(self) -> str:
        with self._asking() as presence:
            return presence.own()

    def alive(self, program: str) -> bool:
        with self._asking() as presence:
            return presence.alive(program)

    def _forget(self, clock: Clock) -> None:
        """Remove entries that are both old and not among the last ``KEPT_ENTRIES``. Unresolved entries are kept."""
        oldest = time_text(clock() - KEPT_FOR)
        gone = "FROM entries WHERE at < ? AND outcome NOT IN ('open', 'unknown')"
        gone += " AND number <= (SELECT max(number) FROM entries) - ?"
        with self.reading() as connection:
            anything = connection.execute(f"SELECT 1 {gone} LIMIT 1", (oldest, KEPT_ENTRIES)).fetchone()
        if anything is None:
            return
        try:
            with self.writing() as connection:
                connection.execute(f"DELETE {gone}", (oldest, KEPT_ENTRIES))
                connection.execute(
                    "DELETE FROM plans WHERE at < ? AND state != 'running'"
                    " AND id NOT IN (SELECT plan_id FROM entries WHERE plan_id IS NOT NULL)",
                    (oldest,),
                )
        except ServiceError as error:
            if error.kind is not ErrorKind.BUSY:  # The removal can wait until the next start.
                raise

    def entries(self, found: Filter, order: str = "", *more: int) -> tuple[Entry, ...]:
        with self.reading() as connection:
            statement = f"SELECT {_ENTRY} FROM entries {found.where} {order}"  # noqa: S608 - names of this module
            return tuple(map(self._entry, connection.execute(statement, (*found.values, *more))))

    def plans(self, found: Filter) -> tuple[KeptPlan, ...]:
        with self.reading() as connection:
            statement = f"SELECT {_PLAN} FROM ({_PLANS}) {found.where} ORDER BY seq DESC"  # noqa: S608 - names of this module
            return tuple(map(self._plan, connection.execute(statement, found.values)))

    def _entry(self, row: Sequence[Any]) -> Entry:
        of_kinds(row, _ENTRY_KINDS)
        number, at, profile, base, program, operation, character_id, payload, before, *rest = row
        origin, plan_id, step, outcome, error, answer, ended = rest
        return Entry(
            number=number,
            at=at,
            place=Place(profile, base),
            operation=operation,
            character_id=character_id,
            payload=object_in(payload),
            before=None if before is None else object_in(before),
            origin=origin,
            plan_id=plan_id,
            step=step,
            outcome=Outcome(outcome),
            error=error,
            answer=None if answer is None else loads(answer),
            ended=ended,
            running=outcome == Outcome.OPEN and self.alive(program),
        )

    def _plan(self, row: Sequence[Any]) -> KeptPlan:
        of_kinds(row, _PLAN_KINDS)
        plan_id, at, profile, base, program, title, state, text, total, changed = row
        document = loads(text)
        if not _is_plan(document):
            raise DamagedRow("a document that is not a plan")
        kept = PlanState(state)
        interrupted = kept is PlanState.RUNNING and not self.alive(program)
        return KeptPlan(
            id=plan_id,
            title=title,
            place=Place(profile, base),
            at=at,
            state=PlanState.INTERRUPTED if interrupted else kept,
            plan=document,
            total=total,
            changed=changed,
        )

    def refuse_running(self, connection: sqlite3.Connection, plan_id: str) -> None:
        statement = "SELECT program FROM plans WHERE id = ? AND state = 'running'"
        for (program,) in connection.execute(statement, (plan_id,)):
            if self.alive(program):
                message = "This plan is already running. Nothing was changed."
                raise ServiceError(ErrorKind.BUSY, message, sent="no")


def object_in(text: str) -> Mapping[str, Wire]:
    value = loads(text)
    if not is_object(value):
        raise DamagedRow("a document that is not an object")
    found: Mapping[str, Wire] = value
    return found


def time_text(moment: datetime) -> str:
    # All times have the same time zone and length, so sorting the texts sorts them by time.
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def storable(text: str) -> str:
    """Return ``text`` without unpaired surrogates, which a file cannot contain."""
    return text.encode("utf-8", "replace").decode()


def kept_text(value: Wire) -> str:
    """Return ``value`` as JSON text that is guaranteed to be readable later.

    This matters because a single unreadable record would make all other records unreadable.
    """
    try:
        text = dumps(value)
        loads(text)
    except (NotJson, TypeError) as error:
        raise ServiceError(ErrorKind.INVALID, f"The request cannot be stored: {error}.", sent="no") from None
    return text


def character_in(members: Any) -> str | None:
    if not isinstance(members, Mapping):
        return None
    named = members.get("charID", members.get("character_id"))
    return named if isinstance(named, str) else None
