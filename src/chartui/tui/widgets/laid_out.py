"""Rows that are worked out all at once, for the width and the height there is, and then only drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.widgets.line_view import LineView

__all__ = ["LaidOut", "Painted", "Stops"]

R = TypeVar("R")
T = TypeVar("T")


class LaidOut(LineView, Generic[R]):
    """A text to look through. A subclass makes the rows in :meth:`lay_out` and draws one; the cursor is for reading."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Sequence[R] = ()

    def lay_out(self) -> None:
        """Make the rows and :meth:`put` them; called whenever the width is another."""
        raise NotImplementedError

    def put(self, rows: Sequence[R]) -> None:
        """Show these rows; of as many as before, only those that differ are drawn again."""
        before, self._rows = self._rows, rows
        if len(rows) == len(before):
            self.refresh_changed(before, rows)
        else:
            self.rows_changed()

    @property
    def room(self) -> int:
        """Cells of a row; 0 as long as nobody knows.

        What is out of sight has no width, and none before the next picture. It is laid out for the one that it may
        have, since a key may be there before the picture, and wants to find something.
        """
        widget: Widget = self
        around = 0
        while not widget.scrollable_content_region.width and isinstance(widget.parent, Widget):
            around += widget.gutter.width
            widget = widget.parent
        return max(0, widget.scrollable_content_region.width - around)

    def width_changed(self) -> None:
        """Lay out again."""
        self.lay_out()

    @property
    def row_count(self) -> int:
        """As many rows as were laid out."""
        return len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        """Only while keys go here."""
        return self.has_focus and self.can_stop_at(self.cursor)


class Stops(LaidOut[tuple[R, T | None]], Generic[R, T]):
    """Rows of which some are about something, and only these are stops."""

    def put(self, rows: Sequence[tuple[R, T | None]]) -> None:
        """Show these rows; the cursor stays on what it was on, wherever that is in another width."""
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
        """Rows that are about something."""
        return 0 <= index < len(self._rows) and self._rows[index][1] is not None

    @property
    def at_cursor(self) -> T | None:
        """What the row with the cursor is about."""
        return self._rows[self.cursor][1] if self.can_stop_at(self.cursor) else None


class Painted(Stops[Strip, T], Generic[T]):
    """Rows that are painted when they are laid out."""

    def draw_row(self, index: int, width: int) -> Strip:
        """A row, painted before."""
        return self._rows[index][0].adjust_cell_length(width)
