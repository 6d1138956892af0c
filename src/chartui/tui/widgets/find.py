"""Searching in a pane: the search box, and the base of searchable panes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, TypeVar

from rich.cells import cell_len
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from chartui.core.characters.record import Search
from chartui.core.classes import dataclass
from chartui.core.text import display_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.widgets.filter import ListFilter
from chartui.tui.widgets.laid_out import LaidOut
from chartui.tui.widgets.line_view import LineView

R = TypeVar("R")
_NOTHING: Final = Search("")


class FindBox(ListFilter):
    """The search text. The arrows move between hits, Enter goes to the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Go to text"),
        Binding("down", "go(1)", show=False),
        Binding("up", "go(-1)", show=False),
    ]

    @dataclass
    class Go(Message):
        """Go to the next hit, or with -1 to the previous one."""

        step: int

    def action_go(self, step: int) -> None:
        self.post_message(self.Go(step))


class Searched(LaidOut[R]):
    """A searchable text.

    With ``headed``, the top line says where the cursor is and, during a search, counts the hits.
    """

    def __init__(self, *, id: str | None = None, headed: bool = True) -> None:  # noqa: A002
        super().__init__(id=id)
        self._headed = headed
        self.search = _NOTHING

    # -- what a subclass says -----------------------------------------------------------------------------------------

    def where(self) -> str:
        """The position of the cursor in words, unsanitized."""
        raise NotImplementedError

    @property
    def hits(self) -> int:
        raise NotImplementedError

    @property
    def hit(self) -> int:
        """The number of the current hit, from 1; 0 for none."""
        raise NotImplementedError

    def find(self) -> None:
        raise NotImplementedError

    def go_to_hit(self) -> None:
        """Go to the first hit at or after the cursor."""
        raise NotImplementedError

    def next_hit(self, step: int) -> None:
        """Go to the next hit or, with -1, to the previous one; wraps around."""
        raise NotImplementedError

    @property
    def shows_cursor(self) -> bool:
        return (self.has_focus or bool(self.search)) and self.can_stop_at(self.cursor)

    # -- looking ------------------------------------------------------------------------------------------------------

    def look_for(self, search: Search) -> None:
        """Mark the matches of ``search``, and go to the first one at or after the cursor."""
        self.search = search
        self.find()
        self.refresh()
        if self.hits:
            self.go_to_hit()

    def add_found(self, line: Line, text: str, style: Style) -> None:
        """Add ``text``, which is safe to show, with the matches marked."""
        line.add_marked(text, self.search.spans(text), style, self.palette.match)

    # -- the line at the top ------------------------------------------------------------------------------------------

    @property
    def header_lines(self) -> int:
        return 1 if self._headed and self._rows else 0

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        """Draw where the cursor is, cut at its beginning if necessary, and the number of the hit."""
        row, found = Line(width).gap(), found_text(self.hit, self.hits) if self.search else ""
        room = row.left - (cell_len(found) + 2 if found else 1)
        row.add(_end_of(self.where(), room), self.palette.label)
        if found:
            style = self.palette.match if self.hits else self.palette.warning
            row.push_right(cell_len(found) + 1).add(found, style)
        return row.strip()

    def _refresh_header(self) -> None:
        if self.header_lines:
            self.refresh(Region(0, 0, self.size.width, 1))

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._refresh_header()


class LineFinder:
    """A search in the lines of a view, by the ``text`` of each. The cursor goes from match to match."""

    def __init__(self, view: LineView, text: Callable[[int], str]) -> None:
        self._view = view
        self._text = text
        self._search = _NOTHING
        self.hits: Sequence[int] = ()

    def find(self) -> None:
        """Find the matches again, after the lines have changed."""
        self.hits = (
            [n for n in range(self._view.row_count) if self._search.holds(self._text(n))] if self._search else ()
        )

    def look_for(self, search: Search) -> None:
        """Find the matches of ``search``, and go to the first one at or after the cursor."""
        self._search = search
        self.find()
        self._view.rows_changed()
        if self.hits:
            self._view.move_to(self.hits[hit_at(self.hits, self._view.cursor)])

    def next_hit(self, step: int) -> None:
        if self.hits:
            self._view.move_to(next_of(self.hits, self._view.cursor, step))
            self._view.refresh()

    @property
    def header_lines(self) -> int:
        return 1 if self._search else 0

    def draw_header(self, width: int) -> Strip:
        return found_header(self.hits, self._view.cursor, width, self._view.palette)


def found_text(hit: int, hits: int) -> str:
    """The number of the current hit, and of how many."""
    return f"{hit or '–'} of {hits}" if hits else f"{GLYPHS.warning} not found"


def found_header(hits: Sequence[int], cursor: int, width: int, palette: Palette) -> Strip:
    """The header with the position of the cursor among the rows ``hits``."""
    found = found_text(sum(row <= cursor for row in hits), len(hits))
    row = Line(width).push_right(cell_len(found) + 1)
    return row.add(found, palette.match if hits else palette.warning).strip()


def next_of(hits: Sequence[int], cursor: int, step: int) -> int:
    """The row of the next hit or, with -1, of the previous one; wraps around."""
    here = sum(row <= cursor for row in hits) - 1
    return hits[(here + step) % len(hits)]


def hit_at(rows: Sequence[int], cursor: int) -> int:
    """The index of the first of ``rows`` at or after ``cursor``; 0 if none follows."""
    return next((number for number, row in enumerate(rows) if row >= cursor), 0)


def _end_of(text: str, width: int) -> str:
    """The end of a text, in at most ``width`` cells."""
    shown = display_text(text[-4 * max(1, width) :])
    if len(shown) == len(text) and cell_len(shown) <= width:
        return shown
    while shown and cell_len(shown) >= width:
        shown = shown[1:]
    return f"{GLYPHS.ellipsis}{shown}"
