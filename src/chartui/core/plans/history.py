"""The history: what was changed from here, newest first, a plan of many steps as one deed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.journal import Entry, Journal, Outcome, PlanState
from chartui.core.plans.looking import Ended, Reader, how_it_ended, makes
from chartui.core.plans.wording import sentence
from chartui.core.spec.operations import operation

if TYPE_CHECKING:
    from chartui.core.journal import KeptPlan
    from chartui.core.profiles import Place
    from chartui.core.service import Service

__all__ = ["Deed", "deed_of", "deeds", "look_at", "name_of", "undone_names"]

#: Entries of the journal that are looked through at most: one deed may be a plan of many steps.
_ENTRIES: Final = 5000
_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that was done: a change, or a plan of several.

    ``name`` is what it is called for undoing: a plan's id, or ``#`` and the number of its entry. ``entries`` are those
    of it, oldest first. ``undone`` says that it was taken back, ``undoes`` what it took back itself. ``plan`` is the
    state of a plan that is kept, ``alive`` whether a program is at it just now.
    """

    name: str
    title: str
    at: str
    entries: tuple[Entry, ...]
    undone: bool = False
    undoes: str | None = None
    plan: PlanState | None = None
    total: int = 1
    alive: bool = False

    def count(self, outcome: Outcome) -> int:
        """How many of its changes ended so."""
        return sum(entry.outcome is outcome for entry in self.entries)

    @property
    def outcome(self) -> Outcome:
        """How it ended, where one thing can be said of all: a doubt about any part is a doubt about the whole."""
        for outcome in (*_IN_DOUBT, Outcome.DONE):
            if self.count(outcome):
                return outcome
        return Outcome.REFUSED

    @property
    def resumable(self) -> bool:
        """Whether it is a plan of which something is left to do, and nobody does it."""
        return self.plan is not None and self.plan is not PlanState.DONE and not self.alive

    @property
    def undoable(self) -> bool:
        """Whether it may be taken back: it was done, for sure, and stands."""
        return self.outcome is Outcome.DONE and not self.undone


async def deeds(
    journal: Journal,
    place: Place,
    *,
    limit: int = 50,
    character_id: str | None = None,
    open_only: bool = False,
    of: Callable[[str], str] = lambda character_id: character_id,
) -> tuple[Deed, ...]:
    """The last ``limit`` deeds at ``place``, newest first; ``of`` gives the name of a character.

    ``open_only`` leaves those of which it is not known how they ended, or which can go on. Raises
    :class:`~chartui.core.spec.errors.ServiceError`.
    """
    folded: dict[str, list[Entry]] = {}
    for entry in await journal.entries(place, limit=_ENTRIES, character_id=character_id):
        folded.setdefault(name_of(entry), []).append(entry)
    kept = {plan.id: plan for plan in await journal.plans(place)}
    undoings = await journal.undoings(place)
    taken_back, undoes = _standing(undoings), dict(undoings)
    found: list[Deed] = []
    for name, entries in folded.items():
        deed = deed_of(name, tuple(reversed(entries)), kept.get(name), of)
        if not open_only or deed.outcome in _IN_DOUBT or deed.resumable:
            found.append(replace(deed, undone=name in taken_back, undoes=undoes.get(name)))
        if len(found) == limit:
            break
    return tuple(found)


def deed_of(name: str, entries: tuple[Entry, ...], kept: KeptPlan | None, of: Callable[[str], str]) -> Deed:
    """The entries of one deed, oldest first, as one: a plan speaks for its steps, a single change for itself."""
    first = entries[0]
    steps: Any = kept.plan["steps"] if kept is not None else ()

    def whose(character_id: str) -> str:
        subject: str = steps[first.step]["subject"] if first.step is not None and first.step < len(steps) else ""
        return subject or of(character_id)

    total = kept.total if kept is not None else len(entries)
    if kept is not None and (total > 1 or kept.plan["undoes"]):
        title = kept.title
    elif len(entries) == 1:
        title = sentence(first.operation, first.payload, first.before, of=whose)
    else:
        title = f"{len(entries)} changes"
    return Deed(
        name=name,
        title=title,
        at=first.at,
        entries=entries,
        plan=None if kept is None else kept.state,
        total=total,
        alive=kept.alive if kept is not None else any(entry.running for entry in entries),
    )


def name_of(entry: Entry) -> str:
    """What a change is taken back as: the plan that it is a step of, or itself."""
    return entry.plan_id or f"#{entry.number}"


async def undone_names(journal: Journal, place: Place) -> frozenset[str]:
    """The plans and entries that were taken back, and whose taking back was not itself taken back."""
    return _standing(await journal.undoings(place))


def _standing(undoings: Iterable[tuple[str, str]]) -> frozenset[str]:
    gone: set[str] = set()
    for plan_id, undoes in undoings:  # newest first: what is gone itself takes nothing back any more
        if plan_id not in gone:
            gone.add(undoes)
    return frozenset(gone)


async def look_at(service: Service, journal: Journal, entry: Entry) -> Ended:
    """Find out how a change ended of which nobody knows, by looking at what is there now, and write that down.

    Nothing is changed but the journal. Raises :class:`~chartui.core.spec.errors.ServiceError`.
    """
    reader = Reader(service)
    row = operation(entry.operation)
    alike: Any = (entry.before or {}).get("alike")
    if makes(row) and alike is None:
        return Ended.UNCLEAR
    before = None if makes(row) else entry.before
    found = await how_it_ended(row, entry.payload, before, reader, others=alike or ())
    if found.ended is Ended.DONE:
        await journal.conclude(entry.number, Outcome.DONE, answer=found.answer)
    elif found.ended is Ended.NOT_DONE:
        await journal.settle(entry.number, Outcome.REFUSED)
    return found.ended
