"""Scales that map values to places along an axis, and their ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from chartui.core.classes import NamedTuple
from chartui.core.text import display_text
from chartui.tui.axes import LARGEST, SMALLEST, WIDE_RANGE, Axis, Scale, scale_of, ticks
from chartui.tui.lines import Line, fit
from chartui.tui.theme import Palette

Point = tuple[float, float]
Kind = Literal["points", "line", "steps"]

#: Below this many cells there is no room for axes.
LEAST: Final = (16, 6)
#: From this height on, the title of the horizontal axis has its own line.
ROOMY: Final = 10
#: Minimum cells of a legend entry; below that, entries are left out.
LEAST_ENTRY: Final = 12
#: The bits of a cell's dots, by row and column.
_BITS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BRAILLE: Final = 0x2800
#: How far beyond its ends a scale still counts as inside, and the limit for computing with places.
_EDGE: Final = 1e-9
_END: Final = 1 + _EDGE
_FAR: Final = 1e9
_CURSOR: Final = "◉"
_ACROSS, _DOWN = "┈", "┊"


class Series(NamedTuple):
    """Points in order of x; ``steps`` keeps each value until the next point.

    ``role`` names a style of the palette. ``marker`` takes one cell: it is drawn at every point of ``points`` and
    ``steps``, and at intervals on a ``line``; without it, points are single dots.
    """

    name: str
    points: Sequence[Point]
    kind: Kind
    role: str
    marker: str = ""


class Mark(NamedTuple):
    """A vertical line at ``x`` with a label above it."""

    x: float
    label: str
    role: str = "label"


class Plot(NamedTuple):
    """A plot's content. ``note`` is shown in the middle while there are no points."""

    series: tuple[Series, ...]
    x: Axis
    y: Axis
    cursor: Point | None = None
    marks: tuple[Mark, ...] = ()
    note: str = ""


