"""A narrative graph as a tree that can be read from top to bottom.

The graph can have cycles, so each section is *expanded* only once, in its home (see
:mod:`chartui.core.narrative.homes`). An expanded section is followed by its decisions, in the order in which they are
tried, and then by its overrides. All other links to the section are shown as *references*.

The outline begins with the start section. Next come the triggers, each with the sections that only this trigger
reaches, and then the unreachable sections.

Triggers without a target have their own heading. References to unknown IDs are shown where they occur, and again under
a heading of their own. Duplicates, which are sections and triggers with the ID of an earlier one, also have their own
heading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from operator import itemgetter
from types import MappingProxyType
from typing import Final, overload

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire
from chartui.core.narrative.graph import Dangling, Graph, ReferenceKind
from chartui.core.narrative.homes import Home, Past, homes_of, same_links
from chartui.core.narrative.nodes import (
    Kind,
    Link,
    Node,
    decision_node,
    override_node,
    placed,
    section_node,
    trigger_node,
)
from chartui.core.narrative.signs import DANGLING, TRIGGER, section_signs
from chartui.core.sheet import Column, Sheet
from chartui.core.sheet import Kind as Cells
from chartui.core.text import fold, single_line

#: The kinds of links that reach a node directly, rather than through the trigger above it.
_WAYS: Final = frozenset({Link.START, Link.DECISION, Link.OVERRIDE})
_ID: Final = itemgetter(Node._fields.index("id"))
_LEVEL: Final = itemgetter(Node._fields.index("level"))
_LINK_KINDS: Final = {Link.START: "start", Link.OVERRIDE: "override"}


class Row(NamedTuple):
    """A visible node of the outline.

    ``folded`` is true if its children are hidden. ``base`` is the level of nodes that are shown without indentation.
    """

    node: Node
    folded: bool
    base: int = 0


class Rows(Sequence[Row]):
    """Visible nodes from top to bottom. A row is created only when it is used, because a large story has many rows."""

    __slots__ = ("_base", "_bases", "_folded", "_nodes")

    def __init__(
        self,
        nodes: Sequence[Node],
        *,
        folded: Collection[int] = (),
        base: int = 0,
        bases: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self._nodes = nodes
        self._folded = folded
        self._base = base
        self._bases = bases

    def __len__(self) -> int:
        return len(self._nodes)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        node = self._nodes[index]
        return Row(node, node.place in self._folded, self._bases.get(node.place, self._base))


def outline(graph: Graph, before: Outline | None = None) -> Outline:
    """Build the outline of a graph.

    ``before`` is an earlier outline. Sections keep their places from the earlier outline unless the start has changed.
    """
    if before is not None and same_links(graph, before.graph):
        return Outline(graph, placed(graph, before.homes), before.homes, before.earlier)
    if before is None or before.graph.start != graph.start:
        homes = homes_of(graph)
        return Outline(graph, placed(graph, homes), homes)
    homes, past = homes_of(graph, before.past), {**before.past}
    for key, home in homes.items():
        if home not in past.get(key, ()):
            past[key] = (*past.get(key, ()), home)
    return Outline(graph, placed(graph, homes), homes, past)


def reading_order(graph: Graph) -> list[str]:
    """Return the IDs of the sections in the order of the outline."""
    return [node.section for node in outline(graph).nodes if node.kind is Kind.SECTION and node.section]


class Outline:
    """The nodes of an outline, with methods to find them and to list the visible ones.

    ``homes`` maps each section to its home, the place where the section is expanded. ``earlier`` contains all homes
    that each section has had (see :attr:`past`), or is None as long as no section can have moved.
    """

    __slots__ = ("_asked", "_by_id", "_texts", "deepest", "earlier", "graph", "homes", "nodes")

    def __init__(
        self, graph: Graph, nodes: tuple[Node, ...], homes: Mapping[str, Home], earlier: Past | None = None
    ) -> None:
        self.graph = graph
        self.nodes = nodes
        self.homes = homes
        self.earlier = earlier
        #: The largest number of indentation steps of any node in the outline.
        self.deepest = max(map(_LEVEL, nodes))
        self._by_id = dict(zip(map(_ID, nodes), count(), strict=False))
        self._texts: list[str] | None = None
        self._asked: tuple[str, tuple[Node, ...]] = ("", ())

    @property
    def past(self) -> Past:
        """For each section, all homes that it has had, oldest first.

        Removed sections are included, so that a section returns to its place when its removal is undone.
        """
        return self.earlier or {key: (home,) for key, home in self.homes.items()}

    def children(self, node: Node) -> tuple[Node, ...]:
        found: list[Node] = []
        index = node.place + 1
        while index < node.end:
            found.append(self.nodes[index])
            index = self.nodes[index].end
        return tuple(found)

    def find(self, node_id: str) -> Node | None:
        """Return the node with this ID, or None if it does not exist. A refresh can remove nodes."""
        index = self._by_id.get(node_id)
        return None if index is None else self.nodes[index]

    def counterpart(self, node: Node, before: Outline) -> Node | None:
        """Return the node that corresponds to ``node``, which belongs to the earlier outline ``before``.

        The ID of a decision or override changes when its target section is expanded in a different place. If no node
        has the same ID, a decision or override is therefore found by its parent, position and target. The result is
        None if no node corresponds to ``node``.
        """
        found = self.find(node.id)
        if found is not None or node.position is None or node.parent < 0:
            return found
        owner, place = self.find(before.nodes[node.parent].id), (node.link, node.position, node.section)
        children = self.children(owner) if owner is not None else ()
        return next((each for each in children if (each.link, each.position, each.section) == place), None)

    def ancestors(self, node: Node) -> list[Node]:
        """Return the ancestors of a node, nearest first. The node is visible if none of them is folded."""
        found: list[Node] = []
        while node.parent >= 0:
            node = self.nodes[node.parent]
            found.append(node)
        return found

    def rows(
        self, collapsed: Collection[str] = frozenset(), *, root: Node | None = None, levels: int | None = None
    ) -> Rows:
        """Return the visible nodes from top to bottom.

        Nodes whose IDs are in ``collapsed`` are folded. If ``root`` is given, only that node and its descendants are
        returned. If ``levels`` is given, nodes at depth ``levels`` or more, counted from the leftmost nodes, are also
        folded.
        """
        base, begin, end = (root.level, root.place, root.end) if root is not None else (0, 0, len(self.nodes))
        folds = [node.place for node in map(self.find, collapsed) if node is not None and node.foldable]
        if levels is not None and self.deepest > base + levels:
            folds += (
                node.place
                for node in self.nodes[begin:end]
                if node.level == base + levels and node.ways and self.nodes[node.place + 1].level > node.level
            )
        nodes: list[Node] = []
        index = begin
        # Most sections of a large story are not folded, so all nodes between two folds are copied in one slice.
        for place in sorted(folds):
            if index <= place < end:
                nodes += self.nodes[index : place + 1]
                index = self.nodes[place].end
        nodes += self.nodes[index:end]
        return Rows(nodes, folded=frozenset(folds), base=base)

    def rows_to(self, places: Iterable[int], *, levels: int | None = None) -> Rows:
        """Return selected nodes and their ancestors, from top to bottom.

        ``places`` contains the indexes of the selected nodes. If ``levels`` is given, only the ancestors up to
        ``levels`` levels above each selected node are added. The indentation is limited to ``levels`` levels: nodes
        that would exceed this limit start at the left edge again.
        """
        nodes = self.nodes
        kept: set[int] = set()
        for place in places:
            limit = -1 if levels is None else nodes[place].level - levels
            while place >= 0 and place not in kept and (node := nodes[place]).level >= limit:
                kept.add(place)
                place = node.parent
        bases: dict[int, int] = {}
        for place in sorted(kept):
            node = nodes[place]
            base = bases.get(node.parent, level := node.level)
            if levels is not None and level - base > levels:
                base = level
            bases[place] = base
        return Rows([nodes[place] for place in bases], bases=bases)

    def root_for(self, node: Node, levels: int) -> Node | None:
        """Return the root of a partial outline that shows ``node`` with at most ``levels`` levels of indentation.

        The result is None if the whole outline indents ``node`` by at most ``levels`` levels.
        """
        if node.level <= levels:
            return None
        root = node
        while root.level > node.level - levels // 2:
            root = self.nodes[root.over]
        return root

    def said(self, node: Node) -> str:
        """Return the objective of the node's section or the message of its trigger.

        The result is empty for all other nodes.
        """
        if node.kind is Kind.SECTION and node.section is not None:
            return self.graph.sections[node.section].objective or ""
        if node.kind is Kind.TRIGGER and node.trigger is not None:
            return self.graph.triggers[node.trigger].trigger_message or ""
        return ""

    def matching(self, query: str) -> tuple[Node, ...]:
        """Search the outline.

        Return the nodes that contain every word of ``query``, ignoring case and accents, and the node of the section or
        trigger whose ID is ``query``. The search includes the label and title of a node, the objective of an expanded
        section, and the message of a trigger. An empty query matches nothing.
        """
        if self._asked[0] != query:
            self._asked = (query, tuple(map(self.nodes.__getitem__, self._matching(query))))
        return self._asked[1]

    def _matching(self, query: str) -> Iterable[int]:
        words = fold(query).split()
        if not words:
            return ()
        if self._texts is None:
            told = (Kind.SECTION, Kind.TRIGGER)
            self._texts = [
                fold(f"{node.label}\n{node.title}\n{self.said(node) if node.kind in told else ''}")
                for node in self.nodes
            ]
        places: Iterable[int] = range(len(self.nodes))
        for word in words:
            places = [place for place in places if word in self._texts[place]]
        called = map(self.find, (section_node(query.strip()), trigger_node(query.strip())))
        return sorted({*places, *(node.place for node in called if node is not None)})

    def leading_to(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that link to a node's section or trigger, in reading order.

        A section is linked from the start and from all decisions, overrides and triggers that refer to the section. A
        trigger is linked from its overrides.
        """
        reference = self._mentioned(node)
        target, trigger = (node.section, node.trigger) if reference is None else (reference.target, reference.target)
        overridden = reference is not None and reference.kind is ReferenceKind.OVERRIDDEN
        if node.kind is Kind.TRIGGER or target is None or overridden:
            return tuple(n for n in self.nodes if n.link is Link.OVERRIDE and n.trigger == trigger)
        return self.leading_to_section(target)

    def leading_to_section(self, section_id: str) -> tuple[Node, ...]:
        """Return the nodes that link to a section. The section itself need not exist."""
        return tuple(n for n in self.nodes if n.section == section_id and (n.link in _WAYS or n.kind is Kind.TRIGGER))

    def origin(self, node: Node) -> Node | None:
        """Return the node where a dangling reference occurs in the story.

        ``node`` is the reference's entry under the heading for dangling references. If ``node`` is not under this
        heading, the result is None.
        """
        reference = self._mentioned(node)
        if reference is None:
            return None
        match reference.kind:
            case ReferenceKind.START:
                return self.find("start")
            case ReferenceKind.TRIGGER:
                return self.find(trigger_node(reference.owner))
            case ReferenceKind.DECISION:
                return self.find(decision_node(reference.position, section_node(reference.owner)))
            case ReferenceKind.OVERRIDE | ReferenceKind.OVERRIDDEN:
                return self.find(override_node(reference.position, section_node(reference.owner)))

    def _mentioned(self, node: Node) -> Dangling | None:
        # The nodes under their heading are in the order of the graph and have no children.
        return self.graph.dangling[node.place - node.parent - 1] if node.kind is Kind.DANGLING else None

    def guides(self, node: Node, base: int = 0) -> tuple[bool, ...]:
        """Return flags for the lines drawn before a node's text, one for each level from ``base`` down to the node.

        Each flag describes the node itself or its ancestor at that level, and is true if a sibling follows further
        down. For an ancestor, a true flag means that a vertical line is drawn. For the node itself, the flag selects
        ``├`` or ``└``.
        """
        found: list[bool] = []
        while node.level > base:
            found.append(not node.last)
            # The nodes of a chain are the only children of their parents.
            node = self.nodes[node.over]
        found.reverse()
        return tuple(found)


