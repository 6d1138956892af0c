"""The nodes of a narrative outline, with their texts, IDs and positions.

They are added one by one in reading order, which :mod:`chartui.core.narrative.outline` describes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.core.narrative.graph import Dangling, Edge, Graph, ReferenceKind, edges_of

if TYPE_CHECKING:
    from chartui.core.spec.models.narrative import Override, Section, Trigger


class Kind(StrEnum):
    GROUP = "group"  # a heading
    SECTION = "section"  # a section, expanded here and nowhere else
    REFERENCE = "reference"  # a section that is expanded in another place
    MISSING = "missing"  # an ID that no section has
    NO_TARGET = "no target"  # an override without a destination
    TRIGGER = "trigger"  # a trigger; ``Node.destination`` is its target
    DUPLICATE = "duplicate"  # a section or trigger sharing its ID with an earlier one
    DANGLING = "dangling"  # a repeated mention of a reference to an unknown ID


class Link(StrEnum):
    """The kind of link between a parent node and its child."""

    NONE = "none"  # a member of a heading, or the top
    START = "start"  # the story starts here
    DECISION = "decision"
    OVERRIDE = "override"  # a trigger that has another target while the parent runs
    TRIGGER = "trigger"  # the trigger of the parent node


class Group(StrEnum):
    """The headings of the outline. ``NO_START`` replaces the start section if none is set."""

    NO_START = "no-start"
    TRIGGERS = "triggers"
    UNCONNECTED = "unconnected"
    UNREACHABLE = "unreachable"
    DANGLING = "dangling"
    DUPLICATES = "duplicates"


GROUP_TITLES: Final = {
    Group.NO_START: "No start section is set",
    Group.TRIGGERS: "Triggers",
    Group.UNCONNECTED: "Unconnected triggers",
    Group.UNREACHABLE: "Unreachable",
    Group.DANGLING: "Dangling references",
    Group.DUPLICATES: "Duplicate IDs",
}


#: The same while the start of the story is unknown.
UNKNOWN_START_TITLES: Final = {
    **GROUP_TITLES,
    Group.NO_START: "Start section unknown",
    Group.UNREACHABLE: "Not reached by a trigger",
}


#: The heading for sections without incoming links, while an unreadable part may contain one (decision 69).
MAY_BE_REACHED: Final = "Not reached by the readable part"


class Node(NamedTuple):
    """One line of the outline.

    ``id`` depends on the content of the node, not on its place: it is the ID of a section, or the position of a
    decision in its section. The ID stays the same after a refresh, so it can be stored to restore the cursor and the
    folded nodes. ``label`` is the link from the parent (the criteria of a decision, the name of a trigger). ``title``
    is the node itself (the name of a section, a missing ID, a heading). Both texts are as stored, so sanitize them
    before display. ``section`` and ``trigger`` are IDs, and ``position`` is the index of the decision or override in
    its stored array. ``never_runs`` is true for a decision after a catch-all decision and for an override of an unknown
    trigger. ``destination`` is the kind of a trigger's target.

    Nodes are in reading order. ``place`` is the index of the node, and ``parent`` is the index of its parent (-1 at the
    top). Its descendants are the nodes from ``place + 1`` up to, but not including, ``end``. ``last`` is true for the
    last child, and ``ways`` is the number of children.
    """

    id: str
    kind: Kind
    link: Link = Link.NONE
    label: str = ""
    title: str = ""
    section: str | None = None
    trigger: str | None = None
    position: int | None = None
    never_runs: bool = False
    destination: Kind | None = None
    place: int = 0
    end: int = 0
    parent: int = -1
    depth: int = 0
    last: bool = False
    ways: int = 0

    @property
    def foldable(self) -> bool:
        return self.ways > 0

    @property
    def size(self) -> int:
        return self.end - self.place - 1


def section_node(section_id: str) -> str:
    return f"section/{section_id}"


def trigger_node(trigger_id: str) -> str:
    return f"trigger/{trigger_id}"


def decision_node(position: int, owner: str) -> str:
    """Return the node ID of a decision whose target section is not shown below it. ``owner`` is the parent node."""
    return f"decision/{position}/{owner}"


def override_node(position: int, owner: str) -> str:
    return f"override/{position}/{owner}"


# Looking up enum members is slow, and these members are needed for every decision.
_SECTION, _REFERENCE, _MISSING, _DECISION = Kind.SECTION, Kind.REFERENCE, Kind.MISSING, Link.DECISION
_TOP: Final = -1
_END: Final = Node._fields.index("end")
#: Creates a node from its members in order, in a third of the time that its constructor takes.
_made: Final = partial(tuple.__new__, Node)


def placed(graph: Graph) -> tuple[Node, ...]:
    return _Builder(graph).nodes()


class _Builder:
    """Places every section once.

    Nodes are appended in reading order and do not move. Only the ``end`` of a node and the number of children of a
    heading are filled in later. The subtree of a section that only an override reaches is added last (``_below``), so
    the places are renumbered at the end.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names = {key: section.section_name or key for key, section in graph.sections.items()}
        # Few sections have overrides, so only those sections are examined.
        self._held = {key: section.triggers for key, section in graph.sections.items() if section.triggers}
        self._placed: set[str] = set()
        self._titles = GROUP_TITLES if graph.start_known else UNKNOWN_START_TITLES
        if graph.start_known and graph.missed.ways:
            self._titles = {**self._titles, Group.UNREACHABLE: MAY_BE_REACHED}
        self._nodes: list[Node] = []
        # Overrides wait until decisions and triggers have placed the sections they reach.
        self._overrides: deque[int] = deque()
        self._below: dict[int, range] = {}

    def nodes(self) -> tuple[Node, ...]:
        graph = self._graph
        connected = [one for one in graph.triggers.values() if one.destination_section]
        roots = [self._start()]
        roots += self._group(Group.TRIGGERS, [partial(self._trigger, one) for one in connected])
        roots += self._group(Group.UNCONNECTED, [partial(self._trigger, one) for one in graph.unconnected])
        self._place_overridden()
        roots += self._group(Group.UNREACHABLE, [partial(self._island, one) for one in self._unreachable()])
        self._place_overridden()
        # Every section has been placed by now, so the new nodes can only be references.
        roots += self._group(Group.DANGLING, [partial(self._dangling, one) for one in graph.dangling])
        roots += self._group(Group.DUPLICATES, list(self._duplicates()))
        self._nodes[roots[-1]] = self._nodes[roots[-1]]._replace(last=True)
        return self._in_reading_order() if self._below else tuple(self._nodes)

    def _add(self, node: Node, parent: int = _TOP) -> int:
        """Append a node without children, and return its place."""
        place = len(self._nodes)
        depth = 0 if parent == _TOP else self._nodes[parent].depth + 1
        self._nodes.append(node._replace(place=place, end=place + 1, parent=parent, depth=depth))
        return place

    def _start(self) -> int:
        if self._graph.start is None:
            return self._add(Node(f"group/{Group.NO_START}", Kind.GROUP, title=self._titles[Group.NO_START]))
        place = self._add(Node("start", Kind.MISSING, Link.START))
        self._lead(place, self._graph.start)
        return place

    def _group(self, group: Group, children: Sequence[Callable[[int], object]]) -> list[int]:
        """Add a heading with the nodes of ``children`` below it.

        Returns a list of its place, or an empty list without children.
        """
        if not children:
            return []
        nodes = self._nodes
        heading = self._add(Node(f"group/{group}", Kind.GROUP, title=self._titles[group]))
        added: list[int] = []
        for add in children:
            place = len(nodes)
            add(heading)
            if len(nodes) > place:
                added.append(place)
        nodes[heading] = nodes[heading]._replace(end=len(nodes), ways=len(added))
        nodes[added[-1]] = nodes[added[-1]]._replace(last=True)
        return [heading]

    def _trigger(self, trigger: Trigger, parent: int) -> None:
        name, target = self._graph.trigger_name(trigger.trigger_id), trigger.destination_section
        kind = Kind.NO_TARGET if not target else self._kind_at(target)
        node = Node(
            trigger_node(trigger.trigger_id),
            Kind.TRIGGER,
            label=name,
            title=self._graph.section_name(target) if target else "",
            section=target or None,
            trigger=trigger.trigger_id,
            destination=kind,
        )
        place = self._add(node, parent)
        if target and kind is _SECTION:
            self._lead(self._add(Node("", _SECTION, Link.TRIGGER, last=True), place), target)
            self._nodes[place] = self._nodes[place]._replace(end=len(self._nodes), ways=1)

    def _kind_at(self, target: str, *, never_runs: bool = False) -> Kind:
        if target not in self._names:
            return _MISSING
        return _REFERENCE if never_runs or target in self._placed else _SECTION

    def _lead(self, place: int, target: str) -> None:
        """Make the node at ``place`` show the section ``target``, and add the targets of the section's decisions below
        it, depth first.
        """
        node = self._nodes[place]
        kind = self._kind_at(target, never_runs=node.never_runs)
        node = node._replace(kind=kind, section=target, title=self._names.get(target, target))
        if kind is _SECTION:
            self._placed.add(target)
            node = node._replace(id=section_node(target), ways=self._ways(target))
        self._nodes[place] = node
        if kind is _SECTION:
            self._expand(node, self._graph.edges[target])

    def _ways(self, section_id: str) -> int:
        return len(self._graph.edges[section_id]) + len(self._held.get(section_id, ()))

    def _expand(self, root: Node, edges: Sequence[Edge]) -> None:
        """Add the targets of these decisions, and everything below them, depth first."""
        nodes, ways, held = self._nodes, self._graph.edges, self._held
        names, is_placed = self._names, self._placed
        path = [_step(root, edges)]
        while path:
            owner, final, rest = path[-1]
            above, depth = owner.place, owner.depth + 1
            for edge in rest:
                _, target, label, position, _, never_runs = edge
                place, name, last = len(nodes), names.get(target), edge is final
                if name is None or never_runs or target in is_placed:
                    kind, title = (_MISSING, target) if name is None else (_REFERENCE, name)
                    key, end = decision_node(position, owner.id), place + 1
                    # fmt: off
                    nodes.append(_made((
                        key, kind, _DECISION, label, title, target, None, position, never_runs, None,
                        place, end, above, depth, last, 0,
                    )))
                    # fmt: on
                    continue
                is_placed.add(target)
                # fmt: off
                node = _made((
                    section_node(target), _SECTION, _DECISION, label, name, target, None, position, False, None,
                    place, 0, above, depth, last, self._ways(target),
                ))
                # fmt: on
                nodes.append(node)
                path.append(_step(node, ways[target]))
                break
            else:
                path.pop()
                if owner.kind is _SECTION and owner.section in held:
                    self._add_overrides(owner, held[owner.section])
                nodes[above] = _made((*owner[:_END], len(nodes), *owner[_END + 1 :]))

    def _add_overrides(self, owner: Node, overrides: Sequence[Override]) -> None:
        for position, override in enumerate(overrides):
            node = Node(
                override_node(position, owner.id),
                Kind.NO_TARGET,
                Link.OVERRIDE,
                label=self._graph.trigger_name(override.trigger_id),
                section=override.destination_section or None,
                trigger=override.trigger_id,
                position=position,
                never_runs=override.trigger_id not in self._graph.triggers,
                last=position == len(overrides) - 1,
            )
            self._overrides.append(self._add(node, owner.place))

    def _place_overridden(self) -> None:
        """Expand sections that only overrides reach. They may have overrides themselves."""
        while self._overrides:
            place, behind = self._overrides.popleft(), len(self._nodes)
            target = self._nodes[place].section
            if target is not None:
                self._lead(place, target)
            if self._nodes[place].kind is _SECTION:
                self._below[place] = range(behind, len(self._nodes))

    def _unreachable(self) -> Sequence[str]:
        """Return the unreachable sections. Those without a parent come first."""
        rest = [section_id for section_id in self._graph.unreachable if section_id not in self._placed]
        led_to = {
            edge.target
            for section_id in rest
            for edge in self._graph.edges[section_id]
            if not edge.never_runs and edge.source != edge.target
        }
        return (*(section_id for section_id in rest if section_id not in led_to), *rest)

    def _island(self, section_id: str, parent: int) -> None:
        if section_id not in self._placed:
            self._lead(self._add(Node("", _SECTION), parent), section_id)

    def _dangling(self, dangling: Dangling, parent: int) -> None:
        kind, owner, position, target = dangling
        of_section = kind not in (ReferenceKind.TRIGGER, ReferenceKind.START)
        node = Node(
            f"dangling/{kind}/{position}/{owner}",
            Kind.DANGLING,
            label=self._where(kind, owner, position),
            title=target,
            section=owner if of_section else None,
            trigger=owner if kind is ReferenceKind.TRIGGER else None,
            position=position if of_section else None,
        )
        self._add(node, parent)

    def _where(self, kind: ReferenceKind, owner: str, position: int) -> str:
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

    def _duplicates(self) -> Iterator[Callable[[int], object]]:
        for number, section in enumerate(self._graph.duplicate_sections):
            yield partial(self._duplicate_section, number, section)
        for number, trigger in enumerate(self._graph.duplicate_triggers):
            node = Node(
                f"duplicate-trigger/{number}/{trigger.trigger_id}",
                Kind.DUPLICATE,
                title=trigger.trigger_name or trigger.trigger_id,
                trigger=trigger.trigger_id,
                position=number,
            )
            yield partial(self._add, node)

    def _duplicate_section(self, number: int, section: Section, parent: int) -> None:
        edges = edges_of(section)
        node = Node(
            f"duplicate-section/{number}/{section.section_id}",
            Kind.DUPLICATE,
            title=section.section_name or section.section_id,
            section=section.section_id,
            position=number,
            ways=len(edges),
        )
        self._expand(self._nodes[self._add(node, parent)], edges)

    def _in_reading_order(self) -> tuple[Node, ...]:
        """Return the nodes in reading order. Nodes that were found late are moved below their parents."""
        nodes, below = self._nodes, self._below
        late = {place for places in below.values() for place in places}
        order: list[int] = []
        waiting = [iter([place for place in range(len(nodes)) if place not in late])]
        while waiting:
            for place in waiting[-1]:
                order.append(place)
                if place in below:
                    waiting.append(iter(below[place]))
                    break
            else:
                waiting.pop()
        places = [0] * len(nodes)
        for place, before in enumerate(order):
            places[before] = place
        parents = [nodes[before].parent for before in order]
        parents = [parent if parent == _TOP else places[parent] for parent in parents]
        ends = list(range(1, len(nodes) + 1))
        for place in range(len(nodes) - 1, -1, -1):
            if parents[place] != _TOP:
                ends[parents[place]] = max(ends[parents[place]], ends[place])
        return tuple(
            nodes[before]._replace(place=place, parent=parents[place], end=ends[place])
            for place, before in enumerate(order)
        )


def _step(node: Node, edges: Sequence[Edge]) -> tuple[Node, Edge | None, Iterator[Edge]]:
    """Return a step of the search: a node, its latest child if that is a decision, and its remaining decisions."""
    return node, edges[-1] if edges and len(edges) == node.ways else None, iter(edges)
