"""Screenshots as SVG that look the same everywhere: in a browser, in an ``<img>`` and in ``rsvg-convert``.

The framework's drawing loads a font from elsewhere. Without that font, lines break and columns drift. This one loads
nothing: cells are 12 by 24 units, every word begins in its own column, and box characters, blocks and Braille are
shapes that fill their cells exactly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape, unescape
from itertools import groupby
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.text import cell_width

_W: Final = 12
_H: Final = 24
#: The size of the framework's cells, the unit of its drawing.
_FROM_W: Final = 12.2
_FROM_H: Final = 24.4
#: The baseline of a letter, from the top of its cell.
_BASE: Final = 18
_LEFT: Final = 9
_TOP: Final = 41
#: Fonts of several systems with letters 0.6 of their size wide, like the cells.
_FONTS: Final = "'DejaVu Sans Mono', Menlo, 'Cascadia Mono', 'Liberation Mono', Consolas, monospace"

_SIZE = re.compile(r'clip-terminal">\s*<rect x="0" y="0" width="([\d.]+)" height="([\d.]+)"')
_GROUND = re.compile(r'<rect fill="([^"]+)" stroke="rgba')
_TITLE = re.compile(r'-title"[^>]*>([^<]*)</text>')
_STYLE = re.compile(r"-r(\d+) \{ fill: (#\w+)([^}]*)\}")
_RECT = re.compile(r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="24.65"')
_TEXT = re.compile(r'<text class="[\w-]+-r(\d+)" x="([\d.]+)"[^>]*-line-(\d+)\)">([^<]*)</text>')
#: What :func:`_row` draws.
_LINE = re.compile(r'^<g transform="translate\(0 (\d+)\)">(.*)$', re.MULTILINE)
#: A word whose width every monospaced font knows, or one other sign. Longer words are split, since not every program
#: obeys ``textLength`` and differences in width add up.
_PIECE = re.compile(r"[!-~\u00a1-\u024f]{1,16}|[^\s\u00a0]")


class _Style(NamedTuple):
    fill: str
    more: str
    line: int | None  # the offset of a line through the text or below it

    @classmethod
    def of(cls, fill: str, css: str) -> _Style:
        more = ' font-weight="bold"' * ("bold" in css) + ' font-style="italic"' * ("italic" in css)
        return cls(fill, more, 20 if "underline" in css else 12 if "line-through" in css else None)


class Run(NamedTuple):
    """Text of one style, from a column on."""

    column: int
    text: str
    style: _Style


class Back(NamedTuple):
    """A background of some cells, from a column on."""

    column: int
    width: int
    fill: str


class Rows(NamedTuple):
    """Rows of ``columns`` cells: the backgrounds and the text of each, the window's own color, and its title."""

    columns: int
    behind: list[list[Back]]
    runs: list[list[Run]]
    ground: str
    title: str

    @classmethod
    def of(cls, svg: str) -> Rows:
        """What the framework's drawing shows; raises ``ValueError`` for any other drawing."""
        size, ground = _SIZE.search(svg), _GROUND.search(svg)
        if size is None or ground is None:
            raise ValueError("not a drawing from the framework")
        columns, rows = round((float(size[1]) + 1) / _FROM_W), round((float(size[2]) + 1) / _FROM_H)
        styles = {number: _Style.of(fill, css) for number, fill, css in _STYLE.findall(svg)}
        behind: list[list[Back]] = [[] for _ in range(rows)]
        for fill, x, y, width in _RECT.findall(svg):
            back = Back(round(float(x) / _FROM_W), round(float(width) / _FROM_W), fill)
            behind[round((float(y) - 1.5) / _FROM_H)].append(back)
        runs: list[list[Run]] = [[] for _ in range(rows)]
        for number, x, row, text in _TEXT.findall(svg):
            runs[int(row)].append(Run(round(float(x) / _FROM_W), unescape(text), styles[number]))
        title = _TITLE.search(svg)
        return cls(columns, behind, runs, ground[1], title[1] if title else "")

    @property
    def common(self) -> str:
        """The most frequent background, drawn once; cells without their own have the window's."""
        counts = {self.ground: self.columns * len(self.behind)}
        for row in self.behind:
            for _, width, fill in row:
                counts[self.ground] -= width
                counts[fill] = counts.get(fill, 0) + width
        return max(counts, key=counts.__getitem__)

    def drawing(self, lines: int, inside: Iterable[str], style: str = "") -> str:
        """A window of ``lines`` rows with ``inside`` drawn in it, row by row, and a style sheet."""
        window = _window(self.columns * _W, lines * _H, self.ground, self.common, self.title)
        begin = next(window)
        if style:
            begin += f"\n<style>{style}</style>"
        return "\n".join((begin, *window, *inside, "</g>", "</svg>", ""))


