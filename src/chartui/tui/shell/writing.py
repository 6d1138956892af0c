"""Writing what a screen offers to a file that the user names."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.core.paths import file_stem, write_file
from chartui.core.text import display_text, single_line
from chartui.tui.clipboard import choose
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.widgets.confirm import Confirm
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.words import Words

if TYPE_CHECKING:
    from chartui.tui.widgets.screen import Copyable, WorkScreen

__all__ = ["FileName", "offer_file", "offer_text"]


def offer_file(screen: WorkScreen) -> None:
    """Write one of the texts that ``screen`` offers to a file, after asking which and where."""
    choose(screen, "Write", partial(offer_text, screen))


def offer_text(screen: WorkScreen, chosen: Copyable) -> None:
    """Write a text to a file, after asking where."""
    app = screen.workbench
    if not chosen.text:
        app.tell("There is nothing in it to write.", title=chosen.title)
        return
    question = FileName(chosen)

    def written(path: Path | None) -> None:
        if path is not None:
            app.tell(f"Written: {_short(path)}, {question.amount}", title=chosen.title)

    app.push_screen(question, written)


class FileName(Dialog[Path | None]):
    """Asks for the name of a file and writes it; gives its path, or None where nothing was written.

    What a terminal would obey is made visible, as when it is copied: whoever looks at the file sees text.
    """

    DEFAULT_CSS = """
    FileName > Vertical { padding: 1 1 1 1; }
    FileName Words { background: $surface; }
    FileName Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, copyable: Copyable) -> None:
        super().__init__()
        self._copyable = copyable
        text = display_text(copyable.text, multiline=True)
        self._data = (text if text.endswith("\n") else f"{text}\n").encode()
        self._hint = ""
        self._said = Words("")

    @property
    def amount(self) -> str:
        """How large the file becomes."""
        return f"{count(len(self._data))} bytes"

    def compose(self) -> ComposeResult:
        """What is written, the box, and what is wrong with what was typed."""
        with Vertical() as panel:
            panel.border_title = Content("Write to a file")
            panel.border_subtitle = Content("⏎ writes it · esc writes nothing")
            yield Words(f"{self._copyable.title}: {self.amount}")
            yield FilterBox("the name of the file")
            yield self._said

    def on_mount(self) -> None:
        """Propose a name; what is typed replaces it, and the ending stays."""
        box = self.query_one(Input)
        try:
            folder = Path.cwd()
        except OSError:  # it was removed since the program was started
            self._hint = "There is no working directory any more: give the folder too."
        else:
            self._hint = f"A name without a folder is for {folder}."
            box.value = name = _proposed(folder, self._copyable)
            box.selection = Selection(0, len(name) - len(self._copyable.suffix))
        self._said.show(self._hint, role="label")
        box.focus()

    def on_input_changed(self) -> None:
        """What was wrong may be right now."""
        self._said.show(self._hint, role="label")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Write, if that can be done."""
        event.stop()
        typed = event.value.strip()
        if not typed:
            self._say("Give the file a name.")
            return
        try:
            path = Path(typed).expanduser()
            self._write(path if path.is_absolute() else Path.cwd() / path)
        except (OSError, RuntimeError, ValueError) as error:
            self._say(f"Nothing was written: {_reason(error)}.")

    def _write(self, path: Path, *, replace: bool = False) -> None:
        try:
            write_file(path, self._data, replace=replace)
        except FileExistsError:
            self._ask(path)
        except FileNotFoundError:
            self._say(f"Nothing was written: there is no folder {path.parent}.")
        except IsADirectoryError:
            self._say(f"Nothing was written: {path} is a folder. Add a name.")
        except OSError as error:
            kept = " What was there is as it was." if path.exists() else ""
            self._say(f"Nothing was written to {path}: {_reason(error)}.{kept}")
        else:
            self.dismiss(path)

    def _ask(self, path: Path) -> None:
        def answered(agreed: bool | None) -> None:
            if agreed:
                self._write(path, replace=True)

        there = f"There is a file {single_line(str(path))} already, of {count(path.stat().st_size)} bytes."
        self.app.push_screen(Confirm("Overwrite", f"{there} What it holds would be gone.", "Overwrite it"), answered)

    def _say(self, problem: str) -> None:
        self._said.show(f"{GLYPHS.danger} {problem}", role="danger")


def _proposed(folder: Path, copyable: Copyable) -> str:
    """A name made of the title, which no file in ``folder`` has yet."""
    stem, number = file_stem(copyable.title, otherwise="chartui"), 1
    name = f"{stem}{copyable.suffix}"
    while (folder / name).exists():
        number += 1
        name = f"{stem}-{number}{copyable.suffix}"
    return name


def _short(path: Path) -> str:
    """A path as one would type it: from the working directory or from the home, where it lies below one of them."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    with suppress(RuntimeError, ValueError):
        return f"~/{path.relative_to(Path.home())}"
    return str(path)


def _reason(error: Exception) -> str:
    """Why, in words: the system's own where it is its refusal."""
    if isinstance(error, ValueError):  # characters that no name of a file can have
        return "no file can be called so"
    return (error.strerror if isinstance(error, OSError) else str(error).rstrip(".")) or "unknown reason"
