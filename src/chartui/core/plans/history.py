"""The history of changes made from this machine, newest first. A plan with many steps counts as one item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import dataclass
from chartui.core.journal import Entry, Journal, KeptPlan, Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.plans.inverse import undo_refusal
from chartui.core.plans.reads import Reads
from chartui.core.plans.verify import Ended, how_it_ended, made_by_others, makes
from chartui.core.plans.wording import sentence, written
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import OPERATIONS

if TYPE_CHECKING:
    from chartui.core.plans.plan import Change

#: The title of an undo begins with this.
UNDO: Final = "Undo: "
_MANY: Final = 1_000_000
_UNFINISHED: Final = (PlanState.RUNNING, PlanState.STOPPED, PlanState.CANCELLED, PlanState.PARTLY_DONE)
_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """An item in the history: a single change or a plan.

    ``name`` is used to undo the item. It is the plan's ID, or ``#`` followed by the number of the journal entry.
    ``entries`` are the item's journal entries, oldest first. ``undone`` says whether the item was undone, and
    ``undoes`` is the name of the item that this item undoes. For a stored plan, ``plan`` is its state, ``total`` is the
    number of its steps, and ``changed`` is the number of steps that changed something. ``alive`` says whether a program
    is applying the item.
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
        """The overall outcome of the item.

        The outcome is unknown if any entry has an unknown outcome. Otherwise, it is done if any entry was applied, and
        refused if none was.
        """
        for outcome in (*_IN_DOUBT, Outcome.DONE):
            if self.count(outcome):
                return outcome
        return Outcome.REFUSED

    @property
    def state(self) -> str:
        """The state of the item in one or two words, including the progress of an unfinished plan."""
        if self.alive:
            return "under way"
        if self.outcome in _IN_DOUBT:
            return "outcome unknown"
        if self.undone:
            return "undone"
        if self.plan is not None and self.resumable:
            ended = "canceled" if self.plan is PlanState.CANCELLED else self.plan.value
            return f"{ended} at {self.changed} of {self.total}"
        return self.outcome.value

    @property
    def resumable(self) -> bool:
        """Whether the item is a plan that can be resumed because it is unfinished, not running and not reverted."""
        return self.plan is not None and self.plan is not PlanState.DONE and not self.alive and not self.undone

    @property
    def undoable(self) -> bool:
        """Whether undo can be offered for the item.

        The item must have been applied and not undone, and each of its changes must have an inverse.
        """
        return self.outcome is Outcome.DONE and not self.undone and not undo_refusal(self.made)

    @property
    def redoes(self) -> bool:
        """Whether undoing the item redoes an earlier change, because the item is itself an undo."""
        return self.undoes is not None and self.title.startswith(UNDO)

    @property
    def made(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.outcome is Outcome.DONE)


async def past_changes(
    journal: Journal,
    place: Place,
    *,
    limit: int = 50,
    character_id: str | None = None,
    open_only: bool = False,
    of: Callable[[str], str] = lambda character_id: character_id,
) -> tuple[PastChange, ...]:
    """Return the latest ``limit`` history items of ``place``, newest first.

    ``place`` identifies the service or store. Items are sorted by the entry number of their last applied change rather
    than by time, because clocks can jump. Undo uses the same order. ``of`` maps a character's ID to its name. If
    ``open_only`` is set, only items with an unknown outcome and plans that can be resumed are returned. Raises
    :class:`~chartui.core.spec.errors.ServiceError`.
    """
    folded, kept = await _folded(journal, place, limit, character_id, open_only=open_only)
    undone = await undone_names(journal, place)
    found: list[PastChange] = []
    for name in _newest_first(folded, kept):
        item = item_of(name, tuple(reversed(folded[name])), kept.get(name), of)
        item = replace(item, undone=name in undone)
        if not open_only or item.outcome in _IN_DOUBT or item.resumable:
            found.append(item)
        if len(found) == limit:
            break
    return tuple(found)