def self_contained(svg: str) -> str:
    """Convert the framework's drawing of a screen; raises ``ValueError`` for any other drawing."""
    rows = Rows.of(svg)
    drawn = (draw_row(number, *row, rows.common) for number, row in enumerate(zip(rows.behind, rows.runs, strict=True)))
    return rows.drawing(len(rows.behind), drawn)


def drawn_lines(svg: str) -> dict[int, str]:
    """The drawing of each line of the screen, counted from 1, in an SVG of :func:`self_contained`."""
    return {(int(found[1]) - _BASE) // _H + 1: found[2] for found in _LINE.finditer(svg)}


def _window(width: int, height: int, ground: str, common: str, title: str) -> Iterator[str]:
    across, down = width + 2 * _LEFT, height + _TOP + _LEFT
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}">'
    yield (
        f'<rect x="1" y="1" width="{across - 2}" height="{down - 2}" rx="8" fill="{ground}" stroke="#fff" '
        'stroke-opacity=".35"/>'
    )
    for place, fill in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{26 + 22 * place}" cy="22" r="7" fill="{fill}"/>'
    if title:
        yield (
            f'<text x="{across // 2}" y="27" text-anchor="middle" font-family="{_FONTS}" font-weight="bold" '
            f'font-size="18" fill="#c5c8c6">{title}</text>'
        )
    yield (
        f'<g transform="translate({_LEFT} {_TOP})" font-family="{_FONTS}" font-size="20" '
        'style="font-variant-ligatures:none">'
    )
    yield f'<rect width="{width}" height="{height}" fill="{common}"/>'


def draw_row(number: int, behind: Iterable[Back], runs: Iterable[Run], common: str) -> str:
    """One line of the screen as a line of the file; heights count from the baseline."""
    crisp, drawn = _Paths(), _Paths()
    written: list[str] = []
    for column, width, fill in behind:
        if fill != common:
            crisp.add(fill, _rect(column * _W, 0, width * _W, _H))
    for run in runs:
        column = run.column
        for shape, signs in groupby(run.text, _drawing_of):
            text = "".join(signs)
            if shape is None:
                written += _words(column, text, run.style)
            else:
                paths = crisp if shape.crisp else drawn
                paths.add(run.style.fill, shape.path(column * _W, len(text)), shape.opacity)
            column += cell_width(text)
        if run.style.line is not None:
            drawn.add(run.style.fill, _rect(run.column * _W, run.style.line, (column - run.column) * _W, 1))
    blocks = f'<g shape-rendering="crispEdges">{crisp}</g>' if crisp else ""
    return f'<g transform="translate(0 {number * _H + _BASE})">{blocks}{drawn}{"".join(written)}</g>'


class _Paths(dict[str, str]):
    """The shapes to draw, by fill."""

    def add(self, fill: str, path: str, opacity: str = "") -> None:
        paint = f'fill="{fill}"' + (f' fill-opacity="{opacity}"' if opacity else "")
        self[paint] = self.get(paint, "") + path

    def __str__(self) -> str:
        return "".join(f'<path {paint} d="{path}"/>' for paint, path in self.items())


def _words(column: int, text: str, style: _Style) -> Iterator[str]:
    """Every word in its column, regardless of the width of the words before it."""
    for found in _PIECE.finditer(text):
        x = (column + cell_width(text[: found.start()])) * _W
        length = f' textLength="{cell_width(found[0]) * _W}"' if len(found[0]) > 1 else ""
        yield f'<text x="{x}"{length} fill="{style.fill}"{style.more}>{escape(found[0], quote=False)}</text>'


