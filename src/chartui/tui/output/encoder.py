"""The text that turns one picture on a terminal into another, as short as possible."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from operator import itemgetter, ne, or_
from typing import Final
from unicodedata import category

from chartui.core.classes import NamedTuple
from chartui.tui.output.grid import COMPOUND, PLAIN, SEEN_ON_SPACES, TAIL, Look, Row

#: A column and a row, counted from 0. None: unknown.
Place = tuple[int, int] | None

#: The SGR code of each attribute; the codes that switch attributes off, with the attributes.
_ON: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
_OFF: Final = (
    (0b11, "22"),
    (0b100, "23"),
    (0b10_0000_1000, "24"),
    (0b11_0000, "25"),
    (0b100_0000, "27"),
    (0b1000_0000, "28"),
    (0b1_0000_0000, "29"),
    (0b1100_0000_0000, "54"),
    (0b1_0000_0000_0000, "55"),
)
#: The index of no look, for cells whose content is unknown.
_UNKNOWN: Final = chr(0x10FFFF)
#: Signs that every terminal shows in one cell, including box drawing; a pattern for any other sign.
_SURE: Final = r"\x20-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2000-\u2bff"
_UNSURE: Final = re.compile(f"[^{_SURE}]|.{TAIL}")
#: A sign that terminals disagree on, followed by an absolute column: wide, compound, or an emoji.
_PLACED: Final = re.compile(f".{TAIL}|[\U0001f000-\U0001faff{chr(COMPOUND)}-\U0010ffff]")
#: The largest gap between two changes that is rewritten instead of skipped, in cells.
_SHORT_GAP: Final = 4
#: The bytes that it usually takes to return to a background.
_RETURN: Final = 9
#: The bytes that it takes to erase a part of a row.
_ERASING: Final = 8
#: Scrolling is considered if so many rows changed and so many of them match; the narrowest pane, in columns.
_LEAST_CHANGED, _LEAST_MATCHES, _NARROWEST = 4, 2, 10
#: From so many rows on, scrolling all rows of a pane away is shorter than erasing them one by one.
_LEAST_EMPTIED: Final = 6
#: The largest share of the changed rows that may still differ after scrolling; otherwise both ways are compared.
_WORTH_SCROLLING: Final = 0.5
_BAR: Final = re.compile("[│┃║|]")


class Abilities(NamedTuple):
    """What a terminal can do: erase with the background color, and scroll between two columns.

    ``whole`` is false if the picture covers only a part of the window, and the rest must not change.
    """

    erases: bool = False
    margins: bool = False
    whole: bool = True


class Frame(NamedTuple):
    """A text for the terminal, empty if nothing changes, and the pen and place afterwards."""

    text: str
    pen: Look | None
    place: Place


class Pictures(NamedTuple):
    """The picture that the terminal shows (None: unknown), the one it should show, and the meaning of their rows."""

    shown: Sequence[Row] | None
    wanted: Sequence[Row]
    looks: Sequence[Look]
    compounds: Mapping[int, str]


def encode(pictures: Pictures, pen: Look | None, place: Place, abilities: Abilities, *, caret: Place = None) -> Frame:
    """Return a short frame that shows the wanted picture.

    The terminal's pen (None: unknown) and place are given; the frame ends at ``caret`` if there is one.
    """
    best = _Writer(pictures, pen, place, abilities)
    if pictures.shown is None:
        best.first_picture()
    else:
        changed = _changed(pictures.shown, pictures.wanted)
        if not changed:
            return Frame("", pen, place)
        scroll = _found(pictures, changed, abilities) if abilities.whole else None
        if scroll is None:
            best.difference(pictures.shown, changed)
        elif best.scroll(pictures.shown, scroll) > len(changed) * _WORTH_SCROLLING:
            plain = _Writer(pictures, pen, place, abilities)
            plain.difference(pictures.shown, changed)
            best = min(plain, best, key=lambda writer: writer.size)
    if caret is not None:
        best.go(*caret)
    return Frame("".join(best.parts), best.pen, best.place)


class _Writer:
    """Collects the parts of a frame and keeps track of the terminal's pen and place."""

    def __init__(self, pictures: Pictures, pen: Look | None, place: Place, abilities: Abilities) -> None:
        self.pen, self.place = pen, place
        self.parts: list[str] = []
        self._wanted, self._looks, self._compounds = pictures.wanted, pictures.looks, pictures.compounds
        self._width = len(pictures.wanted[0][0])
        self._abilities = abilities
        #: Parts of rows to write later, by look.
        self._later: dict[str, list[_Part]] = {}

    @property
    def size(self) -> int:
        return len("".join(self.parts).encode())

    # -- pictures -----------------------------------------------------------------------------------------------------

    def first_picture(self) -> None:
        """Clear the window with the most frequent background, and write the rest."""
        number = _UNKNOWN
        if self._abilities.whole:
            number = self._turn_to_ground(looks for _, looks in self._wanted)
            self.parts.append("\x1b[2J")
        empty = (" " * self._width, number * self._width)
        self.difference([empty] * len(self._wanted), range(len(self._wanted)))

    def difference(self, shown: Sequence[Row], rows: Sequence[int]) -> None:
        for y in rows:
            for start, end in self._runs(shown[y], self._wanted[y]):
                self._run(y, start, end)
        self._write_later()

    def scroll(self, shown: Sequence[Row], scroll: _Scroll) -> int:
        """Scroll, and write the remaining differences; return the number of rows that still differed."""
        left, right = scroll.columns or (0, self._width)
        top, bottom, by = scroll.top, scroll.bottom + 1, scroll.by
        cleared = self._wanted[bottom - by : bottom] if by > 0 else self._wanted[top : top - by]
        ground = self._turn_to_ground(looks[left:right] for _, looks in cleared)
        step = _step(abs(by), "S" if by > 0 else "T")
        region = f"\x1b[{top + 1};{bottom}r"
        between, behind = (f"\x1b[?69h\x1b[{left + 1};{right}s", "\x1b[?69l") if scroll.columns else ("", "")
        self.parts.append(f"{between}{region}{step}{behind}\x1b[r")
        self.place = (0, 0)
        empty = (" " * (right - left), ground * (right - left))
        after = list(shown)
        for y in range(top, bottom):
            source = y + by
            signs, looks = shown[y]
            inner = empty
            if top <= source < bottom:
                inner = shown[source][0][left:right], shown[source][1][left:right]
            after[y] = signs[:left] + inner[0] + signs[right:], looks[:left] + inner[1] + looks[right:]
        changed = _changed(after, self._wanted)
        self.difference(after, changed)
        return len(changed)

    def _turn_to_ground(self, rows: Iterable[str]) -> str:
        """Take the most frequent background of some rows for what is cleared; return the look of its cells."""
        for look, _ in Counter("".join(rows)).most_common():
            if self._erasable(look):
                self.turn(self._looks[ord(look)])
                return look
        self.turn(PLAIN)
        return _UNKNOWN

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _runs(self, old: Row, new: Row) -> Iterator[tuple[int, int]]:
        """Return the parts of a row to write: the first column of each, and the one after the last."""
        differ = map(or_, map(ne, old[0], new[0]), map(ne, old[1], new[1]))
        changed = list(compress(range(self._width), differ))
        if not changed:
            return
        unsure = [found.start() for row in (old, new) if (found := _UNSURE.search(row[0]))]
        if unsure:
            yield min(*unsure, changed[0]), changed[-1] + 1
            return
        start = changed[0]
        for last, x in pairwise(changed):
            if x == last + 1:
                continue
            gap = x - last - 1
            if not self._is_ground(new[1][last : x + 1]) and (
                gap > _SHORT_GAP or self._cost(new, last, x) > min(gap + 2, 4)
            ):
                yield start, last + 1
                start = x
        yield start, changed[-1] + 1

    def _is_ground(self, looks: str) -> bool:
        """Whether all these cells can be erased together."""
        return looks.count(looks[0]) == len(looks) and self._erasable(looks[0])

    def _cost(self, row: Row, last: int, x: int) -> int:
        """Return how many more bytes it takes to rewrite the cells between two cells than to change the pen."""
        path = [self._looks[ord(each)] for each in row[1][last : x + 1]]
        pen = path[0] if path[0].foreground is not None else path[0]._replace(foreground="39")
        direct, cost = len(_turned(pen, path[-1])[0]), len(row[0][last + 1 : x].encode())
        for look in path[1:]:
            codes, pen = _turned(pen, look)
            cost += len(codes)
        return cost - direct

    def _run(self, y: int, start: int, end: int) -> None:
        """Write a part of a row, or note what can be written later."""
        signs, looks = self._wanted[y]
        unsure = _UNSURE.search(signs, start, end) is not None
        parts = list(_parts(looks, y, start, end))
        ground = self._ground(parts) if len(parts) > 2 else None
        if ground is not None:
            # Erase the whole part first, and skip the spaces in it.
            background = self._looks[ord(ground)].background
            if unsure or any(self._looks[ord(part.look)].background != background for part in parts):
                self._write(_Part(y, start, end, ground), last=True)
            else:
                self._later.setdefault(ground, []).append(_Part(y, start, end, ground))
            parts = [part for part, near in zip(parts, _near(parts), strict=True) if part.look != ground or near]
        if unsure:
            parts = self._write_unsure(parts)
        later, before = None, None
        for part in parts:
            look = self._looks[ord(part.look)]
            if later is None or look.foreground is not None or look[2:] != before:
                # Spaces are written with what is before them.
                later, before = self._later.setdefault(part.look, []), look[2:]
            later.append(part)

    def _ground(self, parts: Sequence[_Part]) -> str | None:
        """Return the look of most spaces, if it is worth erasing the whole part first."""
        saved: Counter[str] = Counter()
        for part, near in zip(parts, _near(parts), strict=True):
            if not near and self._erasable(part.look):
                saved[part.look] += min(part.stop - part.x, _SHORT_GAP + 1)
        look, most = max(saved.items(), key=itemgetter(1), default=("", 0))
        return look if most > _ERASING else None

    def _write_later(self) -> None:
        """Write what was noted, look by look: a move is shorter than a change of the pen."""
        looks = {number: self._looks[ord(number)] for number in self._later}
        while looks:
            # What is erased comes before the signs on it.
            erased = {look.background for look in looks.values() if look.foreground is None}
            ready = [each for each in looks.items() if each[1].foreground is None or each[1].background not in erased]
            number, _ = min(ready, key=lambda each: self._price(each[1]))
            del looks[number]
            parts = self._later[number]
            for part, following in zip(parts, [*parts[1:], None], strict=True):
                self._write(part, last=following is None or following[:2] != (part.y, part.stop))
        self._later.clear()

    def _price(self, look: Look) -> int:
        """Return how many bytes it takes to turn to a look, and back if it leaves the background."""
        stays = self.pen is not None and look.background == self.pen.background
        return len(_turned(self.pen, look)[0]) + (0 if stays else _RETURN)

    def _write_unsure(self, parts: list[_Part]) -> list[_Part]:
        """Write parts of a row from left to right, up to the look after the last doubtful sign; return the others."""
        y, x, stop = parts[0].y, parts[0].x, parts[-1].stop
        signs = self._wanted[y][0]
        # Some terminals give vowel signs, such as those of Hindi, a cell. With spaces written first, the signs cover
        # some of them, and nothing overwrites the signs.
        spread = any(category(sign) == "Mc" for sign in signs[x:stop].translate(self._compounds))
        others: list[_Part] = []
        if spread:
            parts.sort(key=lambda part: not _is_padding(signs[part.x : part.stop]))
        else:
            last = max(n for n, part in enumerate(parts) if _UNSURE.search(signs, part.x, part.stop))
            ends = (n for n in range(last + 1, len(parts)) if self._is_other(parts[n].look, parts[last].look))
            end = next(ends, len(parts))
            parts, others = parts[:end], parts[end:]
        for part in parts:
            if spread and self.place != (part.x, y):
                self.place = None
            self._write(part, last=part.stop == stop, change=self._signs if spread else self._placed)
        if spread or _UNSURE.search(_PLACED.sub("", signs[x : parts[-1].stop])):
            self.place = None
        return others

    def _is_other(self, look: str, before: str) -> bool:
        """Whether signs have another look than those before them."""
        return look != before and self._looks[ord(look)].foreground is not None

    def _write(self, part: _Part, *, last: bool, change: Callable[[str, int], str] | None = None) -> None:
        look = self._looks[ord(part.look)]
        self.turn(look)
        if self._erasable(part.look) and self._erase(part.x, part.y, part.stop, last=last):
            return
        self.go(part.x, part.y)
        text = self._wanted[part.y][0][part.x : part.stop]
        self.parts.append(change(text, part.x) if change else text)
        self.place = (part.stop, part.y) if part.stop < self._width else None

    def _placed(self, text: str, x: int) -> str:
        return self._signs(_PLACED.sub(lambda found: f"{found[0]}\x1b[{x + found.end() + 1}G", text))

    def _signs(self, text: str, _x: int = 0) -> str:
        return text.translate(self._compounds)

    def _erasable(self, number: str) -> bool:
        """Whether erased cells have this look."""
        look = self._looks[ord(number)]
        return look.foreground is None and not look.link and (self._abilities.erases or look.background == "49")

    def _erase(self, x: int, y: int, stop: int, *, last: bool) -> bool:
        """Erase some cells if that is shorter than writing spaces; return whether it is."""
        count = stop - x
        if stop == self._width and self._abilities.whole and count > 3:
            self.go(x, y)
            self.parts.append("\x1b[K")
        elif count > (4 if last else 8):
            self.go(x, y)
            self.parts.append(f"\x1b[{count}X")
        else:
            return False
        return True

    # -- the terminal -------------------------------------------------------------------------------------------------

    def turn(self, look: Look) -> None:
        """Change the pen so that it writes this look."""
        codes, self.pen = _turned(self.pen, look)
        if codes:
            self.parts.append(codes)

    def go(self, x: int, y: int) -> None:
        """Move to a cell with the shortest sequence."""
        if self.place == (x, y):
            return
        self.parts.append(_move(self.place, x, y))
        self.place = (x, y)


