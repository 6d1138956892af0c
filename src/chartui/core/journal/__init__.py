"""The journal: every change that was meant, before it was sent, and how it ended.

An intent is on the disk before the operation is performed; its outcome follows. An intent without outcome whose program
no longer runs is the trace of a crash: nobody here knows whether it was carried out, and the next start says so. Undo
reads what was there before; the settings screen reads what was last written to members that a service does not give
back (decision 25). Plans are kept here as well, so that an interrupted one can go on.

No key is ever in it: payloads and answers hold none.
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
    """The journal in the file ``path``, of which nothing is touched before the first call.

    It is private to its owner, may be used by several programs at once, and survives the death of any. Every method
    raises :class:`ServiceError`: ``busy`` when another program kept it for ``busy_timeout`` seconds, ``broken`` when
    the file cannot be used. ``before_writing`` is called with the connection before each change.
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
        """Whether anything was ever written here; nothing is opened to see that."""
        return self.path.exists()

    async def aclose(self) -> None:
        """Let go of the file; safe to call twice. A later call opens it again."""
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
        """Write down what is about to be sent, on the disk when this returns; the entry's number.

        Raises :class:`ServiceError` also with kind ``invalid``, for a payload that JSON cannot say.
        """
        return await self._thread.run(lambda records: records.insert(place, operation, payload, before, context))

    async def conclude(self, number: int, outcome: Outcome, *, error: str = "", answer: Wire = None) -> None:
        await self._thread.run(lambda records: records.conclude(number, outcome, error, answer))

    async def settle(self, number: int, outcome: Outcome) -> None:
        """Write down what was found out about an open or unknown change; others stay as they are."""
        await self._thread.run(lambda records: records.settle(number, outcome))

    async def entries(
        self,
        place: Place | None = None,
        *,
        limit: int = 200,
        plan_id: str | Collection[str] | None = None,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
        numbers: Collection[int] | None = None,
    ) -> tuple[Entry, ...]:
        """The last ``limit`` changes to which everything given applies, newest first."""
        found = Filter(place, plan_id=plan_id, character_id=character_id, outcome=outcomes, number=numbers)
        return await self._read(lambda records: records.entries(found, "ORDER BY number DESC LIMIT ?", limit))

    async def beginnings(
        self,
        place: Place,
        *,
        limit: int,
        character_id: str | None = None,
        outcomes: Collection[Outcome] | None = None,
    ) -> tuple[tuple[str | None, int], ...]:
        """The plan and the number of the first change of each of the last ``limit`` deeds, newest first.

        A deed is a plan, or a change that is no step of one; its first change is the first to which all given applies.
        The number of the last change that was made decides the order, and never the time, since clocks jump.
        """
        found = Filter(place, character_id=character_id, outcome=outcomes)
        return await self._read(lambda records: records.beginnings(found, limit))

    async def entry(self, number: int) -> Entry | None:
        found = Filter(number=number)
        return next(iter(await self._read(lambda records: records.entries(found))), None)

    async def unsettled(self, place: Place | None = None) -> tuple[Entry, ...]:
        """Changes whose end is not known and which nobody works on any more, oldest first."""
        found = Filter(place, outcome=(Outcome.OPEN, Outcome.UNKNOWN))
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
        """The plans to which everything given applies, newest first; ``running`` finds the interrupted ones too."""
        found = Filter(place, state=states, id=ids)
        return await self._read(lambda records: records.plans(found))

    async def undoings(self, place: Place) -> tuple[tuple[str, str], ...]:
        """The plans that took something back, with what that was, newest first: of each, something was done."""
        return await self._read(lambda records: records.undoings(Filter(place)))

    async def end_plan(self, plan_id: str, state: PlanState) -> None:
        """Write down how far a plan came: ``done``, ``stopped`` or ``cancelled``."""
        await self._thread.run(lambda records: records.end_plan(plan_id, state))

    async def forget_plan(self, plan_id: str) -> None:
        """Remove a plan, so that it cannot go on; what was done of it stays in the journal.

        Raises :class:`ServiceError` (kind ``busy``) while a living program is carrying it out.
        """
        await self._thread.run(lambda records: records.forget_plan(plan_id))
