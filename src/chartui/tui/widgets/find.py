"""Searching in a pane: the search box, and what such panes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar

from rich.cells import cell_len
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from chartui.core.characters.record import Search
from chartui.core.text import display_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.widgets.filter import ListFilter
from chartui.tui.widgets.line_view import LaidOut

R = TypeVar("R")
_NOTHING: Final = Search("")


class FindBox(ListFilter):
    """The search text. The arrows move from hit to hit, Enter goes to the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Go to text"),
        Binding("down", "go(1)", show=False),
        Binding("up", "go(-1)", show=False),
    ]

    @dataclass
    class Go(Message):
        """The user wants another hit: the next one, or with -1 the one before."""

        step: int

    def action_go(self, step: int) -> None:
        self.post_message(self.Go(step))


class Searched(LaidOut[R]):
    """A searchable text.

    With ``headed`` a line stays at the top that says where the cursor is and, during a search, how many hits there are.
    """

    def __init__(self, *, id: str | None = None, headed: bool = True) -> None:  # noqa: A002
        super().__init__(id=id)
        self._headed = headed
        self.search = _NOTHING

    # -- what a subclass says -----------------------------------------------------------------------------------------

    def where(self) -> str:
        """Where the cursor is, in words; not yet cleaned."""
        raise NotImplementedError

    @property
    def hits(self) -> int:
        """How many hits there are."""
        raise NotImplementedError

    @property
    def hit(self) -> int:
        """The number of the hit under the cursor, counted from 1; 0 for none."""
        raise NotImplementedError

    def find(self) -> None:
        """Find the matches of ``search``."""
        raise NotImplementedError

    def go_to_hit(self) -> None:
        """Go to the first hit from the cursor on."""
        raise NotImplementedError

    def next_hit(self, step: int) -> None:
        """Go to the next hit or, with -1, to the one before; after the last comes the first."""
        raise NotImplementedError

    @property
    def shows_cursor(self) -> bool:
        return (self.has_focus or bool(self.search)) and self.can_stop_at(self.cursor)

    # -- looking ------------------------------------------------------------------------------------------------------

    def look_for(self, search: Search) -> None:
        """Mark what ``search`` finds, and go to the first hit from the cursor on."""
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
        """Where the cursor is, its end rather than its beginning, and which of how many hits that is."""
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


def found_text(hit: int, hits: int) -> str:
    """Which of how many hits the cursor is on, counted from 1; 0 for none."""
    return f"{hit or '–'} of {hits}" if hits else f"{GLYPHS.warning} not found"


def hit_at(rows: Sequence[int], cursor: int) -> int:
    """The number of the first of ``rows`` from ``cursor`` on, counted from 0; the first where none follows."""
    return next((number for number, row in enumerate(rows) if row >= cursor), 0)


def _end_of(text: str, width: int) -> str:
    """A text in at most ``width`` cells, cut at its beginning."""
    shown = display_text(text[-4 * max(1, width) :])
    if len(shown) == len(text) and cell_len(shown) <= width:
        return shown
    while shown and cell_len(shown) >= width:
        shown = shown[1:]
    return f"{GLYPHS.ellipsis}{shown}"