def _is_padding(text: str) -> bool:
    return len(text) > 1 and text.isspace()


class _Part(NamedTuple):
    """A part of a row with one look, from column ``x`` up to ``stop``."""

    y: int
    x: int
    stop: int
    look: str


def _parts(looks: str, y: int, start: int, end: int) -> Iterator[_Part]:
    """Divide a part of a row by look."""
    while start < end:
        rest = looks[start:end]
        stop = end - len(rest.lstrip(looks[start]))
        yield _Part(y, start, stop, looks[start])
        start = stop


def _near(parts: Sequence[_Part]) -> Iterator[bool]:
    """Return which parts are short and between parts of one look."""
    for before, part, after in zip([None, *parts], parts, [*parts[1:], None], strict=False):
        short = part.stop - part.x <= _SHORT_GAP
        yield short and before is not None and after is not None and before.look == after.look


@lru_cache(4096)
def _turned(pen: Look | None, look: Look) -> tuple[str, Look]:
    """Return the sequence from a pen to a look, and the new pen, which may differ in ways that spaces do not show."""
    if look.foreground is None:
        kept = pen or PLAIN
        after = look._replace(attributes=kept.attributes & ~SEEN_ON_SPACES, foreground=kept.foreground)
        fresh = look._replace(foreground="39")
    else:
        after = fresh = look
    link = f"\x1b]8;;{look.link}\x1b\\" if look.link != (pen or PLAIN).link else ""
    reset = _sequence(PLAIN, fresh, reset=True)
    if pen is None:
        return link + reset, fresh
    change = _sequence(pen, after)
    return (link + change, after) if len(change) <= len(reset) else (link + reset, fresh)


