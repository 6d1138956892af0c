"""The history: what was changed from here, newest first, a plan of many steps as one deed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.journal import Entry, Journal, Outcome, PlanState
from chartui.core.plans.inverse import undo_refusal
from chartui.core.plans.verify import Ended, how_it_ended, makes
from chartui.core.plans.wording import sentence
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import OPERATIONS

if TYPE_CHECKING:
    from chartui.core.journal import KeptPlan
    from chartui.core.plans.reads import Reads
    from chartui.core.profiles import Place
    from chartui.core.service import Service

_MANY: Final = 1_000_000
_UNFINISHED: Final = (PlanState.RUNNING, PlanState.STOPPED, PlanState.CANCELLED, PlanState.PARTLY_DONE)
_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that was done: a change, or a plan of several.

    ``name`` is what it is called for undoing: a plan's id, or ``#`` and the number of its entry. ``entries`` are those
    of it, oldest first. ``undone`` says that it was taken back, ``undoes`` what it takes back itself. ``plan`` is the
    state of a plan that is kept, ``changed`` how many of its ``total`` steps changed something, ``alive`` whether a
    program is at it just now.
    """

    name: str
    title: str
    at: str
    entries: tuple[Entry, ...]
    undone: bool = False
    undoes: str | None = None
    plan: PlanState | None = None
    changed: int = 0
    total: int = 1
    alive: bool = False

    def count(self, outcome: Outcome) -> int:
        return sum(entry.outcome is outcome for entry in self.entries)

    @property
    def outcome(self) -> Outcome:
        """How it ended, where one thing can be said of all: a doubt about any part is a doubt about the whole."""
        for outcome in (*_IN_DOUBT, Outcome.DONE):
            if self.count(outcome):
                return outcome
        return Outcome.REFUSED

    @property
    def state(self) -> str:
        """How it stands, in a word or two; of a plan of which steps are left, how far it came."""
        if self.alive:
            return "under way"
        if self.outcome in _IN_DOUBT:
            return "outcome unknown"
        if self.undone:
            return "undone"
        if self.plan is not None and self.resumable:
            return f"{self.plan.value} at {self.changed} of {self.total}"
        return self.outcome.value

    @property
    def resumable(self) -> bool:
        """Whether it is a plan of which something is left to do, and nobody does it.

        One that was taken back does not go on: only its rest would be done.
        """
        return self.plan is not None and self.plan is not PlanState.DONE and not self.alive and not self.undone

    @property
    def undoable(self) -> bool:
        """Whether an undo can be offered: it was done, it stands, and every change of it has an inverse."""
        return self.outcome is Outcome.DONE and not self.undone and not undo_refusal(self.made)

    @property
    def made(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.outcome is Outcome.DONE)


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

    They stand in the order in which ``undo`` takes them: by the number of the last change that was made, since clocks
    jump.
    ``open_only`` leaves those of which it is not known how they ended, or which can go on. Raises
    :class:`~chartui.core.spec.errors.ServiceError`.
    """
    folded, kept = await _folded(journal, place, limit, character_id, open_only=open_only)
    taken_back = await undone_names(journal, place)
    found: list[Deed] = []
    for name in _newest_first(folded, kept):
        deed = deed_of(name, tuple(reversed(folded[name])), kept.get(name), of)
        deed = replace(deed, undone=name in taken_back)
        if not open_only or deed.outcome in _IN_DOUBT or deed.resumable:
            found.append(deed)
        if len(found) == limit:
            break
    return tuple(found)


async def _folded(
    journal: Journal, place: Place, limit: int, character_id: str | None, *, open_only: bool
) -> tuple[Mapping[str, Sequence[Entry]], Mapping[str, KeptPlan]]:
    """The entries of the deeds that come into question, by name and newest first, and the plans among them.

    Nothing else is read: a journal holds thousands of texts.
    """
    begun = await journal.beginnings(
        place,
        limit=_MANY if open_only else limit,
        character_id=character_id,
        outcomes=_IN_DOUBT if open_only else None,
    )
    numbers = [number for plan_id, number in begun if plan_id is None]
    ids = {plan_id for plan_id, _ in begun if plan_id is not None}
    kept = {plan.id: plan for plan in await journal.plans(place, states=_UNFINISHED)}
    if character_id is None or open_only:
        ids |= kept.keys()
    # A plan that was stopped before its first step left no entry.
    folded: dict[str, list[Entry]] = {} if character_id is not None else {name: [] for name in kept}
    kept |= {plan.id: plan for plan in await journal.plans(place, ids=ids - kept.keys())}
    of_plans = await journal.entries(place, plan_id=ids, character_id=character_id, limit=_MANY)
    for entry in (*of_plans, *await journal.entries(place, numbers=numbers, limit=_MANY)):
        folded.setdefault(name_of(entry), []).append(entry)
    return folded, kept


def _newest_first(folded: Mapping[str, Sequence[Entry]], kept: Mapping[str, KeptPlan]) -> Sequence[str]:
    """The names of deeds in the order of their numbers.

    A plan that was stopped before its first change has none, and stands behind what was written down before it was.
    """
    written_down = [entry for entries in folded.values() for entry in entries]

    def last(name: str) -> tuple[int, str]:
        entries = folded[name]
        if not entries:
            at = kept[name].at
            return max((entry.number for entry in written_down if entry.at <= at), default=0), at
        return max([entry.number for entry in entries if entry.outcome is Outcome.DONE] or [entries[0].number]), ""

    return sorted(folded, key=last, reverse=True)


def deed_of(name: str, entries: tuple[Entry, ...], kept: KeptPlan | None, of: Callable[[str], str]) -> Deed:
    """The entries of one deed, oldest first, as one: a plan speaks for its steps, a single change for itself."""
    return Deed(
        name=name,
        title=_title(entries, kept, of),
        at=entries[0].at if entries else kept.at if kept is not None else "",
        entries=entries,
        undoes=None if kept is None else kept.plan.get("undoes"),
        plan=None if kept is None else kept.state,
        changed=0 if kept is None else kept.changed,
        total=len(entries) if kept is None else kept.total,
        alive=any(entry.running for entry in entries) if kept is None else kept.alive,
    )


def _title(entries: Sequence[Entry], kept: KeptPlan | None, of: Callable[[str], str]) -> str:
    """What a deed is called; one change says it better than the plan that it was the only step of."""
    if kept is not None and (kept.total > 1 or kept.plan.get("undoes") or not entries):
        return kept.title
    if len(entries) > 1 and kept is None:
        return f"{len(entries)} changes"
    last = entries[-1]
    steps: Any = kept.plan.get("steps", ()) if kept is not None else ()
    subject = steps[last.step].get("subject") if last.step is not None and last.step < len(steps) else ""
    return sentence(last.operation, last.payload, last.before, of=lambda character_id: subject or of(character_id))


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


async def character_names(service: Service) -> Callable[[str], str]:
    """Gives the names of characters by their ids, where asking costs nothing and the store can be read.

    In all other cases it gives the id itself: the history stays readable beside a broken store.
    """
    if not service.embedded:
        return str
    try:
        summaries = await service.summaries()
    except ServiceError as error:
        if error.kind not in (ErrorKind.BROKEN, ErrorKind.BUSY):
            raise
        return str
    known = {summary.character_id: summary.character_name for summary in summaries}
    return lambda character_id: known.get(character_id) or character_id


async def look_at(reads: Reads, journal: Journal, entry: Entry) -> Ended:
    """Find out how a change ended of which nobody knows, by looking at what is there now, and write that down.

    Nothing is changed but the journal. ``reads`` reads the present values: for several entries each list once. Raises
    :class:`~chartui.core.spec.errors.ServiceError`.
    """
    row = OPERATIONS.get(entry.operation)
    if row is None:  # written by another version of the program
        return Ended.UNCLEAR
    alike: Any = (entry.before or {}).get("alike")
    if makes(row) and alike is None:
        return Ended.UNCLEAR
    before = None if makes(row) else entry.before
    found = await how_it_ended(row, entry.payload, before, reads, others=alike or ())
    if found.ended is Ended.DONE:
        await journal.conclude(entry.number, Outcome.DONE, answer=found.answer)
    elif found.ended is Ended.NOT_DONE:
        await journal.settle(entry.number, Outcome.REFUSED)
    return found.ended


def ended_text(ended: Ended, how: str) -> str:
    """How a change ended, in words; where that is not known, ``how`` it can be said."""
    text = _ENDED[ended]
    return text if ended in (Ended.DONE, Ended.NOT_DONE) else f"{text}; say it with {how}"


_ENDED: Final[Mapping[Ended, str]] = {
    Ended.DONE: "it was made",
    Ended.NOT_DONE: "it was not made",
    Ended.CHANGED: "what is there now is neither what was there nor what was meant",
    Ended.UNCLEAR: "looking does not tell",
}
