"""A letter over each focusable part of a screen; typing it moves the focus there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from rich.style import Style as Look
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from chartui.core.text import single_line
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: In the order of what is easily reached.
_LETTERS: Final = "asdfghjklqwertyuiopzxcvbnm"


#: Cells of a part's name.
_NAME: Final = 20
#: How much room one takes.
_LETTER: Final = Size(3, 1)


class _Letter(Widget):
    """One letter, over the beginning of its part."""

    DEFAULT_CSS = "_Letter { position: absolute; width: 3; height: 1; }"

    def __init__(self, letter: str, place: Offset) -> None:
        super().__init__()
        self._letter = letter
        self.styles.offset = place

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        style = Palette.of(self.app.theme_variables).accent + Look(reverse=True)
        return Line(self.size.width).add(f" {self._letter.upper()} ", style).strip()


class Jump(Dialog[Widget | None], inherit_bindings=False):
    """The letters over the unchanged screen; any other key closes them."""

    DEFAULT_CSS = "Jump { align: left top; background: $background 0%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]
    TO_BE_READ = False

    def __init__(self, parts: Mapping[str, Widget], window: Size) -> None:
        super().__init__()
        self._parts = parts
        for letter, part in parts.items():
            self._bindings.bind(f"{letter},{letter.upper()}", f"go({letter!r})", f"to {_name(part)}")
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

    def action_go(self, letter: str) -> None:
        self.dismiss(self._parts[letter])

    def on_key(self, event: events.Key) -> None:
        if event.key not in self._bindings.key_to_bindings:
            event.stop()
            event.prevent_default()
            self.dismiss(None)

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._window and self.is_current:
            self.dismiss(None)


def _name(part: Widget) -> str:
    """The footer's name for a part: the title of its panel, in which the current tab is underlined."""
    titles = (around._border_title for around in part.ancestors_with_self if isinstance(around, Widget))
    title = next(filter(None, titles), Content("this part"))
    present = (span for span in title.spans if isinstance(span.style, Style) and span.style.underline)
    return single_line(next((title.plain[span.start : span.end] for span in present), title.plain), limit=_NAME)


def jump(app: ChartuiApp) -> None:
    """Show letters over the screen in front, one for each visible part, in reading order."""
    window = app.screen.region
    seen = [part for part in app.screen.focus_chain if part.region and part.region.overlaps(window)]
    seen.sort(key=lambda part: (part.region.y, part.region.x))

    def chosen(part: Widget | None) -> None:
        if part is not None and part.is_attached:
            part.focus()

    app.push_screen(Jump(dict(zip(_LETTERS, seen, strict=False)), window.size), chosen)
