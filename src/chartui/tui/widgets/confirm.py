"""A question before something is changed."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.painting import Line, wrap
from chartui.tui.theming import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView

__all__ = ["Confirm", "Options", "TypeCount"]


class Options(LineView):
    """A question, and below it the answers, each with its key; the first one changes nothing and has the cursor."""

    def __init__(self, message: str, *options: tuple[str, str]) -> None:
        super().__init__()
        self._message = message
        self._lines: list[str] = []
        self._options = options

    def width_changed(self) -> None:
        """Wrap the question again."""
        self._lines = [*wrap(self._message, max(10, self._width - 3)), ""]
        self.rows_changed()
        self.move_to(len(self._lines))

    @property
    def row_count(self) -> int:
        return len(self._lines) + len(self._options)

    def can_stop_at(self, index: int) -> bool:
        return len(self._lines) <= index < self.row_count

    def draw_row(self, index: int, width: int) -> Strip:
        if index < len(self._lines):
            return Line(width).gap().add(self._lines[index], self.palette.value).strip()
        text, key = self._options[index - len(self._lines)]
        line = Line(width).gap().add("› " if index == self.cursor else "  ", self.palette.accent)
        return line.add(text, self.palette.title, width=min(28, line.left - 6)).add(key, self.palette.key).strip()

    @property
    def answer(self) -> int:
        """Which answer has the cursor, from 0."""
        return self.cursor - len(self._lines)


class Confirm(Dialog[bool]):
    """Asks before a change. Cancel has the cursor, and the key that agrees is another than the one that asked."""

    DEFAULT_CSS = """
    Confirm > Vertical {
        width: 60;
        border: round $warning;
        border-title-color: $warning;
        padding: 1 1 0 1;
    }
    Confirm Options { height: auto; max-height: 16; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", show=False),
        Binding("y", "dismiss(True)", show=False),
    ]
    UNFORESEEN = True

    def __init__(self, title: str, message: str, deed: str) -> None:
        super().__init__()
        self._title = title
        self._question = Options(message, ("Cancel", "esc"), (deed, "y"))

    def compose(self) -> ComposeResult:
        """The question and its two answers."""
        with Vertical() as panel:
            panel.border_title = Content(self._title)
            yield self._question

    def on_mount(self) -> None:
        """Keys go to the answers."""
        self._question.focus()

    def on_line_view_chosen(self) -> None:
        """Enter takes the answer under the cursor."""
        self.dismiss(self._question.answer == 1)


class TypeCount(Widget, can_focus=True):
    """Agrees once ``number`` is typed: for what is done to many at once. Other keys are left to the dialogue."""

    DEFAULT_CSS = "TypeCount { dock: bottom; height: 2; margin: 0 1; background: $surface; }"

    def __init__(self, number: int, deed: str) -> None:
        super().__init__()
        self._wanted = str(number)
        self._deed = deed
        self._typed = ""
        self._refused = False

    @property
    def agreeing(self) -> bool:
        """Whether the number was typed."""
        return self._typed == self._wanted

    def refuse(self) -> None:
        """Say that this is not the number."""
        self._refused = True
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """Digits make the number, Backspace takes the last one away."""
        character = event.character or ""
        if event.key == "backspace":
            self._typed = self._typed[:-1]
        elif len(character) == 1 and character in "0123456789":
            self._typed = (self._typed + character)[: len(self._wanted) + 1]
        else:
            return
        event.stop()
        self._refused = False
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click beside Cancel is none."""
        event.stop()

    def render_line(self, y: int) -> Strip:
        """The question with what was typed, and the way out."""
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        if y == 0 and self._refused:
            line.add(f"{GLYPHS.danger} That is not how many they are.", palette.danger)
        elif y == 1:
            line.add("Type ", palette.label).add(self._wanted, palette.title).add(": ", palette.label)
            room = len(self._wanted) + 1
            line.add(self._typed + GLYPHS.cursor, palette.value + Style(underline=True), width=room + 1).gap(2)
            deed, key = (palette.title, palette.key) if self.agreeing else (palette.quiet, palette.quiet)
            line.add(self._deed, deed).gap().add(sign_of(self, "enter"), key).gap(3)
            link = Style(meta={"@click": "screen.dismiss(False)"})
            line.add("Cancel", palette.label + link).gap().add("esc", palette.key + link).gap(3)
            if line.left >= 12:
                line.push_right(11).add("↑↓", palette.key).add(" scroll", palette.quiet)
        return line.strip(self.rich_style)
