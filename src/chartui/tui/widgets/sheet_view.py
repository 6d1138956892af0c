"""Draws a table (``core/sheet.py``) that can be sorted and filtered; keys identify rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from chartui.core.jsontext import Wire, dumps
from chartui.core.sheet import (
    Column,
    Kind,
    Sheet,
    Slot,
    filtered,
    laid_out,
    sorted_sheet,
    squeezed,
    widest_cells,
    with_rows,
)
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import NO_MATCHES
from chartui.tui.lines import Line, bar, fit, wrap, wrap_numbers
from chartui.tui.numbers import count, credits_difference, credits_text, money_text, share_text, signed_text
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.shell.screens import WorkScreens

#: Cells left of the columns, for the cursor and the mark.
_EDGE: Final = 2
_ROLES: Final = {
    Kind.CREDITS: "credits",
    Kind.MONEY: "credits",
    Kind.LATENCY: "latency",
    Kind.BAR: "credits",
    Kind.MARK: "accent",
}
#: From this share on, it is shown as a multiple.
_FAR: Final = 10
_SIGNS: Final = {GLYPHS.done: "local", GLYPHS.danger: "danger", GLYPHS.unknown: "warning", GLYPHS.warning: "warning"}

#: The palette's style of a column's cells, or a function of a cell and the row's key.
Role = str | Callable[[Wire, str], str]


class SheetView(LineView):
    """Draws a sheet.

    ``roles`` maps titles of columns (names, for columns without a title) to styles that differ from the column's kind.
    Without ``offers_filter``, ``/`` is left to the screen's own filter. The order of a table with an ``id`` is kept
    between starts.
    """

    KIND = "table"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("table"),
        Binding("enter", "keep_filter", "Keep filter"),
        Binding("enter", "choose", show=False),
        Binding("escape", "end_filter", "Clear filter"),
    ]

    def __init__(
        self,
        *,
        empty: str = "",
        roles: Mapping[str, Role] | None = None,
        offers_filter: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.empty = empty
        self._roles = roles or {}
        self._offers_filter = offers_filter
        self._given = self._sheet = Sheet("", (), ())
        self._given_order: int | None = None
        self._order: tuple[int, bool] | None = None
        self._words = ""
        self._typing = False
        self._note = ""
        self._note_lines: list[str] = []
        #: The header as last drawn.
        self._drawn: tuple[object, ...] = ()
        self._texts: list[tuple[str, ...]] = []
        self._widest: list[int] = []
        self._places: list[Slot] = []
        #: The number of a row in the sheet, or the heading of a group.
        self._lines: list[int | str] = []

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show(self, sheet: Sheet, *, keep: str | None = None, ordered_by: int | None = None, note: str = "") -> None:
        """Draw a sheet; the cursor stays on its row, or goes to the row with the key ``keep``.

        ``ordered_by`` is the column that the sheet itself is ordered by; ``note`` is shown below the rows.
        """
        if sheet.columns != self._given.columns:
            self._order = self._last_order(sheet.columns)
        self._given, self._given_order, self._note = sheet, ordered_by, note
        self._arrange(keep)

    def _last_order(self, columns: Sequence[Column]) -> tuple[int, bool] | None:
        """The order that the table was last sorted in, if it still has the column."""
        match self._work.orders.get(self.id or ""):
            case [name, bool(descending)]:
                return next(
                    ((n, descending) for n, each in enumerate(columns) if each.title and each.name == name), None
                )
        return None

    @property
    def _work(self) -> WorkScreens:
        return cast("ChartuiApp", self.app).work

    def _arrange(self, keep: str | None = None) -> None:
        """Sort, filter and lay out the sheet."""
        held = keep if keep is not None else self.current_key
        before = self.current_key
        sheet = filtered(self._given, self._words)
        if self._order is not None:
            sheet = sorted_sheet(sheet, self._order[0], descending=self._order[1])
        old = (self._drawn, self._places, self._lines, self._texts, self._sheet.marks, self._note_lines)
        # Unchanged row objects keep their text: among a thousand calls, one is new.
        ids = map(id, self._sheet.rows) if sheet.columns == self._sheet.columns else ()
        known = dict(zip(ids, self._texts, strict=False))
        self._sheet = sheet
        kinds = [column.kind for column in sheet.columns]
        self._texts = [known.get(id(row)) or _row_words(row, kinds) for row in sheet.rows]
        self._lines = list(range(len(sheet.rows)))
        for number in reversed(range(len(sheet.groups))):
            if sheet.groups[number] != (sheet.groups[number - 1] if number else ""):
                self._lines.insert(number, sheet.groups[number])
        self._widest = widest_cells(sheet, self._texts)
        if (order := self.order) is not None and self._widest:
            self._widest[order[0]] = max(self._widest[order[0]], len(sheet.columns[order[0]].title) + 1)
        self._fit()
        self._drawn = self._header()
        same = old[:3] == (self._drawn, self._places, self._lines) and old[5] == self._note_lines
        if same and old[4] == sheet.marks:
            self.refresh_changed(
                *([at if isinstance(at, str) else texts[at] for at in self._lines] for texts in (old[3], self._texts))
            )
        else:
            self.rows_changed()
        place = self._line_of(held)
        self.move_to(place if place is not None else min(self.cursor, max(0, len(self._lines) - 1)))
        self.scroll_to_row(self.cursor)
        if self.current_key != before:  # the cursor may be on another row without having moved
            self.post_message(self.Moved(self, self.cursor))
            if before is not None and self.current_key is not None:
                self.rest()

    def _fit(self) -> None:
        width = self.scrollable_content_region.width
        keep = self.order[0] if self.order else None
        self._places = laid_out(self._sheet.columns, self._widest, width - _EDGE, keep=keep) if width > _EDGE else []
        self._note_lines = wrap_numbers(self._note, width - 2) if self._note and width > 2 else []

    def width_changed(self) -> None:
        self._fit()
        self.rows_changed()

    @property
    def sheet(self) -> Sheet:
        """The rows as they are drawn: sorted and filtered."""
        return self._sheet

    def as_drawn(self, sheet: Sheet) -> Sheet:
        """The rows of ``sheet``, one for each row that was given, sorted and filtered as they are drawn."""
        places = {key: place for place, key in enumerate(self._given.keys)}
        drawn = with_rows(sheet, [places[key] for key in self._sheet.keys])
        if not self._words:
            return drawn
        found = f"{count(len(drawn.rows))} of {count(len(sheet.rows))} rows"
        return drawn._replace(title=f"{sheet.title}, {found}", notes=(*sheet.notes, f"Filter: {self._words}"))

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The rows in words, in the order in which they are drawn."""
        return self._texts

    @property
    def places(self) -> list[Slot]:
        """The columns that fit."""
        return self._places

    @property
    def order(self) -> tuple[int, bool] | None:
        """The column that the rows are sorted by, and whether they descend."""
        return self._order or (None if self._given_order is None else (self._given_order, False))

    @property
    def current_key(self) -> str | None:
        """The key of the row with the cursor; None where there is none."""
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else ""
        if isinstance(line, str):
            return None
        return self._sheet.keys[line] if self._sheet.keys else str(line)

    def _line_of(self, key: str | None) -> int | None:
        """Where the row with a key is drawn."""
        if key is None:
            return None
        keys = self._sheet.keys
        return next((n for n, at in enumerate(self._lines) if isinstance(at, int) and keys and keys[at] == key), None)

    def go_to(self, key: str) -> None:
        """Put the cursor on the row with a key, where it is drawn."""
        place = self._line_of(key)
        if place is not None:
            self.move_to(place)

    # -- lines --------------------------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        return len(self._lines) + len(self._note_lines) or len(self.empty_lines())

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._lines) and isinstance(self._lines[index], int)

    @property
    def shows_cursor(self) -> bool:
        return self.can_stop_at(self.cursor)

    @property
    def header_lines(self) -> int:
        return bool(self._lines) + self._filtering

    @property
    def _filtering(self) -> bool:
        return self._typing or bool(self._words)

    def _header(self) -> tuple[object, ...]:
        return self._words, self._typing, len(self._given.rows), self.order, bool(self._lines)

    def draw_header(self, line: int, width: int) -> Strip:
        """The filter while there is one, and the headings; an arrow marks the one that the rows are sorted by."""
        palette = self.palette
        row = Line(width).gap()
        if line == 0 and self._filtering:
            row.add("/ ", palette.accent).add(self._words, palette.value)
            row.add(GLYPHS.cursor if self._typing else " ", palette.accent)
            found = f"{count(len(self._sheet.rows))} of {count(len(self._given.rows))}"
            return row.push_right(len(found) + 1).add(found, palette.label).strip()
        row.gap(_EDGE - 1)
        order = self.order
        for place in self._places:
            column = self._sheet.columns[place.column]
            here = order is not None and order[0] == place.column
            arrow = (GLYPHS.descending if order and order[1] else GLYPHS.ascending) if here else ""
            title = f"{arrow}{column.title}"
            style = palette.accent if here else palette.quiet
            right = column.kind is not None and column.kind.right
            row.add(title, style, width=place.width, align="right" if right else "left").gap()
        return row.strip()

    def draw_row(self, index: int, width: int) -> Strip:
        palette = self.palette
        if index >= len(self._lines):
            if not self._note_lines:
                return self.draw_empty(index, width)
            return Line(width).gap().add(self._note_lines[index - len(self._lines)], palette.label).strip()
        at = self._lines[index]
        if isinstance(at, str):
            return Line(width).gap().add(single_line(at), palette.quiet).strip()
        mark = self._sheet.marks[at] if self._sheet.marks else ""
        line = Line(width).gap(_EDGE - 1).add(mark or " ", palette.accent)
        first, before = True, ""
        for place in self._places:
            column, cell, text = self._sheet.columns[place.column], self._sheet.rows[at][place.column], self._texts[at]
            style = self._style(column, cell, at, strong=bool(mark) and column.kind is Kind.TEXT and first)
            first = first and column.kind is not Kind.TEXT
            if column.kind is Kind.BAR:
                share = min(max(cell, Decimal(0)), Decimal(1)) if isinstance(cell, Decimal) else Decimal(0)
                line.add(before + bar(share, place.width), style)
            else:
                shown = self.shortened(place.column, text[place.column], place.width)
                right = column.kind is not None and column.kind.right
                line.add(before + fit(shown, place.width, "right" if right else "left"), style)
            before = " "
        return line.strip()

    def shortened(self, column: int, text: str, width: int) -> str:  # noqa: ARG002 - for tables with names
        """The text of a cell in at most ``width`` cells."""
        return squeezed(text, width)

    @property
    def row_identity(self) -> object:
        return self.current_key

    def said_head(self) -> Iterable[str]:
        """The number of rows, and the filter while there is one."""
        found = f"{count(len(self._sheet.rows))} of {count(len(self._given.rows))}"
        return [f"Filter: {self._words or 'empty'}", found] if self._filtering else []

    def said_row(self, index: int) -> Iterable[str]:
        """Each value with the title of its column, including columns that do not fit on a screen."""
        at = self._lines[index] if index < len(self._lines) else ""
        if isinstance(at, str):
            return super().said_row(index)
        values = zip(self._sheet.columns, self._texts[at], strict=True)
        mark = self._sheet.marks[at] if self._sheet.marks else ""
        said = (f"{column.title}: {text}" if column.title else text for column, text in values if text.strip())
        return [mark, *said]

    def _style(self, column: Column, cell: Wire, at: int, *, strong: bool) -> Style:
        role = self._roles.get(column.title or column.name)
        if role is not None:
            key = self._sheet.keys[at] if self._sheet.keys else ""
            name = role if isinstance(role, str) else role(cell, key)
        elif strong:
            name = "title"
        elif column.kind is Kind.MARK:
            name = _SIGNS.get(str(cell or "")[:1], "accent")
        elif column.kind is Kind.TEXT:
            name = "label" if column.priority else "value"
        else:
            name = "label" if cell is None or column.kind is None else _ROLES.get(column.kind, "label")
        style: Style = getattr(self.palette, name)
        return style

    def empty_lines(self) -> list[str]:
        """With a filter, the message that nothing matches."""
        return wrap(NO_MATCHES, self._width - 2) if self._words and self._width else super().empty_lines()

    # -- sorting and filtering ----------------------------------------------------------------------------------------

    def action_sort(self) -> None:
        """Sort by the next column: ascending, then descending; finally restore the original order."""
        columns = [n for n, column in enumerate(self._sheet.columns) if column.title and column.kind is not None]
        steps: list[tuple[int, bool] | None] = [None, *((n, turned) for n in columns for turned in (False, True))]
        here = steps.index(self._order) if self._order in steps else 0
        self._order = order = steps[(here + 1) % len(steps)]
        if self.id is not None:
            self._work.keep_order(self.id, None if order is None else [self._sheet.columns[order[0]].name, order[1]])
        self._arrange()

    def action_filter(self) -> None:
        """Show only the rows that contain every typed word."""
        self._type(typing=True)

    def action_keep_filter(self) -> None:
        self._type(typing=False)

    def action_end_filter(self) -> None:
        self._words = ""
        self._type(typing=False)

    def _type(self, *, typing: bool) -> None:
        self._typing = typing
        self._arrange()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        possible = {
            "sort": not self._typing,
            "filter": self._offers_filter,
            "keep_filter": self._typing,
            "end_filter": self._filtering,
        }
        return possible[action] if action in possible else super().check_action(action, parameters)

    @property
    def typing(self) -> bool:
        """Whether a filter is being typed."""
        return self._typing

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        return self._typing and character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        """While a filter is typed, characters go to it."""
        if not self._typing:
            return
        if event.key == "ctrl+u":
            self._filter("")
        elif event.key == "backspace":
            self._filter(self._words[:-1])
        elif event.character is not None and event.character.isprintable():
            self._filter(self._words + event.character)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Add pasted text to the filter."""
        if self._typing:
            event.stop()
            self._filter(self._words + single_line(event.text, limit=100))

    def on_blur(self) -> None:
        if self._typing:
            self._type(typing=False)

    def _filter(self, words: str) -> None:
        self._words = words
        self._arrange()


def _row_words(row: Sequence[Wire], kinds: Sequence[Kind | None]) -> tuple[str, ...]:
    """A row as words; ``kinds`` are those of the columns."""
    amount = row[kinds.index(Kind.CREDITS)] if Kind.CREDITS in kinds and Kind.DIFFERENCE in kinds else None
    if isinstance(amount, Decimal):
        row = [
            credits_difference(amount, amount - cell) if kind is Kind.DIFFERENCE and isinstance(cell, Decimal) else cell
            for kind, cell in zip(kinds, row, strict=True)
        ]
    try:
        return tuple(map(_words, kinds, row))
    except TypeError:  # a list or an object, which is not hashable
        return tuple(map(_words.__wrapped__, kinds, row))


@lru_cache(4096, typed=True)  # most cells stay the same
def _words(kind: Kind | None, cell: Wire) -> str:
    """A cell as the terminal writes its kind."""
    if kind is None or kind is Kind.BAR:
        return ""
    if isinstance(cell, str):
        return single_line(cell, limit=200)
    if cell is None:
        return "unknown" if kind is Kind.CREDITS else "–" if kind.right else ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not isinstance(cell, int | Decimal):
        return dumps(cell)
    if kind is Kind.CREDITS:
        return credits_text(Decimal(cell))
    if kind is Kind.MONEY:
        return money_text(Decimal(cell))
    if kind is Kind.DIFFERENCE:
        return signed_text(cell)
    if kind is Kind.SHARE:
        return share_text(Decimal(cell)) if cell < _FAR else f"{count(round(cell))} ×"
    if kind is Kind.DAY:
        return f"day {count(cell)}"
    if kind is Kind.LATENCY and isinstance(cell, Decimal):
        few = 0 < cell < 10 and cell % 1
        return count(cell.quantize(Decimal("0.1") if few else Decimal(1), ROUND_HALF_EVEN))
    return count(cell)
