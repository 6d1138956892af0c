"""A narrative graph with derived facts, such as the order of decisions, reachable sections, and dangling references.

This module has no side effects. A graph is built from the sections and triggers of one character, as returned by any
backend. Damaged contents never cause an error. Unknown IDs, duplicates and nulls are reported, not rejected. The
following sections are reachable (C 2.3, 2.4; decisions 33 and 36): the start section; the target of every connected
trigger, because an event may happen at any time; and every section that is the target of a reachable section's decision
or override. A decision after a catch-all decision is never taken, and an override of an unknown trigger never fires, so
neither makes a section reachable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple, dataclass

if TYPE_CHECKING:
    from chartui.core.spec.elements import Unreadable
    from chartui.core.spec.models.narrative import Override, Section, Trigger

#: The criteria of a catch-all decision, which always applies (decision 36).
IMMEDIATE: Final = "*"


class Edge(NamedTuple):
    """A decision, which is an edge from section ``source`` to section ``target``. The target section may not exist.

    ``position`` is the index of the decision in the stored array. ``priority`` is an optional field that determines the
    order (decision 35). ``never_runs`` is true if the decision comes after a catch-all decision of the same section.
    """

    source: str
    target: str
    criteria: str
    position: int
    priority: int | None
    never_runs: bool

    @property
    def immediate(self) -> bool:
        return self.criteria == IMMEDIATE


#: Creates an edge from its members in order, in half the time that its constructor takes.
_edge: Final = partial(tuple.__new__, Edge)


class ReferenceKind(StrEnum):
    """The kind of reference, determined by the field that contains it."""

    START = "start"  # start_narrative_section_id of the character
    DECISION = "decision"  # next_section_id of a decision
    TRIGGER = "trigger"  # destination_section of a trigger
    OVERRIDE = "override"  # destination_section of an override
    OVERRIDDEN = "overridden"  # trigger_id of an override


class Dangling(NamedTuple):
    """A dangling reference.

    ``target`` is the ID of the missing section or, for the kind ``OVERRIDDEN``, of the missing trigger. ``owner`` is
    the ID of the section or trigger that contains the reference. It is empty if the reference is the start.
    ``position`` is the index of the decision or override in its section, or 0 for other references.
    """

    kind: ReferenceKind
    owner: str
    position: int
    target: str


class Missing(NamedTuple):
    """How many sections and triggers of a graph are unreadable (decision 69).

    ``ways`` is true if an unreadable part may have referred to a section. In that case, no section counts as
    unreachable.
    """

    sections: int = 0
    triggers: int = 0
    ways: bool = False

    @classmethod
    def of(cls, unreadable: Sequence[Unreadable]) -> Missing:
        """Count the unreadable parts in the service's lists of sections and triggers."""
        kinds = [one.kind for one in unreadable]
        members = {one.where.rpartition("/")[2] for one in unreadable if one.kind == "member"}
        ways = not _WAYS.isdisjoint(kinds) or not _WAY_MEMBERS.isdisjoint(members)
        return cls(kinds.count("section"), kinds.count("trigger"), ways)

    def may_be(self, reference: Dangling) -> bool:
        """Return whether the target of a reference may be an unreadable section or trigger."""
        number = self.triggers if reference.kind is ReferenceKind.OVERRIDDEN else self.sections
        return bool(number and reference.target)

    def maybe(self, noun: str) -> str:
        """Return a phrase such as “may be one of the 2 unreadable sections”."""
        number = self.triggers if noun == "trigger" else self.sections
        return f"may be the unreadable {noun}" if number == 1 else f"may be one of the {number} unreadable {noun}s"


#: The kinds of elements, and their members, that refer to sections.
_WAYS: Final = frozenset({"section", "trigger", "decision", "override"})
_WAY_MEMBERS: Final = frozenset({"decisions", "triggers", "destination_section"})
#: Everything could be read.
NOTHING_MISSING: Final = Missing()


