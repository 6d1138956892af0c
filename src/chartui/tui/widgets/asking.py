"""Asking for one line of text, which is looked at while it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.words import Words

__all__ = ["AskLine", "Hint"]


class Hint(NamedTuple):
    """A sentence about what is typed; where it ``refuses``, the text cannot be taken so."""

    sentence: str = ""
    refuses: bool = False


class AskLine(Dialog[str | None]):
    """Asks ``question``; the result is the text without blanks around it, or None where nothing shall be done.

    ``text`` is proposed, and replaced by what is typed. ``hint`` says what there is to know about a text.
    """

    DEFAULT_CSS = """
    AskLine > Vertical { width: 68; padding: 1 1 1 1; }
    AskLine Words { background: $surface; }
    AskLine Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(
        self, title: str, question: str, hint: Callable[[str], Hint], *, text: str = "", deed: str = "takes it"
    ) -> None:
        super().__init__()
        self._title = title
        self._question = question
        self._hint = hint
        self._text = text
        self._deed = deed
        self._said = Words("")

    def compose(self) -> ComposeResult:
        """The question, the box, and what there is to know about what was typed."""
        with Vertical() as panel:
            panel.border_title = Content(single_line(self._title, limit=60))
            panel.border_subtitle = Content(f"{sign_of(self, 'enter')} {self._deed} · esc leaves it as it is")
            yield Words(self._question)
            yield FilterBox("")
            yield self._said

    def on_mount(self) -> None:
        """Keys go to the box, and what is typed replaces what is proposed."""
        box = self.query_one(Input)
        box.value = self._text
        box.selection = Selection(0, len(self._text))
        box.focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        hint = self._hint(event.value.strip())
        # What is empty or as it was is refused when somebody wants it so, and not before a key was pressed.
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
