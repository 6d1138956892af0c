"""The base of every long list: only visible rows are drawn, so a million rows cost as much as ten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.timer import Timer

from chartui.core.classes import dataclass
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Ground, Line, wrap
from chartui.tui.output.compositor import LinesCache
from chartui.tui.theme import Palette

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Seconds the cursor rests on a row before a detail follows it, so that a held key stays light.
REST: Final = 0.15
#: The width that rows are laid out and drawn in for plain mode: nothing is cut or wrapped.
SAID_WIDTH: Final = 1000


@dataclass
class _AboutRow(Message):
    view: LineView
    index: int

    @property
    def control(self) -> LineView:
        return self.view


class LineView(ScrollView, can_focus=True):
    """Rows with a cursor. A subclass counts and draws them; this class scrolls, moves and reports.

    ``header_lines`` rows at the top stay in place. Nothing is animated.
    """

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        scrollbar-color: $meaning-border;
        scrollbar-color-hover: $primary;
        scrollbar-color-active: $primary;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home,g", "top", show=False),
        Binding("end,G", "bottom", show=False),
        Binding("enter", "choose", show=False),
    ]

    cursor: reactive[int] = reactive(0, repaint=False, init=False)

    #: Whether the rows' data is still being read: keys typed ahead wait for it.
    awaiting = False
    #: Shown if there are no rows, wrapped.
    empty = ""
    #: In plain mode: the kind of the view, and whether it is heard without the focus.
    KIND: ClassVar[str] = "text"
    announces = False

    class Moved(_AboutRow):
        def can_replace(self, message: Message) -> bool:
            return isinstance(message, LineView.Moved) and message.view is self.view

    class Rested(_AboutRow):
        """The cursor has been on a row for a moment."""

    class Chosen(_AboutRow):
        """A row was chosen with Enter, or by a click on the current row."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._rest: Timer | None = None
        self._width = 0
        self._styles_cache = LinesCache()
        self._ground = Ground(self)
        self._measured: tuple[int, int, int, Style] | None = None
        #: The virtual size that the scroll bar shows.
        self._ranged = Size()

    # -- what a subclass says -----------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """The number of rows."""
        raise NotImplementedError

    @property
    def header_lines(self) -> int:
        return 0

    def draw_row(self, index: int, width: int) -> Strip:
        """Draw one row, ``width`` cells wide, without its cursor."""
        raise NotImplementedError

    def draw_header(self, line: int, width: int) -> Strip:
        """Draw one of the header lines."""
        raise NotImplementedError

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < self.row_count

    # -- in plain mode ------------------------------------------------------------------------------------------------

    @property
    def is_plain(self) -> bool:
        """Whether the rows are said, so that a paragraph is one row."""
        return cast("ChartuiApp", self.app).speech is not None

    @property
    def row_identity(self) -> object:
        """What identifies the current row."""
        return self.cursor

    def said_head(self) -> Iterable[str]:
        """The header in plain mode."""
        return (self.draw_header(line, SAID_WIDTH).text for line in range(self.header_lines))

    def said_row(self, index: int) -> Iterable[str]:
        """One row in plain mode, a line for each fact."""
        return [self.draw_row(index, SAID_WIDTH).text.strip().removeprefix(GLYPHS.chosen)]

    def said_current(self) -> Iterator[str]:
        """The current row, with the rows without a stop before it and, if it is the last stop, those behind it."""
        count, first = self.row_count, self.cursor
        if not self.can_stop_at(first):
            first, last = 0, count
        else:
            while first and not self.can_stop_at(first - 1):
                first -= 1
            last = self.cursor + 1
            behind = next((index for index in range(last, count) if self.can_stop_at(index)), None)
            last = count if behind is None else last
        for index in range(first, last):
            yield from self.said_row(index)

    # -- drawing ------------------------------------------------------------------------------------------------------

    @property
    def palette(self) -> Palette:
        return Palette.of(self.app.theme_variables)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines within ``crop``; rows with a new width are laid out first."""
        self.take_width(self.outer_size.width)
        self._measured = self._measure()
        strips = super().render_lines(crop)
        self._measured = None
        return strips

    def _measure(self) -> tuple[int, int, int, Style]:
        """The same for every line: the width, the number of header lines, the first row below them, and the style."""
        return self.scrollable_content_region.width, self.header_lines, self.scroll_offset.y, self._ground.style

    def render_line(self, y: int) -> Strip:
        width, header, top, style = self._measured or self._measure()
        index = top + y - header
        if y < header:
            row = self.draw_header(y, width)
        elif index >= self.row_count:
            row = Strip([Segment(" " * width)], width)
        else:
            row = self.draw_row(index, width)
            if index == self.cursor and self.shows_cursor:
                row = self._mark(row)
        return row.apply_style(style)

    def _mark(self, row: Strip) -> Strip:
        """The current row: one background, and a mark at the left edge if that cell is empty."""
        palette = self.palette
        if row.text.startswith(" "):
            edge = Segment(GLYPHS.cursor, palette.accent if self.has_focus else palette.quiet)
            row = Strip.join([Strip([edge], 1), row.crop(1)])
        return row.apply_style(palette.cursor if self.has_focus else palette.cursor_idle)

    @property
    def shows_cursor(self) -> bool:
        return True

    def refresh_row(self, index: int) -> None:
        y = index - self.scroll_offset.y + self.header_lines
        if self.header_lines <= y < self.size.height:
            self.refresh(Region(0, y, self.scrollable_content_region.width, 1))

    def refresh_changed(self, before: Sequence[object], after: Sequence[object]) -> None:
        """Redraw the rows that differ between two lists of equal length, so that a key costs a line, not a pane."""
        top, header, width = self.scroll_offset.y, self.header_lines, self.scrollable_content_region.width
        shown = range(top, min(len(after), top + self.size.height - header))
        runs: list[Region] = []
        for index in shown:
            if before[index] != after[index]:
                row = Region(0, index - top + header, width, 1)
                if runs and runs[-1].bottom == row.y:
                    runs[-1] = runs[-1].grow((0, 0, 1, 0))
                else:
                    runs.append(row)
        if runs:
            self.refresh(*runs)

    def rows_changed(self) -> None:
        """Update the scroll range, keep the cursor inside, and redraw after the rows have changed."""
        size = Size(0, self.row_count + self.header_lines)
        if self.styles.auto_dimensions:
            self.virtual_size = size
        elif size != self.virtual_size:
            # The screen may fix the height: then only the scroll range changes.
            self.set_reactive(LineView.virtual_size, size)
            self._scroll_update(size)
        last = max(0, self.row_count - 1)
        if self.cursor > last:
            self.cursor = last
        self.refresh()

    # -- the cursor ---------------------------------------------------------------------------------------------------

    def watch_cursor(self, old: int, new: int) -> None:
        self.refresh_row(old)
        self.refresh_row(new)
        self.scroll_to_row(new)
        if self.row_count == 0:
            return
        self.post_message(self.Moved(self, new))
        self.rest()

    def rest(self) -> None:
        """Report soon that the cursor rests, unless it moves: for a row that changed in place."""
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self._rested)

    def _rested(self) -> None:
        self._rest = None
        self.post_message(self.Rested(self, self.cursor))

    @property
    def at_rest(self) -> bool:
        """Whether the rest of the cursor has been reported."""
        return self._rest is None

    def scroll_to_row(self, index: int) -> None:
        """Scroll as little as needed to show a row."""
        height = self.size.height - self.header_lines
        if height <= 0:
            return
        top = self.scroll_offset.y
        if index < top:
            self.scroll_to(y=index, animate=False)
        elif index >= top + height:
            self.scroll_to(y=index - height + 1, animate=False)

    def in_sight(self, index: int) -> bool:
        return 0 <= index - self.scroll_offset.y < self.size.height - self.header_lines

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Move the rows that stay in sight; only the others are drawn."""
        if self.show_vertical_scrollbar:
            self._place_bar(new_value)
        if step := round(new_value) - round(old_value):
            drawn, dirty = self._styles_cache._cache, self._styles_cache._dirty_lines
            top, (width, height) = self.header_lines, self.scrollable_content_region.size
            shown = Region(0, top, width, max(0, height - top)).translate(self.content_offset)
            lines = range(shown.y, shown.bottom)
            moved = {y - step: drawn[y] for y in lines if y in drawn and y not in dirty and y - step in lines}
            for y in lines:
                drawn.pop(y, None)
            drawn.update(moved)
            dirty.difference_update(lines)
            self._repaint_regions.add(shown)
            self._repaint_required = True
            self.check_idle()

    def _place_bar(self, position: float) -> None:
        bar = self.vertical_scrollbar
        rows, height = bar.window_virtual_size, bar.window_size
        # The bar is drawn in eighths of a cell.
        eighths = 8 * (height - max(1, height * height / max(1, rows))) / max(1, rows - height)
        if int(position * eighths) == int(bar.position * eighths):
            # In a long list, most steps leave it as it is, and the framework would draw it again.
            bar.set_reactive(ScrollBar.position, position)
        else:
            bar.position = position

    def _redraw_bar(self, position: float) -> None:
        """Redraw a new scroll bar that has moved: the framework may draw it before it accepts being moved."""
        if self.vertical_scrollbar.position != position:
            self.vertical_scrollbar.refresh()

    def _scroll_update(self, virtual_size: Size) -> None:
        self._ranged = virtual_size
        super()._scroll_update(virtual_size)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        # The framework would draw the scroll bar again after every layout.
        inside = size - self.styles.gutter.totals
        if (size, inside, self.virtual_size) == (self._size, self._container_size, self._ranged):
            return False
        if size != self._size:
            # The framework does not report a new size if anything has asked for a region since the style changed.
            self.post_message(events.Resize(size, virtual_size, container_size))
        return super()._size_updated(size, virtual_size, container_size, layout)

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Update the scroll bar, which is positioned only while visible."""
        if shown:
            bar = self.vertical_scrollbar
            bar.position = self.scroll_y
            if not bar.is_mounted:
                bar.call_later(self._redraw_bar, bar.position)

    def on_resize(self, event: events.Resize) -> None:
        self.take_width(event.size.width)
        if self.styles.auto_dimensions:
            # The view was one line high before its rows were known; rows scrolled away for the cursor fit now.
            self.scroll_to(y=max(0, min(self.scroll_offset.y, self.cursor - event.size.height + 1)), animate=False)
        self.scroll_to_row(self.cursor)

    def take_width(self, width: int) -> None:
        """Lay the rows out for a width, if it is a new one."""
        if width and self.is_plain:
            width = SAID_WIDTH
        if width != self._width:
            self._width = width
            self.width_changed()

    def on_hide(self) -> None:
        """Hidden widgets have no width; rows set meanwhile are laid out when the widget is shown again."""
        self._width = 0

    def width_changed(self) -> None:
        """The width of the rows has changed; a subclass that wraps text lays it out again."""
        if self.empty:
            self.rows_changed()

    def empty_lines(self) -> list[str]:
        """The lines of :attr:`empty`; a subclass without rows counts and draws them instead."""
        if not self.empty:
            return []
        return wrap(self.empty, self._width - 2) if self._width else [self.empty]

    def show_empty(self, text: str) -> None:
        """Show another text for no rows, and redraw only the lines that differ."""
        before, self.empty = self.empty_lines(), text
        after = self.empty_lines()
        if len(before) == len(after):
            self.refresh_changed(before, after)
        else:
            self.rows_changed()

    def draw_empty(self, index: int, width: int) -> Strip:
        lines = self.empty_lines()
        return Line(width).gap().add(lines[index] if index < len(lines) else "", self.palette.label).strip()

    def move_to(self, index: int, *, step: int = 1) -> None:
        """Put the cursor on ``index`` or, in steps of ``step``, on the next row where it can stop."""
        index = max(0, min(index, self.row_count - 1))
        while 0 <= index < self.row_count:
            if self.can_stop_at(index):
                self.cursor = index
                return
            index += step

    def action_move(self, step: int) -> None:
        before, target = self.cursor, self.cursor + step
        if 0 <= target < self.row_count:
            self.move_to(target, step=step)
        if self.cursor == before:
            # Rows before the first stop and after the last one can only be seen by scrolling there.
            self.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        height = max(1, self.size.height - self.header_lines - 1)
        before, target = self.cursor, max(0, min(self.cursor + step * height, self.row_count - 1))
        self.move_to(target, step=step)
        if not self.can_stop_at(target):
            self.move_to(target, step=-step)
        if self.cursor == before:
            self.scroll_relative(y=step * height, animate=False)

    def action_top(self) -> None:
        self.move_to(0)
        self.scroll_to(y=0, animate=False)

    def action_bottom(self) -> None:
        self.move_to(self.row_count - 1, step=-1)
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def action_choose(self) -> None:
        if self.can_stop_at(self.cursor):
            self.post_message(self.Chosen(self, self.cursor))

    # -- the mouse ----------------------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y < self.header_lines:
            return
        index = self.scroll_offset.y + offset.y - self.header_lines
        if not self.can_stop_at(index):
            return
        if index == self.cursor:
            self.action_choose()
        else:
            self.cursor = index
