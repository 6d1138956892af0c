"""A tree drawn a line at a time: only the rows in sight are painted, only a fold works out the rows anew."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.strip import Strip

from chartui.core.narrative.outline import Node, Outline, Row
from chartui.tui.glyphs import GLYPHS
from chartui.tui.painting import Line
from chartui.tui.widgets.line_view import LineView

__all__ = ["LineTree"]

#: Cells a level is indented by.
INDENT = 2
#: At most this part of the width goes to indentation; what is deeper shows how deep it is.
INDENT_SHARE = 3


class LineTree(LineView):
    """Draws an outline; which nodes are folded is the screen's to say."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._outline: Outline | None = None
        self._rows: Sequence[Row] = ()
        self._numbers: dict[str, int] = {}
        self.empty = ""

    def show(
        self,
        outline: Outline | None,
        rows: Sequence[Row],
        *,
        keep: str | None = None,
    ) -> None:
        """Show these rows; the cursor stays on its node, or goes to the one with the id ``keep``."""
        held = keep or (self.current.id if self.current else None)
        self._outline = outline
        self._rows = rows
        self._numbers = {row.node.id: number for number, row in enumerate(rows)}
        self.rows_changed()
        if held is not None and held in self._numbers:
            self.move_to(self._numbers[held])
        self.scroll_to_row(self.cursor)

    @property
    def current(self) -> Node | None:
        """The node with the cursor."""
        return self._rows[self.cursor].node if self.cursor < len(self._rows) else None

    @property
    def row_count(self) -> int:
        """The nodes that are not folded away."""
        return len(self._rows) or (1 if self.empty else 0)

    def can_stop_at(self, index: int) -> bool:
        """Every node is a stop."""
        return 0 <= index < len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        """No node, no cursor."""
        return bool(self._rows)

    def find(self, node_id: str) -> int | None:
        """The row of a node, when it is not folded away."""
        return self._numbers.get(node_id)

    def draw_row(self, index: int, width: int) -> Strip:
        """Guides, a fold mark, and what the node says."""
        line = Line(width).gap()
        if not self._rows or self._outline is None:
            return line.add(self.empty, self.palette.label).strip()
        row = self._rows[index]
        self._draw_guides(line, row.node, width)
        mark = (GLYPHS.closed if row.folded else GLYPHS.open) if row.node.foldable else " "
        line.add(f"{mark} ", self.palette.quiet)
        self.draw_node(line, row)
        return line.strip()

    def _draw_guides(self, line: Line, node: Node, width: int) -> None:
        if node.depth == 0 or self._outline is None:
            return
        levels = max(1, width // INDENT_SHARE // INDENT)
        *above, more = self._outline.guides(node, levels)
        hidden = node.depth - len(above) - 1
        text = f"⋯{hidden} " if hidden else ""
        text += "".join("│ " if going_on else "  " for going_on in above) + ("├╴" if more else "└╴")
        line.add(text, self.palette.border)

    def draw_node(self, line: Line, row: Row) -> None:
        """What a node says; a subclass draws it."""
        raise NotImplementedError


def matching_rows(outline: Outline, places: Collection[int]) -> list[Row]:
    """The nodes at ``places`` with everything above them, for a filtered view."""
    kept = set(places)
    for place in places:
        parent = outline.nodes[place].parent
        while parent >= 0 and parent not in kept:
            kept.add(parent)
            parent = outline.nodes[parent].parent
    return [Row(outline.nodes[place], False) for place in sorted(kept)]