def _sequence(pen: Look, look: Look, *, reset: bool = False) -> str:
    """Return the SGR sequence from ``pen`` to ``look``; with ``reset``, from any pen."""
    codes = ["0"] if reset else []
    attributes = pen.attributes
    if attributes != look.attributes:
        for ended, code in _OFF:
            if attributes & ended & ~look.attributes:
                attributes &= ~ended
                codes.append(code)
        codes += [code for bit, code in enumerate(_ON) if look.attributes & ~attributes & 1 << bit]
    codes += [look.foreground] if look.foreground not in (None, pen.foreground) else []
    codes += [look.background] if look.background != pen.background else []
    return f"\x1b[{'' if codes == ['0'] else ';'.join(codes)}m" if codes else ""


@lru_cache(4096)
def _move(place: Place, x: int, y: int) -> str:
    column = f";{x + 1}" if x else ""
    best = f"\x1b[{y + 1 if y or x else ''}{column}H"
    if place is None:
        return best
    ways = [best]
    across, down = x - place[0], y - place[1]
    right = _step(x, "C") if x else ""
    if not down:
        ways += [_step(across, "C") if across > 0 else _step(-across, "D"), "\r" + right, f"\x1b[{x + 1}G"]
    elif not across:
        ways.append(_step(down, "B") if down > 0 else _step(-down, "A"))
    elif down == 1:
        # The system inserts another carriage return before the line feed.
        ways.append("\r\n" + right)
    return min(ways, key=lambda way: len(way) + way.count("\n"))


