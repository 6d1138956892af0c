"""What a terminal shows is what the framework would have shown, cell by cell, after every frame."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from tests.tui.output.terminals import KINDS, Shown

#: Signs of every width, in both directions, and made of several characters.
SIGNS: Final = (
    *"abcdefghij      .,-_#",
    *"│─╭╮●▲…–“”éñß",
    *"小林静한국",
    *"سلمى",
    "अ",
    "न्या",
    "e\u0301",
    "o\u0308",
    "🚀",
    "☀\ufe0f",
)
COLORS: Final = ("default", "red", "#101418", "#102030", "color(111)", "bright_blue")


def _unmarked(strip: Strip) -> Strip:
    """A strip without marks at its start, which would change the sign in front of it, a border for example."""
    [*segments] = strip
    while segments and not segments[0].cell_length:
        del segments[0]
    for text, style, _ in segments[:1]:
        rest = text
        while rest and not get_character_cell_size(rest[0]):
            rest = rest[1:]
        segments[0] = Segment(rest, style)
    return Strip(segments)


class Picture:
    """Rows of styled signs that change as a screen does."""

    def __init__(self, random: Random, columns: int, lines: int) -> None:
        self.random = random
        self.columns, self.lines = columns, lines
        self.rows = [self._strip(columns) for _ in range(lines)]

    def _style(self) -> Style | None:
        r = self.random
        if r.random() < 0.1:
            return None
        return Style(
            color=r.choice(COLORS),
            bgcolor=r.choice(COLORS[:4]),
            bold=r.random() < 0.2,
            dim=r.random() < 0.1 or None,
            underline=r.random() < 0.1,
            reverse=r.random() < 0.1,
            italic=r.random() < 0.1,
            strike=r.random() < 0.05,
            link="https://example.com/" + r.choice("ab") if r.random() < 0.05 else None,
        )

    def _strip(self, cells: int) -> Strip:
        r, segments, left = self.random, [], cells
        while left > 0:
            plain = r.random() < 0.7
            count = r.randint(1, 12)
            text = "".join(r.choice(SIGNS[:21] if plain else SIGNS) for _ in range(count))
            if r.random() < 0.3:
                text = " " * r.randint(1, 30)
            segment = Segment(text, self._style())
            segments.append(segment)
            left -= segment.cell_length
        return Strip(segments).adjust_cell_length(cells)

    def change(self) -> LayoutUpdate | ChopsUpdate:
        """Change something, and return the update that shows it."""
        r = self.random
        kind = r.random()
        if kind < 0.35:
            return self._change_parts()
        if kind < 0.55:
            self._scroll(0, self.columns)
        elif kind < 0.75 and self.columns > 30:
            self._scroll_pane()
        elif kind < 0.8:
            self.rows = [self._strip(self.columns) for _ in range(self.lines)]
        else:
            for _ in range(r.randint(0, 3)):
                self.rows[r.randrange(self.lines)] = self._strip(self.columns)
        return self.whole()

    def whole(self) -> LayoutUpdate:
        return LayoutUpdate([[row] for row in self.rows], Region(0, 0, self.columns, self.lines))

    def _change_parts(self) -> ChopsUpdate:
        """Some spans of some rows, of which more is written than the span."""
        r = self.random
        spans: list[tuple[int, int, int]] = []
        chops: list[dict[int, Strip | None]] = [{} for _ in self.rows]
        ends: list[list[int]] = [[] for _ in self.rows]
        for y in sorted(r.sample(range(self.lines), r.randint(1, min(4, self.lines)))):
            cuts = sorted({0, self.columns, *(r.randint(0, self.columns) for _ in range(2))})
            self.rows[y] = self._strip(self.columns)
            parts = [_unmarked(part) for part in self.rows[y].divide(cuts[1:])]
            chops[y] = {x: part if r.random() < 0.9 else None for x, part in zip(cuts, parts, strict=False)}
            ends[y] = cuts[1:]
            x1 = r.randrange(self.columns)
            spans.append((y, x1, r.randint(x1 + 1, self.columns)))
        return ChopsUpdate(chops, spans, ends)

    def _scroll(self, left: int, right: int) -> None:
        r = self.random
        top = r.randrange(max(1, self.lines - 4))
        bottom = r.randint(min(top + 4, self.lines), self.lines)
        by = r.choice((1, 1, -1, 2, -3, 7))
        before = list(self.rows)
        for y in range(top, bottom):
            inner = before[y + by].crop(left, right) if top <= y + by < bottom else self._strip(right - left)
            self.rows[y] = Strip.join(
                [before[y].crop(0, left), inner.adjust_cell_length(right - left), before[y].crop(right)]
            ).adjust_cell_length(self.columns)

    def _scroll_pane(self) -> None:
        """Two panes side by side, of which one scrolls."""
        middle, bar = self.columns // 2, Strip([Segment("│", Style(color="red"))])
        for y, row in enumerate(self.rows):
            parts = [bar, row.crop(1, middle), bar, row.crop(middle + 1, self.columns - 1), bar]
            self.rows[y] = Strip.join(parts).adjust_cell_length(self.columns)
        self._scroll(*self.random.choice(((1, middle), (middle + 1, self.columns - 1))))


def play(name: str, seed: int, frames: int) -> None:
    random = Random(seed)
    size = random.choice(((80, 24), (37, 9), (120, 40), (10, 3)))
    shown = Shown(KINDS[name], size)
    picture = Picture(random, *size)
    shown.draw(picture.whole())
    for number in range(frames):
        if random.random() < 0.02:
            columns = random.randint(2, 100)
            size = columns + (columns == size[0]), random.randint(1, 30)
            shown.resize(size)
            picture = Picture(random, *size)
            shown.draw(picture.whole())
        elif random.random() < 0.02:
            # Output of another program, inside the part of the window that is compared.
            text = "Something else"[: size[0]]
            shown.emulator.feed(f"\x1b[H\x1b[41m{text}\x1b[2;5r\x1b[m\x1b[r" if size[1] > 5 else "")
            shown.output.repaint()
        elif random.random() < 0.1:
            shown.line.busy = True
            shown.draw(picture.change())
            shown.line.busy = False
            shown.output.send()
            shown.answer()
        else:
            shown.draw(picture.change())
        shown.assert_same((name, seed, number))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", KINDS)
async def test_random_frames(name: str, seed: int) -> None:
    play(name, seed, 15)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
@pytest.mark.parametrize("name", KINDS)
async def test_ten_thousand_random_frames(name: str, seed: int) -> None:
    play(name, seed, 100)