def may_lead_on(record: Section | Trigger) -> bool:
    """Return whether an unreadable part of a section or trigger may refer to a section (decision 69)."""
    return bool(record.unreadable) and Missing.of(record.unreadable).ways


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A narrative graph with derived facts.

    Create a graph with :meth:`build`.

    ``sections`` and ``triggers`` are keyed by ID, in the order given. If several sections or triggers share an ID, the
    first one is used, and the others are in ``duplicate_sections`` and ``duplicate_triggers``. ``edges`` maps every
    section to its decisions in the order in which they are tried. ``parents`` maps every section to the sections whose
    decisions target it, each listed once, in the order given. ``start_known`` is false until the start has been read.
    Until then, ``reachable`` is computed from triggers only.

    ``missed`` describes the parts of the service's responses that could not be read (decision 69). If a section is
    unreadable, any missing target may be that section, so references to missing sections are in ``uncertain`` instead
    of ``dangling``. The same applies to references to missing triggers.
    """

    sections: Mapping[str, Section]
    triggers: Mapping[str, Trigger]
    start: str | None
    edges: Mapping[str, tuple[Edge, ...]]
    parents: Mapping[str, tuple[str, ...]]
    reachable: frozenset[str]
    dangling: tuple[Dangling, ...]
    uncertain: tuple[Dangling, ...]
    duplicate_sections: tuple[Section, ...]
    duplicate_triggers: tuple[Trigger, ...]
    start_known: bool = True
    missed: Missing = NOTHING_MISSING

    @classmethod
    def build(
        cls,
        sections: Sequence[Section],
        triggers: Sequence[Trigger],
        start: str | None,
        *,
        start_known: bool = True,
        missed: Missing = NOTHING_MISSING,
    ) -> Graph:
        """Build a graph. An empty ``start`` means that no start is set."""
        sections_by_id: dict[str, Section] = {}
        triggers_by_id: dict[str, Trigger] = {}
        duplicate_sections = tuple(s for s in sections if sections_by_id.setdefault(s.section_id, s) is not s)
        duplicate_triggers = tuple(t for t in triggers if triggers_by_id.setdefault(t.trigger_id, t) is not t)
        edges = {section_id: edges_of(section) for section_id, section in sections_by_id.items()}
        start = start or None
        parents, astray = _parents(edges)
        unresolved = tuple(_unresolved(sections_by_id, triggers_by_id, start, {key: edges[key] for key in astray}))
        return cls(
            sections=sections_by_id,
            triggers=triggers_by_id,
            start=start,
            edges=edges,
            parents=parents,
            reachable=_reachable(sections_by_id, triggers_by_id, start, edges),
            dangling=tuple(one for one in unresolved if not missed.may_be(one)),
            uncertain=tuple(one for one in unresolved if missed.may_be(one)),
            duplicate_sections=duplicate_sections,
            duplicate_triggers=duplicate_triggers,
            start_known=start_known,
            missed=missed,
        )

    def has_section(self, section_id: str | None) -> bool | None:
        """Return whether a section with this ID exists.

        The result is None if the section may be among the unreadable ones.
        """
        return True if section_id in self.sections else None if section_id and self.missed.sections else False

    def has_trigger(self, trigger_id: str) -> bool | None:
        return True if trigger_id in self.triggers else None if trigger_id and self.missed.triggers else False

    def absence(self, section_id: str | None, gone: str = "does not exist") -> str:
        """Return a phrase about a missing section.

        If the section may be an unreadable one, the phrase says so. Otherwise, ``gone`` is returned.
        """
        return gone if self.has_section(section_id) is False else self.missed.maybe("section")

    def ends_at(self, section_id: str | None) -> bool:
        """Return whether a section is marked as an ending.

        An ending has an empty list of decisions. A section without a list of decisions is not an ending.
        """
        section = self.sections.get(section_id or "")
        return section is not None and section.decisions is not None and not section.decisions

    def is_unreachable(self, section_id: str | None) -> bool:
        """Return whether a section is certainly unreachable.

        The result is False if a reference to the section may have been missed, because the start or a part of the graph
        could not be read.
        """
        known = self.start_known and not self.missed.ways
        return known and section_id in self.sections and section_id not in self.reachable

    @property
    def unreachable(self) -> tuple[str, ...]:
        return tuple(section_id for section_id in self.sections if section_id not in self.reachable)

    @property
    def unconnected(self) -> tuple[Trigger, ...]:
        """Triggers without a target. An override may still give them a target in a single section."""
        return tuple(trigger for trigger in self.triggers.values() if not trigger.destination_section)

    @property
    def idle(self) -> frozenset[str]:
        """The triggers that never go to a section.

        Such a trigger has no target of its own, and no section's override gives it a target. The result is empty if an
        unreadable part may be an override.
        """
        if self.missed.sections or any(map(may_lead_on, self.sections.values())):
            return frozenset()
        waiting = {trigger.trigger_id for trigger in self.unconnected if not may_lead_on(trigger)}
        if waiting:
            for section_id in self.sections:
                overrides = self.overrides(section_id)
                waiting.difference_update(one.trigger_id for one in overrides if one.destination_section)
        return frozenset(waiting)

    def overrides(self, section_id: str) -> Sequence[Override]:
        """Return the section's overrides.

        An override gives a trigger a different target while the section is running (decision 33).
        """
        return self.sections[section_id].triggers or ()

    def section_name(self, section_id: str) -> str:
        """Return the name of a section, or its ID if it has no name or does not exist."""
        section = self.sections.get(section_id)
        return visible_name(section.section_name if section is not None else None, section_id)

    def trigger_name(self, trigger_id: str) -> str:
        """Return the name of a trigger, or its ID if it has no name or does not exist."""
        trigger = self.triggers.get(trigger_id)
        return visible_name(trigger.trigger_name if trigger is not None else None, trigger_id)


def visible_name(name: str | None, item_id: str) -> str:
    """Return a name, or the ID of the item if the name is missing or consists only of spaces."""
    return name if name and not name.isspace() else item_id


def edges_of(section: Section) -> tuple[Edge, ...]:
    """Return the decisions of a section in the order in which they are tried (decision 35).

    They are sorted by priority, lowest first, and then by position. Decisions without a priority come last.
    """
    ways = section.decisions
    if not ways:
        return ()
    order: Sequence[int] = range(len(ways))
    for way in ways:
        if way.priority is not None:
            order = sorted(order, key=lambda position: (ways[position].priority is None, ways[position].priority or 0))
            break
    source = section.section_id
    edges: list[Edge] = []
    moved_on = False
    for position in order:
        way = ways[position]
        criteria = way.criteria
        edges.append(_edge((source, way.next_section_id, criteria, position, way.priority, moved_on)))
        if criteria == IMMEDIATE:
            moved_on = True
    return tuple(edges)


def _parents(edges: Mapping[str, tuple[Edge, ...]]) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """Return the parents of every section, and the sections with a decision whose target does not exist."""
    found: dict[str, list[str]] = {section_id: [] for section_id in edges}
    astray: set[str] = set()
    for source, ways in edges.items():
        for edge in ways:
            sources = found.get(edge.target)
            if sources is None:
                astray.add(source)
            # The decisions of a section are consecutive, so a repeated parent can only be the last one in the list.
            elif not sources or sources[-1] != source:
                sources.append(source)
    return {section_id: tuple(sources) for section_id, sources in found.items()}, astray


def _reachable(
    sections: Mapping[str, Section],
    triggers: Mapping[str, Trigger],
    start: str | None,
    edges: Mapping[str, tuple[Edge, ...]],
) -> frozenset[str]:
    waiting = [start, *(trigger.destination_section for trigger in triggers.values())]
    reached: set[str] = set()
    while waiting:
        section_id = waiting.pop()
        if not section_id or section_id in reached or section_id not in sections:
            continue
        reached.add(section_id)
        for edge in edges[section_id]:
            if edge.target not in reached and not edge.never_runs:
                waiting.append(edge.target)
        overrides = sections[section_id].triggers
        if overrides:
            waiting += [override.destination_section for override in overrides if override.trigger_id in triggers]
    return frozenset(reached)


def _unresolved(
    sections: Mapping[str, Section],
    triggers: Mapping[str, Trigger],
    start: str | None,
    astray: Mapping[str, tuple[Edge, ...]],
) -> Iterable[Dangling]:
    """Yield the dangling references. ``astray`` contains the decisions of the sections that have such decisions."""
    if start is not None and start not in sections:
        yield Dangling(ReferenceKind.START, "", 0, start)
    for section_id, section in sections.items():
        for edge in astray.get(section_id, ()):
            if edge.target not in sections:
                yield Dangling(ReferenceKind.DECISION, section_id, edge.position, edge.target)
        for position, override in enumerate(section.triggers or ()):
            if override.trigger_id not in triggers:
                yield Dangling(ReferenceKind.OVERRIDDEN, section_id, position, override.trigger_id)
            if override.destination_section and override.destination_section not in sections:
                yield Dangling(ReferenceKind.OVERRIDE, section_id, position, override.destination_section)
    for trigger_id, trigger in triggers.items():
        if trigger.destination_section and trigger.destination_section not in sections:
            yield Dangling(ReferenceKind.TRIGGER, trigger_id, 0, trigger.destination_section)