async def _folded(
    journal: Journal, place: Place, limit: int, character_id: str | None, *, open_only: bool
) -> tuple[Mapping[str, Sequence[Entry]], Mapping[str, KeptPlan]]:
    """Return the entries of the listed items, grouped by the name of the item and newest first, and the stored plans.

    Other entries are not read, because a journal may contain thousands of long texts.
    """
    begun = await journal.beginnings(
        place, limit=_MANY if open_only else limit, character_id=character_id, outcomes=_IN_DOUBT if open_only else None
    )
    numbers = [number for plan_id, number in begun if plan_id is None]
    ids = {plan_id for plan_id, _ in begun if plan_id is not None}
    kept = {plan.id: plan for plan in await journal.plans(place, states=_UNFINISHED)}
    if character_id is None or open_only:
        ids |= kept.keys()
    # A plan that was stopped before its first step has no entries.
    folded: dict[str, list[Entry]] = {} if character_id is not None else {name: [] for name in kept}
    kept |= {plan.id: plan for plan in await journal.plans(place, ids=ids - kept.keys())}
    of_plans = await journal.entries(place, plan_id=ids, character_id=character_id, limit=_MANY)
    for entry in (*of_plans, *await journal.entries(place, numbers=numbers, limit=_MANY)):
        folded.setdefault(name_of(entry), []).append(entry)
    return folded, kept


def _newest_first(folded: Mapping[str, Sequence[Entry]], kept: Mapping[str, KeptPlan]) -> Sequence[str]:
    """Return the names of items, sorted by the numbers of the items.

    A plan that stopped before its first change has no number. It is placed after the items recorded before it.
    """
    written_down = [entry for entries in folded.values() for entry in entries]

    def last(name: str) -> tuple[int, str]:
        entries = folded[name]
        if not entries:
            at = kept[name].at
            return max((entry.number for entry in written_down if entry.at <= at), default=0), at
        return max([entry.number for entry in entries if entry.outcome is Outcome.DONE] or [entries[0].number]), ""

    return sorted(folded, key=last, reverse=True)


