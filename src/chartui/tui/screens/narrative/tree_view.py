"""The rows of the tree: sections, decisions, triggers and broken parts, with the words that match the filter."""

from __future__ import annotations

import re
from collections.abc import Collection

from rich.cells import cell_len
from rich.style import Style

from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.nodes import Group, Kind, Link, Node, group_node
from chartui.core.narrative.outline import Row
from chartui.core.narrative.signs import ALL_TESTED, section_signs
from chartui.core.text import fold, found_in, single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, fit
from chartui.tui.numbers import count
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.line_tree import LineTree
from chartui.tui.widgets.line_view import SAID_WIDTH

#: Fewest cells of criteria before a target in the common column.
_SHORTEST_WAY = 12
#: Characters of a text shown before the match.
_BEFORE = 12
#: Most characters of a text that a line has room for.
_MOST_SAID = 200


def _cut(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else fit(single_line(text), cells)


class NarrativeTree(LineTree):
    """Sections with their incoming criteria, references, triggers, and broken parts.

    Matches of the filter are marked. If the match is in the text of a section or trigger, an excerpt follows.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words: re.Pattern[str] | None = None
        #: Ids of sections and triggers with staged changes.
        self.staged: Collection[str] = frozenset()
        #: Staged decisions and overrides, by the ID of their section, their kind and their index.
        self.staged_links: Collection[tuple[str, Link, int]] = frozenset()
        self.untested = ALL_TESTED
        #: Whether the start section is still loading.
        self.start_loading = False

    def look_for(self, query: str) -> None:
        words = sorted(map(re.escape, fold(query).split()), key=len, reverse=True)
        self._words = re.compile("|".join(words)) if words else None

    def draw_node(self, line: Line, row: Row, column: int) -> None:
        """One node: its incoming link, its name, and its problems."""
        node = row.node
        changed = {Kind.SECTION: node.section, Kind.TRIGGER: node.trigger}.get(node.kind)
        if (changed is not None and changed in self.staged) or self._link_is_staged(node):
            line.add(f"{GLYPHS.staged} ", self.palette.staged)
        said = self._found_said(node)
        if not said:
            self._draw_node(line, node, column - (line.width - line.left))
        else:  # the match is in the text, which needs the room of the link
            self._draw_place(line, node) if node.kind is Kind.SECTION else self._draw_trigger(line, node)
            self._add(line.gap(2), said, self.palette.quiet)

    def _link_is_staged(self, node: Node) -> bool:
        """Whether the decision or override that leads to a node is new, changed or moved."""
        if not self.staged_links or node.parent < 0 or self._outline is None or node.position is None:
            return False
        return (self._outline.nodes[node.parent].section, node.link, node.position) in self.staged_links

    def _found_said(self, node: Node) -> str:
        """An excerpt of a section's or trigger's text if only that matches the filter."""
        if self._words is None or self._outline is None:
            return ""
        said = self._outline.said(node)
        found = next(found_in(self._words, said), None)
        if found is None or self._words.search(fold(f"{node.label} {node.title}")):
            return ""
        begin = max(0, found[0] - _BEFORE)
        return f"{GLYPHS.ellipsis if begin else ''}{single_line(said[begin : begin + _MOST_SAID])}"

    def _add(self, line: Line, text: str, style: Style) -> Line:
        """Add ``text`` with matches marked; a very long text is cut to what a line could show."""
        text, end = text[: 4 * line.width], 0
        for start, until in found_in(self._words, text) if self._words is not None else ():
            line.add(text[end:start], style).add(text[start:until], style + self.palette.match)
            end = until
        return line.add(text[end:], style)

    def _draw_node(self, line: Line, node: Node, column: int) -> None:
        palette = self.palette
        if node.kind is Kind.GROUP:
            loading = self.start_loading and node.id == group_node(Group.NO_START)
            line.add("Loading start section…" if loading else node.title, palette.accent)
            if node.ways:
                line.add(f"  {count(node.ways)}", palette.quiet)
        elif node.kind is Kind.TRIGGER:
            self._draw_trigger(line, node)
            self._draw_destination(line, node)
        elif node.kind is Kind.DANGLING:
            self._add(line, node.label, palette.label).add(f" {GLYPHS.to} ", palette.label)
            self._add(line.add(f"{GLYPHS.missing} ", palette.danger), node.title, palette.danger)
        else:
            self._draw_way(line, node, column)
            self._draw_place(line, node)

    def _draw_trigger(self, line: Line, node: Node) -> None:
        if node.trigger in self.untested.triggers:
            line.add(f"{GLYPHS.untested} ", self.palette.warning)
        self._add(line.add(f"{GLYPHS.trigger} ", self.palette.staged), node.label, self.palette.value)

    def _draw_way(self, line: Line, node: Node, column: int) -> None:
        """The incoming link: criteria or trigger, cut if long to leave room for the whole place."""
        palette = self.palette
        if node.link is Link.TRIGGER:
            line.add(f"{GLYPHS.to} ", palette.quiet)
        if node.link is not Link.DECISION and node.link is not Link.OVERRIDE:
            return
        label, style, begin = node.label, palette.label, line.left
        if self._is_untested(node):
            line.add(f"{GLYPHS.untested} ", palette.warning)
        if node.link is Link.OVERRIDE:
            line.add(f"{GLYPHS.trigger} ", palette.staged)
            label = f"here: {label}"
        self._draw_place(place := Line(SAID_WIDTH), node)
        room = line.left - (place.width - place.left) - len(f" {GLYPHS.to} ") - 1  # and one at the edge
        aligned = _SHORTEST_WAY <= column <= room
        if label == IMMEDIATE:
            always = f"{IMMEDIATE} always"
            label, style = always if cell_len(always) <= room else IMMEDIATE, palette.latency
        self._add(line, _cut(label, max(1, room)), style)  # better outside the common column than cut
        line.gap(max(0, column - (begin - line.left)) if aligned else 0).add(f" {GLYPHS.to} ", palette.quiet)

    def _draw_place(self, line: Line, node: Node) -> None:
        palette = self.palette
        reference = node.kind is Kind.REFERENCE
        if reference:
            line.add(f"{GLYPHS.back} ", palette.latency)
        if (reference or node.kind is Kind.SECTION) and self._outline is not None:
            for sign in section_signs(self._outline.graph, node.section or ""):
                line.add(f"{sign} ", palette.warning if sign == GLYPHS.unreachable else palette.local)
            if node.section in self.untested.sections and not reference:
                line.add(f"{GLYPHS.untested} ", palette.warning)
        if node.kind is Kind.MISSING:
            self._draw_missing(line, node)
        elif node.kind is Kind.NO_TARGET:
            line.add("no target", palette.warning)
        elif node.kind is Kind.DUPLICATE:
            self._add(line, node.title, palette.warning).add(f" {GLYPHS.warning} duplicate ID", palette.warning)
        else:
            self._add(line, node.title, palette.latency if reference else palette.title)
        if node.never_runs:
            line.add(f" {GLYPHS.warning} never runs", palette.warning)

    def _is_untested(self, node: Node) -> bool:
        """Whether no saved walk takes the decision that leads to a node."""
        if node.link is not Link.DECISION or node.parent < 0 or self._outline is None or node.position is None:
            return False
        return (self._outline.nodes[node.parent].section, node.position) in self.untested.decisions

    def _draw_missing(self, line: Line, node: Node) -> None:
        """An id without a section; not an error while it may belong to an unreadable one."""
        graph = self._outline.graph if self._outline is not None else None
        unknown = graph is not None and graph.has_section(node.section) is None
        glyph, style = (GLYPHS.warning, self.palette.warning) if unknown else (GLYPHS.missing, self.palette.danger)
        self._add(line.add(f"{glyph} ", style), node.title, style)
        line.add(f" {graph.absence(node.section) if graph is not None else 'does not exist'}", style)

    def _draw_destination(self, line: Line, node: Node) -> None:
        palette = self.palette
        if node.destination is Kind.REFERENCE:
            self._draw_place(line.add(f" {GLYPHS.to} ", palette.quiet), node._replace(kind=Kind.REFERENCE))
        elif node.destination is Kind.MISSING:
            self._draw_missing(line.add(f" {GLYPHS.to} ", palette.quiet), node)
        elif node.destination is Kind.NO_TARGET:
            from chartui.core.narrative.lint.findings import RULES

            sign, style = SIGNS[RULES["unconnected-trigger"].severity]
            line.add(f" {sign} not connected", getattr(palette, style))
        elif node.destination is Kind.OVERRIDES:
            line.add(" no target of its own", palette.label)