# -- as text ----------------------------------------------------------------------------------------------------------


#: Number of levels drawn to the left of a line. Deeper sections follow in a block of their own. Otherwise, the length
#: of the text would grow with the square of the depth.
MAX_LEVELS: Final = 32
_LIMIT: Final = 200


def render(outline: Outline, rows: Iterable[Row] | None = None) -> str:
    """Return the outline as text, with box-drawing lines. If ``rows`` is given, only these rows are included.

    The text ends with a line feed.
    """
    if rows is not None:
        return "".join(_drawn(outline, row) for row in rows)
    lines: list[str] = []
    roots: deque[Node | None] = deque([None])
    while roots:
        root = roots.popleft()
        if root is not None:
            lines.append(f"\n… › {_clean(outline.nodes[root.parent].title)}\n")
        for row in outline.rows(root=root, levels=MAX_LEVELS):
            lines.append(_drawn(outline, row))
            if row.folded:
                lines[-1] = f"{lines[-1][:-1]} (continued below)\n"
                roots.append(row.node)
    return "".join(lines)


_LINK_COLUMNS: Final = (
    Column("section", title="Section", kind=Cells.TEXT, least=20, best=32),
    Column("link", title="Decision or trigger", kind=Cells.TEXT, least=20, best=28),
    Column("kind", title="Kind", kind=Cells.TEXT, priority=2),
)


