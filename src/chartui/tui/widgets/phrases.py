"""A summary that stays readable at any width: phrases, broken only between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.core.text import display_text
from chartui.tui.lines import Ground, Line
from chartui.tui.theme import Palette

_BETWEEN: Final = " · "


class Phrase(NamedTuple):
    """A few words; ``short`` stands for them where not all phrases fit, ``role`` names the palette's style."""

    text: str
    role: str = "value"
    short: str = ""


class Phrases(Widget):
    """As many phrases as its lines hold, in their short form where that makes them fit; the rest is counted."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._phrases: Sequence[Phrase] = ()
        self._strips: list[Strip] = []
        self._drawn_for: tuple[Size, Palette] | None = None
        self._ground = Ground(self)

    def show(self, phrases: Sequence[Phrase]) -> None:
        if phrases != self._phrases:
            self._phrases = phrases
            self._drawn_for = None
            self.refresh()

    def render_line(self, y: int) -> Strip:
        wanted = self.size, Palette.of(self.app.theme_variables)
        if wanted != self._drawn_for:
            self._drawn_for = wanted
            self._strips = draw_phrases(self._phrases, *wanted)
        return self._strips[y].apply_style(self._ground.style)


def draw_phrases(phrases: Sequence[Phrase], size: Size, palette: Palette) -> list[Strip]:
    texts = [(display_text(phrase.text), phrase.role) for phrase in phrases]
    rows, left = _broken(texts, size)
    if left or any(cell_len(text) >= size.width for text, _ in texts):
        texts = [(display_text(phrase.short or phrase.text), phrase.role) for phrase in phrases]
        rows, left = _broken(texts, size)
    strips = []
    for y in range(size.height):
        line, row = Line(size.width).gap(), rows[y] if y < len(rows) else []
        more = _more(left) if y == size.height - 1 else ""
        if more and _cells(row) + len(more) > line.left:
            more = " …"  # a whole phrase says more than the number of the others
        for number, (text, role) in enumerate(row):
            line.add(_BETWEEN if number else "", palette.quiet)
            line.add(text, getattr(palette, role), width=min(cell_len(text), line.left - len(more)))
        strips.append(line.add(more, palette.quiet).strip())
    return strips


def _more(left: int) -> str:
    return f"{_BETWEEN}{left} more" if left else ""


def _broken(texts: Sequence[tuple[str, str]], size: Size) -> tuple[list[list[tuple[str, str]]], int]:
    """The phrases of each line, and how many are left over, for whose number there is room in the last line.

    A phrase that is wider than a line has one of its own.
    """
    rows: list[list[tuple[str, str]]] = [[]]
    free = size.width - 1
    for index, (text, role) in enumerate(texts):
        cells = cell_len(text)
        if rows[-1] and len(_BETWEEN) + cells > free and len(rows) < size.height:
            rows.append([])
            free = size.width - 1
        joined = cells + len(_BETWEEN) * bool(rows[-1])
        left = len(texts) - index
        if (
            rows[-1]
            and len(rows) == size.height
            and not _fits(texts[index:], free)
            and (joined + len(_more(left - 1)) > free)
        ):
            return rows, left
        free -= joined
        rows[-1].append((text, role))
    return rows, 0


def _cells(row: Sequence[tuple[str, str]]) -> int:
    return sum(len(_BETWEEN) + cell_len(text) for text, _ in row) - len(_BETWEEN)


def _fits(texts: Sequence[tuple[str, str]], free: int) -> bool:
    return sum(len(_BETWEEN) + cell_len(text) for text, _ in texts) <= free
