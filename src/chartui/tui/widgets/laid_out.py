"""Text to read, in rows that are laid out for the width of the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.widgets.line_view import SAID_WIDTH, LineView

R = TypeVar("R")
T = TypeVar("T")


class LaidOut(LineView, Generic[R]):
    """A text to read: a subclass makes the rows in :meth:`lay_out` and draws one."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Sequence[R] = ()

    def lay_out(self) -> None:
        """Make the rows and :meth:`put` them; called at every new width."""
        raise NotImplementedError

    def put(self, rows: Sequence[R]) -> None:
        """Show these rows; if their number is the same, redraw only those that differ."""
        before, self._rows = self._rows, rows
        if len(rows) == len(before):
            self.refresh_changed(before, rows)
        else:
            self.rows_changed()

    @property
    def room(self) -> int:
        """Cells of a row; 0 while unknown.

        A hidden widget is laid out for its likely width: a key may come before the picture and search in it.
        """
        if self.is_plain:
            return SAID_WIDTH
        widget: Widget = self
        around = 0
        while not widget.scrollable_content_region.width and isinstance(widget.parent, Widget):
            around += widget.gutter.width
            widget = widget.parent
        return max(0, widget.scrollable_content_region.width - around)

    def width_changed(self) -> None:
        self.lay_out()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus and self.can_stop_at(self.cursor)


class Stops(LaidOut[tuple[R, T | None]], Generic[R, T]):
    """Rows of which the cursor skips some."""

    def put(self, rows: Sequence[tuple[R, T | None]]) -> None:
        """Show these rows; the cursor stays on its item, wherever that is at another width."""
        about, cursor = self.at_cursor, self.cursor
        first = self._first_about(about)
        super().put(rows)
        if about is not None and self.at_cursor != about:
            place = self._first_about(about)
            if place is not None and first is not None:
                last = next((i for i in range(place, len(rows)) if rows[i][1] != about), len(rows)) - 1
                self.move_to(min(place + cursor - first, last))

    def _first_about(self, about: T | None) -> int | None:
        return next((i for i, (_, other) in enumerate(self._rows) if other is not None and other == about), None)

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows) and self._rows[index][1] is not None

    @property
    def at_cursor(self) -> T | None:
        return self._rows[self.cursor][1] if self.can_stop_at(self.cursor) else None


class Painted(Stops[Strip, T], Generic[T]):
    """Rows painted during layout."""

    def draw_row(self, index: int, width: int) -> Strip:
        return self._rows[index][0].adjust_cell_length(width)
