"""The question for the name of a file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.words import Words

__all__ = ["FileQuestion", "reason"]

T = TypeVar("T")


class FileQuestion(Dialog[T | None]):
    """Asks for the name of a file and does something with it; gives what came of that, None where it was left.

    A subclass says what the dialogue is called, what Enter and Escape do, what is said where nothing comes of a name,
    and what is done with a path.
    """

    DEFAULT_CSS = """
    FileQuestion > Vertical { padding: 1 1 1 1; }
    FileQuestion Words { background: $surface; }
    FileQuestion Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    TITLE_OF_IT: ClassVar[str]
    ENTER: ClassVar[str]
    ESCAPE: ClassVar[str]
    NO_NAME: ClassVar[str] = "Give the file a name."
    NOTHING: ClassVar[str]

    def __init__(self, about: str) -> None:
        """``about`` is said above the box."""
        super().__init__()
        self._about = about
        self._hint = ""
        self._said = Words("", role="label")

    def take(self, path: Path) -> None:
        """Do something with the file that was named: :meth:`dismiss`, or :meth:`say` what is wrong."""
        raise NotImplementedError

    def found_in(self, folder: Path) -> str:
        """Where a name without a folder is, in a sentence."""
        raise NotImplementedError

    def proposed(self, folder: Path) -> str:  # noqa: ARG002
        """A name to begin with: what is typed replaces it, and its ending stays."""
        return ""

    def compose(self) -> ComposeResult:
        """What it is about, the box, and what is wrong with what was typed."""
        with Vertical() as panel:
            panel.border_title = Content(self.TITLE_OF_IT)
            panel.border_subtitle = Content(f"{sign_of(self, 'enter')} {self.ENTER} · esc {self.ESCAPE}")
            yield Words(self._about)
            yield FilterBox("the name of the file")
            yield self._said

    def on_mount(self) -> None:
        """Propose a name, and say where one without a folder is."""
        box = self.query_one(Input)
        try:
            folder = Path.cwd()
        except OSError:  # it was removed since the program was started
            self._hint = "There is no working directory any more: give the folder too."
        else:
            self._hint = self.found_in(folder)
            box.value = name = self.proposed(folder)
            box.selection = Selection(0, len(name) - len(Path(name).suffix))
        self._said.show(self._hint, role="label")
        box.focus()

    def on_input_changed(self) -> None:
        """What was wrong may be right now."""
        self._said.show(self._hint, role="label")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed."""
        event.stop()
        typed = event.value.strip()
        if not typed:
            self.say(self.NO_NAME)
            return
        try:
            path = Path(typed).expanduser()
        except RuntimeError as error:  # nobody knows the home
            self.say(f"{self.NOTHING}: {reason(error)}.")
        else:
            self.take(path)

    def say(self, problem: str) -> None:
        """Say why nothing came of it."""
        self._said.show(f"{GLYPHS.danger} {problem}", role="danger")


def reason(error: Exception) -> str:
    """Why a file could not be used, in words: the system's own where it is its refusal."""
    if isinstance(error, ValueError):  # characters that no name of a file can have
        return "no file can be called so"
    return (error.strerror if isinstance(error, OSError) else str(error).rstrip(".")) or "unknown reason"
