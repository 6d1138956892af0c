"""A letter over each part of a screen that can have the focus; typing it takes one there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.lines import Line
from chartui.tui.theme import Palette

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: In the order of what is easily reached.
_LETTERS: Final = "asdfghjklqwertyuiopzxcvbnm"


#: How much room one takes.
_LETTER: Final = Size(3, 1)


class _Letter(Widget):
    """One letter, over the beginning of what it leads to."""

    DEFAULT_CSS = "_Letter { position: absolute; width: 3; height: 1; }"

    def __init__(self, letter: str, place: Offset) -> None:
        super().__init__()
        self._letter = letter
        self.styles.offset = place

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        style = Palette.of(self.app.theme_variables).accent + Style(reverse=True)
        return Line(self.size.width).add(f" {self._letter.upper()} ", style).strip()


class Jump(ModalScreen[Widget | None]):
    """The letters, over the screen as it is; any other key leaves."""

    DEFAULT_CSS = "Jump { background: $background 0%; }"

    def __init__(self, parts: Mapping[str, Widget], window: Size) -> None:
        super().__init__()
        self._parts = parts
        self._window = window

    def compose(self) -> ComposeResult:
        taken: set[Offset] = set()
        last = self._window - _LETTER
        for letter, part in self._parts.items():
            x, y = part.region.offset
            place = Offset(max(0, min(x, last.width)), max(0, min(y, last.height)))
            while place in taken:
                place += (_LETTER.width, 0)
            taken.add(place)
            yield _Letter(letter, place)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self.dismiss(self._parts.get((event.character or "").lower()))

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._window and self.is_current:
            self.dismiss(None)


def jump(app: ChartuiApp) -> None:
    """Show the letters over the screen in front: one for each part of which something is seen, as one reads them."""
    window = app.screen.region
    seen = [part for part in app.screen.focus_chain if part.region and part.region.overlaps(window)]
    seen.sort(key=lambda part: (part.region.y, part.region.x))

    def chosen(part: Widget | None) -> None:
        if part is not None and part.is_attached:
            part.focus()

    app.push_screen(Jump(dict(zip(_LETTERS, seen, strict=False)), window.size), chosen)
