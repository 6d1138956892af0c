"""A JSON value that can be folded and browsed line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.style import Style
from textual.strip import Strip

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire
from chartui.core.jsontext import same as alike
from chartui.core.jsontree import (
    TOP,
    NodeKind,
    Place,
    Row,
    all_open,
    at,
    found,
    order_of,
    path_text,
    path_to,
    rows,
    usually_open,
)
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap
from chartui.tui.theme import Palette
from chartui.tui.widgets.find import Searched

INDENT: Final = 2
#: The largest share of the width used for indentation; deeper levels are not indented further.
INDENT_SHARE: Final = 3


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the value; with ``more``, a further line of an unfolded text."""

    row: Row
    text: str
    comma: bool
    more: bool = False


class JsonView(Searched[_Line]):
    """Draws a value as JSON, with its own folding and scrolling.

    ``whole`` names the value itself, for when the cursor is on no part of it.
    """

    def __init__(self, *, whole: str = "the whole record", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._whole = whole
        self._value: Wire = None
        self._opened: frozenset[Place] = frozenset()
        self._note = ""
        self._found: Sequence[Place] = ()
        self._hit = 0

    def show(self, value: Wire, *, note: str = "", same: bool = False) -> None:
        """Show a value, or with ``note`` a sentence instead; folding is reset unless it is the ``same`` value."""
        if same and note == self._note and alike(value, self._value):
            return
        self._value, self._note = value, note
        if not same:
            self._opened = usually_open(value)
            self.cursor = 0
            self.scroll_to(y=0, animate=False)
        self.find()
        self.lay_out()

    # -- what is seen -------------------------------------------------------------------------------------------------

    def lay_out(self) -> None:
        width = self.room
        if width <= 0:
            return
        shown = rows(self._value, self._opened) if not self._note else []
        self.put([line for row in shown for line in _lines(row, width)])

    def _lay_out_on(self, place: Place) -> None:
        """Lay out again with the cursor on a node or its nearest visible parent, as much of it in sight as fits."""
        self.lay_out()
        while place and all(line.row.place != place for line in self._rows):
            place = place[:-1]
        of_node = [n for n, line in enumerate(self._rows) if line.row.place[: len(place)] == place]
        self.move_to(of_node[0] if of_node else 0)
        if place and of_node:
            self.scroll_to_row(of_node[-1])
        self.scroll_to_row(self.cursor)

    @property
    def row_count(self) -> int:
        return len(self._rows) or (1 if self._note else 0)

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows)

    @property
    def place(self) -> Place | None:
        """The place of the current node, or None."""
        return self._rows[self.cursor].row.place if self.can_stop_at(self.cursor) else None

    @property
    def path(self) -> str:
        """The path of the current node; empty for the whole value."""
        return path_text(self.place or TOP)

    def where(self) -> str:
        return self.path or self._whole

    @property
    def value(self) -> Wire:
        """The current node's value; on a bracket, the whole list or object."""
        return at(self._value, self.place or TOP)

    def draw_row(self, index: int, width: int) -> Strip:
        palette = self.palette
        if not self._rows:
            return Line(width).gap().add(self._note, palette.label).strip()
        line, row = Line(width), self._rows[index].row
        shown = self._rows[index]
        foldable = row.foldable and not shown.more
        mark = (GLYPHS.open if row.open else GLYPHS.closed) if foldable else " "
        line.gap().add(mark, palette.quiet).gap(_indent(row, width) + (INDENT if row.key and shown.more else 0))
        style = _style(palette, row.kind)
        if row.key and not shown.more:
            self.add_found(line, row.key, palette.label)
            line.add(": ", palette.quiet)
        self.add_found(line, shown.text + "," * shown.comma, style)
        return line.strip()

    def said_row(self, index: int) -> Iterable[str]:
        """The line, and its level from 1; whether it is folded."""
        if not self._rows:
            return super().said_row(index)
        shown, row = self._rows[index], self._rows[index].row
        key = f"{row.key}: " if row.key and not shown.more else ""
        folded = ", folded" if row.foldable and not row.open and not shown.more else ""
        return [f"{key}{shown.text}", f"Level {len(row.place) + 1}{folded}"]

    # -- folding ------------------------------------------------------------------------------------------------------

    def _set(self, opened: frozenset[Place], place: Place) -> None:
        self._opened = opened
        self._lay_out_on(place)

    def _row(self) -> Row | None:
        return self._rows[self.cursor].row if self.can_stop_at(self.cursor) else None

    def action_choose(self) -> None:
        row = self._row()
        if row is not None and (row.foldable or row.closing):
            self._set(self._opened ^ {row.place}, row.place)

    def unfold(self) -> None:
        """Unfold the current node; if it is unfolded, go into it."""
        row = self._row()
        if row is None:
            return
        if row.foldable and not row.open:
            self._set(self._opened | {row.place}, row.place)
        elif row.open and not row.closing:
            self.action_move(1)

    def fold(self) -> None:
        """Fold the current node, or go to its parent if that is not possible."""
        row = self._row()
        if row is None:
            return
        if (row.foldable and row.open) or row.closing:
            self._set(self._opened - {row.place}, row.place)
        elif row.place:
            self._lay_out_on(row.place[:-1])

    def action_fold_all(self) -> None:
        """Unfold everything but very long lists; if that is done, leave one line per member."""
        everything = all_open(self._value)
        self._set(frozenset({TOP}) if everything <= self._opened else self._opened | everything, self.place or TOP)

    # -- looking for something ----------------------------------------------------------------------------------------

    @property
    def hits(self) -> int:
        """How many nodes match, folded ones included."""
        return len(self._found)

    @property
    def hit(self) -> int:
        """The number of the current hit, from 1; 0 for none."""
        return self._hit + 1 if self._found and _unspanned(self.place) == self._found[self._hit] else 0

    def find(self) -> None:
        search = self.search
        shown = search and not self._note
        self._found = found(self._value, lambda text: bool(search.spans(text))) if shown else ()
        self._hit = 0

    def go_to_hit(self) -> None:
        """Go to the first hit at or after the cursor; a folded one counts where it would appear."""
        here = order_of(self._value, self.place or TOP)
        self._go_to(next((n for n, place in enumerate(self._found) if order_of(self._value, place) >= here), 0))

    def next_hit(self, step: int) -> None:
        if self._found:
            self._go_to((self._hit + step) % len(self._found))

    def _go_to(self, hit: int) -> None:
        self._hit = hit
        place = self._found[hit]
        self._opened |= frozenset(path_to(self._value, place))
        self.lay_out()
        line = next((n for n, line in enumerate(self._rows) if _unspanned(line.row.place) == place), None)
        if line is not None:  # otherwise the window is too small for any line, or shows a sentence
            self.move_to(line)


def _unspanned(place: Place | None) -> Place | None:
    return None if place is None else tuple(step for step in place if not isinstance(step, range))


def _indent(row: Row, width: int) -> int:
    return min(INDENT * row.depth, width // INDENT_SHARE)


def _style(palette: Palette, kind: NodeKind) -> Style:
    styles = {
        NodeKind.TEXT: palette.value,
        NodeKind.NUMBER: palette.credits,
        NodeKind.WORD: palette.latency,
        NodeKind.SPAN: palette.accent,
    }
    return styles.get(kind, palette.label)


def _lines(row: Row, width: int) -> Iterator[_Line]:
    comma = row.comma and (row.closing or not row.open or row.kind is NodeKind.TEXT) and row.kind is not NodeKind.SPAN
    if not (row.open and row.kind is NodeKind.TEXT):
        yield _Line(row, row.text, comma)
        return
    # All lines of a text stand below each other, whatever the length of its name.
    pieces = wrap(row.text, max(8, width - _indent(row, width) - INDENT - 3))
    if row.key:
        yield _Line(row, "", comma=False)
    for number, piece in enumerate(pieces):
        yield _Line(row, piece, comma and number == len(pieces) - 1, more=bool(row.key or number))
