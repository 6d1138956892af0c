"""The journal records every intended change before it is sent, and its outcome afterwards.

An intent is on disk before the operation is performed. If it has no outcome and its program is no longer running, the
program crashed: whether the change was applied is unknown, and the next start reports it. Undo reads the
earlier values. The settings screen reads the last values written to members that a service does not return (decision
25). Plans are stored here as well, so that interrupted ones can be resumed. The journal never contains an API key,
because payloads and answers contain none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chartui.core.clock import Clock, system_clock
from chartui.core.database import OwnThread
from chartui.core.journal.model import Asked, Entry, KeptPlan, Outcome, PlanState, Written, outcome_of
from chartui.core.journal.records import Filter, Records
from chartui.core.jsontext import Wire
from chartui.core.profiles import Place

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Asked", "Entry", "Journal", "KeptPlan", "Outcome", "PlanState", "Written", "outcome_of"]

T = TypeVar("T")


class Journal:
    """The journal in the file ``path``, opened at the first call.

    Only its owner can read the file. Several programs can share it, and it survives a crash of any of them. Every
    method raises :class:`ServiceError`: ``busy`` if another program locks the file for ``busy_timeout`` seconds,
    ``broken`` if the file is unusable. ``before_writing`` is called with the connection before each change.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock = system_clock,
        *,
        busy_timeout: float = 5.0,
        before_writing: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        self.path = path
        self._thread = OwnThread(lambda: Records(path, clock, busy_timeout, before_writing), name="journal")

    @property
    def begun(self) -> bool:
        """Whether anything was ever written to the journal. Does not open the file."""
        return self.path.exists()

    async def aclose(self) -> None:
        """Close the file. Calling this twice is safe. Any other method reopens the file."""
        await self._thread.aclose()

    async def _read(self, work: Callable[[Records], tuple[T, ...]]) -> tuple[T, ...]:
        return await self._thread.run(work) if self.begun else ()

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
        """Record an operation that is about to be sent, and return the number of the entry.

        The entry is on disk when this method returns. Also raises :class:`ServiceError` (kind ``invalid``) for a
        payload that JSON cannot express.
        """
        return await self._thread.run(lambda records: records.insert(place, operation, payload, before, context))

    async def conclude(self, number: int, outcome: Outcome, *, error: str = "", answer: Wire = None) -> None:
        await self._thread.run(lambda records: records.conclude(number, outcome, error, answer))

    async def resolve(self, number: int, outcome: Outcome) -> None:
        """Record the outcome of a change, if it is open or unknown. A known outcome stays as it is."""
        await self._thread.run(lambda records: records.resolve(number, outcome))

    async def entries(
        self,
        place: Place | None = None,
        *,
        limit: int = 200,
        plan_id: str | Collection[str] | None = None,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
        numbers: Collection[int] | None = None,
        operations: Collection[str] | None = None,
    ) -> tuple[Entry, ...]:
        """Return the last ``limit`` changes that match all arguments, newest first."""
        columns = {"plan_id": plan_id, "character_id": character_id, "outcome": outcomes, "number": numbers}
        found = Filter(place, **columns, operation=operations)
        return await self._read(lambda records: records.entries(found, "ORDER BY number DESC LIMIT ?", limit))

    async def beginnings(
        self,
        place: Place,
        *,
        limit: int,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
    ) -> tuple[tuple[str | None, int], ...]:
        """Return the plan and first change number of each of the last ``limit`` history items, newest first.

        An item is a plan, or a change outside any plan. Only changes that match all arguments are considered. Items are
        sorted by the number of their last applied change rather than by time, because clocks may be set back.
        """
        found = Filter(place, character_id=character_id, outcome=outcomes)
        return await self._read(lambda records: records.beginnings(found, limit))

    async def entry(self, number: int) -> Entry | None:
        found = Filter(number=number)
        return next(iter(await self._read(lambda records: records.entries(found))), None)

    async def unsettled(self, place: Place | None = None) -> tuple[Entry, ...]:
        """Return the changes whose outcome is unknown and on which no running program is working, oldest first."""
        found = Filter(place, outcome=(Outcome.OPEN, Outcome.UNKNOWN))
        entries = await self._read(lambda records: records.entries(found, "ORDER BY number"))
        return tuple(entry for entry in entries if not entry.running)

    async def last_written(self, place: Place, character_id: str) -> Mapping[str, Written]:
        """Return the last values written from this machine to a character's settings.

        The keys are the names of the settings in ``update-character``.
        """
        return dict(await self._read(lambda records: tuple(records.last_written(place, character_id).items())))

    async def written_backstories(self, place: Place) -> Mapping[str, str]:
        """Return the last backstory written from this machine, by the id of its character."""
        return dict(await self._read(lambda records: tuple(records.written_backstories(place).items())))

    # -- plans --------------------------------------------------------------------------------------------------------

    async def keep_plan(self, place: Place, plan_id: str, title: str, document: Wire, total: int) -> None:
        """Store a plan that this program is about to run. A plan that is resumed keeps its id.

        Raises :class:`ServiceError` (kind ``busy``) while any program, this one included, is running it.
        """
        await self._thread.run(lambda records: records.keep_plan(place, plan_id, title, document, total))

    async def plan(self, plan_id: str) -> KeptPlan | None:
        found = Filter(id=plan_id)
        return next(iter(await self._read(lambda records: records.plans(found))), None)

    async def plans(
        self,
        place: Place | None = None,
        *,
        states: Collection[PlanState] | None = None,
        ids: Collection[str] | None = None,
    ) -> tuple[KeptPlan, ...]:
        """Return the plans that match all arguments, newest first. The state ``running`` includes interrupted plans."""
        found = Filter(place, state=states, id=ids)
        return await self._read(lambda records: records.plans(found))

    async def undoings(self, place: Place) -> tuple[tuple[str, str], ...]:
        """Return the IDs of undo plans with at least one applied step, newest first.

        Each is paired with what it undoes: the ID of a plan, or the number of a change, such as ``#12``.
        """
        return await self._read(lambda records: records.undoings(Filter(place)))

    async def end_plan(self, plan_id: str, state: PlanState) -> None:
        """Record how a plan ended: ``done``, ``stopped`` or ``cancelled``."""
        await self._thread.run(lambda records: records.end_plan(plan_id, state))

    async def abandon_plan(self, plan_id: str) -> None:
        """Remove a plan so that it cannot be resumed. Its applied steps stay in the journal.

        Raises :class:`ServiceError` (kind ``busy``) while a program is running the plan.
        """
        await self._thread.run(lambda records: records.abandon_plan(plan_id))
