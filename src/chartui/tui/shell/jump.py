"""A letter over each part and each named tab of a screen; typing the letter goes there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.style import Style as Look
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.core.text import single_line
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.tabs import tabs_on

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Easiest to reach first.
_LETTERS: Final = "asdfghjklqwertyuiopzxcvbnm"


#: Maximum cells of a part's name.
_NAME: Final = 20
#: The size of a letter.
_LETTER: Final = Size(3, 1)


class _Letter(Widget):
    """A letter, over its target."""

    DEFAULT_CSS = "_Letter { position: absolute; width: 3; height: 1; }"

    def __init__(self, letter: str, place: Offset, name: str) -> None:
        super().__init__(name=name)
        self._letter = letter
        self.styles.offset = place

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        style = Palette.of(self.app.theme_variables).accent + Look(reverse=True)
        return Line(self.size.width).add(f" {self._letter.upper()} ", style).strip()


class Place(NamedTuple):
    """The target of a letter: a part, which gets the focus, or a tab, which a command shows."""

    name: str
    offset: Offset
    part: Widget | None = None
    command: str = ""


class Jump(Dialog[Place | None], inherit_bindings=False):
    """The letters over the unchanged screen; any other key closes them."""

    DEFAULT_CSS = "Jump { align: left top; background: $background 0%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]
    TO_BE_READ = False

    def __init__(self, places: Sequence[Place], window: Size) -> None:
        super().__init__()
        self._places = dict(zip(_LETTERS, places, strict=False))
        for letter, place in self._places.items():
            self._bindings.bind(f"{letter},{letter.upper()}", f"go({letter!r})", f"to {place.name}")
        self._window = window

    def compose(self) -> ComposeResult:
        taken: set[Offset] = set()
        last = self._window - _LETTER
        for letter, place in self._places.items():
            x, y = place.offset
            offset = Offset(max(0, min(x, last.width)), max(0, min(y, last.height)))
            while offset in taken:
                offset += (_LETTER.width, 0)
            taken.add(offset)
            yield _Letter(letter, offset, place.name)

    def action_go(self, letter: str) -> None:
        self.dismiss(self._places[letter])

    def on_key(self, event: events.Key) -> None:
        if event.key not in self._bindings.key_to_bindings:
            event.stop()
            event.prevent_default()
            self.dismiss(None)

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._window and self.is_current:
            self.dismiss(None)


def part_name(part: Widget, *, otherwise: str = "this panel") -> str:
    """The footer's name for a part: the current tab, underlined in the title of its panel, or else the whole title."""
    titles = (around._border_title for around in part.ancestors_with_self if isinstance(around, Widget))
    title = next(filter(None, titles), Content(otherwise))
    present = (span for span in title.spans if isinstance(span.style, Style) and span.style.underline)
    return single_line(next((title.plain[span.start : span.end] for span in present), title.plain), limit=_NAME)


def _parts(screen: Screen[Any]) -> list[Place]:
    """The visible parts, in reading order. Parts of one panel differ by their kind, such as ``table``."""
    seen = [part for part in screen.focus_chain if part.region and part.region.overlaps(screen.region)]
    seen.sort(key=lambda part: (part.region.y, part.region.x))
    names = [part_name(part) for part in seen]
    kinds = [
        part.KIND if isinstance(part, LineView) and names.count(name) > 1 else ""
        for part, name in zip(seen, names, strict=True)
    ]
    return [
        Place(f"{name}: {kind}" if kind else name, _beside(part), part)
        for part, name, kind in zip(seen, names, kinds, strict=True)
    ]


def _beside(part: Widget) -> Offset:
    """Where a letter hides neither a title nor a heading: on the corner of the panel above the part, unless a tab's
    letter is there, else on the left border, since headings are indented.
    """
    for panel in part.ancestors_with_self:
        if isinstance(panel, Widget) and panel._border_title:
            apart = part.region.offset - panel.region.offset
            if max(apart.x, apart.y) <= 1 and all(column > _LETTER.width for _, _, column in tabs_on(panel)):
                return panel.region.offset
            break
    return part.region.offset - Offset(1, 0)


def _tabs(screen: Screen[Any]) -> list[Place]:
    """The tabs named in borders, except the current ones; each letter stands on the line in front of its name."""
    return [
        Place(title, panel.region.offset + Offset(column - _LETTER.width, 0), command=command)
        for panel in screen.query(Widget)
        if panel.region
        for title, command, column in tabs_on(panel)
    ]


def jump(app: ChartuiApp) -> None:
    """Show letters over the screen in front: for the visible parts, then for the other tabs."""
    screen = app.screen

    def chosen(place: Place | None) -> None:
        if place is None:
            return
        if place.command:
            app.call_later(app.action_command, place.command)
        elif place.part is not None and place.part.is_attached:
            place.part.focus()

    app.push_screen(Jump([*_parts(screen), *_tabs(screen)], screen.region.size), chosen)