def in_view(axis: Axis, series: Sequence[Series], held: Sequence[float] = (), *, down: bool = False) -> list[float]:
    """The values along an axis without outliers, so that a few far ones do not flatten the rest.

    Far values are at most a quarter of the points and lines, and leave a gap of more than twice the range of the
    others. ``held`` values always stay; ``down`` takes the values of the vertical axis.
    """
    values = [point[down] for one in series for point in one.points]
    known = sorted(v for v in values if -LARGEST < v < LARGEST and (axis.scale != "log" or v > SMALLEST))
    things = sum(1 if one.kind == "line" else len(one.points) for one in series)
    log = axis.scale == "log" or (
        axis.scale == "auto" and bool(known) and known[0] > 0 and known[-1] > WIDE_RANGE * known[0]
    )
    places = [math.log10(v) for v in known] if log else known
    for far in range(1, things // 4 + 1 if axis.high is None else 1):
        least, most, beyond = places[0], places[-far - 1], places[-far]
        if most > least and beyond - most > 2 * (most - least):
            return [*known[:-far], *held]
    return [*known, *held]


def draw_plot(plot: Plot, width: int, height: int, palette: Palette) -> list[Strip]:
    """``height`` lines of ``width`` cells. Points that are not finite, or not positive on a logarithmic axis, are left
    out. What is beyond the ends of an axis is cut; single points there stand at the edge, with an arrow.
    """
    if width < LEAST[0] or height < LEAST[1]:
        return [Line(max(0, width)).add(plot.y.title if y == 0 else "", palette.label).strip() for y in range(height)]
    return _Drawing(plot, width, height, palette).lines()


# -- drawing ----------------------------------------------------------------------------------------------------------


class _Canvas:
    """The area between the axes: braille dots with one style per cell, below signs of a whole cell."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.dots_across, self.dots_down = width * 2, height * 4
        self._dots = [[0] * width for _ in range(height)]
        self._styles: list[list[Style | None]] = [[None] * width for _ in range(height)]
        self._signs: dict[tuple[int, int], tuple[str, Style]] = {}

    def dot(self, x: int, y: int, style: Style) -> None:
        """One dot; ``y`` counts from the top. Dots of two styles in a cell take the style of the later dot."""
        row, column = y >> 2, x >> 1
        self._dots[row][column] |= _BITS[y & 3][x & 1]
        self._styles[row][column] = style

    def column(self, x: int, first: int, last: int, style: Style) -> None:
        """A vertical run of dots, clipped to the area."""
        if first == last:
            if 0 <= first < self.dots_down:
                self.dot(x, first, style)
            return
        low, high = (first, last) if first <= last else (last, first)
        for y in range(max(0, low), min(self.dots_down - 1, high) + 1):
            self.dot(x, y, style)

    def sign(self, column: int, row: int, text: str, style: Style, *, below: bool = False) -> None:
        """A sign in a cell; with ``below`` only in an empty one."""
        if not below or ((column, row) not in self._signs and not self._dots[row][column]):
            self._signs[column, row] = text, style

    def add_row(self, line: Line, row: int) -> None:
        """Append one row to a line, in runs of one style."""
        run, style = "", None
        for column, (dots, color) in enumerate(zip(self._dots[row], self._styles[row], strict=True)):
            sign = self._signs.get((column, row))
            text, look = sign or (chr(_BRAILLE + dots) if dots else " ", color)
            if look is not style and run:
                line.add(run, style)
                run = ""
            run, style = run + text, look
        line.add(run, style)


class _Drawing:
    """One plot being drawn: a line for the title and the legend, one for the labels of marks, the area, the axis."""

    def __init__(self, plot: Plot, width: int, height: int, palette: Palette) -> None:
        self._plot, self._width, self._palette = plot, width, palette
        x, y = ((plot.cursor[0],), (plot.cursor[1],)) if plot.cursor else ((), ())
        self._x = scale_of(plot.x, in_view(plot.x, plot.series, [*x, *(mark.x for mark in plot.marks)]))
        self._y = scale_of(plot.y, in_view(plot.y, plot.series, y, down=True))
        self._own_title = height >= ROOMY
        # Made safe before measuring: a control character may be drawn in several cells.
        self._named = [series._replace(name=display_text(series.name)) for series in plot.series if series.name]
        beside = width - cell_len(_title(plot.y, self._y)) - 2
        self._own_legend = height >= ROOMY and len(self._named) > 1 and _cells(self._named) > beside
        area = height - 3 - bool(plot.marks) - self._own_title - self._own_legend
        self._y_ticks = ticks(self._y, max(2, (area + 2) // 3))
        self._gutter = min(max((len(text) for _, text in self._y_ticks), default=1), width // 3)
        self._canvas = _Canvas(width - self._gutter - 2, area)
        self._x_ticks = self._horizontal_ticks()

    def lines(self) -> list[Strip]:
        """All lines, from the top."""
        plot, canvas, width = self._plot, self._canvas, self._width
        for number, series in enumerate(plot.series):
            self._draw_series(series, number)
        if plot.cursor is not None:
            self._draw_cursor(plot.cursor)
        for mark in plot.marks:
            if (at := self._column(mark.x)) is not None:
                for down in range(canvas.height):
                    canvas.sign(at, down, _DOWN, self._style(mark.role), below=True)
        for value, _ in self._y_ticks:
            if (row := self._row(value)) is not None:
                for across in range(canvas.width):
                    canvas.sign(across, row, _ACROSS, self._palette.border, below=True)
        title = Line(width).add(_title(plot.y, self._y), self._palette.label)
        strips = [title.strip(), self._legend(Line(width))] if self._own_legend else [self._legend(title)]
        if plot.marks:
            strips.append(self._labels([(mark.x, display_text(mark.label), mark.role) for mark in plot.marks]))
        strips += self._area()
        strips.append(self._axis())
        return strips + self._below()

    # -- places -------------------------------------------------------------------------------------------------------

    def _style(self, role: str) -> Style:
        style: Style = getattr(self._palette, role)
        return style

    def _dot_x(self, value: float) -> int | None:
        place = self._x.place(value)
        if place is None or not -_EDGE <= place <= _END:
            return None
        return round(place * (self._canvas.dots_across - 1))

    def _dot_y(self, value: float) -> int:
        """The dot, counted from the top; just outside if beyond the ends."""
        place, most = self._y.place(value), self._canvas.dots_down - 1
        if place is None:
            return most + 1
        if not -_EDGE <= place <= _END:
            return -1 if place > 1 else most + 1
        return most - round(place * most)

    def _column(self, x: float) -> int | None:
        dot = self._dot_x(x)
        return None if dot is None else dot >> 1

    def _row(self, y: float) -> int | None:
        dot = self._dot_y(y)
        return dot >> 2 if 0 <= dot < self._canvas.dots_down else None

    def _cell(self, point: Point) -> tuple[int, int] | None:
        column, row = self._column(point[0]), self._row(point[1])
        return None if column is None or row is None else (column, row)

    # -- the area -----------------------------------------------------------------------------------------------------

    def _draw_series(self, series: Series, number: int) -> None:
        style, canvas = self._style(series.role), self._canvas
        if series.kind == "points" and not series.marker:
            for x, y in series.points:
                across, down = self._dot_x(x), self._dot_y(y)
                if across is not None and 0 <= down < canvas.dots_down:
                    canvas.dot(across, down, style)
            return
        if series.kind != "points":
            for before, after in pairwise(series.points):
                self._draw_segment(before, after, style, steps=series.kind == "steps")
        if series.marker:
            marked = series.points if series.kind != "line" else self._along(series.points, number)
            cells = [(point, self._cell(point)) for point in marked]
            for _, cell in cells:
                if cell is not None:
                    canvas.sign(*cell, series.marker, style)
            beyond = [point for point, cell in cells if cell is None]
            if series.kind == "line":  # of a line, only one that leaves before its first marker
                beyond = [*series.points[-1:]] if len(beyond) == len(cells) else []
            for point in beyond if series.kind != "steps" else ():
                self._point_out(point, series.marker, style)

    def _point_out(self, point: Point, marker: str, style: Style) -> None:
        """Draw a point beyond the ends at the edge, with an arrow in its direction."""
        across, down = self._x.place(point[0]), self._y.place(point[1])
        if across is None or down is None:
            return
        canvas = self._canvas
        column = min(round(min(max(across, 0.0), 1.0) * (canvas.width - 1)), canvas.width - 2)
        row = round((1 - min(max(down, 0.0), 1.0)) * (canvas.height - 1))
        vertical = "↑" if down > _END else "↓"
        signs = f"←{marker}" if across < -_EDGE else f"{marker}{'→' if across > _END else vertical}"
        for cell, sign in enumerate(signs, column):
            canvas.sign(cell, row, sign, style)

    def _draw_segment(self, before: Point, after: Point, style: Style, *, steps: bool) -> None:
        """Straight between values, so curved on a logarithmic axis: drawn column by column."""
        first, last = self._x.place(before[0]), self._x.place(after[0])
        if first is None or last is None or (self._y.place(before[1]) is None and self._y.place(after[1]) is None):
            return
        most = self._canvas.dots_across - 1
        begin, end = (round(max(-1.0, min(place, 2.0)) * most) for place in (first, last))
        columns, down = range(max(0, begin), min(most, end) + 1), self._dot_y(before[1])
        if steps or begin == end:
            for across in columns:
                self._canvas.column(across, down, down, style)
            if 0 <= end <= most:
                self._canvas.column(end, down, self._dot_y(after[1]), style)
            return
        above: int | None = None
        for across, down in zip(columns, self._heights(before, after, columns), strict=True):
            beside = 0 if above is None else (above > down) - (above < down)
            self._canvas.column(across, (down if above is None else above) - beside, down, style)
            above = down

    def _heights(self, before: Point, after: Point, columns: range) -> Iterator[int]:
        """The dots, counted from the top, at which a line crosses columns of dots."""
        (x0, y0), (x1, y1) = before, after
        most, lowest = self._canvas.dots_across - 1, self._canvas.dots_down - 1
        low, high = self._y.place(y0), self._y.place(y1)
        if self._x.log or self._y.log or low is None or high is None or max(abs(low), abs(high)) > _FAR:
            for across in columns:
                at = min(max(self._x.value(across / most), x0), x1)
                yield self._dot_y(y0 + (y1 - y0) * ((at - x0) / (x1 - x0)))
            return
        # Straight on the screen too, so two additions per column are enough.
        start, step = (self._x.start - x0) / (x1 - x0), (self._x.end - self._x.start) / (x1 - x0) / most
        for across in columns:
            place = low + (high - low) * min(max(start + step * across, 0.0), 1.0)
            yield -1 if place > _END else lowest + 1 if place < -_EDGE else lowest - round(place * lowest)

    def _along(self, points: Sequence[Point], number: int) -> Iterator[Point]:
        """Points on a line for its marker: a few per plot, offset from those of the other lines."""
        if not points:
            return
        every = max(8, self._canvas.width // 5)
        shift = every * (number + 1) // (len(self._plot.series) + 1)
        segments = list(pairwise(points)) or [(points[0], points[0])]
        for column in range(shift, self._canvas.width, every):
            at = self._x.value((column + 0.5) / self._canvas.width)
            for (x0, y0), (x1, y1) in segments:
                if x0 <= at <= x1:
                    yield at, y0 + (y1 - y0) * ((at - x0) / (x1 - x0)) if x1 > x0 else y0
                    break

    def _draw_cursor(self, cursor: Point) -> None:
        if (cell := self._cell(cursor)) is None:
            return
        column, row = cell
        self._canvas.sign(column, row, _CURSOR, self._palette.accent)
        for below in range(row + 1, self._canvas.height):
            self._canvas.sign(column, below, _DOWN, self._palette.accent, below=True)
        for before in range(column):
            self._canvas.sign(before, row, _ACROSS, self._palette.accent, below=True)

    def _area(self) -> Iterator[Strip]:
        palette = self._palette
        texts: dict[int, str] = {}
        for value, text in self._y_ticks:
            if (row := self._row(value)) is not None:
                texts.setdefault(row, text)
        empty = not any(series.points for series in self._plot.series)
        for row in range(self._canvas.height):
            line = Line(self._width).add(texts.get(row, ""), palette.label, width=self._gutter, align="right").gap()
            line.add("┤" if row in texts else "│", palette.border)
            if empty and row == self._canvas.height // 2:
                note = display_text(self._plot.note)
                line.gap(max(0, line.left - cell_len(note)) // 2).add(note, palette.label)
            else:
                self._canvas.add_row(line, row)
            yield line.strip()

    # -- around it ----------------------------------------------------------------------------------------------------

    def _legend(self, line: Line) -> Strip:
        """The legend, right-aligned on a line; names that do not fit are cut, then left out."""
        palette, named, room = self._palette, self._named, line.left - 2
        shown = len(named)
        while shown and room < min(LEAST_ENTRY * shown, _cells(named[:shown])):
            shown -= 1
        more = f"+{len(named) - shown}" if shown < len(named) else ""
        room -= len(more)
        fits = _cells(named[:shown]) <= room + 2
        names = [fit(s.name, min(cell_len(s.name), room if fits else room // shown - 4)) for s in named[:shown]]
        line.push_right(sum(cell_len(name) + 4 for name in names) + len(more) - (0 if more or not names else 2))
        for number, (series, name) in enumerate(zip(named, names, strict=False)):
            line.add(series.marker or ("·" if series.kind == "points" else "⠒"), self._style(series.role)).gap()
            line.add(name, palette.value).gap(2 if number < shown - 1 or more else 0)
        return line.add(more, palette.quiet).strip()

    def _horizontal_ticks(self) -> list[tuple[float, str]]:
        """As many ticks as there is room for texts."""
        width = self._canvas.width
        for most in range(max(2, width // 8), 1, -1):
            found = ticks(self._x, most)
            if sum(len(text) + 3 for _, text in found) <= width:
                return found
        return ticks(self._x, 2)

    def _axis(self) -> Strip:
        marked = {self._column(value) for value, _ in self._x_ticks}
        line = Line(self._width).gap(self._gutter + 1).add("└", self._palette.border)
        axis = "".join("┴" if column in marked else "─" for column in range(self._canvas.width))
        return line.add(axis, self._palette.border).strip()

    def _below(self) -> list[Strip]:
        """The tick labels and the title of the horizontal axis, on one line if the plot is low."""
        palette, title = self._palette, _title(self._plot.x, self._x)
        title = fit(title, min(cell_len(title), self._width - 2))
        texts = [(value, text, "label") for value, text in self._x_ticks]
        if self._own_title:
            return [
                self._labels(texts, centred=True),
                Line(self._width).push_right(cell_len(title)).add(title, palette.label).strip(),
            ]
        title = fit(title, min(cell_len(title), self._width * 3 // 5))
        return [self._labels(texts, centred=True, title=title)]

    def _labels(self, texts: Sequence[tuple[float, str, str]], *, centred: bool = False, title: str = "") -> Strip:
        """Labels above or below their places; one that would touch an earlier one is left out."""
        last = self._width - (cell_len(title) + 1 if title else 0)
        taken: list[tuple[int, int, str, str]] = []
        columns = [self._gutter + 2 + column for value, *_ in texts if (column := self._column(value)) is not None]
        for value, text, role in texts:
            column = self._column(value)
            if column is None:
                continue
            at, text = self._gutter + 2 + column, fit(text, min(cell_len(text), last))
            cells = cell_len(text)
            crowded = any(at < other <= at + cells for other in columns)
            places = [at - cells // 2] if centred else [at - cells + 1, at] if crowded else [at, at - cells + 1]
            for start in (min(max(0, place), last - cells) for place in places):
                if all(start > end or start + cells < begin for begin, end, *_ in taken):
                    taken.append((start, start + cells, text, role))
                    break
        line = Line(self._width)
        for start, _, text, role in sorted(taken):
            line.push_right(self._width - start).add(text, self._style(role))
        return line.push_right(cell_len(title)).add(title, self._palette.label).strip()


def _title(axis: Axis, scale: Scale) -> str:
    title = display_text(axis.title)
    return f"{title} (log)" if scale.log else title


def _cells(named: Sequence[Series]) -> int:
    """The width of a legend: sign, space, name and two spaces per entry."""
    return sum(cell_len(series.name) + 4 for series in named)
