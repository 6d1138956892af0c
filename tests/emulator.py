"""A terminal in memory: it obeys what a program writes, and answers its questions.

It knows what the program may send and no more: anything else is an error. Written from the descriptions of the
sequences (ECMA-48, and the terminals' own for margins, links and modes), not from the program that sends them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from unicodedata import category

from rich.cells import cell_len, get_character_cell_size

__all__ = ["Cell", "Emulator", "Kind"]

_TOKEN: Final = re.compile(
    r"\x1b\[(?P<private>[?<>=]?)(?P<codes>[0-9;:]*)(?P<between>[ !\"$']*)(?P<final>[@-~])"
    r"|\x1b[PX^_](?:[^\x1b]|\x1b(?!\\))*(?P<passed>\x1b\\)"
    r"|\x1b\](?P<said>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b(?P<short>[ -/]*[0-~])"
    r"|(?P<control>[\x00-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
#: The start of a sequence whose rest is still to come.
_BROKEN: Final = re.compile(
    r"\x1b(?:\[[?<>=]?[0-9;:]*[ !\"$']*|[PX^_](?:[^\x1b]|\x1b(?!\\))*|\][^\x07\x1b]*\x1b?|[ -/]*)?\Z"
)
_SIMPLE: Final = re.compile(r"[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2500-\u25fc\u2800-\u28ff]*")
#: Attributes by their codes, and what ends which.
_ATTRIBUTES: Final = {
    **{str(code): 1 << code - 1 for code in range(1, 10)},
    "21": 1 << 9,
    "51": 1 << 10,
    "52": 1 << 11,
    "53": 1 << 12,
}
_ENDED: Final = {
    "22": 3,
    "23": 4,
    "24": 8 | 1 << 9,
    "25": 48,
    "27": 64,
    "28": 128,
    "29": 256,
    "54": 3 << 10,
    "55": 1 << 12,
}
#: The attributes that are seen where no sign is.
_ON_BLANKS: Final = 8 | 48 | 64 | 256 | 1 << 9 | 3 << 10 | 1 << 12


class Look(NamedTuple):
    attributes: int = 0
    foreground: str = "39"
    background: str = "49"
    link: str = ""


class Cell(NamedTuple):
    """A sign, empty in the second half of a wide one, with its look; the foreground of a blank is not kept."""

    sign: str
    look: Look

    @property
    def seen(self) -> Cell:
        if self.sign != " " or self.look.attributes & _ON_BLANKS:
            return self
        return Cell(" ", self.look._replace(attributes=0, foreground=""))


@dataclass(frozen=True, slots=True)
class Kind:
    """What a terminal can do: erase in the background's color, and scroll between columns; what it answers."""

    erases: bool = True
    margins: bool = False
    #: The value for each mode that it tells of; an empty table is one that answers nothing.
    modes: Mapping[int, int] = field(default_factory=dict)
    alternate: bool = True
    #: Whether a vowel sign such as that of Hindi takes a cell, which the framework does not count.
    spaces_vowels: bool = False


