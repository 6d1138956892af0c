"""Asking for a file name, to read or to write."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.core.paths import NOT_REGULAR, file_stem, from_home, write_output
from chartui.core.tables import BadFile
from chartui.core.text import single_line
from chartui.tui.clipboard import choose, visible, with_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.widgets.screen import Copyable, WorkScreen

T = TypeVar("T")


class NameBox(FilterBox):
    """The file name. Ctrl+U clears all of it, including the suggested suffix."""

    def action_delete_left_all(self) -> None:
        self.clear()


class FileQuestion(Dialog[T | None]):
    """Asks for a file name and uses the file; the result is None if canceled.

    A subclass defines the title, the effect of Enter, the messages for a failure, and the use of the path.
    """

    DEFAULT_CSS = """
    FileQuestion > Vertical { padding: 1 1 1 1; }
    FileQuestion Words { background: $surface; }
    FileQuestion Input { padding: 0 1 !important; background: $panel; margin: 1 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    TITLE_OF_IT: ClassVar[str]
    ENTER: ClassVar[str]
    NO_NAME: ClassVar[str] = "Enter a file name."
    NOTHING: ClassVar[str]

    def __init__(self, about: str) -> None:
        """``about`` is shown above the box."""
        super().__init__(enter=self.ENTER)
        self._about = about
        self._hint = ""
        self._suffix = ""
        self._said = Words("", role="label")

    def take(self, path: Path) -> None:
        """Use the file, then :meth:`dismiss`, or :meth:`say` the problem."""
        raise NotImplementedError

    def proposed(self, folder: Path) -> str:  # noqa: ARG002
        """A suggested name: typing replaces it but keeps its suffix."""
        return ""

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content(self.TITLE_OF_IT)
            yield Words(self._about)
            yield NameBox("file name")
            yield self._said

    def on_mount(self) -> None:
        box = self.query_one(Input)
        try:
            folder = Path.cwd()
        except OSError:  # it was removed after the program was started
            self._hint = "The working directory no longer exists. Enter a full path."
        else:
            self._hint = f"Default folder: {from_home(str(folder))}"
            box.value = name = self.proposed(folder)
            self._suffix = "" if name.endswith("/") else Path(name).suffix
            before = len(name) - len(name.rpartition("/")[2]) if self._suffix else 0
            box.selection = Selection(before, len(name) - len(self._suffix))
        self._said.show(self._hint, role="label")
        box.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        if self._suffix and event.value.lower().endswith(self._suffix * 2):  # typed in front of the suggested one
            event.input.value = event.value[: -len(self._suffix)]
        self._said.show(self._hint, role="label")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip()
        if not typed:
            self.say(self.NO_NAME)
            return
        try:
            path = Path(typed).expanduser()
        except RuntimeError as error:  # no home folder is known
            self.say(f"{self.NOTHING}: {reason(error)}.")
        else:
            self.take(path)

    def say(self, problem: str) -> None:
        self._said.show(f"{GLYPHS.danger} {problem}", role="danger")


def reason(error: Exception) -> str:
    """Why a file could not be used; for a system error, the system's message."""
    if isinstance(error, ValueError):  # characters not allowed in a file name
        return "invalid file name"
    return (error.strerror if isinstance(error, OSError) else str(error).rstrip(".")) or "unknown reason"


#: Maximum number of errors in a file that are listed.
_TOLD: Final = 6


class OpenFile(FileQuestion[T]):
    """Asks for a file name; the result is the file's contents, None if canceled.

    A subclass defines the title, the effect, and how the file is read. A file with errors is not used; its errors are
    listed.
    """

    ENTER: ClassVar[str] = "Read"
    NOTHING: ClassVar[str] = "Nothing was read"
    WHAT_BECOMES: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.WHAT_BECOMES)

    def read(self, path: Path) -> T:
        """The contents of the file; raises ``ValueError`` for an unusable one."""
        raise NotImplementedError

    def take(self, path: Path) -> None:
        """Read the file, if possible."""
        if path.exists() and not (path.is_file() or path.is_dir()):
            self.say(f"{self.NOTHING}: {NOT_REGULAR}.")  # reading a pipe would block the program
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


