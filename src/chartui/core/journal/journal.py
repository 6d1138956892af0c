"""The journal, read and written in its own thread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from chartui.core.clock import Clock, system_clock
from chartui.core.journal.model import Asked, Entry, KeptPlan, Outcome, PlanState, Written
from chartui.core.journal.records import Filter, JournalFile, character_in, kept_text, object_in, storable, time_text
from chartui.core.jsontext import Wire, dumps
from chartui.core.own_thread import OwnFile, if_begun, in_thread
from chartui.core.profiles import Place
from chartui.core.spec.records import SETTINGS

if TYPE_CHECKING:
    import sqlite3


def _settings(file: JournalFile, found: Filter, order: str) -> Iterator[tuple[str, str, dict[str, Wire]]]:
    """Yield the character, the time and the settings of each update, in the order of their numbers."""
    statement = f"SELECT character_id, at, payload FROM entries {found.where} ORDER BY number {order}"  # noqa: S608 - names of this module
    with file.reading() as connection:
        for character_id, at, text in connection.execute(statement, found.values):
            payload = object_in(text)
            yield character_id, at, {member: payload[member] for member in SETTINGS if member in payload}


class Journal(OwnFile):
    """The journal in the file ``path``, opened on the first call.

    Only its owner can read the file. Several programs can share it, and it survives a crash of any of them. Every
    method raises :class:`ServiceError`: ``busy`` if another program keeps the file locked for ``busy_timeout`` seconds,
    or ``broken`` if the file is unusable. ``before_writing`` is called with the connection before each change.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock = system_clock,
        *,
        busy_timeout: float = 5.0,
        before_writing: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        super().__init__(path, lambda: JournalFile(path, clock, busy_timeout, before_writing), name="journal")
        self._clock = clock

    def _now(self) -> str:
        return time_text(self._clock())

    @in_thread
    def intend(
        self,
        file: JournalFile,
        place: Place,
        operation: str,
        payload: Mapping[str, Wire],
        *,
        before: Mapping[str, Wire] | None,
        context: Asked,
    ) -> int:
        """Record an operation that is about to be sent, and return the number of the entry.

        The entry is on disk when this method returns. Raises :class:`ServiceError` (kind ``invalid``) for a payload
        that JSON cannot express.
        """
        program = file.program()
        values = (
            self._now(),
            *place,
            program,
            operation,
            character_in(payload),
            kept_text(payload),
            None if before is None else kept_text(before),
            context.origin,
            context.plan_id,
            context.step,
            Outcome.OPEN,
        )
        with file.writing() as connection:
            connection.execute(
                "INSERT INTO entries (at, profile, base, program, operation, character_id, payload, before, origin,"
                " plan_id, step, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            number: int = connection.execute("SELECT last_insert_rowid()").fetchone()[0]
        return number

    @in_thread
    def conclude(
        self, file: JournalFile, number: int, outcome: Outcome, *, error: str = "", answer: Wire = None
    ) -> None:
        with file.writing() as connection:
            connection.execute(
                "UPDATE entries SET outcome = ?, error = ?, answer = ?, ended = ?,"
                " character_id = coalesce(character_id, ?) WHERE number = ?",
                (
                    outcome,
                    storable(error),
                    None if answer is None else dumps(answer),
                    self._now(),
                    character_in(answer),
                    number,
                ),
            )

    @in_thread
    def resolve(self, file: JournalFile, number: int, outcome: Outcome) -> None:
        """Record the outcome of a change, unless its outcome is already known."""
        with file.writing() as connection:
            connection.execute(
                "UPDATE entries SET outcome = ?, ended = coalesce(ended, ?)"
                " WHERE number = ? AND outcome IN ('open', 'unknown')",
                (outcome, self._now(), number),
            )

    @if_begun(())
    def entries(
        self,
        file: JournalFile,
        place: Place | None = None,
        *,
        limit: int = 200,
        plan_id: str | Collection[str] | None = None,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
        numbers: Collection[int] | None = None,
        operations: Collection[str] | None = None,
    ) -> tuple[Entry, ...]:
        """Return the last ``limit`` changes that match all given arguments, newest first."""
        columns = {"plan_id": plan_id, "character_id": character_id, "outcome": outcomes, "number": numbers}
        found = Filter(place, **columns, operation=operations)
        return file.entries(found, "ORDER BY number DESC LIMIT ?", limit)

    @if_begun(())
    def beginnings(
        self,
        file: JournalFile,
        place: Place,
        *,
        limit: int,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
    ) -> tuple[tuple[str | None, int], ...]:
        """Return the latest ``limit`` history items, newest first.

        A history item is either a plan or a single change that belongs to no plan. Each item is returned as the ID of
        its plan, or None, and the number of its first change. Only changes that match all given arguments are
        considered. Items are sorted by the number of their last applied change rather than by time, because clocks may
        be set back.
        """
        found = Filter(place, character_id=character_id, outcome=outcomes)
        statement = (
            f"SELECT plan_id, min(number) FROM entries {found.where}"  # noqa: S608 - names of this module
            " GROUP BY coalesce(plan_id, number)"
            " ORDER BY coalesce(max(CASE outcome WHEN 'done' THEN number END), max(number)) DESC LIMIT ?"
        )
        with file.reading() as connection:
            return tuple(connection.execute(statement, (*found.values, limit)))

    @if_begun(None)
    def entry(self, file: JournalFile, number: int) -> Entry | None:
        return next(iter(file.entries(Filter(number=number))), None)

    @if_begun(())
    def unsettled(self, file: JournalFile, place: Place | None = None) -> tuple[Entry, ...]:
        """Return the changes whose outcome is unknown and that no running program is still working on, oldest first."""
        found = Filter(place, outcome=(Outcome.OPEN, Outcome.UNKNOWN))
        return tuple(entry for entry in file.entries(found, "ORDER BY number") if not entry.running)

    @if_begun(MappingProxyType({}))
    def last_written(self, file: JournalFile, place: Place, character_id: str) -> Mapping[str, Written]:
        """Return the last values written from this machine to a character's settings.

        The values are keyed by the names of the settings in ``update-character``.
        """
        found = Filter(place, character_id=character_id, operation="update-character", outcome=(Outcome.DONE,))
        written: dict[str, Written] = {}
        for _, at, settings in _settings(file, found, "DESC"):
            written = {member: Written(value, at) for member, value in settings.items()} | written
            if len(written) == len(SETTINGS):
                break
        return written

    @if_begun(MappingProxyType({}))
    def written_settings(self, file: JournalFile, place: Place) -> Mapping[str, Mapping[str, Wire]]:
        """Return the last values written from this machine to the settings of all characters.

        The result is keyed by character ID and by the name of the setting.
        """
        found = Filter(place, operation="update-character", outcome=(Outcome.DONE,))
        written: dict[str, dict[str, Wire]] = {}
        for character_id, _, settings in _settings(file, found, "ASC"):
            written.setdefault(character_id, {}).update(settings)
        return written

    @in_thread
    def keep_plan(self, file: JournalFile, place: Place, plan_id: str, title: str, document: Wire, total: int) -> None:
        """Store a plan that this program is about to run.

        A resumed plan keeps its ID. Raises :class:`ServiceError` (kind ``busy``) while any program, including this one,
        is running the plan.
        """
        program = file.program()
        values = (plan_id, self._now(), *place, program, storable(title), PlanState.RUNNING, kept_text(document), total)
        with file.writing() as connection:
            file.refuse_running(connection, plan_id)
            connection.execute(
                "INSERT INTO plans (id, at, profile, base, program, title, state, document, total)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET program = excluded.program, title = excluded.title,"
                " state = excluded.state, document = excluded.document, total = excluded.total",
                values,
            )

    @if_begun(None)
    def plan(self, file: JournalFile, plan_id: str) -> KeptPlan | None:
        return next(iter(file.plans(Filter(id=plan_id))), None)

    @if_begun(())
    def plans(
        self,
        file: JournalFile,
        place: Place | None = None,
        *,
        states: Collection[PlanState] | None = None,
        ids: Collection[str] | None = None,
    ) -> tuple[KeptPlan, ...]:
        """Return the plans that match all given arguments, newest first.

        The state ``running`` also matches interrupted plans.
        """
        return file.plans(Filter(place, state=states, id=ids))

    @if_begun(())
    def undoings(self, file: JournalFile, place: Place) -> tuple[tuple[str, str], ...]:
        """Return the IDs of undo plans with at least one applied step, newest first.

        Each ID is paired with the name of the item that the plan undoes. This name is the ID of a plan, or the number
        of a change, such as ``#12``.
        """
        found = Filter(place)
        statement = (
            "SELECT id, json_extract(document, '$.undoes') AS undoes FROM plans"  # noqa: S608 - names of this module
            f" {found.where} AND undoes IS NOT NULL"
            " AND EXISTS (SELECT 1 FROM entries WHERE plan_id = plans.id AND outcome = 'done') ORDER BY seq DESC"
        )
        with file.reading() as connection:
            return tuple(connection.execute(statement, found.values))

    @in_thread
    def end_plan(self, file: JournalFile, plan_id: str, state: PlanState) -> None:
        """Record how a plan ended: ``done``, ``stopped`` or ``cancelled``."""
        with file.writing() as connection:
            connection.execute("UPDATE plans SET state = ? WHERE id = ?", (state, plan_id))

    @in_thread
    def abandon_plan(self, file: JournalFile, plan_id: str) -> None:
        """Remove a plan so that it cannot be resumed. Its applied steps stay in the journal.

        Raises :class:`ServiceError` (kind ``busy``) while a program is running the plan.
        """
        with file.writing() as connection:
            file.refuse_running(connection, plan_id)
            connection.execute("DELETE FROM plans WHERE id = ?", (plan_id,))
