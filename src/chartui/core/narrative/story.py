"""A narrative graph that can be edited.

A :class:`Story` is immutable, so its methods return a changed copy. To change a graph, build the story you want.
:mod:`chartui.core.plans.story` then determines the steps to send. A section or trigger is new if the stored story does
not contain its ID. Until a new section or trigger is created, its ID is valid only inside the story
(:meth:`Story.fresh_id`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final, TypeVar

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire, same
from chartui.core.narrative.graph import IMMEDIATE, Graph, Missing, edges_of
from chartui.core.spec.elements import Elements, Unreadable
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Decision, Section, Trigger, counting
from chartui.core.spec.shape import build

T = TypeVar("T", Section, Trigger)


class _Kept:
    """The type of :data:`KEPT`, which stands for an unchanged member. None stands for “no value”."""


#: The value of an argument that leaves a member unchanged, where None would clear it.
KEPT: Final = _Kept()

#: The members of a section and of a trigger that users can edit (C 4.5, 4.10; overrides: decision 59).
_SECTION_MEMBERS: Final = ("section_name", "objective", "decisions", "triggers")
_TRIGGER_MEMBERS: Final = ("trigger_name", "trigger_message", "destination_section")


class LeadKind(StrEnum):
    START = "start"
    DECISION = "decision"
    TRIGGER = "trigger"
    OVERRIDE = "override"


class Lead(NamedTuple):
    """An incoming link to a section.

    ``section`` is the ID of the section that contains the link, and ``trigger`` is the ID of the trigger, if any.
    ``position`` is the index of a decision or override in the stored array.
    """

    kind: LeadKind
    section: str | None
    trigger: str | None
    position: int | None


def decision(criteria: str, target: str, *, priority: int | None = None, like: Decision | None = None) -> Decision:
    """Return a decision with the given values.

    Fields that this program does not know are copied from the decision ``like``. If nothing changes, the result is
    equal to ``like``.
    """
    raw: dict[str, Wire] = dict(like.raw) if like is not None else {}
    if like is None or like.criteria != criteria:
        raw["criteria"] = criteria
    if like is None or like.next_section_id != target:
        raw["next_section_id"] = target
    raw.pop("priority", None)
    if priority is not None:
        raw["priority"] = priority
    return build(Decision, raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story, with its sections and triggers in order, keyed by ID, and the ID of its start section.

    ``enabled`` says whether the character follows the story, and is None if unknown. ``start_known`` is false until the
    start has been read. ``other_sections`` and ``other_triggers`` are duplicates, which share the ID of an earlier
    section or trigger. They are shown but never changed. ``unreadable`` contains the parts of the service's responses
    that could not be read (decision 69). ``unread`` contains the IDs of sections and triggers that were read earlier
    but are missing from the latest responses, perhaps because they are unreadable. These sections and triggers are
    shown as last read, and never sent.
    """

    sections: Mapping[str, Section]
    triggers: Mapping[str, Trigger]
    start: str | None = None
    enabled: bool | None = None
    start_known: bool = True
    other_sections: tuple[Section, ...] = ()
    other_triggers: tuple[Trigger, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    unread: frozenset[str] = frozenset()

    @classmethod
    def of(cls, character: Character | None, sections: Sequence[Section], triggers: Sequence[Trigger]) -> Story:
        """Build a character's story from its sections and triggers.

        If ``character`` is None, the story has no start and ``enabled`` is None.
        """
        first_sections: dict[str, Section] = {}
        first_triggers: dict[str, Trigger] = {}
        unreadable = (one for many in (sections, triggers) if isinstance(many, Elements) for one in many.unreadable)
        story = cls(
            other_sections=tuple(s for s in sections if first_sections.setdefault(s.section_id, s) is not s),
            other_triggers=tuple(t for t in triggers if first_triggers.setdefault(t.trigger_id, t) is not t),
            sections=first_sections,
            triggers=first_triggers,
            unreadable=tuple(unreadable),
        )
        return story if character is None else story.belonging_to(character)

    def belonging_to(self, character: Character) -> Story:
        """Return the story with the start and the ``enabled`` state from a character's record."""
        start, enabled = character.start_narrative_section_id or None, character.is_narrative_driven
        return replace(self, start=start, enabled=enabled, start_known=True)

    def graph(self) -> Graph:
        return Graph.build(
            (*self.sections.values(), *self.other_sections),
            (*self.triggers.values(), *self.other_triggers),
            self.start,
            start_known=self.start_known,
            missed=self.missing,
        )

    @property
    def missing(self) -> Missing:
        return Missing.of(self.unreadable)

    def fresh_id(self, kind: str = "section") -> str:
        """Return an unused ID for a new section or trigger."""
        taken = self.mentioned()
        number = len(self.sections) + len(self.triggers) + 1
        while f"new-{kind}-{number}" in taken:
            number += 1
        return f"new-{kind}-{number}"

    def mentioned(self) -> Collection[str | None]:
        """Return all IDs that the story contains or refers to."""
        mentioned: set[str | None] = {*self.sections, *self.triggers, self.start}
        for section in self.sections.values():
            mentioned.update(way.next_section_id for way in section.decisions or ())
            for override in section.triggers or ():
                mentioned.update((override.trigger_id, override.destination_section))
        mentioned.update(trigger.destination_section for trigger in self.triggers.values())
        return mentioned

    def without_unread(self) -> Story:
        """Return the story without the sections and triggers listed in ``unread``."""
        if not self.unread:
            return self
        return replace(
            self,
            sections={key: one for key, one in self.sections.items() if key not in self.unread},
            triggers={key: one for key, one in self.triggers.items() if key not in self.unread},
        )

    # -- the whole ----------------------------------------------------------------------------------------------------

    def starting_at(self, section_id: str | None) -> Story:
        return replace(self, start=section_id)

    def switched(self, enabled: bool) -> Story:
        return replace(self, enabled=enabled)

    # -- sections -----------------------------------------------------------------------------------------------------

    def with_section(
        self,
        section_id: str,
        *,
        name: str | None = None,
        objective: str | None = None,
        decisions: Iterable[Decision] | None = None,
    ) -> Story:
        """Change the given fields of a section, or add a new section at the end.

        ``decisions`` replaces the whole list of decisions.
        """
        changes = _given(section_name=name, objective=objective)
        present = self.sections.get(section_id)
        if decisions is not None:
            changes["decisions"] = with_unreadable(present, [dict(way.raw) for way in decisions])
        new = {"section_id": section_id, "section_name": "", "objective": "", "decisions": None, "triggers": None}
        return self._having_section(build(Section, {**(new if present is None else present.raw), **changes}))

    def ways(self, section_id: str) -> tuple[Decision, ...]:
        """Return the decisions of a section in the order in which they are tried."""
        section = self.sections[section_id]
        stored = section.decisions or ()
        return tuple(stored[edge.position] for edge in edges_of(section))

    def with_ways(self, section_id: str, ways: Iterable[Decision]) -> Story:
        """Replace the decisions of a section with ``ways``, which are then tried in the given order.

        If the priorities contradict this order, they are redistributed so that they ascend and decisions without a
        priority come last (decisions 35 and 59).
        """
        return self.with_section(section_id, decisions=_in_order(tuple(ways)))

    def with_way_added(self, section_id: str, way: Decision) -> Story:
        """Add a decision at the end of a section, or just before its catch-all decision."""
        ways = list(self.ways(section_id))
        criteria = [one.criteria for one in ways]
        last = IMMEDIATE in criteria and way.criteria != IMMEDIATE
        ways.insert(criteria.index(IMMEDIATE) if last else len(ways), way)
        return self.with_ways(section_id, ways)

    def _having_section(self, section: Section) -> Story:
        return replace(self, sections={**self.sections, section.section_id: section})

    def without_section(self, section_id: str) -> Story:
        """Remove a section, but keep its incoming links, which become dangling references (decision 39)."""
        return replace(self, sections={key: one for key, one in self.sections.items() if key != section_id})

    def overriding(self, section_id: str, trigger_id: str, destination: str | None) -> Story:
        """Override a trigger in a section, or remove the override if ``destination`` is None (decisions 33 and 59)."""
        return self._having_section(section_overriding(self.sections[section_id], trigger_id, destination))

    def ending(self, section_id: str, ends: bool = True) -> Story:
        """Make a section without decisions an ending, or undecided if ``ends`` is false.

        Sections with decisions are not changed. An ending has an empty list of decisions, whereas an undecided section
        has no list (decisions 30 and 64).
        """
        section = self.sections[section_id]
        if section.decisions or (section.decisions is not None) is ends:
            return self
        return self._having_section(build(Section, {**section.raw, "decisions": [] if ends else None}))

    def without_way(self, section_id: str, way: Decision, *, stored: Story | None) -> Story:
        """Remove a decision from a section.

        Raises ``LookupError`` if the section does not contain the decision. ``stored`` is the stored story.

        If the section has no list of decisions in ``stored`` and its last decision is removed, the section becomes
        undecided, not an ending.
        """
        ways = list(self.sections[section_id].decisions or ())
        if way not in ways:
            raise LookupError(section_id)
        ways.remove(way)
        left = self.with_section(section_id, decisions=ways)
        before = stored.sections.get(section_id) if stored is not None else None
        decided = before is not None and before.decisions is not None
        return left if decided or ways else left.ending(section_id, ends=False)

    # -- triggers -----------------------------------------------------------------------------------------------------

    def with_trigger(
        self,
        trigger_id: str,
        *,
        name: str | None = None,
        message: str | None = None,
        destination: str | _Kept | None = KEPT,
    ) -> Story:
        """Change fields of a trigger, or add a new trigger at the end.

        If ``destination`` is None, the target is removed.
        """
        changes = _given(trigger_name=name, trigger_message=message)
        if not isinstance(destination, _Kept):
            changes["destination_section"] = destination
        present = self.triggers.get(trigger_id)
        new = {"trigger_id": trigger_id, "trigger_name": "", "trigger_message": "", "destination_section": None}
        trigger = build(Trigger, {**(new if present is None else present.raw), **changes})
        return replace(self, triggers={**self.triggers, trigger_id: trigger})

    def without_trigger(self, trigger_id: str) -> Story:
        """Remove a trigger, but keep its overrides, which then have no effect."""
        return replace(self, triggers={key: one for key, one in self.triggers.items() if key != trigger_id})

    # -- incoming links -----------------------------------------------------------------------------------------------

    def leading_to(self, section_id: str) -> Iterator[Lead]:
        """Yield the incoming links of a section from other sections, from triggers and from the start.

        Links from the section to itself are left out, because they are deleted with the section (decision 39).
        """
        if self.start == section_id:
            yield Lead(LeadKind.START, None, None, None)
        for holder, section in self.sections.items():
            if holder != section_id:
                for position, way in enumerate(section.decisions or ()):
                    if way.next_section_id == section_id:
                        yield Lead(LeadKind.DECISION, holder, None, position)
        for trigger_id, trigger in self.triggers.items():
            if trigger.destination_section == section_id:
                yield Lead(LeadKind.TRIGGER, None, trigger_id, None)
        for holder, section in self.sections.items():
            if holder != section_id:
                for position, override in enumerate(section.triggers or ()):
                    if override.destination_section == section_id:
                        yield Lead(LeadKind.OVERRIDE, holder, override.trigger_id, position)

    def led_elsewhere(self, section_id: str, target: str | None, *, embedded: bool) -> Story:
        """Point all incoming links of a section to ``target``.

        If ``target`` is None, decisions and overrides that lead to the section are removed, and triggers that lead to
        it lose their target. The start and overrides are changed only if ``embedded`` is true (decisions 26 and 59).
        """
        triggers = {
            key: build(Trigger, {**one.raw, "destination_section": target})
            for key, one in self.triggers.items()
            if one.destination_section == section_id
        }
        return replace(
            self,
            sections={
                key: one if key == section_id else _led(one, section_id, target, overrides=embedded)
                for key, one in self.sections.items()
            },
            triggers={**self.triggers, **triggers},
            start=target if self.start == section_id and embedded else self.start,
        )

    def without_references_to_unsent(self, before: Story, stored: Story) -> Story:
        """Remove references to new sections and triggers that ``before`` contains but this story does not.

        These sections and triggers were never sent, so references to their IDs cannot be sent either. If the start was
        one of these sections, the stored start is used again. A section that loses its last decision becomes
        undecided again if its stored version has no list of decisions.
        """
        known = {*self.sections, *self.triggers, *stored.sections, *stored.triggers}
        gone = {*before.sections, *before.triggers} - known
        lost = gone.intersection(self.mentioned()) if gone else gone
        if not lost:
            return self
        story = self
        for lost_id in lost:
            story = story.led_elsewhere(lost_id, None, embedded=True)
            for holder, section in story.sections.items():
                if lost_id in overrides_of(section):
                    story = story.overriding(holder, lost_id, None)
        for holder, section in self.sections.items():
            was = stored.sections.get(holder)
            if section.decisions and (was is None or was.decisions is None):
                story = story.ending(holder, ends=False)
        return replace(story, start=stored.start) if self.start in lost and stored.start in self.sections else story

    # -- IDs ----------------------------------------------------------------------------------------------------------

    def renamed(self, ids: Mapping[str, str]) -> Story:
        """Return the story with new IDs. ``ids`` maps the old ID of a section or trigger to its new ID."""
        if not ids:
            return self

        sections = (section_with_ids(section, ids) for section in self.sections.values())
        triggers = (trigger_with_ids(trigger, ids) for trigger in self.triggers.values())
        return replace(
            self,
            sections={section.section_id: section for section in sections},
            triggers={trigger.trigger_id: trigger for trigger in triggers},
            start=None if self.start is None else ids.get(self.start, self.start),
        )


def with_unreadable(section: Section | None, decisions: Sequence[Wire]) -> list[Wire]:
    """Return decisions in wire form, including the unreadable decisions of ``section`` in their original positions.

    A request replaces the whole list, so the unreadable decisions must be sent too (decision 69).
    """
    held = list(decisions)
    for one in section.unreadable if section is not None else ():
        if one.kind == "decision":
            held.insert(int(one.where.rpartition("/")[2]), one.raw)
    return held


def _given(**members: str | None) -> dict[str, Wire]:
    return {name: value for name, value in members.items() if value is not None}


def _in_order(ways: Sequence[Decision]) -> list[Decision]:
    given = [way.priority for way in ways]
    ordered = sorted(given, key=lambda priority: (priority is None, priority or 0))
    if given == ordered:
        return list(ways)
    return [
        way if way.priority == priority else decision(way.criteria, way.next_section_id, priority=priority, like=way)
        for way, priority in zip(ways, ordered, strict=True)
    ]


def _led(section: Section, section_id: str, target: str | None, *, overrides: bool) -> Section:
    """Return a section with its links to ``section_id`` changed to ``target``, or removed."""
    changes: dict[str, Wire] = {}
    ways, held = section.decisions or (), (section.triggers or ()) if overrides else ()
    if any(way.next_section_id == section_id for way in ways):
        led = [
            {**way.raw, "next_section_id": target} if way.next_section_id == section_id else dict(way.raw)
            for way in ways
            if way.next_section_id != section_id or target is not None
        ]
        changes["decisions"] = with_unreadable(section, led)
    if any(override.destination_section == section_id for override in held):
        changes["triggers"] = [
            {**one.raw, "destination_section": target} if one.destination_section == section_id else dict(one.raw)
            for one in held
            if one.destination_section != section_id or target is not None
        ]
    return build(Section, {**section.raw, **changes}) if changes else section


def section_with_ids(section: Section, ids: Mapping[str, str]) -> Section:
    """Return a copy of a section with new IDs.

    ``ids`` maps old IDs to new ones, for the section itself and for everything that the section refers to.
    """
    raw: dict[str, Wire] = {**section.raw, "section_id": ids.get(section.section_id, section.section_id)}
    if section.decisions:
        targets = [ids.get(way.next_section_id, way.next_section_id) for way in section.decisions]
        renamed = [{**way.raw, "next_section_id": to} for way, to in zip(section.decisions, targets, strict=True)]
        raw["decisions"] = with_unreadable(section, renamed)
    if section.triggers:
        raw["triggers"] = [
            {
                **override.raw,
                "trigger_id": ids.get(override.trigger_id, override.trigger_id),
                "destination_section": ids.get(override.destination_section or "", override.destination_section),
            }
            for override in section.triggers
        ]
    return build(Section, raw)


def trigger_with_ids(trigger: Trigger, ids: Mapping[str, str]) -> Trigger:
    """Return a copy of a trigger with new IDs. ``ids`` maps old IDs to new ones, for the trigger itself and for its
    target.
    """
    target = trigger.destination_section
    changes: dict[str, Wire] = {"trigger_id": ids.get(trigger.trigger_id, trigger.trigger_id)}
    if target is not None and target in ids:
        changes["destination_section"] = ids[target]
    return build(Trigger, {**trigger.raw, **changes})


def section_overriding(section: Section, trigger_id: str, destination: str | None) -> Section:
    """Return the section with an override of a trigger, or without this override if ``destination`` is None."""
    overrides: list[Wire] = []
    placed = False
    for override in section.triggers or ():
        if override.trigger_id != trigger_id:
            overrides.append(dict(override.raw))
        elif destination is not None and not placed:
            overrides.append({**override.raw, "destination_section": destination})
            placed = True
    if destination is not None and not placed:
        overrides.append({"trigger_id": trigger_id, "destination_section": destination})
    return build(Section, {**section.raw, "triggers": overrides or None})


def overrides_of(section: Section | None) -> dict[str, str]:
    """Return the target of each overridden trigger, keyed by trigger ID.

    If a section overrides the same trigger several times, only the effective override is included.
    """
    held = (section.triggers if section is not None else None) or ()
    places = counting((one.trigger_id, one.destination_section) for one in held)
    return {trigger_id: held[position].destination_section or "" for trigger_id, position in places.items()}


def differing_members(old: T | None, new: T | None) -> tuple[str, ...]:
    """Return the names of the editable fields that differ between two sections or triggers.

    If either argument is None, its fields count as empty.
    """
    if old is new:
        return ()
    return tuple(name for name in written_members(old or new) if not same(said(old, name), said(new, name)))


def written_members(record: Section | Trigger | None) -> tuple[str, ...]:
    return _SECTION_MEMBERS if isinstance(record, Section) else _TRIGGER_MEMBERS


def said(record: Section | Trigger | None, member: str) -> Wire:
    """Return a field's value in a form suitable for comparison.

    Null, empty and absent fields are equal (decision 40), but an ending differs from an undecided section (decision
    30). Overrides are compared by effect, because their order does not matter.
    """
    if member == "triggers" and isinstance(record, Section):
        return overrides_of(record) or None
    value = None if record is None else record.raw.get(member)
    return None if value == "" else value