def _rect(x: float, y: float, width: float, height: float) -> str:
    return f"M{x:g} {y - _BASE:g}h{width:g}v{height:g}h{-width:g}z"


# -- shapes -----------------------------------------------------------------------------------------------------------

#: Left, top, width and height in the cell.
Rect = tuple[float, float, float, float]


class _Shape(NamedTuple):
    """How a sign is drawn: rectangles, or outlines starting at the cell's corner."""

    rects: tuple[Rect, ...] = ()
    outlines: tuple[str, ...] = ()
    opacity: str = ""
    crisp: bool = False

    def path(self, x: int, times: int) -> str:
        """The sign, repeated from ``x`` on; a sign that spans whole cells is one piece."""
        if not self.outlines and all(width == _W for _, _, width, _ in self.rects):
            return "".join(_rect(x, top, times * _W, height) for _, top, _, height in self.rects)
        return "".join(self._once(x + place * _W) for place in range(times))

    def _once(self, x: int) -> str:
        outlines = (f"M{x} {-_BASE}{outline}" for outline in self.outlines)
        return "".join((*outlines, *(_rect(x + left, *rest) for left, *rest in self.rects)))


def is_shape(sign: str) -> bool:
    """Whether a sign is drawn: box characters, blocks and Braille."""
    return "\u2500" <= sign <= "\u259f" or "\u2800" <= sign <= "\u28ff"


@lru_cache(maxsize=512)
def _drawing_of(sign: str) -> _Shape | None:
    if not is_shape(sign):
        return None
    if sign >= "\u2800":
        return _Shape(tuple(_dots(ord(sign) - 0x2800)))
    if sign >= "\u2580":
        return _block(sign)
    return _box(sign)


def _dots(pattern: int) -> Iterator[Rect]:
    """The dots of a Braille sign: two columns of four, the lowest ones last (bits 6 and 7)."""
    places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    for bit, (column, row) in enumerate(places):
        if pattern >> bit & 1:
            yield (1.5 + 6 * column, 1.5 + 6 * row, 3, 3)


def _block(sign: str) -> _Shape:
    number = ord(sign) - 0x2580
    if 17 <= number <= 19:
        return _Shape(((0, 0, _W, _H),), opacity=f"{(number - 16) / 4:g}", crisp=True)
    rects: tuple[Rect, ...]
    if number == 0:
        rects = ((0, 0, _W, _H / 2),)
    elif number <= 8:
        rects = ((0, _H - 3 * number, _W, 3 * number),)
    elif number <= 15:
        rects = ((0, 0, 1.5 * (16 - number), _H),)
    elif number == 16:
        rects = ((_W / 2, 0, _W / 2, _H),)
    elif number == 20:
        rects = ((0, 0, _W, 3),)
    elif number == 21:
        rects = ((_W - 1.5, 0, 1.5, _H),)
    else:
        name = unicodedata.name(sign)
        rects = tuple((x, y, _W / 2, _H / 2) for words, (x, y) in _QUARTERS.items() if words in name)
    return _Shape(rects, crisp=True)


