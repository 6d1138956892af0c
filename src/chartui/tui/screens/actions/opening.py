"""The question for the name of a scene file, which is read at once."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from chartui.core.actions.scene_file import ActionFileError, read_scene
from chartui.core.actions.turn import Turn
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.words import Words

__all__ = ["OpenScene"]

#: As many mistakes in a file are told at once.
_TOLD = 6


class OpenScene(Dialog[Turn | None]):
    """Asks for the name of a scene file; gives what it holds, None where it was left.

    A file with a mistake is told, mistake by mistake, and nothing is taken of it.
    """

    DEFAULT_CSS = """
    OpenScene > Vertical { padding: 1 1 1 1; }
    OpenScene Words { background: $surface; }
    OpenScene Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._hint = "What is composed is exchanged for it, which r takes back."
        self._said = Words("", role="label")

    def compose(self) -> ComposeResult:
        """What becomes of it, the box, and what is wrong."""
        with Vertical() as panel:
            panel.border_title = Content("Open a scene file")
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
            turn = read_scene(Path(typed).expanduser())
        except ActionFileError as error:
            more = len(error.problems) - _TOLD
            rest = [f"… and {more} more"] if more > 0 else []
            self._say("\n".join(["Nothing was taken:", *error.problems[:_TOLD], *rest]))
        except (RuntimeError, ValueError, OSError) as error:  # no home, or characters that no file can be called by
            self._say(f"Nothing was taken: {error}.")
        else:
            self.dismiss(turn)

    def _say(self, problem: str) -> None:
        self._said.show(f"{GLYPHS.danger} {problem}", role="danger")
