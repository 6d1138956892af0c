"""A narrative graph as an outline: a tree to read from top to bottom.

The graph can have cycles, so each section is *expanded* once, with its decisions below it. Below its other incoming
links, it is shown as a *reference*. Sections are placed in this order, each time depth first and in the order in which
the decisions are tried:

1. from the start section through decisions that can run;
2. from the targets of triggers;
3. from overrides, directly below their section, so that sections reached only by an override appear with the story;
4. unreachable sections, under their own heading: those without a parent first, then one section of every cycle.

Triggers without a target have their own heading. References to unknown IDs are shown in place, and once more under a
heading. Sections and triggers that share the ID of an earlier one are under a heading too. The code is not recursive,
so only memory limits the depth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import repeat
from typing import Final, NamedTuple

from chartui.core.jsontext import Wire
from chartui.core.narrative.graph import Dangling, Graph, ReferenceKind
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
from chartui.core.sheet import Column, Sheet
from chartui.core.sheet import Kind as Cells
from chartui.core.text import single_line

#: The kinds of links that reach a node directly, rather than through the trigger above it.
_WAYS: Final = frozenset({Link.START, Link.DECISION, Link.OVERRIDE})
_LINK_KINDS: Final = {Link.START: "start", Link.OVERRIDE: "override"}


class Row(NamedTuple):
    """A visible node. ``folded`` is true if its children are hidden."""

    node: Node
    folded: bool


def outline(graph: Graph) -> Outline:
    return Outline(graph, placed(graph))


class Outline:
    """The nodes of an outline, with methods to find them and to list the visible ones."""

    __slots__ = ("_asked", "_by_id", "_rows", "_texts", "graph", "nodes")

    def __init__(self, graph: Graph, nodes: tuple[Node, ...]) -> None:
        self.graph = graph
        self.nodes = nodes
        self._by_id: dict[str, int] | None = None
        self._rows: list[Row] | None = None
        self._texts: list[str] | None = None
        self._asked: tuple[str, tuple[Node, ...]] = ("", ())

    def children(self, node: Node) -> tuple[Node, ...]:
        found: list[Node] = []
        index = node.place + 1
        while index < node.end:
            found.append(self.nodes[index])
            index = self.nodes[index].end
        return tuple(found)

    def find(self, node_id: str) -> Node | None:
        """Return the node with this ID, or None if it does not exist, for example after a refresh."""
        if self._by_id is None:
            self._by_id = {node.id: node.place for node in self.nodes}
        index = self._by_id.get(node_id)
        return None if index is None else self.nodes[index]

    def ancestors(self, node: Node) -> list[Node]:
        """Return the ancestors of a node, nearest first. A node is visible if none of its ancestors is folded."""
        found: list[Node] = []
        while node.parent >= 0:
            node = self.nodes[node.parent]
            found.append(node)
        return found

    def rows(self, collapsed: Collection[str] = frozenset()) -> list[Row]:
        """Return the visible nodes from top to bottom. Nodes whose IDs are in ``collapsed`` are folded."""
        if self._rows is None:
            self._rows = list(map(Row, self.nodes, repeat(False)))
        folds = sorted(node.place for node in map(self.find, collapsed) if node is not None and node.foldable)
        rows: list[Row] = []
        index = 0
        # Most sections of a large story are not folded, so all nodes between two folds are copied in one slice.
        for place in folds:
            if place >= index:
                rows += self._rows[index:place]
                rows.append(Row(self.nodes[place], True))
                index = self.nodes[place].end
        rows += self._rows[index:]
        return rows

    def rows_to(self, places: Iterable[int]) -> list[Row]:
        """Return the nodes at ``places`` and all of their ancestors, from top to bottom."""
        kept: set[int] = set()
        for place in places:
            while place >= 0 and place not in kept:
                kept.add(place)
                place = self.nodes[place].parent
        return [Row(self.nodes[place], False) for place in sorted(kept)]

    def said(self, node: Node) -> str:
        """Return the objective of the section expanded at a node, or the message of its trigger."""
        if node.kind is Kind.SECTION and node.section is not None:
            return self.graph.sections[node.section].objective or ""
        if node.kind is Kind.TRIGGER and node.trigger is not None:
            return self.graph.triggers[node.trigger].trigger_message or ""
        return ""

    def matching(self, query: str) -> tuple[Node, ...]:
        """Return the nodes that contain every word of ``query``, ignoring case, or whose ID is ``query``.

        The search covers the texts of a node, the objective of an expanded section, and the message of a trigger. An
        empty query matches nothing.
        """
        if self._asked[0] != query:
            self._asked = (query, tuple(self.nodes[place] for place in self._matching(query)))
        return self._asked[1]

    def _matching(self, query: str) -> Iterable[int]:
        words = query.casefold().split()
        if not words:
            return ()
        if self._texts is None:
            self._texts = [f"{node.label}\n{node.title}\n{self.said(node)}".casefold() for node in self.nodes]
        places: Iterable[int] = range(len(self.nodes))
        for word in words:
            places = [place for place in places if word in self._texts[place]]
        called = map(self.find, (section_node(query.strip()), trigger_node(query.strip())))
        return sorted({*places, *(node.place for node in called if node is not None)})

    def leading_to(self, node: Node) -> tuple[Node, ...]:
        """Return the incoming links of a node, in reading order.

        The links of a section are the nodes of decisions, overrides and triggers that refer to it, and the start. The
        links of a trigger are its overrides.
        """
        reference = self._mentioned(node)
        target, trigger = (node.section, node.trigger) if reference is None else (reference.target, reference.target)
        overridden = reference is not None and reference.kind is ReferenceKind.OVERRIDDEN
        if node.kind is Kind.TRIGGER or target is None or overridden:
            return tuple(n for n in self.nodes if n.link is Link.OVERRIDE and n.trigger == trigger)
        return self.leading_to_section(target)

    def leading_to_section(self, section_id: str) -> tuple[Node, ...]:
        """Return the incoming links of a section, even if the section does not exist."""
        return tuple(n for n in self.nodes if n.section == section_id and (n.link in _WAYS or n.kind is Kind.TRIGGER))

    def origin(self, node: Node) -> Node | None:
        """Return the node with the dangling reference that ``node``, below a heading, repeats."""
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

    def guides(self, node: Node, levels: int | None = None) -> tuple[bool, ...]:
        """Return, for each level down to the node, whether more children of the same parent follow below.

        For a level above the node, True means that a vertical line is drawn. The last flag is that of the node itself
        and selects ``├`` or ``└``. The top level has no flag. ``levels`` limits the result to the nearest levels, and
        thus the indent of a story that is thousands of levels deep.
        """
        wanted = node.depth if levels is None else min(levels, node.depth)
        found: list[bool] = []
        while len(found) < wanted:
            found.append(not node.last)
            node = self.nodes[node.parent]
        found.reverse()
        return tuple(found)


# -- as text ----------------------------------------------------------------------------------------------------------


#: Number of levels drawn to the left of a line. If a node is deeper, its level is shown as a number. Otherwise, the
#: length of the text would grow with the square of the depth.
MAX_LEVELS: Final = 32
_LIMIT: Final = 200


def render(outline: Outline, rows: Iterable[Row] | None = None) -> str:
    """Draw all nodes of the outline, or only ``rows``, as lines with box-drawing guides.

    The text ends with a line feed.
    """
    shown = outline.rows() if rows is None else rows
    return "".join(f"{_guides(outline, row.node)}{_line(outline, row.node)}\n" for row in shown)


_LINK_COLUMNS: Final = (
    Column("section", title="Section", kind=Cells.TEXT, least=20, best=32),
    Column("link", title="Decision or trigger", kind=Cells.TEXT, least=20, best=28),
    Column("kind", title="Kind", kind=Cells.TEXT, priority=2),
)


def links_sheet(outline: Outline, nodes: Iterable[Node]) -> Sheet:
    """Build a table of incoming links (see :meth:`Outline.leading_to`), keyed by the IDs of the nodes.

    The start has no section and no name, and a trigger that fires in any section has no section.
    """

    def row(node: Node) -> tuple[Wire, ...]:
        kind = "trigger" if node.kind is Kind.TRIGGER else _LINK_KINDS.get(node.link, "decision")
        section = outline.nodes[node.parent].title if kind in ("decision", "override") else None
        return section, None if kind == "start" else node.label, "never runs" if node.never_runs else kind

    shown = tuple(nodes)
    return Sheet("Incoming links", _LINK_COLUMNS, tuple(map(row, shown)), keys=tuple(node.id for node in shown))


def _guides(outline: Outline, node: Node) -> str:
    if node.depth == 0:
        return ""
    *above, more = outline.guides(node, MAX_LEVELS)
    hidden = node.depth - len(above) - 1
    return "".join(
        (
            f"⋯{hidden} " if hidden else "",
            *("│  " if going_on else "   " for going_on in above),
            "├─ " if more else "└─ ",
        )
    )


def _line(outline: Outline, node: Node) -> str:
    if node.kind is Kind.TRIGGER:
        return f"⚡ {_clean(node.label)}{_destination(outline, node)}"
    title = _clean(node.title)
    if node.kind is Kind.DANGLING:
        return f"{_clean(node.label)} → ∅ {title}"
    mark = "↩ " if node.kind is Kind.REFERENCE else ""
    here = "nowhere" if node.kind is Kind.NO_TARGET else f"{mark}{title}"
    if node.kind is Kind.MISSING:
        here = _missing(outline, node)
    if node.link is Link.DECISION:
        here = f"[{_clean(node.label)}] → {here}"
    elif node.link is Link.OVERRIDE:
        here = f"⚡ [{_clean(node.label)}] → {here}"
    elif node.link is Link.TRIGGER:
        here = f"→ {here}"
    return f"{here} (never runs)" if node.never_runs else here


def _missing(outline: Outline, node: Node) -> str:
    unknown = outline.graph.has_section(node.section) is None
    return f"? {_clean(node.title)} ({outline.graph.absence(node.section)})" if unknown else f"∅ {_clean(node.title)}"


def _destination(outline: Outline, node: Node) -> str:
    """Return the target of a trigger, unless the next line shows it."""
    if node.destination is Kind.REFERENCE:
        return f" → ↩ {_clean(node.title)}"
    if node.destination is Kind.MISSING:
        return f" → {_missing(outline, node)}"
    return "" if node.destination is Kind.SECTION else " (not connected)"


def _clean(text: str) -> str:
    return single_line(text, limit=_LIMIT)
