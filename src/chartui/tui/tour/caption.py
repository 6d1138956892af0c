"""The lines below the program in a tour: the caption, and a line for the audience with the pressed keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from textual.app import App
from textual.color import Color
from textual.events import Key
from textual.strip import Strip

from chartui.commands import key_label
from chartui.core.text import display_text
from chartui.demos.tour import Action, Perform, Text
from chartui.tui.lines import Line, fit, wrap
from chartui.tui.theme import Palette
from chartui.tui.tour.app import StagedApp
from chartui.tui.typeahead import Typed

#: Two lines of the caption and one for the audience.
CAPTION_LINES: Final = 3
#: Where the line for the audience begins.
INDENT: Final = 3
#: The longest text that is shown among the keys, in cells.
_LONGEST: Final = 30


class PressedKeys:
    """The keys of a step, as an audience sees them; ``action`` is the one that the next key belongs to."""

    def __init__(self) -> None:
        self.action: Action | None = None
        #: Each with whether it is typed text, which the next character continues.
        self._keys: list[tuple[str, bool]] = []

    def __bool__(self) -> bool:
        return bool(self._keys)

    def clear(self) -> None:
        self._keys.clear()

    def add(self, app: StagedApp, event: Typed | None) -> None:
        """Show a key, or without an event the title of a command that has none."""
        action = self.action
        if isinstance(action, Text):
            written, continues = action.text, False
            if isinstance(event, Key):
                written, continues = event.character or "", bool(self._keys and self._keys[-1][1])
            self._keys.append(((self._keys.pop()[0] if continues else "") + written, not action.pasted))
        elif isinstance(event, Key):
            self._keys.append((key_label(event.key), False))
        elif isinstance(action, Perform) and (command := app.command_here(action.command)) is not None:
            self._keys.append((command.title, False))

    def line(self, app: App[Any], width: int, beside: int) -> Line:
        """A line with the keys that leaves ``beside`` cells; the first keys go if there are too many."""
        palette = Palette.of(app.theme_variables)
        caps: list[tuple[str, str]] = []
        for (text, _), same in groupby(self._keys):
            times = len(list(same))
            caps.append((fit(text, min(len(text), _LONGEST)), f"×{times}" if times > 1 else ""))
        line = Line(width).gap(INDENT)
        room = line.left - beside - 2
        while caps and sum(len(text) + len(again) + 3 for text, again in caps) > room:
            del caps[0]
        for text, again in caps:
            line.add(f" {text} ", palette.cursor).add(again, palette.label).gap()
        return line


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
