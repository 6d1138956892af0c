"""The nodes of a story's outline, in reading order. :mod:`chartui.core.narrative.outline` describes this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Dangling, Edge, Graph, ReferenceKind, edges_of, visible_name

if TYPE_CHECKING:
    from chartui.core.narrative.homes import Home
    from chartui.core.spec.models.narrative import Override, Section, Trigger


class Kind(StrEnum):
    GROUP = "group"  # a heading
    SECTION = "section"  # a section, expanded here and nowhere else
    REFERENCE = "reference"  # a section that is expanded in another place
    MISSING = "missing"  # an ID that no section has
    NO_TARGET = "no target"  # an override without a destination, or the destination of an idle trigger
    OVERRIDES = "overrides"  # the destination of a trigger that goes to a section only by an override, if at all
    TRIGGER = "trigger"  # a trigger; ``Node.destination`` is its target
    DUPLICATE = "duplicate"  # a section or trigger sharing its ID with an earlier one
    DANGLING = "dangling"  # a repeated mention of a reference to an unknown ID


class Link(StrEnum):
    """The kind of link that connects a node of the outline to its parent, such as a decision or an override."""

    NONE = "none"  # a member of a heading, or the top
    START = "start"  # the story starts here
    DECISION = "decision"
    OVERRIDE = "override"  # a trigger that has another target while the parent runs
    TRIGGER = "trigger"  # the trigger of the parent node


class Group(StrEnum):
    """The headings of the outline. ``NO_START`` takes the place of the start section if no start is set."""

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
MAY_BE_REACHED: Final = "Not reached from readable sections"


class Node(NamedTuple):
    """One line of the outline.

    ``id`` identifies the node. For example, it contains the ID of a section, or the position of a decision in its
    section. ``id`` stays the same after a refresh, so it can be stored to restore the cursor and the folded nodes.
    ``label`` describes the link from the parent: the criteria of a decision or the name of a trigger. ``title`` is the
    name of the section, a missing ID, or a heading. ``label`` and ``title`` are as stored, so sanitize them before
    display. ``section`` and ``trigger`` are IDs, and ``position`` is the index of the decision or override in the
    stored array. ``never_runs`` is true for a decision after a catch-all decision and for an override of an unknown
    trigger. ``destination`` says what kind of target a trigger has.

    ``place`` is the index of the node in reading order, and ``parent`` is the index of its parent (-1 at the top). The
    node's descendants are the nodes from ``place + 1`` up to, but not including, ``end``. ``last`` is true for the last
    child of a parent, and ``ways`` is the number of the node's children.

    ``depth`` is the number of ancestors, and ``level`` is the number of indentation steps. In a chain, each node is the
    only child of a section, and all nodes have the level of the first node. ``chain`` is true for the nodes of a chain.
    ``over`` is the index of the nearest ancestor with a lower level.
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
    level: int = 0
    over: int = -1
    chain: bool = False

    @property
    def foldable(self) -> bool:
        return self.ways > 0

    @property
    def size(self) -> int:
        return self.end - self.place - 1


def section_node(section_id: str) -> str:
    return f"section/{section_id}"


def group_node(group: Group) -> str:
    return f"group/{group}"


def trigger_node(trigger_id: str) -> str:
    return f"trigger/{trigger_id}"


def decision_node(position: int, owner: str) -> str:
    """Return the node ID of a decision whose target section is shown elsewhere in the outline.

    ``owner`` is the ID of the parent node.
    """
    return f"decision/{position}/{owner}"


def override_node(position: int, owner: str) -> str:
    return f"override/{position}/{owner}"


# Looking up enum members is slow, and these members are needed for every decision.
_SECTION, _REFERENCE, _MISSING, _DECISION = Kind.SECTION, Kind.REFERENCE, Kind.MISSING, Link.DECISION
_TOP: Final = -1
_END: Final = Node._fields.index("end")
#: Stands for a node until its children have been added.
_OPEN: Final = Node("", Kind.SECTION)
#: Creates a node from its members in order, in a third of the time that its constructor takes.
_made: Final = tuple.__new__
#: See :func:`_step`.
_Step = tuple[
    list[Any],
    tuple[str, int, int, int, int, bool, int | None, tuple[Link, str | None]],
    Iterator[Edge],
    Iterator[tuple[int, "Override"]] | None,
]


