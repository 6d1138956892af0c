"""A narrative graph as an outline: the tree that a person reads from top to bottom.

The graph has cycles, so a section is *expanded* once, with its decisions below it, and is a *reference* wherever else
something leads to it. Sections are placed in this order, each time depth first and in the order the decisions are
tried:

1. from the start section through decisions that can run;
2. from the destinations of triggers;
3. from overrides, in place below the section that holds them: what only an override reaches does not tear the story
   apart;
4. what nothing leads to, under a heading of its own: sections without a parent first, then one section of every cycle.

References to unknown ids stay where they are and are listed once more under a heading; so are records that share an id
with an earlier one. Nothing recurses, so depth is bounded by memory alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.core.narrative.graph import Edge, Graph, ReferenceKind, edges_of

if TYPE_CHECKING:
    from chartui.core.spec.models.narrative import Override, Section, Trigger

__all__ = ["GROUP_TITLES", "Group", "Kind", "Link", "Node", "Outline", "Row", "outline", "section_node"]


class Kind(StrEnum):
    """What a node shows."""

    GROUP = "group"  # a heading
    SECTION = "section"  # a section, expanded here and nowhere else
    REFERENCE = "reference"  # a section that is expanded at another place
    MISSING = "missing"  # an id that no section has
    NOWHERE = "nowhere"  # an override without a destination
    TRIGGER = "trigger"  # a trigger; ``Node.destination`` tells what it leads to
    DUPLICATE = "duplicate"  # a section or trigger sharing its id with an earlier one
    DANGLING = "dangling"  # one more mention of a reference to an unknown id


class Link(StrEnum):
    """How the parent leads to a node."""

    NONE = "none"  # a member of a heading, or the top
    START = "start"  # the story starts here
    DECISION = "decision"
    OVERRIDE = "override"  # a trigger that leads elsewhere while the parent runs
    TRIGGER = "trigger"  # the trigger of the parent node


class Group(StrEnum):
    """The headings. ``NO_START`` stands in for the start section where none is set."""

    NO_START = "no-start"
    TRIGGERS = "triggers"
    UNREACHABLE = "unreachable"
    DANGLING = "dangling"
    DUPLICATES = "duplicates"


GROUP_TITLES: Final = {
    Group.NO_START: "No start section is set",
    Group.TRIGGERS: "Triggers",
    Group.UNREACHABLE: "Unreachable",
    Group.DANGLING: "Dangling references",
    Group.DUPLICATES: "Duplicate ids",
}


class Node(NamedTuple):
    """One line of the outline.

    ``id`` depends on what the node stands for and not on where it is: the id of a section, or the place of a decision
    among those of its section; it survives a refresh and may be kept as cursor or fold state. ``label`` says how the
    parent leads here (the criteria of a decision, the name of a trigger), ``title`` what is here (the name of a
    section, a missing id, a heading), both as stored: clean them where they are shown. ``section`` and ``trigger`` are
    ids, ``position`` the place of the decision or override in its stored array. ``never_runs`` marks a decision behind
    an immediate one, and an override of an unknown trigger. ``destination`` is what a trigger leads to.

    Nodes are in reading order: ``place`` is a node's own place, ``parent`` that of its parent (-1 at the top), and its
    descendants are the nodes from ``place + 1`` up to, not including, ``end``. ``last`` is true for the last child.
    """

    id: str
    kind: Kind
    link: Link
    label: str
    title: str
    section: str | None
    trigger: str | None
    position: int | None
    never_runs: bool
    destination: Kind | None
    place: int
    end: int
    parent: int
    depth: int
    last: bool

    @property
    def foldable(self) -> bool:
        """True when there is something below."""
        return self.end - self.place > 1


class Row(NamedTuple):
    """A node that is on view; ``folded`` when what is below it is not."""

    node: Node
    folded: bool


def section_node(section_id: str) -> str:
    """The id of the node where a section is expanded."""
    return f"section/{section_id}"


def outline(graph: Graph) -> Outline:
    """The outline of a graph: the same graph gives the same outline."""
    return Outline(graph, _finished(_Builder(graph).roots()))


class Outline:
    """The nodes of an outline, and the questions a view asks about them."""

    __slots__ = ("_by_id", "graph", "nodes")

    def __init__(self, graph: Graph, nodes: tuple[Node, ...]) -> None:
        self.graph = graph
        self.nodes = nodes
        self._by_id: dict[str, int] | None = None

    @property
    def roots(self) -> tuple[Node, ...]:
        """The nodes at the top: the start, then the headings that have something below them."""
        return tuple(self._between(0, len(self.nodes)))

    def children(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below."""
        return tuple(self._between(node.place + 1, node.end))

    def _between(self, index: int, end: int) -> Iterator[Node]:
        while index < end:
            yield self.nodes[index]
            index = self.nodes[index].end

    def find(self, node_id: str) -> Node | None:
        """The node with this id, or None: it went with a refresh."""
        if self._by_id is None:
            self._by_id = {node.id: node.place for node in self.nodes}
        index = self._by_id.get(node_id)
        return None if index is None else self.nodes[index]

    def ancestors(self, node: Node) -> list[Node]:
        """The nodes above, the nearest first: what must be open for the node to be on view."""
        found: list[Node] = []
        while node.parent >= 0:
            node = self.nodes[node.parent]
            found.append(node)
        return found

    def rows(self, collapsed: Collection[str] = frozenset()) -> list[Row]:
        """What is on view, from top to bottom, when the nodes with the ids in ``collapsed`` are folded."""
        rows: list[Row] = []
        index = 0
        while index < len(self.nodes):
            node = self.nodes[index]
            folded = node.foldable and node.id in collapsed
            rows.append(Row(node, folded))
            index = node.end if folded else index + 1
        return rows

    def guides(self, node: Node, levels: int | None = None) -> tuple[bool, ...]:
        """For every level down to the node, whether more children of the same parent follow below it.

        True at a level above the node means a vertical line beside it; the last value is the node's own (``├`` or
        ``└``). The top has no level of its own. ``levels`` keeps only that many, the nearest: a story thousands of
        sections deep must not be drawn from its far left.
        """
        wanted = node.depth if levels is None else min(levels, node.depth)
        found: list[bool] = []
        while len(found) < wanted:
            found.append(not node.last)
            node = self.nodes[node.parent]
        found.reverse()
        return tuple(found)


