"""Styled lines of text, cut and padded by cells, for every widget that renders lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.text import display_text, ends_in_quotes
from chartui.tui.glyphs import GLYPHS

Align = Literal["left", "right"]

_THOUSANDS: Final = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


@lru_cache(4096)
def fit(text: str, width: int, align: Align = "left") -> str:
    """``text`` in exactly ``width`` cells: cut with an ellipsis, or padded on the other side of ``align``.

    Text that is cut within quotes keeps its closing quote.
    """
    if width <= 0:
        return ""
    cells = cell_len(text)
    if cells > width:
        end = f"{GLYPHS.ellipsis}”" if ends_in_quotes(set_cell_size(text, width - 2)) else GLYPHS.ellipsis
        return set_cell_size(text, width - len(end)) + end
    padding = " " * (width - cells)
    return padding + text if align == "right" else text + padding


def wrap(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` cells, broken at spaces where possible; existing line breaks are kept.

    A ``width`` below one cell, as in a window that is too small, counts as one.
    """
    width = max(1, width)
    lines: list[str] = []
    most = 8 * width  # more characters than a line can hold, including marks of no width
    for paragraph in display_text(text, multiline=True).split("\n"):
        line = ""
        for word in paragraph.split(" "):
            candidate = f"{line} {word}" if line else word
            if len(candidate) <= most and cell_len(candidate) <= width:
                line = candidate
                continue
            if line:
                lines.append(line)
            while len(word) > most or cell_len(word) > width:
                # Measured in pieces: measuring the rest for every line would be quadratic.
                head = set_cell_size(word[:most], width).rstrip(" ") or word[:1]
                lines.append(head)
                word = word[len(head) :]
            line = word
        lines.append(line)
    return lines


def wrap_numbers(text: str, width: int) -> list[str]:
    """As :func:`wrap`, but numbers are not broken at the spaces between thousands."""
    return [line.replace(NO_BREAK, " ") for line in wrap(bound_numbers(text), width)]


def bound_numbers(text: str) -> str:
    """``text`` with :data:`NO_BREAK` between thousands, to be broken into lines."""
    return _THOUSANDS.sub(NO_BREAK, text)


def bar(share: Decimal | float, width: int) -> str:
    """A bar of ``share`` (0 to 1) of ``width`` cells, rounded to half a cell; never empty unless the share is zero.

    It is half a line high, so that bars below each other stay apart.
    """
    halves = round(float(share) * width * 2)
    if share > 0:
        halves = max(halves, 1)
    full, rest = divmod(min(halves, width * 2), 2)
    return ("▄" * full + "▖" * rest).ljust(width)


def _shows_on_blanks(style: Style | None) -> bool:
    return style is not None and bool(style.bgcolor or style.reverse or style.underline or style.strike)


class Line:
    """Builds one line from the left, never wider than ``width`` cells.

    Text given to :meth:`add` is made safe, so a line cannot send a control character to the terminal.
    """

    __slots__ = ("_left", "_segments", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self._left = width
        self._segments: list[Segment] = []

    @property
    def left(self) -> int:
        return self._left

    def add(self, text: str, style: Style | None = None, *, width: int | None = None, align: Align = "left") -> Line:
        """Append ``text``, in exactly ``width`` cells if given."""
        if self._left <= 0:
            return self
        shown = display_text(text)
        if width is not None:
            shown = fit(shown, min(width, self._left), align)
        elif cell_len(shown) > self._left:
            shown = fit(shown, self._left)
        self._left -= cell_len(shown)
        self._append(shown, style)
        return self

    def add_marked(self, text: str, spans: Iterable[tuple[int, int]], style: Style, mark: Style) -> Line:
        """Append ``text``, which is safe to show, with the parts in ``spans`` marked."""
        end = 0
        for start, stop in spans:
            self.add(text[end:start], style).add(text[start:stop], style + mark)
            end = stop
        return self.add(text[end:], style)

    def _append(self, text: str, style: Style | None) -> None:
        """Add a segment, or extend the last one: every change of style costs forty bytes of terminal output."""
        if self._segments:
            last = self._segments[-1]
            if last.style == style or (style is None and text.isspace() and not _shows_on_blanks(last.style)):
                self._segments[-1] = Segment(last.text + text, last.style)
                return
        self._segments.append(Segment(text, style))

    def gap(self, cells: int = 1) -> Line:
        if 0 < cells <= self._left:
            self._left -= cells
            self._append(" " * cells, None)
            return self
        return self.add(" " * cells)

    def push_right(self, cells: int) -> Line:
        """Append spaces until ``cells`` cells are left."""
        return self.gap(max(0, self._left - cells))

    def strip(self, style: Style | None = None) -> Strip:
        """The finished line, padded, with ``style`` under everything."""
        if self._left > 0:
            self._append(" " * self._left, None)
            self._left = 0
        line = Strip(self._segments, self.width)
        return line.apply_style(style) if style else line


class Ground:
    """The combined style of a widget and its ancestors; the framework would compute it again for every line."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._made_of: tuple[int, ...] = ()
        self._style = Style()

    @property
    def style(self) -> Style:
        """The current style."""
        # The framework counts style changes per node.
        made_of = tuple(node.styles._cache_key for node in self._widget.ancestors_with_self)
        if made_of != self._made_of:
            self._made_of, self._style = made_of, self._widget.rich_style
        return self._style
