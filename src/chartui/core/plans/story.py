"""Find the steps that turn the stored story into the wanted one.

The number of steps is kept small, and their order is safe. The wanted story comes from an editor, a fix, an imported
file or a push. New sections are created first. The start section precedes the others, because the first new section
becomes the start if the story has none. Next, the overrides of triggers that will be deleted are removed, and these
triggers are deleted, which frees their names. Other triggers and references to sections are then changed, followed by
fields that only an embedded store can set. Sections are deleted once nothing refers to them. Finally, the graph is
switched on or off, so that a character never follows an incomplete story.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any, Final, TypeVar

from chartui.core.classes import dataclass
from chartui.core.journal import Entry, Journal, Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.lint import Severity
from chartui.core.narrative.edits import STORY, Key, Sending
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.lint import Finding, PlaceKind, in_words, lint
from chartui.core.narrative.story import Story, differing_members, overrides_of
from chartui.core.plans.history import look_at
from chartui.core.plans.kept import last_tries
from chartui.core.plans.narrative import BadReference, GraphSteps
from chartui.core.plans.plan import Change, Plan, Step, result_of
from chartui.core.plans.reads import Reads
from chartui.core.service import Service
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Trigger
from chartui.core.spec.shape import build

K = TypeVar("K")

#: Members of payloads that hold an ID, possibly of an item created by an earlier step.
_IDS: Final = {
    "section_id": "section_id",
    "next_section_id": "section_id",
    "destination_section": "section_id",
    "trigger_id": "trigger_id",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StorySteps:
    """The steps that turn one story into another.

    ``makes`` maps the index of a step to the ID of the section or trigger that the step creates. ``left_out`` contains
    a sentence for each change that the profile does not support (decisions 26 and 59).
    """

    steps: tuple[Step, ...]
    makes: Mapping[int, str]
    left_out: tuple[str, ...] = ()


def story_steps(character: Character, stored: Story, wanted: Story, *, embedded: bool, offset: int = 0) -> StorySteps:
    """Return the steps that turn the ``stored`` story into the ``wanted`` one.

    ``offset`` is the number of earlier steps in the plan. If ``wanted`` adds a section or trigger with an ID that
    ``stored`` refers to but does not contain, the existing references will point to the new section or trigger.
    Sections and triggers in ``wanted.unread`` are not created, changed or deleted. Raises
    :class:`~chartui.core.plans.narrative.BadReference` if a new reference points to a missing section.
    """
    unsent = tuple(_unsent(wanted))
    wanted = wanted.without_unread()
    fresh = _fresh_ids(stored, wanted)
    found = _Difference(character, stored, wanted.renamed(fresh), embedded, offset).found()
    ids = {new: old for old, new in fresh.items()}
    makes = {number: ids.get(item_id, item_id) for number, item_id in found.makes.items()}
    return replace(found, makes=makes, left_out=(*unsent, *found.left_out))


def with_errors(plan: Plan, stored: Story, wanted: Story, off: Collection[str] = ()) -> Plan:
    """Check a story before and after ``plan``, and return the plan with the errors that it causes and fixes.

    ``stored`` is the story before the plan, and ``wanted`` is the story after it. ``off`` contains the IDs of disabled
    lint rules. The check takes about one second per 5 000 sections.
    """
    if stored is wanted:
        return plan
    before, now = stored.graph(), wanted.graph()
    left = Counter(_error_key(before, one) for one in _errors(stored, before, off))
    brought = [one for one in _errors(wanted, now, off) if not _taken(left, _error_key(now, one))]
    # Changing the criteria of a decision does not make its error a new one.
    about = Counter(key[:3] for key in left.elements())
    new = tuple(in_words(now, one) for one in brought if not _taken(about, _error_key(now, one)[:3]))
    return replace(plan, new_errors=new, fixed_errors=about.total())


def _errors(story: Story, graph: Graph, off: Collection[str]) -> list[Finding]:
    return [one for one in lint(story, graph=graph, off=off) if one.rule.severity is Severity.ERROR]


def _error_key(graph: Graph, finding: Finding) -> tuple[str, str, str, Wire]:
    """The identity of a finding. It stays the same if a change moves a decision or an override."""
    kind, owner, position = finding.place
    part: Wire = None
    if kind is PlaceKind.DECISION:
        part = next(edge.criteria for edge in graph.edges[owner] if edge.position == position)
    elif kind is PlaceKind.OVERRIDE:
        part = graph.overrides(owner)[position].trigger_id
    return finding.rule.id, owner, finding.message, part


def _taken(left: Counter[K], key: K) -> bool:
    """Reduce the count of ``key`` by 1. Return whether the count was positive."""
    there = left[key] > 0
    left[key] -= there
    return there


def _unsent(wanted: Story) -> Iterator[str]:
    for key in sorted(wanted.unread):
        section, trigger = wanted.sections.get(key), wanted.triggers.get(key)
        name = section.section_name if section is not None else trigger.trigger_name if trigger is not None else None
        yield f"“{name or key}” can no longer be read, so changes to it are kept but not sent."


def _fresh_ids(stored: Story, wanted: Story) -> Mapping[str, str]:
    """Map the IDs of new items to other IDs if ``stored`` already refers to them.

    The service assigns different IDs when it creates the items.
    """
    new = [key for key in wanted.sections if key not in stored.sections]
    new += [key for key in wanted.triggers if key not in stored.triggers]
    mentioned = stored.mentioned() if new else ()
    found = (key for key in new if key in mentioned)
    return {key: f"{wanted.fresh_id('again')}-{number}" for number, key in enumerate(found)}


class _Difference:
    def __init__(self, character: Character, stored: Story, wanted: Story, embedded: bool, offset: int) -> None:
        self._stored, self._wanted, self._embedded = stored, wanted, embedded
        self._new = [section_id for section_id in wanted.sections if section_id not in stored.sections]
        self._new.sort(key=lambda section_id: section_id != wanted.start)
        self._make = GraphSteps(character, stored.graph(), wanted.graph(), embedded=embedded)
        self._offset = offset
        self._steps: list[Step] = []
        self._made: dict[str, int] = {}  # ID inside the story → number of the step that makes it
        self._left_out: list[str] = []
        self._there = {*stored.triggers, *wanted.triggers}

    def found(self) -> StorySteps:
        for section_id in self._new:
            self._add(self._make.create_section(self._wanted.sections[section_id]), makes=section_id)
        # An override can be set only while its trigger exists.
        self._override(lambda trigger_id: trigger_id not in self._wanted.triggers)
        self._change_triggers()
        self._change_sections()
        self._override(lambda trigger_id: trigger_id in self._wanted.triggers)
        self._leave_out_overrides()
        self._start()
        gone = [section_id for section_id in self._stored.sections if section_id not in self._wanted.sections]
        for section_id in gone:
            self._add(self._make.delete_section(section_id, together_with=gone))
        if self._wanted.enabled is not None:
            self._add(self._make.toggle(self._wanted.enabled))
        makes = {number - self._offset: item_id for item_id, number in self._made.items()}
        return StorySteps(steps=tuple(self._steps), makes=makes, left_out=tuple(self._left_out))

    def _add(self, step: Step | None, *, makes: str | None = None) -> None:
        if step is None:
            return
        if makes is not None:
            self._made[makes] = self._offset + len(self._steps)
        payload: Any = self._answered(step.payload)
        self._steps.append(replace(step, payload=payload))

    def _answered(self, value: Wire) -> Wire:
        if isinstance(value, Mapping):
            return {
                name: result_of(self._made[inner], _IDS[name])
                if name in _IDS and isinstance(inner, str) and inner in self._made
                else self._answered(inner)
                for name, inner in value.items()
            }
        return [self._answered(inner) for inner in value] if isinstance(value, list | tuple) else value

    # -- sections -----------------------------------------------------------------------------------------------------

    def _change_sections(self) -> None:
        for section_id, section in self._wanted.sections.items():
            present = self._stored.sections.get(section_id)
            if present is not None and section.decisions is None and "decisions" in differing_members(present, section):
                becomes = "becomes" if present.decisions else "stays"
                name = section.section_name or section_id
                self._left_out.append(
                    f"“{name}” {becomes} an ending, because the service cannot remove a list of decisions."
                )
            self._add(self._make.edit_section(present, section))

    # -- triggers -----------------------------------------------------------------------------------------------------

    def _change_triggers(self) -> None:
        for trigger_id in self._stored.triggers:
            if trigger_id not in self._wanted.triggers:
                self._add(self._make.delete_trigger(trigger_id))
        self._edit_triggers()
        for trigger_id, trigger in self._wanted.triggers.items():
            if trigger_id not in self._stored.triggers:
                self._add(self._make.create_trigger(trigger), makes=trigger_id)

    def _edit_triggers(self) -> None:
        """Change triggers without ever using a name twice.

        Triggers that swap names take a temporary name first.
        """
        names = {key: one.trigger_name for key, one in self._stored.triggers.items() if key in self._wanted.triggers}
        waiting = [
            trigger_id
            for trigger_id in names
            if differing_members(self._stored.triggers[trigger_id], self._wanted.triggers[trigger_id])
        ]
        stepped_aside: dict[str, str] = {}
        while waiting:
            wanted = {trigger_id: self._wanted.triggers[trigger_id].trigger_name for trigger_id in waiting}
            free = next((key for key in waiting if not _holders(names, key, wanted[key])), None)
            if free is None:
                going_round = _in_a_circle(names, wanted)
                if going_round is not None:
                    name = f"{names[going_round]} (meanwhile)"
                    taken = {*names.values(), *wanted.values()}
                    numbered = (f"{name} {number}" for number in count(2))
                    aside = next(one for one in chain([name], numbered) if one not in taken)
                    present = self._stored.triggers[going_round]
                    aside_now = build(Trigger, {**present.raw, "trigger_name": aside})
                    self._add(self._make.edit_trigger(present, aside_now))
                    names[going_round] = stepped_aside[going_round] = aside
                    continue
                free = waiting[0]  # its name stays in use, which the service reports
            waiting.remove(free)
            names[free] = wanted[free]
            step = self._make.edit_trigger(self._stored.triggers[free], self._wanted.triggers[free])
            if step is not None and free in stepped_aside:
                step = replace(step, expected={**(step.expected or {}), "trigger_name": stepped_aside[free]})
            self._add(step)

    # -- members that only an embedded store can set ------------------------------------------------------------------

    def _override(self, chosen: Callable[[str], bool]) -> None:
        for section_id, section in self._wanted.sections.items() if self._embedded else ():
            before, after = overrides_of(self._stored.sections.get(section_id)), overrides_of(section)
            if before == after:
                continue
            for trigger_id in filter(chosen, (*after, *(key for key in before if key not in after))):
                if before.get(trigger_id) == after.get(trigger_id):
                    continue
                if trigger_id in after and trigger_id not in self._there:
                    name = section.section_name or section_id
                    self._left_out.append(f"An override in “{name}” is not changed, because its trigger is missing.")
                else:
                    self._add(self._make.override(section_id, trigger_id, after.get(trigger_id)))

    def _leave_out_overrides(self) -> None:
        for section_id, section in self._wanted.sections.items() if not self._embedded else ():
            if overrides_of(self._stored.sections.get(section_id)) != overrides_of(section):
                name = section.section_name or section_id
                self._left_out.append(f"The overrides of “{name}” are kept, because the service cannot change them.")

    def _start(self) -> None:
        before, after = self._stored.start, self._wanted.start
        # A story without a start takes the first section created (decision 26).
        taken = self._new[0] if before is None and self._new else before
        if after == taken:
            return
        if after is not None and after not in self._wanted.sections:
            if after not in self._stored.sections:
                raise BadReference(f"There is no section '{after}' to start from. Nothing was sent.")
            after = None  # the start section is deleted, which removes the start
        if after is None and taken in self._stored.sections and taken not in self._wanted.sections:
            return  # its deletion removes the start
        if not self._embedded:
            self._left_out.append(
                f"The service cannot set the story's start to “{self._wanted.graph().section_name(after)}”."
                if after
                else "The service cannot remove the story's start."
            )
            return
        step = self._make.start(after)
        if taken != before and taken is not None:
            # This plan creates the new value, so its ID is not known yet.
            name = self._wanted.sections[taken].section_name or taken
            shown = Change(label="start", before=f"“{name}”", after=step.changes[0].after if step is not None else None)
            payload = {**self._make.address, "section_id": after}
            step = Step(operation="set-start-section", payload=payload, subject=self._make.name, changes=(shown,))
        self._add(step)


def _holders(names: Mapping[str, str | None], trigger_id: str, name: str | None) -> list[str]:
    """Return the triggers that hold the name intended for another trigger. Unchanged names do not count."""
    if names[trigger_id] == name:
        return []
    return [key for key, other in names.items() if other == name and key != trigger_id]


def _in_a_circle(names: Mapping[str, str | None], wanted: Mapping[str, str | None]) -> str | None:
    """Return one of several triggers that swap names, or None if there are none."""
    for first in wanted:
        seen: list[str] = []
        key: str | None = first
        while key is not None and key not in seen:
            seen.append(key)
            key = next((holder for holder in _holders(names, key, wanted[key]) if holder in wanted), None)
        if key is not None:
            return key
    return None


_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)
#: The states of a plan in which every step was tried.
_THROUGH: Final = (PlanState.DONE, PlanState.PARTLY_DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentOutcomes:
    """The outcome of plans that were sent.

    ``ids`` maps the local IDs of new sections and triggers to their assigned IDs. ``doubtful`` contains new sections
    and triggers that may or may not have been created. ``ours`` contains the temporary values that the plans wrote,
    keyed by field. ``left`` contains the plans that still have unknown outcomes or open steps.
    """

    ids: Mapping[str, str]
    doubtful: frozenset[str]
    ours: Mapping[Key, Sequence[Wire]]
    left: tuple[Sending, ...]


async def outcomes_of(service: Service, journal: Journal, sent: Sequence[Sending]) -> SentOutcomes:
    """Determine the outcome of plans that were sent, and record it in the journal.

    The plans in ``sent`` are given oldest first. A plan that a later plan has replaced is abandoned, so that it cannot
    be resumed and create the same sections or triggers again. Raises :class:`~chartui.core.spec.errors.ServiceError` if
    the service cannot be read or the journal cannot be used.
    """
    ids: dict[str, str] = {}
    doubtful: set[str] = set()
    ours: dict[Key, list[Wire]] = {}
    left: list[Sending] = []
    for sending in sent:
        kept = await journal.plan(sending.plan)
        tries = await last_tries(journal, sending.plan)
        if kept is None and not tries:  # The plan was never begun.
            continue
        alive = kept is not None and kept.alive
        if not alive and await _looked(service, journal, tries.values()):
            tries = await last_tries(journal, sending.plan)
        found = made_ids(sending, {number: entry.answer for number, entry in tries.items()})
        ids |= found
        in_doubt = {number for number, entry in tries.items() if entry.outcome in _IN_DOUBT}
        doubtful |= {item for number, item in sending.makes.items() if number in in_doubt and item not in found}
        for key, value in _temporary_values(tries.values()):
            ours.setdefault(key, []).append(value)
        for earlier in left:
            await journal.abandon_plan(earlier.plan)
        makes = {number: item for number, item in sending.makes.items() if item not in found}
        through = not in_doubt and (kept is None or kept.state in _THROUGH)
        left = [] if through else [replace(sending, makes=makes)]
    return SentOutcomes(ids=ids, doubtful=frozenset(doubtful - ids.keys()), ours=ours, left=tuple(left))


async def _looked(service: Service, journal: Journal, entries: Iterable[Entry]) -> bool:
    """Determine the unknown outcomes of steps. Returns whether there were any."""
    doubtful = [entry for entry in entries if entry.outcome in _IN_DOUBT and not entry.running]
    reads = Reads(service)
    for entry in doubtful:
        await look_at(reads, journal, entry)
    return bool(doubtful)


def made_ids(sending: Sending, answers: Mapping[int, Wire]) -> dict[str, str]:
    """Return a mapping from the local IDs of new sections and triggers to their assigned IDs.

    ``answers`` maps step numbers to the responses to these steps.
    """
    ids = {}
    for number, item in sending.makes.items():
        answer = answers.get(number)
        made = (answer.get("trigger_id") or answer.get("section_id")) if isinstance(answer, Mapping) else None
        if isinstance(made, str):
            ids[item] = made
    return ids


def _temporary_values(entries: Iterable[Entry]) -> Iterable[tuple[Key, Wire]]:
    """Yield temporary values that the plan itself was to change again.

    These are names that blocked others, and the start that a story gets automatically (decision 26).
    """
    for entry in entries:
        if entry.outcome is not Outcome.DONE:
            continue
        written = entry.payload.get("updated_data")
        if entry.operation == "update-trigger" and isinstance(written, Mapping) and "trigger_name" in written:
            yield ("trigger", str(entry.payload["trigger_id"]), "trigger_name"), written["trigger_name"]
        if entry.operation == "create-section" and isinstance(entry.answer, Mapping):
            yield ("story", STORY, "start"), entry.answer.get("section_id")