_QUARTERS: Final = {
    "UPPER LEFT": (0, 0),
    "UPPER RIGHT": (_W / 2, 0),
    "LOWER LEFT": (0, _H / 2),
    "LOWER RIGHT": (_W / 2, _H / 2),
}
_WEIGHTS: Final = {"LIGHT": 1, "SINGLE": 1, "HEAVY": 2, "DOUBLE": 3}
_SIDES: Final = {"LEFT": "L", "RIGHT": "R", "UP": "U", "DOWN": "D", "HORIZONTAL": "LR", "VERTICAL": "UD"}
_DASHES: Final = {"DOUBLE DASH": 2, "TRIPLE DASH": 3, "QUADRUPLE DASH": 4}
#: Half the thickness of a line, and how far the two lines of a double one are from the middle.
_HALF: Final = (0, 1, 2, 1)
_APART: Final = 2
_DOUBLE: Final = 3
_ARCS: Final = {
    "DOWN AND RIGHT": "m5 24.5v-6.5a7 7 0 0 1 7 -7v2a5 5 0 0 0 -5 5v6.5z",
    "DOWN AND LEFT": "m7 24.5v-6.5a7 7 0 0 0 -7 -7v2a5 5 0 0 1 5 5v6.5z",
    "UP AND LEFT": "m7 0v6a7 7 0 0 1 -7 7v-2a5 5 0 0 0 5 -5v-6z",
    "UP AND RIGHT": "m5 0v6a7 7 0 0 0 7 7v-2a5 5 0 0 1 -5 -5v-6z",
}
_RISING: Final = "m10.9 0h2.2l-12 24h-2.2z"
_FALLING: Final = "m-1.1 0h2.2l12 24h-2.2z"
_DIAGONALS: Final = {"╱": (_RISING,), "╲": (_FALLING,), "╳": (_RISING, _FALLING)}


def _box(sign: str) -> _Shape:
    """A box character; its name says where its lines go and how heavy they are."""
    if sign in _DIAGONALS:
        return _Shape(outlines=_DIAGONALS[sign])
    name = unicodedata.name(sign).removeprefix("BOX DRAWINGS ")
    if name.startswith("LIGHT ARC "):
        return _Shape(outlines=(_ARCS[name.removeprefix("LIGHT ARC ")],))
    for dash, number in _DASHES.items():
        if dash in name:
            half, lying = _HALF[_WEIGHTS[name.split()[0]]], "HORIZONTAL" in name
            sizes = (_W, _H) if lying else (_H, _W)
            return _Shape(_turned(_dashes(number, half, *sizes), across=lying))
    arms, weight = dict.fromkeys("LRUD", 0), 0
    for part in name.split(" AND "):
        words = part.split()
        weight = next((_WEIGHTS[word] for word in words if word in _WEIGHTS), weight)
        arms |= {side: weight for word in words for side in _SIDES.get(word, "")}
    left, right, up, down = arms.values()
    lines = (
        *_turned(_lines((left, right), (up, down), _W, _H), across=True),
        *_turned(_lines((up, down), (left, right), _H, _W), across=False),
    )
    # Rows are painted one by one: without an overlap, scaling leaves a seam in every vertical line.
    return _Shape(tuple((x, y, width, height + 0.5 * (y + height == _H)) for x, y, width, height in lines))


def _turned(lines: Iterable[Rect], *, across: bool) -> tuple[Rect, ...]:
    """Rectangles along a line, turned to their direction in the cell."""
    return tuple(line if across else (line[1], line[0], line[3], line[2]) for line in lines)


def _dashes(number: int, half: int, length: int, width: int) -> Iterator[Rect]:
    step = length / number
    for place in range(number):
        yield (place * step + 1, width / 2 - half, step - 2, 2 * half)


def _lines(arms: tuple[int, int], others: tuple[int, int], length: int, width: int) -> Iterator[Rect]:
    """The lines of one direction: their weights before and after the middle, and those of the lines they meet."""
    straight = arms[0] == arms[1] and not (arms[0] == _DOUBLE in others)
    for end, weight in enumerate(arms[:1] if straight else arms):
        half = _HALF[weight]
        for offset in (-_APART, _APART) if weight == _DOUBLE else (0,) if weight else ():
            beyond = _beyond(offset, others, through=all(arms))
            long = length if straight else length / 2 + beyond
            yield (length - long if end else 0, width / 2 + offset - half, long, 2 * half)


def _beyond(offset: int, others: tuple[int, int], *, through: bool) -> int:
    """How far a line goes beyond the middle, to meet crossing lines without a gap or an overlap."""
    if offset and _DOUBLE in others:
        near, far = others if offset < 0 else others[::-1]
        return 1 - _APART if near == _DOUBLE else 0 if through or not far else _APART + 1
    if others == (_DOUBLE, _DOUBLE) and not through:
        return 1 - _APART
    return max(_HALF[other] + (_APART if other == _DOUBLE else 0) for other in others)
