"""How the nodes of a narrative outline are drawn."""

from __future__ import annotations

from rich.cells import cell_len

from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.outline import Kind, Link, Node, Row
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.painting import Line, fit
from chartui.tui.widgets.line_tree import LineTree

__all__ = ["NarrativeTree"]


#: Criteria are never cut shorter than this.
SHORTEST_WAY = 12


def _cut(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else fit(single_line(text), cells)


class NarrativeTree(LineTree):
    """Sections with the criteria that lead to them, references, triggers, and what is broken."""

    def draw_node(self, line: Line, row: Row) -> None:
        """One node: how one gets here, what is here, and what is wrong with it."""
        node = row.node
        if node.kind is Kind.GROUP:
            self._draw_heading(line, node)
        elif node.kind is Kind.TRIGGER:
            line.add(f"{GLYPHS.trigger} ", self.palette.staged).add(node.label, self.palette.value)
            self._draw_destination(line, node)
        elif node.kind is Kind.DANGLING:
            line.add(f"{node.label} {GLYPHS.to} ", self.palette.label)
            line.add(f"{GLYPHS.danger} {node.title}", self.palette.danger)
        else:
            self._draw_way(line, node)
            self._draw_place(line, node)

    def _draw_heading(self, line: Line, node: Node) -> None:
        line.add(node.title, self.palette.accent)
        children = sum(1 for _ in self._outline.children(node)) if self._outline else 0
        if children:
            line.add(f"  {children}", self.palette.quiet)

    def _draw_way(self, line: Line, node: Node) -> None:
        """The start, the criteria, or the trigger that leads here; long ones leave room for the place itself."""
        palette = self.palette
        room = max(SHORTEST_WAY, line.left - min(cell_len(node.title) + 6, line.left // 2))
        if node.link is Link.START:
            line.add(f"{GLYPHS.start} ", palette.local)
        elif node.link is Link.DECISION and node.label == IMMEDIATE:
            line.add(IMMEDIATE, palette.latency).add(f" at once {GLYPHS.to} ", palette.label)
        elif node.link is Link.DECISION:
            line.add(_cut(node.label, room), palette.label).add(f" {GLYPHS.to} ", palette.quiet)
        elif node.link is Link.OVERRIDE:
            line.add(f"{GLYPHS.trigger} ", palette.staged).add(_cut(f"{node.label}, here", room), palette.label)
            line.add(f" {GLYPHS.to} ", palette.quiet)
        elif node.link is Link.TRIGGER:
            line.add(f"{GLYPHS.to} ", palette.quiet)

    def _draw_place(self, line: Line, node: Node) -> None:
        palette = self.palette
        if node.kind is Kind.MISSING:
            line.add(f"{GLYPHS.danger} {node.title} does not exist", palette.danger)
        elif node.kind is Kind.NOWHERE:
            line.add("nowhere", palette.warning)
        elif node.kind is Kind.REFERENCE:
            line.add(f"{GLYPHS.back} {node.title}", palette.latency)
        elif node.kind is Kind.DUPLICATE:
            line.add(f"{node.title} {GLYPHS.warning} shares its id", palette.warning)
        else:
            line.add(node.title, palette.title)
        if node.never_runs:
            line.add(f" {GLYPHS.warning} never runs", palette.warning)

    def _draw_destination(self, line: Line, node: Node) -> None:
        palette = self.palette
        if node.destination is Kind.REFERENCE:
            line.add(f" {GLYPHS.to} ", palette.quiet).add(f"{GLYPHS.back} {node.title}", palette.latency)
        elif node.destination is Kind.MISSING:
            line.add(f" {GLYPHS.to} {GLYPHS.danger} {node.title} does not exist", palette.danger)
        elif node.destination is Kind.NOWHERE:
            line.add(f" {GLYPHS.warning} not connected", palette.warning)
