"""Questions: a confirmation, a line, a name or a number to type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar

from rich.style import Style
from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.classes import NamedTuple
from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.text import Words


class Options(LineView):
    """A question, and below it the answers, each with its key; the first one changes nothing and has the cursor."""

    KIND = "answers"

    def __init__(self, message: str, *options: tuple[str, str]) -> None:
        super().__init__()
        self._message = message
        self._lines: list[str] = []
        self._options = options

    def width_changed(self) -> None:
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
        return self.cursor - len(self._lines)


class Confirm(Dialog[bool]):
    """Asks before a change. Cancel is preselected, and the key that confirms differs from the one that asked."""

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
        Binding("y", "dismiss(True)", "Confirm"),
        Binding("enter", "enter", "Choose"),
        Binding("escape", "dismiss(False)", "Cancel"),
    ]
    UNFORESEEN = True

    def __init__(self, title: str, message: str, verb: str) -> None:
        super().__init__(title)
        self._question = Options(message, ("Cancel", "esc"), (verb, "y"))

    def content(self) -> Iterable[Widget]:
        yield self._question

    def on_line_view_chosen(self) -> None:
        self.dismiss(self._question.answer == 1)


class Answers(Widget, can_focus=True):
    """The answers at the bottom of a dialog, with the keys that scroll it while it is longer than the window."""

    DEFAULT_CSS = "Answers { dock: bottom; height: 2; margin: 0 1; background: $surface; }"
    _scrolls = False

    def show_scrolling(self, scrolls: bool) -> None:
        self._scrolls = scrolls
        self.refresh()

    def add_scrolling(self, line: Line, palette: Palette) -> None:
        if self._scrolls and line.left >= 12:
            line.push_right(11).add("↑↓", palette.key).add(" scroll", palette.quiet)

    def on_click(self, event: events.Click) -> None:
        event.stop()


class TypeCount(Answers):
    """Confirms a bulk change once ``number`` is typed. Other keys are left to the dialog."""

    def __init__(self, number: int, verb: str) -> None:
        super().__init__()
        self._wanted = str(number)
        self._verb = verb
        self._typed = ""
        self._refused = False

    @property
    def agreeing(self) -> bool:
        return self._typed == self._wanted

    def refuse(self) -> None:
        """Say that the number does not match; the next one starts afresh."""
        self._refused, self._typed = True, ""
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        character = event.character or ""
        if event.key == "backspace":
            self._typed = self._typed[:-1]
        elif len(character) == 1 and character in "0123456789":
            self._typed = (self._typed + character)[: len(self._wanted) + 1]
        elif character != "y":  # which confirms other reviews
            return
        event.stop()
        self._refused = character == "y"
        self.refresh()

    def render_line(self, y: int) -> Strip:
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        if y == 0 and self._refused:
            line.add(f"{GLYPHS.danger} To confirm, type {self._wanted}, the number of changes.", palette.danger)
        elif y == 1:
            line.add("Type ", palette.label).add(self._wanted, palette.title).add(": ", palette.label)
            room = len(self._wanted) + 1
            line.add(self._typed + GLYPHS.caret, palette.value + Style(underline=True), width=room + 1).gap(2)
            verb, key = (palette.title, palette.key) if self.agreeing else (palette.quiet, palette.quiet)
            line.add(self._verb, verb).gap().add(sign_of(self, "enter"), key).gap(3)
            link = Style(meta={"@click": "screen.dismiss(False)"})
            line.add("Cancel", palette.label + link).gap().add("esc", palette.key + link).gap(3)
            self.add_scrolling(line, palette)
        return line.strip(self.rich_style)


class Hint(NamedTuple):
    """A sentence about the typed text; if it ``refuses``, the text is not accepted."""

    sentence: str = ""
    refuses: bool = False


class AskLine(Dialog[str | None]):
    """Asks ``question``; the result is the stripped text, or None if canceled.

    ``text`` is suggested, and replaced by typing. ``hint`` comments on a text. ``empty`` stands in the box while it is
    empty.
    """

    DEFAULT_CSS = """
    AskLine > Vertical { width: 68; padding: 1 1 1 1; }
    AskLine Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]
    TYPED = True

    def __init__(
        self,
        title: str,
        question: str,
        hint: Callable[[str], Hint],
        *,
        text: str = "",
        verb: str = "OK",
        empty: str = "",
    ) -> None:
        super().__init__(title, enter=verb)
        self._question = question
        self._hint = hint
        self._text = text
        self._box = FilterBox(empty)
        self._said = Words("")

    def content(self) -> Iterable[Widget]:
        yield Words(self._question)
        yield self._box
        yield self._said

    def on_mount(self) -> None:
        self._box.value = self._text
        self._box.action_select_all()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        hint = self._hint(event.value.strip())
        # A refusal is shown on Enter, not while typing.
        self._said.show("" if hint.refuses else hint.sentence, role="label")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        hint = self._hint(text)
        if hint.refuses:
            self._said.show(f"{GLYPHS.danger} {hint.sentence}", role="danger")
        else:
            self.dismiss(text)


async def ask_name(
    app: App[Any],
    title: str,
    what: str,
    hint: Callable[[str], Hint],
    name: str,
    taken: Collection[str],
    changes: Mapping[str, str] | None = None,
) -> str | None:
    """Ask for a name, and whether to replace a name that is ``taken``; None when canceled.

    ``changes`` says what replacing each of these changes; if nothing, there is no question.
    """
    while True:
        chosen = await app.push_screen_wait(AskLine(title, what, hint, text=name, verb="Save"))
        if chosen is None or chosen not in taken or (changes is not None and not changes[chosen]):
            return chosen
        changed = f" {changes[chosen]}" if changes else ""
        message = f"“{single_line(chosen)}” already exists. Replace it?{changed} The old version will be lost."
        name = chosen
        if await app.push_screen_wait(Confirm(title, message, "Replace")):
            return name


class TypeName(AskLine):
    """Says what would happen, and confirms only if the user types ``name``."""

    DEFAULT_CSS = """
    TypeName > Vertical { width: 64; border: round $warning; border-title-color: $warning; }
    """
    UNFORESEEN = True
    CONCLUSIVE = True

    def __init__(self, title: str, message: str, name: str) -> None:
        wrong = Hint(f"The name does not match. Type {name}, or press Esc.", refuses=True)
        shown = f"type “{single_line(name)}” to confirm"
        super().__init__(title, message, lambda text: Hint() if text == name else wrong, verb="Confirm", empty=shown)
