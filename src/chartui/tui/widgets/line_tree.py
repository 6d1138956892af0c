"""A tree drawn line by line: only visible rows are painted, and only folding computes the rows again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from textual.message import Message
from textual.strip import Strip

from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import Outline, Row
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, fit
from chartui.tui.numbers import count
from chartui.tui.widgets.line_view import SAID_WIDTH, LineView

#: Cells of indentation per level.
INDENT: Final = 2
#: Cells that are always left for the text of a row, and the fewest levels shown.
_TEXT, _FEWEST_LEVELS = 36, 4
#: From this width on, names start in one column, at this share of the width.
WIDE, COLUMN = 64, 0.5
#: Cells for the name of a parent out of sight: at least, and the share of the row.
_NAME, _NAME_SHARE = 13, 3


class LineTree(LineView):
    """Draws an outline; the screen decides which nodes are folded, and which one is at the left edge.

    If the parent of a row is out of sight, the first of its rows in sight names it.
    """

    KIND = "tree"

    class Resized(Message):
        """There is room for another number of levels."""

        def __init__(self, levels: int) -> None:
            super().__init__()
            self.levels = levels

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._outline: Outline | None = None
        self._rows: Sequence[Row] = ()
        #: The rows in sight that name their parents, and the first row in sight for which they were found.
        self._naming: tuple[int, frozenset[int]] = (-1, frozenset())

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
        self._outline = outline
        self._rows = rows
        self._naming = (-1, frozenset())
        self.rows_changed()
        wanted = [keep]
        if held is not None and before is not None and outline is not None:
            same = outline.counterpart(held, before)
            wanted += [node.id for node in (same, *before.ancestors(held)) if node is not None]
        row = next((row for node_id in wanted if node_id and (row := self.find(node_id)) is not None), None)
        if row is not None:
            self.move_to(row)
        self.scroll_to_row(self.cursor)
        if (self.current and self.current.id) != (held and held.id):
            # The cursor did not move, but its row may have changed, or there are rows again.
            self.rest()

    @property
    def current(self) -> Node | None:
        return self._rows[self.cursor].node if self.cursor < len(self._rows) else None

    @property
    def folded_here(self) -> bool:
        """Whether the current row hides its children."""
        return self.cursor < len(self._rows) and self._rows[self.cursor].folded

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
        """The ancestors of the current node that are out of sight, the nearest first."""
        node, hidden = self.current, False
        while node is not None and self._outline is not None and node.parent >= 0:
            node = self._outline.nodes[node.parent]
            row = None if hidden else self.find(node.id)
            # Scrolled away, or above the top of the part that is shown. Its ancestors are hidden too.
            hidden = hidden or row is None or row < self.scroll_offset.y
            if hidden:
                yield node

    def width_changed(self) -> None:
        super().width_changed()
        self.post_message(self.Resized(max(_FEWEST_LEVELS, (self._width - _TEXT) // INDENT)))

    def draw_row(self, index: int, width: int) -> Strip:
        if not self._rows or self._outline is None:
            return self.draw_empty(index, width)
        row = self._rows[index]
        line = self._draw_guides(Line(width), row)
        begin = width - line.left
        aside = self._aside(index, line.left)
        body = Line(line.left - cell_len(aside))
        self.draw_node(body, row, int(width * COLUMN) - begin if width >= WIDE else 0)
        end = Line(cell_len(aside)).add(aside, self.palette.quiet).strip()
        return Strip.join([line.strip().crop(0, begin), body.strip(), end])

    def _aside(self, index: int, room: int) -> str:
        """The parent's name if that is out of sight, and the number of hidden rows."""
        row, parent = self._rows[index], self._parent_of(index)
        named = f"  in {single_line(parent, limit=60)}" if parent else ""
        most = max(_NAME, room // _NAME_SHARE)
        named = fit(named, most) if cell_len(named) > most else named
        return f"{named}{f' +{count(row.node.size)}' if row.folded else ''}{' ' if named or row.folded else ''}"

    def _parent_of(self, index: int) -> str:
        """The name of the parent of a row that names it; empty for other rows."""
        node = self._rows[index].node
        if node.parent < 0 or self._outline is None or index not in self._naming_rows(self.scroll_offset.y):
            return ""
        above = self._outline.nodes[node.parent]
        return above.title or above.label

    def _naming_rows(self, top: int) -> frozenset[int]:
        """The rows that name their parents if ``top`` is the first row in sight."""
        if self._naming[0] != top:
            self._naming = (top, frozenset(self._first_in_sight(top)))
        return self._naming[1]

    def _first_in_sight(self, top: int) -> Iterator[int]:
        rows, outline = self._rows, self._outline
        if outline is None or top >= len(rows):
            return
        bottom = top + max(1, self.size.height)
        shown = range(top, min(bottom, len(rows)))
        # At the left edge, no guide leads to a parent, even if that is in sight.
        yield from (index for index in shown if rows[index].base and rows[index].node.level == rows[index].base)
        if top == 0:
            return
        yield top
        node = rows[top].node
        while node.parent >= 0:
            node = outline.nodes[node.parent]
            if not node.last:
                row = bisect_left(rows, node.end, key=lambda row: row.node.place)
                if row >= shown.stop:
                    return
                if rows[row].node.parent == node.parent:
                    yield row

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        before = self._naming_rows(round(old_value))
        super().watch_scroll_y(old_value, new_value)
        for index in before ^ self._naming_rows(round(new_value)):
            self.refresh_row(index)

    @property
    def row_identity(self) -> object:
        return self.current.id if self.current is not None else None

    def said_row(self, index: int) -> Iterable[str]:
        """The node, and its level from 1; whether it is folded."""
        if not self._rows:
            return super().said_row(index)
        row = self._rows[index]
        self.draw_node(line := Line(SAID_WIDTH), row, 0)
        folded = f", folded, {count(row.node.size)} inside" if row.folded else ""
        return [line.strip().text, f"Level {row.node.depth + 1}{folded}"]

    def _draw_guides(self, line: Line, row: Row) -> Line:
        """The vertical lines of the levels above, the link to the parent, and whether there is something to fold."""
        node = row.node
        fold = (GLYPHS.closed if row.folded else GLYPHS.open) if node.foldable else ""
        guides = self._outline.guides(node, row.base) if self._outline is not None else ()
        if not guides:
            return line.gap().add(f"{fold or ' '} ", self.palette.quiet)
        own = GLYPHS.chain if node.chain else "├" if guides[-1] else "└"
        lines = "".join("│ " if going_on else "  " for going_on in guides[:-1])
        line.gap().add(f"{lines}{own}", self.palette.border)
        return line.add(f"{fold or (' ' if node.chain else '╴')} ", self.palette.quiet)

    def draw_node(self, line: Line, row: Row, column: int) -> None:
        """One node; names start ``column`` cells behind the guides if there is room for what comes before."""
        raise NotImplementedError
