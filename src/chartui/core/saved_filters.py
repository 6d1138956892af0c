"""Saved filters for the list of characters. Each profile has a TOML file in the data folder::

    format = "chartui-filters"
    version = 1

    [filters]
    "Flash without memory" = "model:flash memory:no"

A mistake in the file does not stop the program. The mistake is reported, and the entry is skipped. Every change
rewrites the whole file, so comments in the file are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.file_lock import rewrite
from chartui.core.naming import Item, find
from chartui.core.paths import data_dir
from chartui.core.tables import BadTable, Reader, as_toml, typed
from chartui.core.text import is_plain

FORMAT: Final = "chartui-filters"
VERSION: Final = 1
#: The maximum length of a name and of a filter, in characters.
MOST_OF_A_NAME: Final = 60
_MOST_OF_A_FILTER: Final = 500
#: The prefix that marks the name of a saved filter where a filter is expected.
NAMED: Final = "@"


class SavedFilters(NamedTuple):
    """The saved filters, keyed by name.

    ``problems`` contains a sentence with a line number for each mistake in the file.
    """

    entries: Mapping[str, str]
    problems: tuple[str, ...] = ()

    def expand(self, text: str) -> str:
        """Return the saved filter with the name ``NAME`` if the text has the form ``@NAME``.

        Any other text is returned unchanged. Raises :class:`~chartui.core.naming.BadName` if no filter has this name.
        """
        if not text.startswith(NAMED):
            return text
        return self.entries[find("saved filter", text[len(NAMED) :], (Item(name) for name in self.entries)).id]


def filters_path(profile: str, folder: Path | None = None) -> Path:
    """Return the path of the file with a profile's saved filters.

    The file is inside ``folder`` (default: the data folder).
    """
    return (folder or data_dir()) / "filters" / f"{profile}.toml"


def load_filters(path: Path) -> SavedFilters:
    """Read a file of saved filters. A missing file counts as empty. This function raises no errors."""
    reader = Reader(path, FORMAT, VERSION, ("filters",))
    found = {name: reader.take(_entry, name, value) for name, value in reader.entries("filters").items()}
    return SavedFilters({name: text for name, text in found.items() if text is not None}, reader.problems)


def change_filters(path: Path, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
    """Apply ``change`` to the saved filters in a file.

    The file is read and written under a lock. Raises ``OSError`` if the file cannot be written. Raises
    :class:`BadTable` if a filter cannot be saved, or if the file has problems and writing it would lose entries. If an
    error is raised, the file is unchanged.
    """

    def content() -> bytes:
        saved = load_filters(path)
        if saved.problems:
            raise BadTable(f"{saved.problems[0]} Fix this problem first. Nothing was written.")
        entries = {name: _entry(name, text) for name, text in change(saved.entries).items()}
        return as_toml({"format": FORMAT, "version": VERSION, "filters": entries}).encode()

    rewrite(path, content)


def filter_problems() -> Iterator[str]:
    """Yield a sentence for each mistake in the saved filters of all profiles."""
    for path in sorted(filters_path("*").parent.glob("*.toml")):
        yield from load_filters(path).problems


def check_name(name: str) -> None:
    """Raise :class:`BadTable` if ``name`` is not a valid name for a filter."""
    if not 0 < len(name) <= MOST_OF_A_NAME or not is_plain(name) or name != name.strip():
        raise BadTable(f"The name must have 1 to {MOST_OF_A_NAME} visible characters.", at=f'filters."{name}"')


def _entry(name: str, value: Any) -> str:
    check_name(name)
    text = typed(value, str, f'filters."{name}"', "a string containing a filter")
    if not text.strip() or len(text) > _MOST_OF_A_FILTER:
        raise BadTable(f'filters."{name}" must have 1 to {_MOST_OF_A_FILTER} characters.')
    return text