def links_sheet(outline: Outline, nodes: Iterable[Node]) -> Sheet:
    """Build a table of incoming links (see :meth:`Outline.leading_to`). Each row has the ID of its node as its key.

    In the row for the start, the columns for the section and for the decision or trigger are empty. In the row for a
    trigger, the section is empty, because a trigger fires in any section.
    """

    def row(node: Node) -> tuple[Wire, ...]:
        kind = "trigger" if node.kind is Kind.TRIGGER else _LINK_KINDS.get(node.link, "decision")
        section = outline.nodes[node.parent].title if kind in ("decision", "override") else None
        return section, None if kind == "start" else node.label, "never runs" if node.never_runs else kind

    shown = tuple(nodes)
    return Sheet("Incoming links", _LINK_COLUMNS, tuple(map(row, shown)), keys=tuple(node.id for node in shown))


def _drawn(outline: Outline, row: Row) -> str:
    *above, more = outline.guides(row.node, row.base) or (None,)
    own = "" if more is None else "↳ " if row.node.chain else "├─ " if more else "└─ "
    return f"{''.join('│  ' if more else '   ' for more in above)}{own}{_line(outline, row.node)}\n"


def _line(outline: Outline, node: Node) -> str:
    if node.kind is Kind.TRIGGER:
        return f"{TRIGGER} {_clean(node.label)}{_destination(outline, node)}"
    title = _clean(node.title)
    if node.kind is Kind.DANGLING:
        return f"{_clean(node.label)} → {DANGLING} {title}"
    here = "nowhere" if node.kind is Kind.NO_TARGET else title
    if node.kind is Kind.MISSING:
        here = _missing(outline, node)
    elif node.kind in (Kind.SECTION, Kind.REFERENCE):
        here = _marked(outline, node)
    if node.kind is Kind.REFERENCE:
        here = f"↩ {here}"
    if node.link is Link.DECISION:
        here = f"[{_clean(node.label)}] → {here}"
    elif node.link is Link.OVERRIDE:
        here = f"{TRIGGER} [{_clean(node.label)}] → {here}"
    elif node.link is Link.TRIGGER:
        here = f"→ {here}"
    return f"{here} (never runs)" if node.never_runs else here


def _missing(outline: Outline, node: Node) -> str:
    unknown = outline.graph.has_section(node.section) is None
    return (
        f"? {_clean(node.title)} ({outline.graph.absence(node.section)})"
        if unknown
        else f"{DANGLING} {_clean(node.title)}"
    )


def _destination(outline: Outline, node: Node) -> str:
    """Return the target of a trigger, unless the next line shows it."""
    if node.destination is Kind.REFERENCE:
        return f" → ↩ {_marked(outline, node)}"
    if node.destination is Kind.MISSING:
        return f" → {_missing(outline, node)}"
    if node.destination is Kind.OVERRIDES:
        return " (no target of its own)"
    return "" if node.destination is Kind.SECTION else " (not connected)"


def _marked(outline: Outline, node: Node) -> str:
    """Return the name of a section after the signs of its state."""
    return " ".join((*section_signs(outline.graph, node.section or ""), _clean(node.title)))


def _clean(text: str) -> str:
    return single_line(text, limit=_LIMIT)
