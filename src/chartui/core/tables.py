"""Read and write TOML files. Every mistake in a file is reported with its line number and a fix."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.files import Reading, read_own
from chartui.core.naming import unknown
from chartui.core.text import display_text, is_plain

if TYPE_CHECKING:
    from chartui.core.toml_text import TomlLines

T = TypeVar("T")
_MAX_FILE: Final = 1024 * 1024
#: The position in error messages of the TOML parser.
_PLACE: Final = r" \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)$"


class BadTable(ValueError):
    """Raised if a file cannot be used.

    The message is one sentence without the file's name. ``at`` is the path to the mistake in the file, such as
    ``sections.hall.decisions[0].to``. By default, the path is taken from the start of the message. ``line`` is the
    line number of the mistake, if known.
    """

    def __init__(self, message: str, *, at: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.at = message if at is None else at
        self.line = line


# -- mistakes ---------------------------------------------------------------------------------------------------------


class Mistake(NamedTuple):
    """A mistake in a file: its line number, counted from 1 (None if unknown), and a sentence that describes it."""

    line: int | None
    message: str


def located(file: Path | str, mistakes: Iterable[Mistake]) -> tuple[str, ...]:
    """Return a message for each mistake in ``file``, in line order.

    The messages are safe to show. A message has the form ``file:line: message``. Mistakes without a known line come
    first and have the form ``file: message``.
    """
    ordered = sorted(mistakes, key=lambda mistake: mistake.line or 0)
    places = (f"{file}" if line is None else f"{file}:{line}" for line, _ in ordered)
    return tuple(display_text(f"{place}: {message}") for place, (_, message) in zip(places, ordered, strict=True))


class BadFile(ValueError):
    """Raised if no part of a file can be used. The message has one line for each of the ``mistakes``."""

    def __init__(self, file: Path | str, mistakes: Iterable[Mistake]) -> None:
        self.file = file
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process rebuild the exception from its file and mistakes, not only from its message."""
        return type(self), (self.file, self.mistakes)

    @property
    def lines(self) -> tuple[str, ...]:
        return located(self.file, self.mistakes)

    @property
    def short_lines(self) -> tuple[str, ...]:
        """The messages in :attr:`lines`, without the file's folder.

        They are shown when the user has just typed the path of the file.
        """
        return located(self.file.name if isinstance(self.file, Path) else self.file, self.mistakes)