def item_of(name: str, entries: tuple[Entry, ...], kept: KeptPlan | None, of: Callable[[str], str]) -> PastChange:
    """Build a history item from its journal entries, which are given oldest first.

    The item is a plan or a single change.
    """
    return PastChange(
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
    if kept is not None and (kept.total > 1 or kept.plan.get("undoes") or not entries):
        return kept.title
    if len(entries) > 1 and kept is None:
        return f"{len(entries)} changes"
    return entry_title(entries[-1], kept, of)


def entry_title(last: Entry, kept: KeptPlan | None, of: Callable[[str], str], *, back: Sequence[Change] = ()) -> str:
    """Return the title of a single change.

    If ``back`` contains the changes that undo this change, the title describes those changes instead.
    """
    steps: Any = kept.plan.get("steps", ()) if kept is not None else ()
    subject = steps[last.step].get("subject") if last.step is not None and last.step < len(steps) else ""

    def named(item_id: str) -> str:
        return subject if subject and item_id == last.character_id else of(item_id)

    return sentence(last.operation, last.payload, last.before, of=named, back=back)


def name_of(entry: Entry) -> str:
    """Return the name by which a change can be undone: its plan ID, or ``#`` followed by the entry number."""
    return entry.plan_id or f"#{entry.number}"


async def undone_names(journal: Journal, place: Place) -> frozenset[str]:
    """Return the names of the plans and entries that have been undone and have not been redone since."""
    gone: set[str] = set()
    # newest first, because an undo that was itself undone has no effect
    for plan_id, undoes in await journal.undoings(place):
        if plan_id not in gone:
            gone.add(undoes)
    return frozenset(gone)


async def known_names(service: Service, journal: Journal, place: Place) -> Callable[[str], str]:
    """Return a function that maps the ID of a character, section or trigger to its name.

    The function returns the ID itself if no name is known. For a remote service, the names of sections and triggers
    come from the journal, so the service is not called. If an embedded store cannot be read, the function returns every
    ID unchanged.
    """
    entries = await journal.entries(place, limit=_NAMING, operations=_OF_STORIES)
    if not service.embedded:
        known = _written_names(entries)
        return lambda item_id: known.get(item_id) or item_id
    try:
        summaries = await service.summaries()
        parts = await part_names(service, entries)
    except ServiceError as error:
        if error.kind not in (ErrorKind.BROKEN, ErrorKind.BUSY):
            raise
        return str
    named = {summary.character_id: summary.character_name or summary.character_id for summary in summaries}
    known = {**parts, **named}
    return lambda item_id: known.get(item_id, item_id)


#: Maximum number of changes searched for names.
_NAMING: Final = 1000
_OF_STORIES: Final = frozenset(name for name in OPERATIONS if name.endswith(("-section", "-trigger", "-override")))


async def part_names(service: Service, entries: Sequence[Entry]) -> dict[str, str]:
    """Return a mapping from the IDs of sections and triggers to their names.

    The mapping covers the characters that were changed by ``entries``, which are given newest first. Current names take
    precedence over names in the journal. The name of a missing section is empty.
    """
    known = _written_names(entries)
    for character_id in dict.fromkeys(e.character_id for e in entries if e.operation in _OF_STORIES and e.character_id):
        try:
            sections, triggers = await service.sections(character_id), await service.triggers(character_id)
        except ServiceError as error:
            if error.kind is not ErrorKind.NOT_FOUND:
                raise
            continue
        known |= {one.section_id: one.section_name or one.section_id for one in sections}
        known |= {one.trigger_id: one.trigger_name or one.trigger_id for one in triggers}
        if not sections.unreadable:
            mine = [[e.payload, e.before] for e in entries if e.character_id == character_id]
            known = dict.fromkeys(_targets(mine), "") | known
    return known


def _written_names(entries: Sequence[Entry]) -> dict[str, str]:
    known: dict[str, str] = {}
    for entry in reversed(entries):
        for kind in ("section", "trigger"):
            sources = (entry.before, entry.payload, entry.payload.get(kind), written(entry.operation, entry.payload))
            values: dict[str, Any] = {}
            for source in (*sources, entry.answer):
                values |= source if isinstance(source, Mapping) else {}
            item_id, name = values.get(f"{kind}_id"), values.get(f"{kind}_name")
            if isinstance(item_id, str) and isinstance(name, str) and name:
                known[item_id] = name
    return known


def _targets(value: Wire) -> Iterator[str]:
    """Yield the IDs of the target sections of decisions, triggers and overrides, anywhere in ``value``."""
    if isinstance(value, Mapping):
        yield from (
            v for k, v in value.items() if k in ("next_section_id", "destination_section") and v and type(v) is str
        )
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        yield from _targets(inner)


async def look_at(reads: Reads, journal: Journal, entry: Entry) -> Ended:
    """Determine the unknown outcome of a change, and record it in the journal.

    ``reads`` provides the current values, which show whether the change was applied. Nothing is changed on the service.
    Raises :class:`~chartui.core.spec.errors.ServiceError`.
    """
    row = OPERATIONS.get(entry.operation)
    if row is None:  # written by another version of the program
        return Ended.UNCLEAR
    others = await made_by_others(row, journal, entry) if makes(row) else ()
    if others is None:
        return Ended.UNCLEAR
    before = None if makes(row) else entry.before
    found = await how_it_ended(row, entry.payload, before, reads, others=others)
    if found.ended is Ended.DONE:
        await journal.conclude(entry.number, Outcome.DONE, answer=found.answer)
    elif found.ended is Ended.NOT_DONE:
        await journal.resolve(entry.number, Outcome.REFUSED)
    return found.ended


def ended_text(ended: Ended, how: str) -> str:
    """Return a phrase for the outcome of a change. ``how`` says how to resolve an unknown outcome."""
    text = _ENDED[ended]
    return text if ended in (Ended.DONE, Ended.NOT_DONE) else f"{text}; resolve the change with {how}"


_ENDED: Final[Mapping[Ended, str]] = {
    Ended.DONE: "the change was applied",
    Ended.NOT_DONE: "the change was not applied",
    Ended.CHANGED: "the current value is neither the old nor the new one",
    Ended.UNCLEAR: "the outcome cannot be determined",
}