def placed(graph: Graph, homes: Mapping[str, Home]) -> tuple[Node, ...]:
    """Return the nodes of a graph in reading order.

    Every section is expanded only in its home (:mod:`chartui.core.narrative.homes`).
    """
    return _Builder(graph, homes).nodes()


class _Builder:
    """Appends the nodes in reading order. Only the ``end`` of a node is filled in later."""

    def __init__(self, graph: Graph, homes: Mapping[str, Home]) -> None:
        self._graph = graph
        self._homes = homes
        self._names = {key: visible_name(section.section_name, key) for key, section in graph.sections.items()}
        # Few sections have overrides, so only those sections are examined.
        self._idle = graph.idle
        self._held = {key: section.triggers for key, section in graph.sections.items() if section.triggers}
        self._placed: set[str] = set()
        self._titles = GROUP_TITLES if graph.start_known else UNKNOWN_START_TITLES
        if graph.start_known and graph.missed.ways:
            self._titles = {**self._titles, Group.UNREACHABLE: MAY_BE_REACHED}
        self._nodes: list[Node] = []

    def nodes(self) -> tuple[Node, ...]:
        graph = self._graph
        connected = [one for one in graph.triggers.values() if one.destination_section]
        alone = [key for key, home in self._homes.items() if home.link is Link.NONE]
        roots = [self._start()]
        roots += self._group(Group.TRIGGERS, [partial(self._trigger, one) for one in connected])
        roots += self._group(Group.UNCONNECTED, [partial(self._trigger, one) for one in graph.unconnected])
        roots += self._group(Group.UNREACHABLE, [partial(self._island, key) for key in alone])
        roots += self._group(Group.DANGLING, [partial(self._dangling, one) for one in graph.dangling])
        roots += self._group(Group.DUPLICATES, list(self._duplicates()))
        self._nodes[roots[-1]] = self._nodes[roots[-1]]._replace(last=True)
        return tuple(self._nodes)

    def _add(self, node: Node, parent: int = _TOP) -> int:
        place = len(self._nodes)
        depth = level = 0
        if parent != _TOP:
            depth, level = self._nodes[parent].depth + 1, self._nodes[parent].level + 1
        self._nodes.append(
            node._replace(place=place, end=place + 1, parent=parent, depth=depth, level=level, over=parent)
        )
        return place

    def _start(self) -> int:
        if self._graph.start is None:
            return self._add(Node(group_node(Group.NO_START), Kind.GROUP, title=self._titles[Group.NO_START]))
        place = self._add(Node("start", Kind.MISSING, Link.START))
        self._lead(place, self._graph.start, expands=True)
        return place

    def _group(self, group: Group, children: Sequence[Callable[[int], object]]) -> list[int]:
        """Add a heading with the nodes of ``children`` below it.

        Returns a list of its place, or an empty list without children.
        """
        if not children:
            return []
        nodes = self._nodes
        heading = self._add(Node(group_node(group), Kind.GROUP, title=self._titles[group]))
        last = heading
        for add in children:
            last = len(nodes)
            add(heading)
        nodes[heading] = nodes[heading]._replace(end=len(nodes), ways=len(children))
        nodes[last] = nodes[last]._replace(last=True)
        return [heading]

    def _trigger(self, trigger: Trigger, parent: int) -> None:
        name, target = self._graph.trigger_name(trigger.trigger_id), trigger.destination_section
        expands = bool(target) and self._homes.get(target or "") == (Link.TRIGGER, trigger.trigger_id)
        kind = _SECTION if expands else self._kind_of(target) if target else Kind.OVERRIDES
        if trigger.trigger_id in self._idle:
            kind = Kind.NO_TARGET
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
        if target and expands:
            self._lead(self._add(Node("", _SECTION, Link.TRIGGER, last=True), place), target, expands=True)
            self._nodes[place] = self._nodes[place]._replace(end=len(self._nodes), ways=1)

    def _kind_of(self, target: str) -> Kind:
        return _REFERENCE if target in self._names else _MISSING

    def _lead(self, place: int, target: str, *, expands: bool) -> None:
        """Make the node at ``place`` show the section ``target``; if it ``expands`` there, with everything below it."""
        expands = expands and target in self._names
        node = self._nodes[place]._replace(
            kind=_SECTION if expands else self._kind_of(target), section=target, title=self._names.get(target, target)
        )
        if expands:
            self._placed.add(target)
            node = node._replace(id=section_node(target), ways=self._ways(target))
        self._nodes[place] = node
        if expands:
            self._expand(node, self._graph.edges[target], self._held.get(target, ()))

    def _ways(self, section_id: str) -> int:
        return len(self._graph.edges[section_id]) + len(self._held.get(section_id, ()))

    def _expand(self, root: Node, edges: Sequence[Edge], overrides: Sequence[Override]) -> None:
        """Add these decisions and overrides, and everything below them, depth first."""
        nodes, ways, held = self._nodes, self._graph.edges, self._held
        names, homes, is_placed = self._names, self._homes, self._placed
        path = [_step([*root], edges, overrides)]
        while path:
            members, (owner, above, depth, level, over, chain, final, key), rest, others = path[-1]
            for _, target, label, position, _, never_runs in rest:
                place, name, last = len(nodes), names.get(target), position == final
                if name is None or never_runs or target in is_placed or homes[target] != key:
                    kind, title = (_MISSING, target) if name is None else (_REFERENCE, name)
                    # fmt: off
                    nodes.append(_made(Node, (
                        f"decision/{position}/{owner}", kind, _DECISION, label, title, target, None, position,
                        never_runs, None, place, place + 1, above, depth, last, 0, level, over, chain,
                    )))
                    # fmt: on
                    continue
                is_placed.add(target)
                below, events = ways[target], held.get(target, ())
                nodes.append(_OPEN)
                # fmt: off
                path.append(_step([
                    f"section/{target}", _SECTION, _DECISION, label, name, target, None, position,
                    False, None, place, 0, above, depth, last, len(below) + len(events), level, over, chain,
                ], below, events))
                # fmt: on
                break
            else:
                if others is not None:
                    node = nodes[above] = _made(Node, members)
                    opened = next(filter(None, (self._override(node, *each) for each in others)), None)
                    if opened is not None and opened.section is not None:
                        path.append(_step([*opened], ways[opened.section], held.get(opened.section, ())))
                        continue
                path.pop()
                members[_END] = len(nodes)
                nodes[above] = _made(Node, members)

    def _override(self, owner: Node, position: int, override: Override) -> Node | None:
        """Add an override. Returns its node if it expands its target, whose decisions are then to be added."""
        target = override.destination_section or None
        fires = override.trigger_id in self._graph.triggers
        node = Node(
            override_node(position, owner.id),
            Kind.NO_TARGET if target is None else self._kind_of(target),
            Link.OVERRIDE,
            label=self._graph.trigger_name(override.trigger_id),
            title=self._names.get(target, target) if target else "",
            section=target,
            trigger=override.trigger_id,
            position=position,
            never_runs=not fires,
            last=position == len(self._held[owner.section or ""]) - 1,
        )
        home = (Link.OVERRIDE, owner.section)
        if target and fires and self._homes.get(target) == home and target not in self._placed:
            self._placed.add(target)
            node = node._replace(id=section_node(target), kind=_SECTION, ways=self._ways(target))
            return self._nodes[self._add(node, owner.place)]
        self._add(node, owner.place)
        return None

    def _island(self, section_id: str, parent: int) -> None:
        self._lead(self._add(Node("", _SECTION), parent), section_id, expands=True)

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
                title=visible_name(trigger.trigger_name, trigger.trigger_id),
                trigger=trigger.trigger_id,
                position=number,
            )
            yield partial(self._add, node)

    def _duplicate_section(self, number: int, section: Section, parent: int) -> None:
        edges = edges_of(section)
        node = Node(
            f"duplicate-section/{number}/{section.section_id}",
            Kind.DUPLICATE,
            title=visible_name(section.section_name, section.section_id),
            section=section.section_id,
            position=number,
            ways=len(edges),
        )
        self._expand(self._nodes[self._add(node, parent)], edges, ())


def _step(members: list[Any], edges: Sequence[Edge], overrides: Sequence[Override]) -> _Step:
    """Return a step of the search for a node whose ``members`` are complete except for its end.

    A step also contains the decisions and overrides still to be added below the node, and the values that its decisions
    share: the ID and place of the node, their depth, level, ``over`` and ``chain``, the position of the decision that
    is the last child, and the home of the sections that are expanded there.
    """
    place, depth, chain = members[10], members[13] + 1, members[15] == 1
    # A chain of single decisions stays at its level.
    level, over = (members[16], members[17]) if chain and members[18] else (members[16] + 1, place)
    final = edges[-1].position if edges and not overrides else None
    below = members[0], place, depth, level, over, chain, final, (_DECISION, members[5])
    return members, below, iter(edges), enumerate(overrides) if overrides else None