class Mistakes:
    """A collection of the mistakes found in ``file``.

    ``text`` is the TOML text of the file, which is needed to determine line numbers.
    """

    def __init__(self, file: Path | str, text: str = "") -> None:
        self.file = file
        self.text = text
        self.found: list[Mistake] = []
        self._lines: TomlLines | None = None

    def add(self, message: str, *, at: str | None = None, line: int | None = None) -> None:
        """Add a mistake. ``at`` and ``line`` are described in :class:`BadTable`."""
        if line is None:
            line = self._line(message if at is None else at)
        self.found.append(Mistake(line, message))

    def take(self, read: Callable[..., T | None], *arguments: Any, at: str | None = None) -> T | None:
        """Call ``read`` and return its result.

        If it raises :class:`BadTable`, add the mistake and return None. ``at`` is the path to the mistake in the file,
        if known.
        """
        try:
            return read(*arguments)
        except BadTable as error:
            self.add(str(error), at=error.at if at is None else at, line=error.line)
            return None

    # The value of ``name`` in a table, called ``where`` in messages; None if missing or wrong.

    def text_of(self, table: Mapping[str, Any], name: str, where: str, *, needed: bool = False) -> str | None:
        if needed and name not in table:
            self.add(f'{where} is missing; write {name} = "…".')
        return self.take(typed, table[name], str, where, "text") if name in table else None

    def flag_of(self, table: Mapping[str, Any], name: str, where: str) -> bool | None:
        return self.take(typed, table[name], bool, where, "true or false") if name in table else None

    def list_of(self, table: Mapping[str, Any], name: str, where: str, wanted: str) -> list[Any] | None:
        return (self.take(typed, table[name], list, where, wanted) or []) if name in table else None

    def texts_of(self, table: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
        """Return the strings in a list. Other elements are reported as mistakes and omitted."""
        found = self.list_of(table, name, where, "a list of strings") or ()
        read = [self.take(typed, one, str, f"{where}[{number}]", "text") for number, one in enumerate(found)]
        return tuple(text for text in read if text is not None)

    def table_of(self, table: Mapping[str, Any], name: str, where: str | None = None) -> Mapping[str, Any]:
        """Return a table from the file. The result is empty if the table is missing or invalid."""
        return self.take(typed, table.get(name, {}), dict, where or name, "a table") or {}

    @property
    def problems(self) -> tuple[str, ...]:
        return located(self.file, self.found)

    def check(self, kind: type[BadFile] = BadFile) -> None:
        """Raise an error of class ``kind`` if there are mistakes."""
        if self.found:
            raise kind(self.file, self.found)

    def _line(self, words: str) -> int | None:
        if not self.text:
            return None
        if self._lines is None:
            from chartui.core.toml_text import TomlLines

            self._lines = TomlLines(self.text)
        return self._lines.line(words)


def file_problems(path: Path, messages: Sequence[str]) -> tuple[str, ...]:
    """Return messages about a file in the same form as :func:`located`.

    Each of the ``messages`` must begin with a path in the file, such as ``sections.hall``.
    """
    if not messages:
        return ()
    try:
        text = read_own(path, _MAX_FILE).decode()
        table_in(text.encode())
    except (OSError, ValueError):  # the file has changed in the meantime
        text = ""
    mistakes = Mistakes(path, text)
    for message in messages:
        mistakes.add(message)
    return mistakes.problems


# -- reading ----------------------------------------------------------------------------------------------------------


def one_of(table: Mapping[str, Any], name: str, known: Collection[str], where: str = "") -> str | None:
    """Return the word at ``name`` in a table, or None if ``name`` is missing.

    Raises :class:`BadTable` if the value is not one of the ``known`` words.
    """
    place = f"{where}.{name}" if where else name
    value = typed(table[name], str, place, "text") if name in table else None
    if value is not None and value not in known:
        raise BadTable(unknown(name, value, known), at=place)
    return value


def read_table(path: Path) -> dict[str, Any] | None:
    """Return the contents of one of the program's own TOML files, or None if the file does not exist.

    Raises :class:`BadTable` if the file cannot be read or is not valid.
    """
    data = _data(path, read_own)
    return None if data is None else table_in(data)


def _data(path: Path, read: Reading) -> bytes | None:
    try:
        return read(path, _MAX_FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadTable(f"the file cannot be read: {error.strerror}.") from None


def table_in(data: bytes, *, number: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the contents of a TOML document.

    ``number`` is the function that converts the text of each float. Raises :class:`BadTable` if the document is not
    valid.
    """
    import tomllib

    try:
        return tomllib.loads(data.decode(), parse_float=number)
    except UnicodeDecodeError:
        raise BadTable("not UTF-8.", at="") from None
    except (ValueError, RecursionError) as error:  # also raised for a whole number with thousands of digits
        reason = str(error) or "nested too deeply"
        place = re.search(_PLACE, reason)
        line = place and (int(place[1]) if place[1] else data.rstrip().count(b"\n") + 1)
        column = f" (column {place[2]})" if place and place[2] else " (end of file)" if place else ""
        raise BadTable(f"not TOML: {re.sub(_PLACE, '', reason)}{column}.", at="", line=line) from None
    except ArithmeticError:
        raise BadTable("a number is out of range.", at="") from None


def check_head(table: Mapping[str, Any], name: str, version: int) -> None:
    """Check the format and version of a file.

    Raises :class:`BadTable` if they differ from the given format and version.
    """
    if table.get("format") != name:
        raise BadTable(f'the file must start with: format = "{name}".', at="format")
    if "version" not in table:
        raise BadTable(f"the version is missing; write version = {version} below the format.")
    if table.get("version") != version:
        raise BadTable(f"version {table.get('version')!r} is not supported; this program reads version {version}.")


def refuse_unknown(keys: Iterable[str], known: Iterable[str], where: str, *, at: str | None = None) -> None:
    """Raise :class:`BadTable` if a key is not one of the ``known`` keys.

    The message suggests the most similar known key. ``where`` is the name of the table in the message. ``at`` is the
    table's actual path in the file, if that differs from ``where``.
    """
    known = tuple(known)
    for key in keys:
        if key not in known:
            table = where if at is None else at
            raise BadTable(unknown("key", key, known, place=f"in {where}"), at=f"{table}.{key}" if table else key)


def typed(value: Any, kind: type[T] | tuple[type[T], ...], where: str, wanted: str) -> T:
    """Return ``value`` if it is of type ``kind``.

    Otherwise, raise :class:`BadTable`. ``wanted`` describes the expected value in the message.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadTable(f"{where} must be {wanted}.")
    return value


class Reader(Mistakes):
    """Reads a file and collects all of its mistakes.

    Invalid entries are skipped. ``table`` is the contents of the file. ``exists`` says whether the file exists. A
    missing file is not a mistake, and its table is empty.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        version: int,
        known: Iterable[str],
        *,
        number: Callable[[str], Any] = float,
        read: Reading = read_own,
    ) -> None:
        """Read the file at ``path``, which must have the given format and version.

        Only the ``known`` keys are allowed. ``read`` is the function that reads the file. ``number`` is described in
        :func:`table_in`.
        """
        super().__init__(path)
        self.path = path
        self.exists = True
        self.table: Mapping[str, Any] = {}
        data = self.take(_data, path, read)
        if data is None:
            self.exists = bool(self.found)
            return
        table = self.take(partial(table_in, number=number), data)
        if table is None:
            return
        self.text = data.decode()
        if self.take(_checked, table, name, version):
            self.table = table
        for key in self.table:
            self.take(partial(refuse_unknown, at=""), (key,), ("format", "version", *known), "the file")

    def entries(self, part: str) -> Mapping[str, Any]:
        return self.table_of(self.table, part)


def _checked(table: Mapping[str, Any], name: str, version: int) -> bool:
    check_head(table, name, version)
    return True


# -- writing ----------------------------------------------------------------------------------------------------------


def schema_line(name: str, *, folder: str = ".") -> str:
    """Return the line that tells editors which JSON Schema a file follows. ``name`` is the file's format."""
    return f"#:schema {folder}/{name.removeprefix('chartui-')}.schema.json\n"


def file_text(name: str, version: int, table: Mapping[str, Any]) -> str:
    """Return the text of a file, including the line that names its JSON Schema.

    ``name`` is the file's format. Raises ``ValueError`` for a lone surrogate, as :func:`as_toml` does.
    """
    return schema_line(name) + as_toml({"format": name, "version": version, **table})


def as_toml(table: Mapping[str, Any]) -> str:
    """Return a table as TOML text without invisible characters.

    Control characters and combining marks are written as escapes, which does not change the values. Raises
    ``ValueError`` for a lone surrogate, which a file cannot contain.
    """
    import tomli_w

    text = tomli_w.dumps(table)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"an unpaired surrogate cannot be written to a file: U+{ord(text[error.start]):04X}") from None
    return "".join(map(_written, text))


def _written(character: str) -> str:
    if character == "\t":  # these characters are shown and copied as spaces
        return "\\t"
    if character == "\n" or (is_plain(character) and not unicodedata.combining(character)):
        return character
    return f"\\U{ord(character):08X}"
