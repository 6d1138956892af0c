"""The files that people write for the program, and it for them: TOML, every mistake told by its place and its cure."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from chartui.core.files import Reading, read_own
from chartui.core.text import is_plain

__all__ = [
    "BadTable",
    "Reader",
    "as_toml",
    "check_head",
    "nearest",
    "read_table",
    "refuse_unknown",
    "table_in",
    "typed",
]

T = TypeVar("T")
_MAX_FILE: Final = 1024 * 1024


class BadTable(ValueError):
    """A file cannot be used; the message is one sentence, without the file's name."""


def read_table(path: Path, *, number: Callable[[str], Any] = float, read: Reading = read_own) -> dict[str, Any] | None:
    """The TOML document in ``path``; None when there is no such file. Raises :class:`BadTable`.

    ``number`` makes a number with a fraction of its text. ``read`` is how the file is read: as one of the program's own
    unless it says otherwise.
    """
    try:
        data = read(path, _MAX_FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadTable(f"it cannot be read: {error.strerror}.") from None
    return table_in(data, number=number)


def table_in(data: bytes, *, number: Callable[[str], Any] = float) -> dict[str, Any]:
    """The TOML document that ``data`` holds; raises :class:`BadTable`. ``number`` as for :func:`read_table`."""
    import tomllib

    try:
        return tomllib.loads(data.decode(), parse_float=number)
    except UnicodeDecodeError:
        raise BadTable("not UTF-8.") from None
    except (ValueError, RecursionError) as error:  # also for a whole number of thousands of digits
        raise BadTable(f"not TOML: {error or 'nested too deeply'}.") from None
    except ArithmeticError:
        raise BadTable("a number in it is beyond all range.") from None


def check_head(table: Mapping[str, Any], name: str, version: int) -> None:
    """Raise :class:`BadTable` unless the file says that it has this format and version."""
    if table.get("format") != name:
        raise BadTable(f'it must start with: format = "{name}".')
    if "version" not in table:
        raise BadTable(f"it does not say its version; write version = {version} below the format.")
    if table.get("version") != version:
        raise BadTable(f"version {table.get('version')!r} is not known here; this program reads version {version}.")


def refuse_unknown(keys: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise :class:`BadTable` for a key that is not ``known``, with the nearest that is."""
    known = tuple(known)
    for key in keys:
        if key not in known:
            raise BadTable(f"unknown key '{key}' in {where}{nearest(key, known)}.")


def typed(value: Any, kind: type | tuple[type, ...], where: str, wanted: str) -> Any:
    """``value``; raises :class:`BadTable` unless it is of ``kind``, which ``wanted`` says in words."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadTable(f"{where} must be {wanted}.")
    return value


def nearest(name: str, known: Iterable[str]) -> str:
    """What may have been meant, as the end of a sentence: the nearest name, else all there are."""
    from difflib import get_close_matches

    known = tuple(known)
    near = get_close_matches(name, known, n=1)
    return f"; '{near[0]}' is the nearest" if near else f" (known: {', '.join(known)})"


class Reader:
    """Reads a file of which every mistake is told and left out: what it holds stands in ``table``, empty without one.

    ``problems`` says what is wrong, each in one sentence with file, place and cure.
    """

    def __init__(self, path: Path, name: str, version: int, known: Iterable[str], *, read: Reading = read_own) -> None:
        """Read ``path``, which must say that it has this format and version and may hold the ``known`` keys."""
        self._path = path
        self.problems: list[str] = []
        self.table: Mapping[str, Any] = self.take(_document, path, name, version, read) or {}
        for key in self.table:
            self.take(refuse_unknown, (key,), ("format", "version", *known), "the file")

    def take(self, read: Callable[..., T | None], *arguments: Any) -> T | None:
        """What ``read`` gives; None where it finds a mistake, which is kept."""
        try:
            return read(*arguments)
        except BadTable as error:
            self.problems.append(f"{self._path}: {error}")
            return None

    def entries(self, part: str) -> Mapping[str, Any]:
        """What a part of the file holds; empty when it is not there or no table."""
        return self.take(_table, self.table, part) or {}


def _document(path: Path, name: str, version: int, read: Reading) -> Mapping[str, Any] | None:
    table = read_table(path, read=read)
    if table is not None:
        check_head(table, name, version)
    return table


def _table(table: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = typed(table.get(part, {}), dict, part, "a table")
    return found


# -- writing ----------------------------------------------------------------------------------------------------------


def as_toml(table: Mapping[str, Any]) -> str:
    """A table as TOML text that can be shown and copied without being altered by it.

    What a terminal would obey, and marks that would pile up on a letter, are written as escapes, which leaves the
    values as they are. Raises ``ValueError`` for half a character, which no file can hold.
    """
    import tomli_w

    text = tomli_w.dumps(table)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"no file can hold the half character U+{ord(text[error.start]):04X}") from None
    return "".join(map(_written, text))


def _written(character: str) -> str:
    if character == "\t":  # shown and copied as blanks
        return "\\t"
    if character == "\n" or (is_plain(character) and not unicodedata.combining(character)):
        return character
    return f"\\U{ord(character):08X}"
