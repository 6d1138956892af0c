"""Writing what a screen offers to a file that the user names."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from chartui.core.paths import file_stem, write_output
from chartui.core.text import single_line
from chartui.tui.clipboard import choose, visible, with_text
from chartui.tui.numbers import count
from chartui.tui.widgets.confirm import Confirm
from chartui.tui.widgets.file_question import FileQuestion, reason

if TYPE_CHECKING:
    from chartui.tui.widgets.screen import Copyable, WorkScreen

__all__ = ["FileName", "offer_file", "offer_text"]


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
    ENTER: ClassVar[str] = "writes it"
    ESCAPE: ClassVar[str] = "writes nothing"
    NOTHING: ClassVar[str] = "Nothing was written"

    def __init__(self, copyable: Copyable, data: bytes) -> None:
        self._copyable = copyable
        self._data = data
        super().__init__(f"{copyable.title}: {self.amount}")

    @property
    def amount(self) -> str:
        """How large the file becomes."""
        return f"{count(len(self._data))} bytes"

    def found_in(self, folder: Path) -> str:
        """It is written there."""
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
        """Write, if that can be done."""
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
