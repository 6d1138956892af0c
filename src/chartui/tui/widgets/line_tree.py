"""A tree drawn line by line: only visible rows are painted, and only folding computes the rows again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import Outline, Row
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.numbers import count
from chartui.tui.widgets.line_view import SAID_WIDTH, LineView

#: Cells of indentation per level: normally, and in a very deep tree.
INDENT, NARROW_INDENT = 2, 1
#: The largest share of the width used for indentation; deeper nodes show their depth instead.
INDENT_SHARE = 3


class LineTree(LineView):
    """Draws an outline; the screen decides which nodes are folded."""

    KIND = "tree"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._outline: Outline | None = None
        self._rows: Sequence[Row] = ()
        self._depth = 0

    def show(
        self,
        outline: Outline | None,
        rows: Sequence[Row],
        *,
        keep: str | None = None,
    ) -> None:
        """Show these rows; the cursor stays on its node or goes to the one with the id ``keep``.

        If its node is hidden, the cursor goes to the nearest visible one above it.
        """
        held, before = self.current, self._outline
        if outline is not before:
            self._depth = max((node.depth for node in outline.nodes), default=0) if outline is not None else 0
        self._outline = outline
        self._rows = rows
        self.rows_changed()
        above = before.ancestors(held) if held is not None and before is not None else []
        wanted = (keep, *(node.id for node in (held, *above) if node is not None))
        row = next((row for node_id in wanted if node_id and (row := self.find(node_id)) is not None), None)
        if row is not None:
            self.move_to(row)
        self.scroll_to_row(self.cursor)
        if held is not None and (self.current is None or self.current.id != held.id):
            # The cursor did not move, but its row may have changed.
            self.rest()

    @property
    def current(self) -> Node | None:
        return self._rows[self.cursor].node if self.cursor < len(self._rows) else None

    @property
    def row_count(self) -> int:
        return len(self._rows) or len(self.empty_lines())

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        return bool(self._rows)

    def find(self, node_id: str) -> int | None:
        """The row of a node; None if it is folded away."""
        node = self._outline.find(node_id) if self._outline is not None else None
        if node is None:
            return None
        # Rows are in the order of the outline, so none needs a number.
        row = bisect_left(self._rows, node.place, key=lambda row: row.node.place)
        return row if row < len(self._rows) and self._rows[row].node is node else None

    def out_of_sight(self) -> Iterator[Node]:
        """The ancestors of the current node that are scrolled out of sight, the nearest first."""
        node, hidden = self.current, False
        while node is not None and self._outline is not None and node.parent >= 0:
            node = self._outline.nodes[node.parent]
            row = None if hidden else self.find(node.id)
            # The ancestors of a hidden row are hidden too.
            hidden = hidden or (row is not None and row < self.scroll_offset.y)
            if hidden:
                yield node

    def draw_row(self, index: int, width: int) -> Strip:
        if not self._rows or self._outline is None:
            return self.draw_empty(index, width)
        row = self._rows[index]
        folded = f" +{count(row.node.size)} " if row.folded else ""
        line = Line(max(0, width - cell_len(folded))).gap()
        self._draw_guides(line, row.node, width)
        mark = (GLYPHS.closed if row.folded else GLYPHS.open) if row.node.foldable else " "
        line.add(f"{mark} ", self.palette.quiet)
        self.draw_node(line, row)
        if not folded:
            return line.strip()
        return Strip.join([line.strip(), Line(cell_len(folded)).add(folded, self.palette.quiet).strip()])

    @property
    def row_identity(self) -> object:
        return self.current.id if self.current is not None else None

    def said_row(self, index: int) -> Iterable[str]:
        """The node, and its level from 1; whether it is folded."""
        if not self._rows:
            return super().said_row(index)
        row = self._rows[index]
        self.draw_node(line := Line(SAID_WIDTH), row)
        folded = f", folded, {count(row.node.size)} inside" if row.folded else ""
        return [line.strip().text, f"Level {row.node.depth + 1}{folded}"]

    def _draw_guides(self, line: Line, node: Node, width: int) -> None:
        if node.depth == 0 or self._outline is None:
            return
        room = width // INDENT_SHARE
        # The whole tree is narrower then; otherwise its lines would not meet.
        indent = INDENT if self._depth * INDENT <= room else NARROW_INDENT
        *above, more = self._outline.guides(node, max(1, room // indent))
        hidden = node.depth - len(above) - 1
        text = "".join(("│" if going_on else " ").ljust(indent) for going_on in above)
        if hidden:  # here the lines would meet nothing, so the depth is shown
            text = f"⋯{hidden}".ljust(len(text))
        line.add(f"{text}{('├╴' if more else '└╴')[:indent]}", self.palette.border)

    def draw_node(self, line: Line, row: Row) -> None:
        raise NotImplementedError