class Emulator:
    """A terminal of ``columns`` x ``lines``; ``answer`` takes what it sends to the program."""

    def __init__(
        self, columns: int, lines: int, kind: Kind | None = None, answer: Callable[[str], None] | None = None
    ) -> None:
        self.kind = kind or Kind()
        self._answer = answer or (lambda _: None)
        self._rest = ""
        self.pen, self.x, self.y, self._at_end = Look(), 0, 0, False
        self._saved = (self.pen, 0, 0)
        self.modes: set[int] = {7, 25}
        self.titles: list[str] = []
        #: What was written outside the alternate screen, as text.
        self.stream = ""
        self.cleared = 0
        self.resize(columns, lines)

    def resize(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        before = getattr(self, "cells", [])
        empty = Cell(" ", Look())
        self.cells: list[list[Cell]] = [
            [before[y][x] if y < len(before) and x < len(before[y]) else empty for x in range(columns)]
            for y in range(lines)
        ]
        self.x, self.y = min(self.x, columns - 1), min(self.y, lines - 1)
        self._margins()

    @property
    def on_alternate(self) -> bool:
        return 1049 in self.modes

    @property
    def text(self) -> str:
        """What can be read: the screen of a full-screen program, else all that was written."""
        return "\n".join(self.rows) if self.on_alternate else self.stream

    @property
    def rows(self) -> list[str]:
        return ["".join(cell.sign for cell in row) for row in self.cells]

    @property
    def seen(self) -> list[list[Cell]]:
        """The cells as they look."""
        return [[cell.seen for cell in row] for row in self.cells]

    def feed(self, text: str) -> None:
        text = self._rest + text
        broken = _BROKEN.search(text)
        self._rest = text[broken.start() :] if broken else ""
        for token in _TOKEN.finditer(text[: len(text) - len(self._rest)]):
            kind = token.lastgroup
            if kind == "text":
                self._print(token[0])
            elif kind == "control":
                self._control(token[0])
            elif kind == "final":
                self._sequence(token["private"], token["codes"], token["between"] + token["final"])
            elif kind == "said":
                self._command(token["said"])
            elif kind == "short":
                self._short(token["short"])

    # -- text ---------------------------------------------------------------------------------------------------------

    def _print(self, text: str) -> None:
        if not self.on_alternate:
            self.stream += text
        if _SIMPLE.fullmatch(text):
            for sign in text:
                self._put(sign, 1)
            return
        for sign in text:
            cells = 1 if self.kind.spaces_vowels and category(sign) == "Mc" else get_character_cell_size(sign)
            before = self._before()
            if before is None or (cells and not self.cells[before[1]][before[0]].sign.endswith("\u200d")):
                if cells:
                    self._put(sign, cells)
                continue
            x, y = before
            cell = self.cells[y][x]
            joined = cell.sign + sign
            if sign == "\ufe0f" and cell_len(joined) > cell_len(cell.sign) and self.x == x + 1:
                self.x = x
                self._put(joined, 2)
            else:
                self.cells[y][x] = cell._replace(sign=joined)

    def _before(self) -> tuple[int, int] | None:
        x = self.x - (0 if self._at_end else 1)
        while x >= 0 and not self.cells[self.y][x].sign:
            x -= 1
        return (x, self.y) if x >= 0 else None

    def _put(self, sign: str, cells: int) -> None:
        if self._at_end and 7 in self.modes:
            self.x = 0
            self._line_feed()
        if self.x + cells > self.columns:
            self.x = max(0, self.columns - cells)
        row = self.cells[self.y]
        for x in range(self.x, self.x + cells):
            self._split(row, x)
        row[self.x] = Cell(sign, self.pen)
        if cells == 2:
            row[self.x + 1] = Cell("", self.pen)
        self._at_end = self.x + cells >= self.columns
        self.x = min(self.x + cells, self.columns - 1)

    def _split(self, row: list[Cell], x: int) -> None:
        """Half a wide sign that is overwritten leaves a blank in its other half."""
        if not row[x].sign and x:
            row[x - 1] = row[x - 1]._replace(sign=" ")
            row[x] = row[x]._replace(sign=" ")
        elif x + 1 < len(row) and not row[x + 1].sign:
            row[x + 1] = row[x + 1]._replace(sign=" ")

    def _control(self, sign: str) -> None:
        if not self.on_alternate and sign in "\n\r\t\b":
            self.stream += sign
        if sign == "\r":
            self.x, self._at_end = 0, False
        elif sign == "\n":
            self._line_feed()
        elif sign == "\b":
            self.x, self._at_end = max(0, self.x - 1), False
        elif sign == "\t":
            self.x = min(self.columns - 1, self.x // 8 * 8 + 8)
        else:
            assert sign == "\x07", f"an unknown control character: {sign!r}"

    def _line_feed(self) -> None:
        self._at_end = False
        if self.y == self.bottom:
            self._scroll(1)
        else:
            self.y = min(self.y + 1, self.lines - 1)

    # -- sequences ----------------------------------------------------------------------------------------------------

    def _sequence(self, private: str, codes: str, final: str) -> None:
        if final == "m" and not private:
            self._turn(codes)
            return
        numbers = [int(code or 0) for code in codes.split(";")]
        first = max(1, numbers[0])
        if private == "?" and final in "hl":
            for mode in numbers:
                self._set(mode, on=final == "h")
        elif private == "?" and final == "$p":
            if numbers[0] in self.kind.modes:
                self._answer(f"\x1b[?{numbers[0]};{self.kind.modes[numbers[0]]}$y")
        elif private or final in ("u", "t", "p", "!p"):
            assert final in ("u", "t", "p", "!p", "q", "c"), f"an unknown sequence: {private}{codes}{final}"
        elif final in _MOVES:
            self._at_end = False
            _MOVES[final](self, numbers)
        elif final in _EDITS:
            _EDITS[final](self, first if final in "XST" else numbers[0])
        elif final == "r":
            top, bottom = (*numbers, 0)[:2]
            self.top, self.bottom = max(top, 1) - 1, (bottom or self.lines) - 1
            self.x = self.y = 0
            self._at_end = False
        elif final == "s" and 69 in self.modes:
            left, right = (*numbers, 0)[:2]
            self.left, self.right = max(left, 1) - 1, (right or self.columns) - 1
            self.x = self.y = 0
            self._at_end = False
        else:
            raise AssertionError(f"an unknown sequence: {codes}{final}")

    def _turn(self, codes: str) -> None:
        rest = iter(codes.replace(":", ";").split(";"))
        for code in rest:
            look = self.pen
            if code in ("", "0"):
                look = Look(link=look.link)
            elif code in _ATTRIBUTES:
                look = look._replace(attributes=look.attributes | _ATTRIBUTES[code])
            elif code in _ENDED:
                look = look._replace(attributes=look.attributes & ~_ENDED[code])
            else:
                color = ";".join([code, *_rest_of_color(code, rest)])
                number = int(code)
                if number in range(30, 40) or number in range(90, 98):
                    look = look._replace(foreground=color)
                else:
                    assert number in range(40, 50) or number in range(100, 108), f"an unknown code: {codes}"
                    look = look._replace(background=color)
            self.pen = look

    def _set(self, mode: int, *, on: bool) -> None:
        if mode == 1049 and self.kind.alternate and on != self.on_alternate:
            self.cells = [[Cell(" ", Look())] * self.columns for _ in range(self.lines)]
            self.x = self.y = 0
        if mode == 69:
            if not self.kind.margins:
                return
            self.left, self.right = 0, self.columns - 1
        (self.modes.add if on else self.modes.discard)(mode)

    def _command(self, said: str) -> None:
        number, _, text = said.partition(";")
        if number == "8":
            self.pen = self.pen._replace(link=text.partition(";")[2])
        elif number in ("0", "2"):
            self.titles.append(text)
        else:
            assert number in ("9", "22", "52"), f"an unknown string: {said!r}"

    def _short(self, final: str) -> None:
        if final == "7":
            self._saved = (self.pen, self.x, self.y)
        elif final == "8":
            self.pen, self.x, self.y = self._saved
            self._at_end = False
        else:
            assert final in ("=", ">", "(B", "(0", "\\"), f"an unknown sequence: {final!r}"

    # -- areas --------------------------------------------------------------------------------------------------------

    def _margins(self) -> None:
        self.top, self.bottom, self.left, self.right = 0, self.lines - 1, 0, self.columns - 1
        self._at_end = False

    @property
    def _erased(self) -> Cell:
        return Cell(" ", Look(background=self.pen.background if self.kind.erases else "49"))

    def _blank(self, y: int, start: int, end: int) -> None:
        row = self.cells[y]
        for x in range(start, min(end, self.columns)):
            self._split(row, x)
            row[x] = self._erased

    def _erase_line(self, how: int) -> None:
        assert how in (0, 1, 2)
        self._blank(self.y, 0 if how else self.x, self.x + 1 if how == 1 else self.columns)

    def _erase_screen(self, how: int) -> None:
        assert how in (0, 2, 3)
        if how == 2:
            self.cleared += 1
        if how == 0:
            self._erase_line(0)
        for y in range(self.y + 1 if how == 0 else 0, self.lines):
            self._blank(y, 0, self.columns)

    def _erase_cells(self, count: int) -> None:
        self._blank(self.y, self.x, self.x + count)

    def _scroll(self, count: int) -> None:
        """Move the lines between the margins up; down if negative."""
        left, right = self.left, self.right + 1
        parts = {y: self.cells[y][left:right] for y in range(self.top, self.bottom + 1)}
        for y in parts:
            self.cells[y][left:right] = parts.get(y + count) or [self._erased] * (right - left)


def _rest_of_color(code: str, rest: Iterator[str]) -> list[str]:
    if code not in ("38", "48"):
        return []
    kind = next(rest)
    assert kind in ("2", "5"), f"an unknown kind of color: {kind}"
    return [kind, *(next(rest) for _ in range(3 if kind == "2" else 1))]


def _to(emulator: Emulator, x: int, y: int) -> None:
    emulator.x, emulator.y = max(0, min(x, emulator.columns - 1)), max(0, min(y, emulator.lines - 1))


_MOVES: Final[Mapping[str, Callable[[Emulator, list[int]], None]]] = {
    "A": lambda e, n: _to(e, e.x, e.y - max(1, n[0])),
    "B": lambda e, n: _to(e, e.x, e.y + max(1, n[0])),
    "C": lambda e, n: _to(e, e.x + max(1, n[0]), e.y),
    "D": lambda e, n: _to(e, e.x - max(1, n[0]), e.y),
    "G": lambda e, n: _to(e, max(1, n[0]) - 1, e.y),
    "H": lambda e, n: _to(e, max(1, (*n, 1)[1]) - 1, max(1, n[0]) - 1),
}
_EDITS: Final[Mapping[str, Callable[[Emulator, int], None]]] = {
    "J": Emulator._erase_screen,
    "K": Emulator._erase_line,
    "X": Emulator._erase_cells,
    "S": Emulator._scroll,
    "T": lambda e, n: e._scroll(-n),
}
