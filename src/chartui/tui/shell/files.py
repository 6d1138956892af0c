"""Asking for the name of a file, to open or to write."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.core.paths import NOT_REGULAR, file_stem, write_output
from chartui.core.tables import BadFile
from chartui.core.text import single_line
from chartui.tui.clipboard import choose, visible, with_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from chartui.tui.widgets.screen import Copyable, WorkScreen

T = TypeVar("T")


class FileQuestion(Dialog[T | None]):
    """Asks for the name of a file and does something with it; gives what came of that, None where it was left.

    A subclass says what the dialogue is called, what Enter does, what is said where nothing comes of a name,
    and what is done with a path.
    """

    DEFAULT_CSS = """
    FileQuestion > Vertical { padding: 1 1 1 1; }
    FileQuestion Words { background: $surface; }
    FileQuestion Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    TITLE_OF_IT: ClassVar[str]
    ENTER: ClassVar[str]
    NO_NAME: ClassVar[str] = "Give the file a name."
    NOTHING: ClassVar[str]

    def __init__(self, about: str) -> None:
        """``about`` is said above the box."""
        super().__init__(enter=self.ENTER)
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
        with Vertical() as panel:
            panel.border_title = Content(self.TITLE_OF_IT)
            yield Words(self._about)
            yield FilterBox("the name of the file")
            yield self._said

    def on_mount(self) -> None:
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
        self._said.show(self._hint, role="label")

    def on_input_submitted(self, event: Input.Submitted) -> None:
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
        self._said.show(f"{GLYPHS.danger} {problem}", role="danger")


def reason(error: Exception) -> str:
    """Why a file could not be used, in words: the system's own where it is its refusal."""
    if isinstance(error, ValueError):  # characters that no name of a file can have
        return "no file can be called so"
    return (error.strerror if isinstance(error, OSError) else str(error).rstrip(".")) or "unknown reason"


#: As many mistakes in a file are told at once.
_TOLD: Final = 6


class OpenFile(FileQuestion[T]):
    """Asks for the name of a file; gives what it holds, None where it was left.

    A subclass says what the dialogue is called, what becomes of the file, and how it is read. A file with a mistake is
    told, mistake by mistake, and nothing is taken of it.
    """

    ENTER: ClassVar[str] = "Read it"
    NO_NAME: ClassVar[str] = "Give the name of a file."
    NOTHING: ClassVar[str] = "Nothing was taken"
    WHAT_BECOMES: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.WHAT_BECOMES)

    def read(self, path: Path) -> T:
        """What the file holds; raises ``ValueError`` for one that cannot be used."""
        raise NotImplementedError

    def found_in(self, folder: Path) -> str:
        return f"A name without a folder is looked for in {folder}."

    def take(self, path: Path) -> None:
        """Read it, if that can be done."""
        if path.exists() and not (path.is_file() or path.is_dir()):
            self.say(f"{self.NOTHING}: {NOT_REGULAR}.")  # a pipe would keep the whole program waiting
            return
        try:
            found = self.read(path)
        except OSError as error:
            self.say(f"{self.NOTHING}: {reason(error)}.")
        except ValueError as error:
            problems = error.short_lines if isinstance(error, BadFile) else str(error).splitlines()
            more = len(problems) - _TOLD
            rest = [f"{GLYPHS.ellipsis} and {more} more"] if more > 0 else []
            self.say("\n".join([f"{self.NOTHING}:", *problems[:_TOLD], *rest]))
        else:
            self.dismiss(found)


def offer_file(screen: WorkScreen) -> None:
    """Write one of the texts that ``screen`` offers to a file, after asking which and where."""
    choose(screen, "Write", partial(offer_text, screen))


def offer_text(screen: WorkScreen, chosen: Copyable) -> None:
    """Write a text to a file, after asking where."""
    app = screen.workbench

    def ask(data: bytes) -> None:
        if not data:
            app.tell("There is nothing in it to write.", title=chosen.title)
            return
        question = FileName(chosen, data)

        def written(path: Path | None) -> None:
            if path is not None:
                app.tell(f"Written: {_short(path)}, {question.amount}", title=chosen.title)

        app.push_screen(question, written)

    with_text(screen, chosen, _data_of, ask)


def _data_of(text: str) -> bytes:
    """A text as it is written: what a terminal would obey is made visible, as when it is copied."""
    shown = visible(text)
    return (shown if not shown or shown.endswith("\n") else f"{shown}\n").encode()


class FileName(FileQuestion[Path]):
    """Asks for the name of a file and writes it; gives its path, or None where nothing was written.

    ``data`` is what is written.
    """

    TITLE_OF_IT: ClassVar[str] = "Write to a file"
    ENTER: ClassVar[str] = "Write it"
    NOTHING: ClassVar[str] = "Nothing was written"

    def __init__(self, copyable: Copyable, data: bytes) -> None:
        self._copyable = copyable
        self._data = data
        super().__init__(f"{copyable.title}: {self.amount}")

    @property
    def amount(self) -> str:
        return f"{count(len(self._data))} bytes"

    def found_in(self, folder: Path) -> str:
        return f"A name without a folder is for {folder}."

    def proposed(self, folder: Path) -> str:
        """A name made of the title, which no file in ``folder`` has yet."""
        suffix, number = self._copyable.suffix, 1
        stem = file_stem(self._copyable.title, otherwise="chartui")
        name = f"{stem}{suffix}"
        while (folder / name).exists():
            number += 1
            name = f"{stem}-{number}{suffix}"
        return name

    def take(self, path: Path) -> None:
        try:
            self._write(path if path.is_absolute() else Path.cwd() / path)
        except (OSError, ValueError) as error:
            self.say(f"{self.NOTHING}: {reason(error)}.")

    def _write(self, path: Path, *, replace: bool = False) -> None:
        try:
            write_output(path, self._data, replace=replace)
        except FileExistsError:
            self._ask(path)
        except FileNotFoundError:
            self.say(f"{self.NOTHING}: there is no folder {path.parent}.")
        except IsADirectoryError:
            self.say(f"{self.NOTHING}: {path} is a folder. Add a name.")
        except OSError as error:
            kept = " What was there is as it was." if path.exists() else ""
            self.say(f"{self.NOTHING} to {path}: {reason(error)}.{kept}")
        else:
            self.dismiss(path)

    def _ask(self, path: Path) -> None:
        def answered(agreed: bool | None) -> None:
            if agreed:
                self._write(path, replace=True)

        there = f"There is a file {single_line(str(path))} already, of {count(path.stat().st_size)} bytes."
        self.app.push_screen(Confirm("Overwrite", f"{there} What it holds would be gone.", "Overwrite it"), answered)


def _short(path: Path) -> str:
    """A path as one would type it: from the working directory or from the home, where it lies below one of them."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    with suppress(RuntimeError, ValueError):
        return f"~/{path.relative_to(Path.home())}"
    return str(path)
