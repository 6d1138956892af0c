"""The question for the name of a file, which is read at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.words import Words

__all__ = ["OpenFile"]

T = TypeVar("T")
#: As many mistakes in a file are told at once.
_TOLD: Final = 6


class OpenFile(Dialog[T | None]):
    """Asks for the name of a file; gives what it holds, None where it was left.

    A subclass says what the dialogue is called, what becomes of the file, and how it is read. A file with a mistake is
    told, mistake by mistake, and nothing is taken of it.
    """

    DEFAULT_CSS = """
    OpenFile > Vertical { padding: 1 1 1 1; }
    OpenFile Words { background: $surface; }
    OpenFile Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    TITLE_OF_IT: ClassVar[str]
    WHAT_BECOMES: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._hint = self.WHAT_BECOMES
        self._said = Words("", role="label")

    def read(self, path: Path) -> T:
        """What the file holds; raises ``ValueError`` for one that cannot be used."""
        raise NotImplementedError

    def problems(self, error: ValueError) -> Sequence[str]:
        """What is wrong with a file, mistake by mistake."""
        return str(error).splitlines()

    def compose(self) -> ComposeResult:
        """What becomes of it, the box, and what is wrong."""
        with Vertical() as panel:
            panel.border_title = Content(self.TITLE_OF_IT)
            panel.border_subtitle = Content("⏎ reads it · esc leaves it")
            yield Words(self._hint)
            yield FilterBox("the name of the file")
            yield self._said

    def on_mount(self) -> None:
        """Say where a name without a folder is looked for."""
        try:
            self._hint = f"A name without a folder is looked for in {Path.cwd()}."
        except OSError:  # it was removed since the program was started
            self._hint = "There is no working directory any more: give the folder too."
        self._said.show(self._hint, role="label")
        self.query_one(Input).focus()

    def on_input_changed(self) -> None:
        """What was wrong may be right now."""
        self._said.show(self._hint, role="label")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Read it, if that can be done."""
        event.stop()
        typed = event.value.strip()
        if not typed:
            self._say("Give the name of a file.")
            return
        try:
            path = Path(typed).expanduser()
        except RuntimeError as error:  # nobody knows the home
            self._say(f"Nothing was taken: {error}.")
            return
        try:
            found = self.read(path)
        except OSError as error:
            self._say(f"Nothing was taken: {error.strerror or error}.")
        except ValueError as error:
            problems = self.problems(error)
            more = len(problems) - _TOLD
            rest = [f"… and {more} more"] if more > 0 else []
            self._say("\n".join(["Nothing was taken:", *problems[:_TOLD], *rest]))
        else:
            self.dismiss(found)

    def _say(self, problem: str) -> None:
        self._said.show(f"{GLYPHS.danger} {problem}", role="danger")