def _step(count: int, letter: str) -> str:
    return f"\x1b[{count if count > 1 else ''}{letter}"


# -- scrolling --------------------------------------------------------------------------------------------------------


class _Scroll(NamedTuple):
    """Rows ``top`` to ``bottom`` move up by ``by`` rows (negative: down), in some ``columns`` only (None: all)."""

    by: int
    top: int
    bottom: int
    columns: tuple[int, int] | None


def _changed(shown: Sequence[Row], wanted: Sequence[Row]) -> list[int]:
    """Return the rows that differ."""
    return list(compress(range(len(wanted)), map(ne, shown, wanted)))


def _found(pictures: Pictures, changed: Sequence[int], abilities: Abilities) -> _Scroll | None:
    """Return how the rows of a pane have moved, if several of them are found in other rows."""
    assert pictures.shown is not None  # noqa: S101 - asked only then
    shown, wanted = pictures.shown, pictures.wanted
    block = _tallest(changed)
    if len(block) < _LEAST_CHANGED:
        return None
    best, found = _LEAST_MATCHES - 1, None
    for left, right in _panes(shown, wanted, block):
        if any(row[0][end : end + 1] == TAIL for row in shown for end in (left, right)):
            continue
        columns = (left, right) if abilities.margins else None
        # The last two columns may hold a scroll bar.
        inner = slice(left, right - 2)
        places: dict[Row, int | None] = {}
        for y in block:
            row = shown[y][0][inner], shown[y][1][inner]
            places[row] = None if row in places or row[0].isspace() else y
        moved = [
            (source - y, y)
            for y in block
            if (source := places.get((wanted[y][0][inner], wanted[y][1][inner]))) is not None and source != y
        ]
        for by, matches in Counter(by for by, _ in moved).most_common(1):
            if matches > best:
                rows = [y for shift, y in moved if shift == by]
                top, bottom = rows[0] + min(by, 0), rows[-1] + max(by, 0)
                best, found = matches, _Scroll(by, top, bottom, columns)
        emptied = _tallest(
            [y for y in block if wanted[y][0][left:right].isspace() and not shown[y][0][left:right].isspace()]
        )
        if len(emptied) > max(best, _LEAST_EMPTIED - 1) and (columns or right - left == len(shown[0][0])):
            best, found = len(emptied), _Scroll(len(emptied), emptied[0], emptied[-1], columns)
    return found


def _tallest(rows: Sequence[int]) -> range:
    """Return the longest range of consecutive rows."""
    best, start = range(0), rows[0] if rows else 0
    for y, following in pairwise([*rows, -1]):
        if following != y + 1:
            best = max(best, range(start, y + 1), key=len)
            start = following
    return best


def _panes(shown: Sequence[Row], wanted: Sequence[Row], block: range) -> Iterator[tuple[int, int]]:
    """Return the columns between vertical bars that have not changed."""
    first, *others = [picture[block[len(block) * part // 4]][0] for picture in (shown, wanted) for part in (1, 2, 3)]
    bars = [x for x in map(re.Match.start, _BAR.finditer(first)) if all(row[x] == first[x] for row in others)]
    for left, right in pairwise([-1, *bars, len(first)]):
        if right - left > _NARROWEST:
            yield left + 1, right
