"""The front of the search as a table, whose cursor is that of the plot as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import ClassVar, Final, NamedTuple

from textual.binding import Binding, BindingType
from textual.strip import Strip

from chartui.core.estimation.exploration import Point
from chartui.core.estimation.prices import Configuration
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap_numbers
from chartui.tui.numbers import count, credits_text, signed_text
from chartui.tui.widgets.line_view import LineView

__all__ = ["FrontTable", "Present"]

#: Where so many cells are left a model's name stands beside the figures, or the whole configuration's.
MODEL: Final = 20
WHOLE: Final = 50
_TITLES: Final = ("credits", "ms", "number", "± credits", "± ms")
#: The styles of the figures, and of the name beside them.
_ROLES: Final = ("credits", "latency", "label", "value", "value", "value")
_UNKNOWN: Final = "–"


class Present(NamedTuple):
    """What the front is held against: credits and milliseconds at the most, None when unknown."""

    configuration: Configuration
    credits: Decimal | None
    latency: int | None


class _Row(NamedTuple):
    """A point as it is drawn: its figures, the names of its first configuration, and whether that is the present."""

    figures: tuple[str, ...]
    model: str
    name: str
    present: bool


class FrontTable(LineView):
    """The points from the cheapest to the fastest; ←/→ move as ↑/↓ do, since the plot goes the same way.

    Below them, or in their place, stand sentences, a line each: why there are none, or why there is only one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "move(1)", show=False),
        Binding("left", "move(-1)", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: list[_Row] = []
        self._widths: tuple[int, ...] = ()
        self._said = ""
        self._lines: list[str] = []

    def show(
        self, front: Sequence[Point], present: Present, names: Callable[[Configuration], Sequence[str]], said: str
    ) -> None:
        """Draw these points; where the cursor stands is for the view to say. The first of ``names`` is the model's."""
        before, widths, lines = self._rows, self._widths, self._lines
        self._rows = [
            _Row(_figures(point, present), *_named(names(point.first)), point.first == present.configuration)
            for point in front
        ]
        self._widths = tuple(max(map(len, column)) for column in zip(*(row.figures for row in self._rows), strict=True))
        self._said = said
        self._wrap()
        if (len(before), widths, lines) == (len(self._rows), self._widths, self._lines):
            self.refresh_changed(before, self._rows)
        else:
            self.rows_changed()

    def width_changed(self) -> None:
        """Wrap the sentences again."""
        self._wrap()
        self.rows_changed()

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        self._lines = wrap_numbers(self._said, width - 2) if self._said and width > 2 else []

    @property
    def row_count(self) -> int:
        """The points, and the sentences below them."""
        return len(self._rows) + len(self._lines)

    def can_stop_at(self, index: int) -> bool:
        """Only points are stops."""
        return 0 <= index < len(self._rows)

    @property
    def shows_cursor(self) -> bool:
        """No point, no cursor."""
        return bool(self._rows)

    @property
    def header_lines(self) -> int:
        """The titles."""
        return 1 if self._rows else 0

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        """The titles of the columns."""
        titles = _Row(_TITLES, "model", "configuration", present=False)
        return self._draw(titles, ["quiet"] * (len(_TITLES) + 1), width)

    def draw_row(self, index: int, width: int) -> Strip:
        """One point, or a line of what is said."""
        if index >= len(self._rows):
            return Line(width).gap().add(self._lines[index - len(self._rows)], self.palette.label).strip()
        return self._draw(self._rows[index], _ROLES, width)

    def _draw(self, row: _Row, roles: Sequence[str], width: int) -> Strip:
        palette = self.palette
        *columns, beside = (getattr(palette, role) for role in roles)
        line = Line(width).add(GLYPHS.chosen if row.present else " ", palette.accent)
        cells = [max(len(title), most) for title, most in zip(_TITLES, self._widths, strict=True)]
        apart = 2 if sum(cells) + 2 * len(cells) < width else 1
        for text, style, most in zip(row.figures, columns, cells, strict=True):
            if most > line.left:  # rather no figure than a part of one
                break
            line.add(text, style, width=most, align="right").gap(apart)
        if line.left >= MODEL:
            line.gap().add(row.name if line.left > WHOLE else row.model, beside, width=line.left - 1)
        return line.strip()


def _named(names: Sequence[str]) -> tuple[str, str]:
    return names[0], ", ".join(names)


def _figures(point: Point, present: Present) -> tuple[str, ...]:
    dearer = _UNKNOWN if present.credits is None else signed_text(point.credits - present.credits)
    slower = _UNKNOWN
    if point.latency is not None and present.latency is not None:
        slower = signed_text(point.latency - present.latency)
    latency = _UNKNOWN if point.latency is None else count(point.latency)
    return credits_text(point.credits), latency, count(point.count), dearer, slower
