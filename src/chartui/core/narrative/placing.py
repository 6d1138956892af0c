"""Places every section of a narrative graph in its outline, once; :mod:`chartui.core.narrative.outline` says where."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chartui.core.narrative.graph import Edge, Graph, ReferenceKind, edges_of
from chartui.core.narrative.nodes import (
    GROUP_TITLES,
    Group,
    Kind,
    Link,
    Node,
    decision_node,
    override_node,
    section_node,
    trigger_node,
)

if TYPE_CHECKING:
    from chartui.core.spec.models.narrative import Override, Section, Trigger

__all__ = ["placed"]


# Members of an enumeration take their time to be looked up, and here they are wanted for every decision.
_SECTION, _REFERENCE, _MISSING, _DECISION = Kind.SECTION, Kind.REFERENCE, Kind.MISSING, Link.DECISION


def placed(graph: Graph) -> tuple[Node, ...]:
    """The nodes of the outline of a graph, in reading order."""
    return _finished(_Builder(graph).roots())


class _Draft:
    """A node while the outline grows; ``parent``, ``depth`` and ``last`` are known when it has grown."""

    __slots__ = (
        "children",
        "depth",
        "destination",
        "id",
        "kind",
        "label",
        "last",
        "link",
        "never_runs",
        "parent",
        "position",
        "section",
        "title",
        "trigger",
    )

    parent: int
    depth: int
    last: bool

    def __init__(
        self,
        node_id: str,
        kind: Kind,
        link: Link = Link.NONE,
        label: str = "",
        title: str = "",
        section: str | None = None,
        trigger: str | None = None,
        position: int | None = None,
        never_runs: bool = False,
    ) -> None:
        self.id = node_id
        self.kind = kind
        self.link = link
        self.label = label
        self.title = title
        self.section = section
        self.trigger = trigger
        self.position = position
        self.never_runs = never_runs
        self.destination: Kind | None = None
        self.children: list[_Draft] = []


class _Builder:
    """Places every section once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names = {key: section.section_name or key for key, section in graph.sections.items()}
        self._placed: set[str] = set()
        # Overrides wait until decisions and triggers have placed what they reach.
        self._overrides: deque[_Draft] = deque()

    def roots(self) -> list[_Draft]:
        start = self._start()
        triggers = [self._trigger(trigger) for trigger in self._graph.triggers.values()]
        self._place_overridden()
        groups = (
            (Group.TRIGGERS, [trigger for trigger in triggers if trigger.destination is not Kind.NOWHERE]),
            (Group.UNCONNECTED, [trigger for trigger in triggers if trigger.destination is Kind.NOWHERE]),
            (Group.UNREACHABLE, list(self._unreachable())),
            (Group.DANGLING, list(self._dangling())),
            (Group.DUPLICATES, list(self._duplicates())),
        )
        return [start, *(_group(group, children) for group, children in groups if children)]

    def _start(self) -> _Draft:
        start = self._graph.start
        if start is None:
            return _group(Group.NO_START, [])
        draft = _Draft("start", Kind.MISSING, link=Link.START)
        self._grow(draft, start)
        return draft

    def _trigger(self, trigger: Trigger) -> _Draft:
        draft = _Draft(
            trigger_node(trigger.trigger_id),
            Kind.TRIGGER,
            label=self._graph.trigger_name(trigger.trigger_id),
            trigger=trigger.trigger_id,
        )
        target = trigger.destination_section
        if not target:
            draft.destination = Kind.NOWHERE
            return draft
        draft.section, draft.title = target, self._graph.section_name(target)
        if target not in self._graph.sections:
            draft.destination = Kind.MISSING
        elif target in self._placed:
            draft.destination = Kind.REFERENCE
        else:
            draft.destination = Kind.SECTION
            below = _Draft("", Kind.SECTION, link=Link.TRIGGER)
            self._grow(below, target)
            draft.children.append(below)
        return draft

    def _grow(self, root: _Draft, target: str) -> None:
        """Let ``root`` show what is at ``target``, and what decisions lead to from there, depth first."""
        if not self._lead(root, target):
            return
        ways = self._graph.edges
        path = [(root, target, iter(ways[target]))]
        while path:
            draft, section_id, edges = path[-1]
            for edge in edges:
                child, expanded = self._decision(draft, edge)
                if expanded:
                    path.append((child, edge.target, iter(ways[edge.target])))
                    break
            else:
                path.pop()
                for position, override in enumerate(self._graph.overrides(section_id)):
                    self._overrides.append(self._override(draft, position, override))

    def _lead(self, draft: _Draft, target: str) -> bool:
        """Let ``draft`` show what is at ``target``: true when that is a section, expanded here for the first time."""
        draft.section = target
        name = self._names.get(target)
        if name is None:
            draft.title, draft.kind = target, _MISSING
            return False
        draft.title = name
        if draft.never_runs or target in self._placed:
            draft.kind = _REFERENCE
            return False
        draft.kind = _SECTION
        draft.id = section_node(target)
        self._placed.add(target)
        return True

    def _decision(self, owner: _Draft, edge: Edge) -> tuple[_Draft, bool]:
        _, target, label, position, _, never_runs = edge
        draft = _Draft("", _MISSING, _DECISION, label, "", None, None, position, never_runs)
        owner.children.append(draft)
        expanded = self._lead(draft, target)
        if not expanded:
            draft.id = decision_node(position, owner.id)
        return draft, expanded

    def _override(self, owner: _Draft, position: int, override: Override) -> _Draft:
        child = _Draft(
            override_node(position, owner.id),
            Kind.NOWHERE,
            link=Link.OVERRIDE,
            label=self._graph.trigger_name(override.trigger_id),
            section=override.destination_section or None,
            trigger=override.trigger_id,
            position=position,
            never_runs=override.trigger_id not in self._graph.triggers,
        )
        owner.children.append(child)
        return child

    def _place_overridden(self) -> None:
        """Expand what only overrides lead to; what is placed then may hold overrides itself."""
        while self._overrides:
            draft = self._overrides.popleft()
            if draft.section is not None:
                self._grow(draft, draft.section)

    def _unreachable(self) -> Iterator[_Draft]:
        rest = self._graph.unreachable
        led_to = {
            edge.target
            for section_id in rest
            for edge in self._graph.edges[section_id]
            if not edge.never_runs and edge.source != edge.target
        }
        without_parent = [section_id for section_id in rest if section_id not in led_to]
        for section_id in (*without_parent, *rest):
            if section_id not in self._placed:
                draft = _Draft("", Kind.SECTION)
                self._grow(draft, section_id)
                yield draft
        # Everything is placed by now, so these can only refer.
        self._place_overridden()

    def _dangling(self) -> Iterator[_Draft]:
        for kind, owner, position, target in self._graph.dangling:
            of_section = kind not in (ReferenceKind.TRIGGER, ReferenceKind.START)
            yield _Draft(
                f"dangling/{kind}/{position}/{owner}",
                Kind.DANGLING,
                label=self._where(kind, owner, position),
                title=target,
                section=owner if of_section else None,
                trigger=owner if kind is ReferenceKind.TRIGGER else None,
                position=position if of_section else None,
            )

    def _where(self, kind: ReferenceKind, owner: str, position: int) -> str:
        """The name of what holds a reference, and through what, in words."""
        graph = self._graph
        if kind is ReferenceKind.START:
            return "start section"
        if kind is ReferenceKind.TRIGGER:
            return f"trigger {graph.trigger_name(owner)}"
        if kind is ReferenceKind.DECISION:
            decision = (graph.sections[owner].decisions or ())[position]
            return f"{graph.section_name(owner)}: {decision.criteria}"
        override = graph.overrides(owner)[position]
        return f"{graph.section_name(owner)}: override of {graph.trigger_name(override.trigger_id)}"

    def _duplicates(self) -> Iterator[_Draft]:
        for number, section in enumerate(self._graph.duplicate_sections):
            yield self._duplicate_section(number, section)
        for number, trigger in enumerate(self._graph.duplicate_triggers):
            yield _Draft(
                f"duplicate-trigger/{number}/{trigger.trigger_id}",
                Kind.DUPLICATE,
                title=trigger.trigger_name or trigger.trigger_id,
                trigger=trigger.trigger_id,
                position=number,
            )

    def _duplicate_section(self, number: int, section: Section) -> _Draft:
        draft = _Draft(
            f"duplicate-section/{number}/{section.section_id}",
            Kind.DUPLICATE,
            title=section.section_name or section.section_id,
            section=section.section_id,
            position=number,
        )
        # Every section is placed by now, so these can only refer.
        for edge in edges_of(section):
            self._decision(draft, edge)
        return draft


