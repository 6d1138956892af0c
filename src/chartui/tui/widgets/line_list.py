"""A list of items in columns, drawn line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Final, Generic, TypeVar

from rich.style import Style
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.text import display_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Align, Line, fit
from chartui.tui.widgets.line_view import LineView

T = TypeVar("T")
#: Seconds that a changed cell stays marked.
MARKED: Final = 3.0
_CHANGED: Final = Style(reverse=True)


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """One column: its title, the text of an item in it, and its width.

    ``width`` is in cells; 0 takes the remaining ones, but ``good`` ones before other columns grow beyond their
    ``least``, to which a column shrinks in a narrow list. If the columns still do not fit, those with a higher ``rank``
    are left out first, and in any case below ``rank`` × 10 + 30 cells; one without a rank stays. ``role`` names the
    palette's style or returns it for a record; ``title_role`` is that of the title. ``spans`` gives the parts of a text
    that are marked as matches.
    """

    title: str
    text: Callable[[T], str]
    width: int = 0
    align: Align = "left"
    role: str | Callable[[T], str] = "value"
    rank: int = 0
    least: int = 0
    good: int = 0
    title_role: str = "quiet"
    spans: Callable[[str], Sequence[tuple[int, int]]] | None = None


class LineList(LineView, Generic[T]):
    """Records of any kind in columns.

    ``key`` identifies a record, so that a refresh keeps the cursor on it. ``marked`` tells whether a record is
    selected.
    """

    KIND = "list"

    def __init__(
        self,
        columns: Sequence[Column[T]],
        *,
        key: Callable[[T], str],
        header: bool = True,
        empty: str = "",
        marked: Callable[[T], bool] = lambda _: False,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._columns = tuple(columns)
        #: The columns and their widths at a width of the list; each row asks for them.
        self._laid_out: tuple[int, list[tuple[Column[T], int]]] = (0, [])
        self._key = key
        self._header = header
        self._marked = marked
        #: The cells marked as changed, by record and column.
        self._changed: frozenset[tuple[str, str]] = frozenset()
        self._items: Sequence[T] = ()
        self.empty = empty

    @property
    def items(self) -> Sequence[T]:
        return self._items

    @property
    def current(self) -> T | None:
        return self._items[self.cursor] if self.cursor < len(self._items) else None

    def show(self, items: Sequence[T], *, keep: str | None = None, alike: bool = False) -> None:
        """Show other records; the cursor stays on its record or goes to the one with the key ``keep``.

        ``alike`` says that a record that was shown before looks the same now.
        """
        before = self._key(self.current) if self.current is not None else None
        held = keep if keep is not None else before
        cursor = self.cursor
        shown, self._items = self._items, items
        if alike and items and len(items) == len(shown):
            self.refresh_changed(shown, items)
        else:
            self.rows_changed()
        if held is not None and not (cursor < len(items) and self._key(items[cursor]) == held):
            cursor = next((i for i, item in enumerate(items) if self._key(item) == held), cursor)
        self.move_to(min(cursor, max(0, len(items) - 1)))
        self.scroll_to_row(self.cursor)
        if before is not None and self.current is not None and self._key(self.current) != before:
            # The cursor did not move, but its record may have changed.
            self.rest()

    def mark_changes(self, before: Mapping[str, T], later: Callable[[float, Callable[[], None]], object]) -> None:
        """Mark the cells in sight that differ from ``before``, records by key, for a moment."""
        rows = self._items[self.scroll_offset.y : self.scroll_offset.y + self.size.height]
        self._changed = frozenset(
            (self._key(row), column.title)
            for row in rows
            if (old := before.get(self._key(row))) is not None
            for column in self._columns
            if column.text(old) != column.text(row)
        )
        if self._changed:
            self.refresh()
            later(MARKED, self._unmark)

    def _unmark(self) -> None:
        self._changed = frozenset()
        self.refresh()

    def show_columns(self, columns: Sequence[Column[T]]) -> None:
        self._columns = tuple(columns)
        self._laid_out = (0, [])
        self.refresh()

    def shows(self, number: int) -> bool:
        """Whether there is room for the column with this number."""
        column = self._columns[number]
        return any(shown is column for shown, _ in self._layout(self.scrollable_content_region.width))

    def lacking(self, number: int) -> int:
        """The cells that the list lacks to show the column with this number; 0 if it is shown."""
        column, width = self._columns[number], self.scrollable_content_region.width
        return next(more for more in count() if column in dict(self._layout_at(width + more)))

    @property
    def row_identity(self) -> object:
        return self._key(self.current) if self.current is not None else None

    def said_head(self) -> Iterable[str]:
        return ()

    def said_row(self, index: int) -> Iterable[str]:
        """Each value with the title of its column, including columns that do not fit on a screen."""
        if not self._items:
            return super().said_row(index)
        item = self._items[index]
        texts = ((column.title, column.text(item)) for column in self._columns)
        said = (f"{title}: {text}" if title else text for title, text in texts if text.strip())
        return [GLYPHS.done if self._marked(item) else "", *said]

    @property
    def row_count(self) -> int:
        return len(self._items) or len(self.empty_lines())

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._items)

    @property
    def shows_cursor(self) -> bool:
        return bool(self._items)

    @property
    def header_lines(self) -> int:
        return 1 if self._header and self._items else 0

    def _layout(self, width: int) -> list[tuple[Column[T], int]]:
        if self._laid_out[0] != width:
            self._laid_out = width, self._layout_at(width)
        return self._laid_out[1]

    def _layout_at(self, width: int) -> list[tuple[Column[T], int]]:
        in_reach = [c for c in self._columns if c.rank == 0 or width >= 30 + 10 * c.rank]
        flexible = [c for c in in_reach if not c.width]
        room = width - 1 - sum(c.least + 1 for c in flexible)
        fixed = sorted((c for c in in_reach if c.width), key=lambda c: c.rank)
        cells: dict[Column[T], int] = {}
        for column in fixed:
            least = column.least or column.width
            if column.rank == 0 or room > least:
                cells[column] = least
                room -= least + 1
        shares = {c: c.least + min(max(0, c.good - c.least), max(0, room) // len(flexible)) for c in flexible}
        room -= sum(shares[c] - c.least for c in flexible)
        for column in cells:
            more = min(column.width - cells[column], max(0, room))
            cells[column] += more
            room -= more
        share = max(1, (room + sum(shares.values())) // max(1, len(flexible)))
        return [(c, cells.get(c, share)) for c in in_reach if c in cells or not c.width]

    def layout_of(self, item: T, width: int) -> list[tuple[Column[T], int]]:  # noqa: ARG002
        """The columns in the row of ``item``, and their widths."""
        return self._layout(width)

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        row = Line(width).gap()
        for column, cells in self._layout(width):
            row.add(column.title, getattr(self.palette, column.title_role), width=cells, align=column.align).gap()
        return row.strip()

    def draw_row(self, index: int, width: int) -> Strip:
        palette = self.palette
        if not self._items:
            return self.draw_empty(index, width)
        item = self._items[index]
        row = Line(width).add(GLYPHS.done if self._marked(item) else " ", palette.accent)
        for column, cells in self.layout_of(item, width):
            role = column.role if isinstance(column.role, str) else column.role(item)
            style: Style = getattr(palette, role)
            if self._changed and (self._key(item), column.title) in self._changed:
                style += _CHANGED
            if column.spans is None:
                row.add(column.text(item), style, width=cells, align=column.align).gap()
                continue
            text = fit(display_text(column.text(item)), min(cells, row.left), column.align)
            row.add_marked(text, column.spans(text), style, palette.match).gap()
        return row.strip()
