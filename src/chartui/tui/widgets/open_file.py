"""The question for the name of a file, which is read at once."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final, TypeVar

from chartui.core.paths import NOT_REGULAR
from chartui.core.tables import BadFile
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.file_question import FileQuestion, reason

__all__ = ["OpenFile"]

T = TypeVar("T")
#: As many mistakes in a file are told at once.
_TOLD: Final = 6


class OpenFile(FileQuestion[T]):
    """Asks for the name of a file; gives what it holds, None where it was left.

    A subclass says what the dialogue is called, what becomes of the file, and how it is read. A file with a mistake is
    told, mistake by mistake, and nothing is taken of it.
    """

    ENTER: ClassVar[str] = "reads it"
    ESCAPE: ClassVar[str] = "leaves it"
    NO_NAME: ClassVar[str] = "Give the name of a file."
    NOTHING: ClassVar[str] = "Nothing was taken"
    WHAT_BECOMES: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.WHAT_BECOMES)

    def read(self, path: Path) -> T:
        """What the file holds; raises ``ValueError`` for one that cannot be used."""
        raise NotImplementedError

    def found_in(self, folder: Path) -> str:
        """It is looked for there."""
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
