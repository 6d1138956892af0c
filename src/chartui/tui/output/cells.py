"""What the terminal should show, cell by cell, according to the framework's updates."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from operator import is_
from typing import Final

from rich.cells import split_graphemes
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from chartui.core.text import is_plain
from chartui.tui.output.grid import COMPOUND, SEEN_ON_SPACES, TAIL, Look, Row

#: The combining marks at the start of a text, and a sign and a look for each of its cells.
_Cut = tuple[str, str, str]
#: Styles, segments and strips to remember. Many styles differ only in what a click does.
_STYLES, _SEGMENTS, _STRIPS = 4096, 512, 256
#: The number of compound signs; further ones become replacement characters.
_COMPOUNDS: Final = 0xFFFE


class Cells:
    """A picture for a terminal with the colors of ``system``.

    The second part of a row contains indexes of ``looks``. ``compounds`` maps code points that stand for something else
    to the text to write. ``filled`` is set once every cell is known.
    """

    def __init__(self, system: ColorSystem) -> None:
        self.rows: list[Row] = []
        self.looks: list[Look] = []
        self.compounds: dict[int, str] = {ord(TAIL): ""}
        self.size = (0, 0)
        self.filled = False
        self._system = system
        self._numbers: dict[Look, str] = {}
        self._signs: dict[str, str] = {}
        #: The strips of each row whose latest update covered the whole row.
        self._taken: list[list[Strip] | None] = []
        self._of_style = lru_cache(_STYLES)(self._looks_of)
        self._of_segment = lru_cache(_SEGMENTS)(self._cut)
        self._known: dict[int, tuple[Strip, _Cut]] = {}

    def resize(self, columns: int, lines: int) -> None:
        """Start over with an empty picture."""
        self.size, self.filled = (columns, lines), False
        self.rows = [(" " * columns, self._of_style(None)[1] * columns)] * lines
        self._taken = [None] * lines

    def take(self, update: LayoutUpdate | ChopsUpdate) -> None:
        """Apply an update the way the framework would write it to the terminal."""
        if isinstance(update, LayoutUpdate):
            x = update.region.x
            for y, row in enumerate(update.strips, update.region.y):
                if y < len(self.rows):
                    self._take_row(y, x, list(row))
            self.filled = True
            return
        for y, x1, x2 in update.spans:
            if y >= len(self.rows):
                continue
            self._taken[y] = None
            start = stop = 0
            strips: list[Strip] = []
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                # The framework writes nothing of a part that begins in the column after the span.
                if strip is None or x >= x2 or end <= x1:
                    continue
                if x != stop and strips:
                    self._write(y, start, strips)
                    strips = []
                start = start if strips else x
                strips.append(strip if end <= x2 else strip.crop(0, x2 - x))
                stop = x + strips[-1].cell_length
            if strips:
                self._write(y, start, strips)

    def _take_row(self, y: int, x: int, strips: list[Strip]) -> None:
        before = self._taken[y]
        if before is None or len(before) != len(strips) or not all(map(is_, before, strips)):
            self._taken[y] = strips
            self._write(y, x, strips)

    def _write(self, y: int, x: int, strips: list[Strip]) -> None:
        columns = self.size[0]
        _, signs, looks = self._of_strip(strips[0]) if len(strips) == 1 else self._joined(map(self._of_strip, strips))
        if not signs:
            return
        before, looks_before = self.rows[y]
        end = x + len(signs)
        left, right = before[:x], before[end:]
        # Overwriting one half of a wide sign erases the other half.
        if before[x : x + 1] == TAIL:
            left = left[:-1] + " "
        if right.startswith(TAIL):
            right = " " + right[1:]
        signs, looks = left + signs + right, looks_before[:x] + looks + looks_before[end:]
        if signs[columns : columns + 1] == TAIL:
            signs = signs[: columns - 1] + " "
        self.rows[y] = signs[:columns], looks[:columns]

    def _of_strip(self, strip: Strip) -> _Cut:
        # A row that scrolls is the same strip in another place. Strips have no hash, so they are known by identity.
        known = self._known.get(id(strip))
        if known is None:
            if len(self._known) == _STRIPS:
                self._known.clear()
            known = self._known[id(strip)] = strip, self._joined(map(self._of_segment, strip))
        return known[1]

    def _joined(self, cuts: Iterable[_Cut]) -> _Cut:
        first = ""
        signs: list[str] = []
        looks: list[str] = []
        for marks, cut, cut_looks in cuts:
            if not signs:
                first = marks
            elif marks:
                signs[-1] = self._marked(signs[-1], marks)
            signs.append(cut)
            looks.append(cut_looks)
        return first, "".join(signs), "".join(looks)

    def _cut(self, segment: Segment) -> _Cut:
        text, style, control = segment
        if control:
            return "", "", ""
        marks, cut = ("", text) if text.isascii() else self._signs_of(text)
        look, space = self._of_style(style)
        return marks, cut, "".join(map({" ": space}.get, cut, repeat(look))) if look != space else look * len(cut)

    def _signs_of(self, text: str) -> tuple[str, str]:
        spans = split_graphemes(text)[0]
        marks = text[: spans[0][1]] if spans and not spans[0][2] else ""
        cut = [self._sign(text[start:end]) + TAIL * (cells - 1) for start, end, cells in spans if cells]
        return marks, "".join(cut)

    def _marked(self, signs: str, marks: str) -> str:
        """Add combining marks to the last of some signs."""
        kept = signs.rstrip(TAIL)
        last = self.compounds.get(ord(kept[-1]), kept[-1]) if kept else ""
        return kept[:-1] + self._sign(last + marks) + signs[len(kept) :] if last else signs

    def _sign(self, text: str) -> str:
        if len(text) == 1 and ord(text) < COMPOUND:
            return text
        if text not in self._signs:
            number = COMPOUND + len(self._signs)
            if number >= COMPOUND + _COMPOUNDS:
                return "\N{REPLACEMENT CHARACTER}"
            self._signs[text] = chr(number)
            self.compounds[number] = text
        return self._signs[text]

    def _looks_of(self, style: Style | None) -> tuple[str, str]:
        """Return the indexes of a style's look, for signs and for spaces."""
        style = style or Style.null()
        attributes = style._attributes & style._set_attributes
        link = style.link if style.link and is_plain(style.link) else ""
        background = self._code(style.bgcolor, foreground=False)
        look = self._number(Look(attributes, self._code(style.color, foreground=True), background, link))
        return look, look if attributes & SEEN_ON_SPACES else self._number(Look(0, None, background, link))

    def _number(self, look: Look) -> str:
        if look not in self._numbers:
            self._numbers[look] = chr(len(self.looks))
            self.looks.append(look)
        return self._numbers[look]

    def _code(self, color: Color | None, *, foreground: bool) -> str:
        if color is None:
            return "39" if foreground else "49"
        return ";".join(color.downgrade(self._system).get_ansi_codes(foreground))