class _Draft:
    """A node while the outline grows."""

    __slots__ = (
        "children",
        "destination",
        "id",
        "kind",
        "label",
        "link",
        "never_runs",
        "position",
        "section",
        "title",
        "trigger",
    )

    def __init__(
        self,
        node_id: str,
        kind: Kind,
        *,
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
        self._placed: set[str] = set()
        # Overrides wait until decisions and triggers have placed what they reach.
        self._overrides: deque[_Draft] = deque()

    def roots(self) -> list[_Draft]:
        start = self._start()
        triggers = [self._trigger(trigger) for trigger in self._graph.triggers.values()]
        self._place_overridden()
        groups = (
            (Group.TRIGGERS, triggers),
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
            f"trigger/{trigger.trigger_id}",
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
        path = [(root, target, iter(self._graph.edges[target]))]
        while path:
            draft, section_id, edges = path[-1]
            for edge in edges:
                child, expanded = self._decision(draft, edge)
                if expanded:
                    path.append((child, edge.target, iter(self._graph.edges[edge.target])))
                    break
            else:
                path.pop()
                for position, override in enumerate(self._graph.overrides(section_id)):
                    self._overrides.append(self._override(draft, position, override))

    def _lead(self, draft: _Draft, target: str) -> bool:
        """Let ``draft`` show what is at ``target``: true when that is a section, expanded here for the first time."""
        draft.section = target
        draft.title = self._graph.section_name(target)
        if target not in self._graph.sections:
            draft.kind = Kind.MISSING
        elif draft.never_runs or target in self._placed:
            draft.kind = Kind.REFERENCE
        else:
            draft.kind = Kind.SECTION
            draft.id = section_node(target)
            self._placed.add(target)
            return True
        return False

    def _decision(self, owner: _Draft, edge: Edge) -> tuple[_Draft, bool]:
        child = _Draft(
            f"decision/{edge.position}/{owner.id}",
            Kind.MISSING,
            link=Link.DECISION,
            label=edge.criteria,
            position=edge.position,
            never_runs=edge.never_runs,
        )
        owner.children.append(child)
        return child, self._lead(child, edge.target)

    def _override(self, owner: _Draft, position: int, override: Override) -> _Draft:
        child = _Draft(
            f"override/{position}/{owner.id}",
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
    drafts: list[tuple[_Draft, int, int, bool]] = []
    waiting = list(_placed(roots, parent=-1, depth=0))
    while waiting:
        entry = waiting.pop()
        if entry[0].children:
            waiting.extend(_placed(entry[0].children, parent=len(drafts), depth=entry[2] + 1))
        drafts.append(entry)
    sizes = [1] * len(drafts)
    for index in range(len(drafts) - 1, -1, -1):
        parent = drafts[index][1]
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
            parent,
            depth,
            last,
        )
        for index, (draft, parent, depth, last) in enumerate(drafts)
    )


def _placed(siblings: list[_Draft], *, parent: int, depth: int) -> Iterable[tuple[_Draft, int, int, bool]]:
    """Siblings with parent, depth and whether they are the last, in reverse: for a stack."""
    last = True
    for draft in reversed(siblings):
        yield draft, parent, depth, last
        last = False
