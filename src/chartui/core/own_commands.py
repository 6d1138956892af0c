"""Commands that users define themselves in ``config.toml``. They run programs from the terminal UI::

    [[commands]]
    title = "Open the ticket"
    scope = "characters"                     # a screen (default: every screen)
    key = "f9"                               # optional
    run = ["ticket", "open", "{character_id}"]
    output = "pane"                          # or "file", or "none"
    changes = false                          # true (the default): asks for confirmation and respects the lock
    seconds = 60                             # time limit

A program is run without a shell and receives the selection as JSON on standard input. ``{{`` and ``}}`` stand for
braces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.naming import unknown
from chartui.core.profiles import SCREEN_NAMES
from chartui.core.tables import BadTable, Mistakes, one_of, refuse_unknown, typed

#: The names that can be used in braces in ``run``.
PLACEHOLDERS: Final = ("character_id", "character_name", "section_id", "section_name", "profile", "base_url")
SECONDS: Final = 60.0
MOST_SECONDS: Final = 3600.0
#: The maximum length of a title, equal to that of built-in commands.
MOST_TITLE: Final = 33
_NAMES: Final = ("title", "scope", "key", "run", "output", "changes", "seconds")
_PLACES: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z_]+)\}")


class Unavailable(ValueError):
    """Raised when a command cannot run on the current screen. The message is a sentence that gives the reason."""


class OutputTo(StrEnum):
    """Where the output of a command is shown or stored."""

    PANE = "pane"
    FILE = "file"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCommand:
    """A command defined by the user. ``number`` is its position in the file, counted from 0.

    ``scope`` is the name of a screen, or ``app`` for every screen.
    """

    number: int
    title: str
    run: tuple[str, ...]
    scope: str = "app"
    key: str | None = None
    output: OutputTo = OutputTo.PANE
    changes: bool = True
    seconds: float = SECONDS

    @property
    def id(self) -> str:
        return f"own-{self.number + 1}"

    def words(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """Return the program and its arguments, with all placeholders filled in.

        Raises :class:`Unavailable` if a value is missing or cannot be used as an argument.
        """

        def value(found: re.Match[str]) -> str:
            if found[1] is None:
                return found[0][0]
            name = found[1].replace("_", " ")
            text = values.get(found[1], "")
            if not text:
                raise Unavailable(f"The command needs the {name}, which is not available on this screen.")
            if "\0" in text or (text.startswith("-") and not found.start()):
                raise Unavailable(f"The {name} begins with “-” or contains a null character.")
            return text

        return tuple(_PLACES.sub(value, word) for word in self.run)


def read_commands(found: Any, mistakes: Mistakes) -> tuple[OwnCommand, ...]:
    """Return the valid commands in a file. For each invalid command, an error message is added to ``mistakes``."""
    entries = mistakes.take(typed, found, list, "commands", "a list of tables, each with the header [[commands]]") or []
    read = (mistakes.take(_command, entry, number) for number, entry in enumerate(entries))
    return tuple(each for each in read if each is not None)


def _command(entry: Any, number: int) -> OwnCommand:
    where = f"commands[{number}]"
    table = typed(entry, dict, where, "a table")
    refuse_unknown(table, _NAMES, where)
    for name in ("title", "run"):
        if name not in table:
            raise BadTable(f"{where}.{name} is missing.", at=where)
    title = typed(table["title"], str, f"{where}.title", "text").strip()
    if not title or len(title) > MOST_TITLE:
        raise BadTable(f"{where}.title must have 1 to {MOST_TITLE} characters.")
    scope = one_of(table, "scope", SCREEN_NAMES, where)
    output = one_of(table, "output", tuple(map(str, OutputTo)), where)
    key = typed(table["key"], str, f"{where}.key", 'a key such as "f9"') if "key" in table else None
    changes = typed(table.get("changes", True), bool, f"{where}.changes", "true or false")
    seconds = typed(table.get("seconds", SECONDS), (int, float), f"{where}.seconds", "a number of seconds")
    if not 0 < seconds <= MOST_SECONDS:
        raise BadTable(f"{where}.seconds must be more than 0 and at most {MOST_SECONDS:g}.")
    return OwnCommand(
        number=number,
        title=title,
        run=_run(table["run"], f"{where}.run"),
        scope=scope or "app",
        key=key,
        output=OutputTo(output or OutputTo.PANE),
        changes=changes,
        seconds=float(seconds),
    )


def _run(value: Any, where: str) -> tuple[str, ...]:
    words = typed(value, list, where, "a list of strings, starting with the name of the program")
    if not words or not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0]:
        raise BadTable(f"{where} must be a list of strings, starting with the name of the program.")
    for number, word in enumerate(words):
        for found in _PLACES.finditer(word):
            if found[1] is not None and found[1] not in PLACEHOLDERS:
                raise BadTable(unknown("placeholder", found[1], PLACEHOLDERS), at=f"{where}[{number}]")
    return tuple(words)
