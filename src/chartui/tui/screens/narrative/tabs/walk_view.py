"""The view of the walk tab: the walk as rows, with the decisions and triggers to choose from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.narrative.walk.path import Event, Way
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.numbers import number_of
from chartui.tui.screens.narrative.tabs.walk_rows import RecordOn, Target, WalkRow
from chartui.tui.screens.narrative.tabs.walk_text import Playing, crumbs, earlier_rows, rows_of
from chartui.tui.widgets.text import Piece, PieceRow, PieceRows, put, told


class WalkView(PieceRows[Target]):
    """A walk, or a report on walks. Enter takes a decision; decisions, triggers and sections are stops."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "choose", show=False),
        Binding("left", "step_back", show=False),
        *bindings_for("narrative.walk"),
    ]

    @dataclass
    class Wanted(Message):
        """The user chose a decision, a trigger, or a section to go to."""

        target: Target

    @dataclass
    class NotOffered(Message):
        """The user chose a decision by a number that no decision has."""

        number: int

    class Anew(Message):
        """The user asked for a new walk."""

    class Back(Message):
        """The user asked to step back."""

    _playing: Playing | None = None
    _note = ""
    #: The first row of each step before the latest ones, and the first row of these.
    _begins: Sequence[int] = ()
    _latest = 0

    def show(self, playing: Playing | None, *, note: str = "") -> None:
        """Show a new state from its latest step, or ``note`` without one."""
        if playing is self._playing and note == self._note and self._rows:
            return
        self._playing, self._note = playing, note
        self.lay_out()
        self.refresh()  # the path at the top, too
        self.cursor = self._first_stop
        self._show_latest()

    @property
    def _first_stop(self) -> int:
        return next((index for index in range(len(self._rows)) if self.can_stop_at(index)), 0)

    def _show_latest(self) -> None:
        """Scroll to the latest step, or further if its decisions need the room.

        Earlier steps stay in sight if there is room. A long decision takes several rows; an empty row ends the list.
        """
        ways = [index for index, (_, target) in enumerate(self._rows) if isinstance(target, Way)]
        top = self._latest
        if ways:
            end = next((row for row in range(ways[-1], self.row_count) if not self._rows[row][0]), self.row_count)
            height = self.size.height - self.header_lines
            top = max(top, min(ways[0], end - height))
        self.scroll_to(y=top, animate=False)

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - that of the base class runs, too
        self.call_later(self._show_latest)

    def lay_out(self) -> None:
        width = self.room - 2
        if width <= 0:
            return
        rows: list[WalkRow] = []
        self._begins = ()
        if self._playing is not None and not self.is_plain:  # otherwise every step would be read again
            rows, self._begins = earlier_rows(self._playing, width)
        self._latest = len(rows)
        rows += (
            rows_of(self._playing, width)
            if self._playing is not None
            else ((row, None) for row in told(self._note, width, "label"))
        )
        self.put(rows)

    @property
    def header_lines(self) -> int:
        """One line for the path to the current section."""
        return 1 if self._playing is not None else 0

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        above, hidden = bisect_left(self._begins, self.scroll_offset.y), self.scroll_offset.y > self._latest
        what = "text" if hidden else number_of(above, "step")
        piece = Piece(f"  {GLYPHS.ascending} {what} above" if above or hidden else "", "label")
        room = width - 2 - cell_len(piece.text)
        row: PieceRow = crumbs(self._playing, room) if self._playing is not None else ()
        if sum(cell_len(part.text) for part in row) > room:  # the name of the section matters more
            piece = Piece("", "label")
        drawn = put(Line(width).gap(), row, self.palette).push_right(cell_len(piece.text) + 1)
        return put(drawn, (piece,), self.palette).strip()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.refresh(Region(0, 0, self.scrollable_content_region.width, self.header_lines))  # the steps above

    # -- keys ---------------------------------------------------------------------------------------------------------

    @property
    def _below(self) -> bool:
        """Whether the cursor is below the visible rows."""
        return self.cursor >= self.scroll_offset.y + self.size.height - self.header_lines > 0

    def action_move(self, step: int) -> None:
        """Move the cursor, or scroll through the rows before it."""
        if self._below:
            self.scroll_relative(y=step, animate=False)
        else:
            super().action_move(step)

    def action_page(self, step: int) -> None:
        if self._below or (step < 0 and self.in_sight(self._first_stop)):
            page = max(1, self.size.height - self.header_lines - 1)
            self.scroll_relative(y=step * page, animate=False)
        else:
            super().action_page(step)

    @property
    def choice_word(self) -> str:
        """What the footer calls choosing the row under the cursor; empty without one."""
        match self.at_cursor:
            case None:
                return ""
            case Way():
                return "take"
            case Event():
                return "fire"
            case RecordOn():
                return "record"
            case _:
                return "show"

    def action_choose(self) -> None:
        """Choose the row under the cursor once it is visible."""
        if self._below:
            self.scroll_to_row(self.cursor)
        elif self.at_cursor is not None:
            self.post_message(self.Wanted(self.at_cursor))

    def take(self, number: int) -> None:
        """Take the decision with this number."""
        way = next((target for _, target in self._rows if isinstance(target, Way) and target.number == number), None)
        self.post_message(self.NotOffered(number) if way is None else self.Wanted(way))

    def action_start_anew(self) -> None:
        self.post_message(self.Anew())

    def action_step_back(self) -> None:
        self.post_message(self.Back())