def offer_file(app: ChartuiApp) -> None:
    """Write one of the texts that the screen in front offers to a file, after asking which and where."""
    choose(app, "Write", offer_text)


def offer_text(screen: WorkScreen, chosen: Copyable) -> None:
    """Write a text to a file, after asking where."""
    app = screen.workbench

    def ask(data: bytes) -> None:
        if not data:
            app.tell("Nothing to write because the text is empty.", title=chosen.title)
            return
        question = FileName(chosen, data)

        def written(path: Path | None) -> None:
            if path is not None:
                app.tell(f"Written: {_short(path)}, {question.size_text}", title=chosen.title)

        app.push_screen(question, written)

    with_text(screen, chosen, _data_of, ask)


def _data_of(text: str) -> bytes:
    """The bytes to write: control characters are made visible, as when copying."""
    shown = visible(text)
    return (shown if not shown or shown.endswith("\n") else f"{shown}\n").encode()


class FileName(FileQuestion[Path]):
    """Asks for a file name and writes the file; the result is its path, or None if nothing was written.

    ``data`` is the content.
    """

    TITLE_OF_IT: ClassVar[str] = "Write to file"
    ENTER: ClassVar[str] = "Write"
    NOTHING: ClassVar[str] = "Nothing was written"

    def __init__(self, copyable: Copyable, data: bytes) -> None:
        self._copyable = copyable
        self._data = data
        super().__init__(f"{copyable.title}: {self.size_text}")

    @property
    def size_text(self) -> str:
        return number_of(len(self._data), "byte")

    def proposed(self, folder: Path) -> str:
        """A name that no file in ``folder``, or in the folder of the text, has yet."""
        folder = Path(self._copyable.folder) if self._copyable.folder else folder
        suffix, number = self._copyable.suffix, 1
        stem = file_stem(self._copyable.name or self._copyable.title, otherwise="chartui")
        name = f"{stem}{suffix}"
        while (folder / name).exists():
            number += 1
            name = f"{stem}-{number}{suffix}"
        return f"{as_typed(folder)}/{name}" if self._copyable.folder else name

    def take(self, path: Path) -> None:
        if path.name == self._suffix:  # a folder was typed in front of the suggested suffix
            path = path.with_name(self.proposed(path.parent))
        if self._copyable.other_suffix and path.suffix != self._copyable.suffix:
            self.say(self._copyable.other_suffix)
            return
        try:
            self._write(path if path.is_absolute() else Path.cwd() / path)
        except (OSError, ValueError) as error:
            self.say(f"{self.NOTHING}: {reason(error)}.")

    def _write(self, path: Path, *, replace: bool = False) -> None:
        try:
            write_output(path, self._data, replace=replace, folders=True)
        except FileExistsError:
            self._ask(path)
        except IsADirectoryError:
            self.say(f"{self.NOTHING}: {path} is a folder. Add a file name.")
        except OSError as error:
            kept = " The existing file is unchanged." if path.exists() else ""
            self.say(f"{self.NOTHING} to {path}: {reason(error)}.{kept}")
        else:
            self.dismiss(path)

    def _ask(self, path: Path) -> None:
        def answered(agreed: bool | None) -> None:
            if agreed:
                self._write(path, replace=True)

        there = f"{single_line(str(path))} already exists ({number_of(path.stat().st_size, 'byte')})."
        self.app.push_screen(Confirm("Overwrite", f"{there} The file's contents will be lost.", "Overwrite"), answered)


def as_typed(path: Path) -> str:
    """A path below the working directory or the home folder, without that."""
    return from_home(_short(path))


def _short(path: Path) -> str:
    """A path as you would type it: relative if it is below the working directory."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)
