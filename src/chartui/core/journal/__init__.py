"""The journal: every intended change, recorded before it is sent, and its outcome.

An intent is on disk before the operation is performed; its outcome follows. An intent without outcome whose program no
longer runs is the trace of a crash: it is unknown whether it was applied, and the next start reports it. Undo reads the
earlier values; the settings screen reads the last values written to members that a service does not return (decision
25). Plans are stored here as well, so interrupted ones can be resumed. The journal never contains an API key, since
payloads and answers have none.
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

    It is private to its owner, can be shared by several programs, and survives a crash of any of them. Every method
    raises :class:`ServiceError`: ``busy`` if another program holds it for ``busy_timeout`` seconds, ``broken`` if the
    file is unusable. ``before_writing`` is called with the connection before each change.
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
        """Whether anything was ever written here; does not open the file."""
        return self.path.exists()

    async def aclose(self) -> None:
        """Close the file; safe to call twice. A later call opens it again."""
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
        """Record an operation about to be sent; on disk when this returns.

        Returns the entry's number. Also raises :class:`ServiceError` (kind ``invalid``) for a payload that JSON cannot
        express.
        """
        return await self._thread.run(lambda records: records.insert(place, operation, payload, before, context))

    async def conclude(self, number: int, outcome: Outcome, *, error: str = "", answer: Wire = None) -> None:
        await self._thread.run(lambda records: records.conclude(number, outcome, error, answer))

    async def resolve(self, number: int, outcome: Outcome) -> None:
        """Record the outcome of an open or unknown change; others are not changed."""
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
        """The last ``limit`` changes that match all arguments, newest first."""
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
        """The plan and first change number of each of the last ``limit`` history items, newest first.

        An item is a plan, or a change outside any plan; its first change is the first that matches all arguments. Items
        are ordered by the number of their last applied change, not by time, since clocks jump.
        """
        found = Filter(place, character_id=character_id, outcome=outcomes)
        return await self._read(lambda records: records.beginnings(found, limit))

    async def entry(self, number: int) -> Entry | None:
        found = Filter(number=number)
        return next(iter(await self._read(lambda records: records.entries(found))), None)

    async def unsettled(self, place: Place | None = None) -> tuple[Entry, ...]:
        """Changes with an unknown outcome that no running program works on, oldest first."""
        found = Filter(place, outcome=(Outcome.OPEN, Outcome.UNKNOWN))
        entries = await self._read(lambda records: records.entries(found, "ORDER BY number"))
        return tuple(entry for entry in entries if not entry.running)

    async def last_written(self, place: Place, character_id: str) -> Mapping[str, Written]:
        """The last values written from this machine to a character's settings, by their ``update-character`` names."""
        return dict(await self._read(lambda records: tuple(records.last_written(place, character_id).items())))

    # -- plans --------------------------------------------------------------------------------------------------------

    async def keep_plan(self, place: Place, plan_id: str, title: str, document: Wire, total: int) -> None:
        """Store a plan that this program now runs; a stored plan is resumed under the same id.

        Raises :class:`ServiceError` (kind ``busy``) while a running program, this one included, is running it.
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
        """The plans that match all arguments, newest first; ``running`` includes interrupted ones."""
        found = Filter(place, state=states, id=ids)
        return await self._read(lambda records: records.plans(found))

    async def undoings(self, place: Place) -> tuple[tuple[str, str], ...]:
        """The undo plans with at least one applied step, each with the name of the item it undoes, newest first."""
        return await self._read(lambda records: records.undoings(Filter(place)))

    async def end_plan(self, plan_id: str, state: PlanState) -> None:
        """Record how a plan ended: ``done``, ``stopped`` or ``cancelled``."""
        await self._thread.run(lambda records: records.end_plan(plan_id, state))

    async def abandon_plan(self, plan_id: str) -> None:
        """Remove a plan so it cannot be resumed; its applied steps stay in the journal.

        Raises :class:`ServiceError` (kind ``busy``) while a program is running it.
        """
        await self._thread.run(lambda records: records.abandon_plan(plan_id))
