"""How the nodes of a narrative outline are drawn."""

from __future__ import annotations

import re
from collections.abc import Collection

from rich.cells import cell_len
from rich.style import Style

from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.nodes import Kind, Link, Node
from chartui.core.narrative.outline import Row
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, fit
from chartui.tui.numbers import count
from chartui.tui.widgets.line_tree import LineTree

__all__ = ["NarrativeTree"]


#: Criteria are never cut shorter than this.
SHORTEST_WAY = 12
#: Characters of what is said that are shown before the word that is looked for.
BEFORE = 12
#: Characters of what is said that a line could have room for.
MOST_SAID = 200


def _cut(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else fit(single_line(text), cells)


class NarrativeTree(LineTree):
    """Sections with the criteria that lead to them, references, triggers, and what is broken.

    While something is looked for, it is marked where it stands; where that is in what a section or a trigger says, a
    piece of that follows.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words: re.Pattern[str] | None = None
        #: Ids of the sections and triggers that are changed and not sent.
        self.staged: Collection[str] = frozenset()

    def look_for(self, query: str) -> None:
        """Mark the words of ``query`` from now on."""
        words = sorted(map(re.escape, query.split()), key=len, reverse=True)
        self._words = re.compile("|".join(words), re.IGNORECASE) if words else None

    def draw_node(self, line: Line, row: Row) -> None:
        """One node: how one gets here, what is here, and what is wrong with it."""
        node = row.node
        changed = {Kind.SECTION: node.section, Kind.TRIGGER: node.trigger}.get(node.kind)
        if changed is not None and changed in self.staged:
            line.add(f"{GLYPHS.staged} ", self.palette.staged)
        said = self._found_said(node)
        if not said:
            self._draw_node(line, node)
        else:  # what is said is what one is looking for, and the way here would take the room
            self._draw_place(line, node) if node.kind is Kind.SECTION else self._draw_trigger(line, node)
            self._add(line.gap(2), said, self.palette.quiet)

    def _found_said(self, node: Node) -> str:
        """A piece of what a section or a trigger says, where something is looked for that stands only there."""
        if self._words is None or self._outline is None:
            return ""
        said = self._outline.said(node)
        found = self._words.search(said)
        if found is None or self._words.search(f"{node.label} {node.title}"):
            return ""
        begin = max(0, found.start() - BEFORE)
        return f"{GLYPHS.ellipsis if begin else ''}{single_line(said[begin : begin + MOST_SAID])}"

    def _add(self, line: Line, text: str, style: Style) -> Line:
        """Add ``text`` with what is looked for marked in it; of a very long one, what could have room."""
        text, end = text[: 4 * line.width], 0
        for found in self._words.finditer(text) if self._words is not None else ():
            line.add(text[end : found.start()], style).add(found[0], style + self.palette.match)
            end = found.end()
        return line.add(text[end:], style)

    def _draw_node(self, line: Line, node: Node) -> None:
        palette = self.palette
        if node.kind is Kind.GROUP:
            line.add(node.title, palette.accent)
            if node.ways:
                line.add(f"  {count(node.ways)}", palette.quiet)
        elif node.kind is Kind.TRIGGER:
            self._draw_trigger(line, node)
            self._draw_destination(line, node)
        elif node.kind is Kind.DANGLING:
            self._add(line, node.label, palette.label).add(f" {GLYPHS.to} ", palette.label)
            self._add(line.add(f"{GLYPHS.missing} ", palette.danger), node.title, palette.danger)
        else:
            self._draw_way(line, node)
            self._draw_place(line, node)

    def _draw_trigger(self, line: Line, node: Node) -> None:
        self._add(line.add(f"{GLYPHS.trigger} ", self.palette.staged), node.label, self.palette.value)

    def _draw_way(self, line: Line, node: Node) -> None:
        """The start, the criteria, or the trigger that leads here; long ones leave room for the place itself."""
        palette = self.palette
        room = max(SHORTEST_WAY, line.left - min(cell_len(node.title) + 6, line.left // 2))
        if node.link is Link.START:
            line.add(f"{GLYPHS.start} ", palette.local)
        elif node.link is Link.DECISION and node.label == IMMEDIATE:
            line.add(IMMEDIATE, palette.latency).add(f" at once {GLYPHS.to} ", palette.label)
        elif node.link is Link.DECISION:
            self._add(line, _cut(node.label, room), palette.label).add(f" {GLYPHS.to} ", palette.quiet)
        elif node.link is Link.OVERRIDE:
            line.add(f"{GLYPHS.trigger} ", palette.staged)
            self._add(line, _cut(f"{node.label}, here", room), palette.label).add(f" {GLYPHS.to} ", palette.quiet)
        elif node.link is Link.TRIGGER:
            line.add(f"{GLYPHS.to} ", palette.quiet)

    def _draw_place(self, line: Line, node: Node) -> None:
        palette = self.palette
        if node.kind is Kind.MISSING:
            self._draw_missing(line, node)
        elif node.kind is Kind.NOWHERE:
            line.add("nowhere", palette.warning)
        elif node.kind is Kind.REFERENCE:
            self._add(line.add(f"{GLYPHS.back} ", palette.latency), node.title, palette.latency)
        elif node.kind is Kind.DUPLICATE:
            self._add(line, node.title, palette.warning).add(f" {GLYPHS.warning} shares its id", palette.warning)
        else:
            self._add(line, node.title, palette.title)
        if node.never_runs:
            line.add(f" {GLYPHS.warning} never runs", palette.warning)

    def _draw_missing(self, line: Line, node: Node) -> None:
        """An id that none of the sections has, which is no error while it may be one that could not be read."""
        graph = self._outline.graph if self._outline is not None else None
        unknown = graph is not None and graph.has_section(node.section) is None
        glyph, style = (GLYPHS.warning, self.palette.warning) if unknown else (GLYPHS.missing, self.palette.danger)
        self._add(line.add(f"{glyph} ", style), node.title, style)
        line.add(f" {graph.absence(node.section) if graph is not None else 'does not exist'}", style)

    def _draw_destination(self, line: Line, node: Node) -> None:
        palette = self.palette
        if node.destination is Kind.REFERENCE:
            line.add(f" {GLYPHS.to} ", palette.quiet).add(f"{GLYPHS.back} ", palette.latency)
            self._add(line, node.title, palette.latency)
        elif node.destination is Kind.MISSING:
            self._draw_missing(line.add(f" {GLYPHS.to} ", palette.quiet), node)
        elif node.destination is Kind.NOWHERE:
            line.add(f" {GLYPHS.warning} not connected", palette.warning)