def _group(group: Group, children: list[_Draft]) -> _Draft:
    draft = _Draft(f"group/{group}", Kind.GROUP, title=GROUP_TITLES[group])
    draft.children = children
    return draft


def _finished(roots: list[_Draft]) -> tuple[Node, ...]:
    """The drafts in reading order, each told its place."""
    drafts: list[_Draft] = []
    waiting: list[_Draft] = []

    def wait(siblings: list[_Draft], parent: int, depth: int) -> None:
        for draft in siblings:
            draft.parent = parent
            draft.depth = depth
            draft.last = False
        siblings[-1].last = True
        waiting.extend(reversed(siblings))

    wait(roots, -1, 0)
    while waiting:
        draft = waiting.pop()
        if draft.children:
            wait(draft.children, len(drafts), draft.depth + 1)
        drafts.append(draft)
    sizes = [1] * len(drafts)
    for index in range(len(drafts) - 1, -1, -1):
        parent = drafts[index].parent
        if parent >= 0:
            sizes[parent] += sizes[index]
    return tuple(
        Node(
            draft.id,
            draft.kind,
            draft.link,
            draft.label,
            draft.title,
            draft.section,
            draft.trigger,
            draft.position,
            draft.never_runs,
            draft.destination,
            index,
            index + sizes[index],
            draft.parent,
            draft.depth,
            draft.last,
            len(draft.children),
        )
        for index, draft in enumerate(drafts)
    )
