"""The lines below the program in a tour: the caption, and a line for the audience."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from textual.app import App
from textual.color import Color
from textual.strip import Strip

from chartui.core.text import display_text
from chartui.tui.lines import Line, wrap
from chartui.tui.theme import Palette

#: Two lines of the caption and one for the audience.
CAPTION_LINES: Final = 3
#: Where the line for the audience begins.
INDENT: Final = 3


def caption_strips(app: App[Any], width: int, caption: str, last: Line, place: str) -> Iterator[Strip]:
    """The lines of ``caption``, then ``last`` with ``place`` at its right end, as the program draws lines."""
    palette = Palette.of(app.theme_variables)
    room = CAPTION_LINES - 1
    rows = wrap(display_text(caption), width - 4)[:room]
    lines = [Line(width).add(" ▌ ", palette.credits).add(row, palette.title) for row in rows]
    lines += [Line(width) for _ in range(room - len(rows))]
    lines.append(last.push_right(len(place) + 1).add(place, palette.quiet))
    return (_filtered(app, line.strip(palette.cursor_idle)) for line in lines)


def _filtered(app: App[Any], strip: Strip) -> Strip:
    """``strip`` after the framework's line filters, such as removing colors."""
    background = Color.parse(app.theme_variables["panel"])
    for line_filter in app._filters:
        if line_filter.enabled:
            strip = strip.apply_filter(line_filter, background)
    return strip
