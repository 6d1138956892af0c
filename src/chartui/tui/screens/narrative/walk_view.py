"""The story as it is played: how one came here, what is said, and what leads on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from chartui.core.narrative.walk.path import Way
from chartui.tui.lines import Line
from chartui.tui.screens.narrative.walk_rows import Playing, Target, WalkRow, crumbs, rows_of
from chartui.tui.widgets.line_view import Stops
from chartui.tui.widgets.text import PieceRow, put, told

__all__ = ["WalkView"]


class WalkView(Stops[PieceRow, Target]):
    """A walk, or a list about walks. Digits and Enter take a way; the cursor stands on ways, triggers and sections."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, 10)),
        Binding("right,space", "choose", show=False),
        Binding("left,backspace", "step_back", show=False),
    ]

    @dataclass
    class Wanted(Message):
        """The user wants a way, a trigger, or to go to a section."""

        target: Target

    class Back(Message):
        """The user wants to step back."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._playing: Playing | None = None
        self._note = ""

    def show(self, playing: Playing | None, *, note: str = "") -> None:
        """Show this, from the top unless it is the same again; without it, a sentence."""
        if playing is self._playing and note == self._note and self._rows:
            return
        self._playing, self._note = playing, note
        self.lay_out()
        self.cursor = next((index for index in range(len(self._rows)) if self.can_stop_at(index)), 0)
        self.scroll_to(y=0, animate=False)

    def lay_out(self) -> None:
        """What is told, line by line."""
        width = self.room - 2
        if width <= 0:
            return
        if self._playing is None:
            rows: list[WalkRow] = [(row, None) for row in told(self._note, width, "label")]
        else:
            rows = rows_of(self._playing, width)
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    @property
    def header_lines(self) -> int:
        """How one came here stays in sight."""
        return 1 if self._playing is not None else 0

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        """How one came here."""
        row: PieceRow = crumbs(self._playing, width - 2) if self._playing is not None else ()
        return put(Line(width).gap(), row, self.palette).strip()

    def draw_row(self, index: int, width: int) -> Strip:
        """One line."""
        return put(Line(width).gap(), self._rows[index][0], self.palette).strip()

    @property
    def ways(self) -> Sequence[Way]:
        """The decisions that are shown."""
        return [target for _, target in self._rows if isinstance(target, Way)]

    # -- keys ---------------------------------------------------------------------------------------------------------

    @property
    def _below(self) -> bool:
        """Whether the cursor stands further down than what is in sight."""
        return self.cursor >= self.scroll_offset.y + self.size.height - self.header_lines > 0

    def action_move(self, step: int) -> None:
        """A row up or down; what stands before the next stop is scrolled through."""
        before = self.cursor
        if step < 0 or not self._below:
            super().action_move(step)
        if self.cursor == before:
            self.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """A page up or down; what stands before the next stop is scrolled through."""
        before = self.cursor
        if step < 0 or not self._below:
            super().action_page(step)
        if self.cursor == before:
            page = max(1, self.size.height - self.header_lines - 1)
            self.scroll_relative(y=step * page, animate=False)

    def action_choose(self) -> None:
        """Take what is under the cursor, once it is in sight."""
        if self._below:
            self.scroll_to_row(self.cursor)
        elif self.at_cursor is not None:
            self.post_message(self.Wanted(self.at_cursor))

    def action_take(self, number: int) -> None:
        """Take the decision with this number."""
        way = next((way for way in self.ways if way.number == number), None)
        if way is not None:
            self.post_message(self.Wanted(way))

    def action_step_back(self) -> None:
        """Ask to step back."""
        self.post_message(self.Back())
