"""Files named on the command line: read as values, and written completely or not at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as replaced
from pathlib import Path
from typing import Final

from chartui.cli.errors import UsageError, is_of_the_disk
from chartui.core.files import read_named, read_stdin
from chartui.core.jsontext import NotJson, Wire, loads
from chartui.core.paths import output_file, write_output
from chartui.core.spec.errors import ServiceError

#: Maximum size of a value in bytes.
_MOST: Final = 16 * 1024 * 1024


def whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 10**6):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1000000")
    return int(text)


def seconds(text: str) -> float:
    from chartui.core.typed_numbers import typed_number

    try:
        return float(typed_number(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error} (seconds, such as 10 or 2.5)") from None


def milliseconds(text: str) -> int:
    from chartui.core.typed_numbers import typed_milliseconds

    try:
        return typed_milliseconds(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class Values:
    """Reads option values: plain text, ``@FILE``, or ``-`` for standard input. Methods raise :class:`UsageError`."""

    def __init__(self) -> None:
        self._taken_by: str | None = None

    def text(self, option: str, given: str) -> str:
        """A text, without the line end that closes a file."""
        if given != "-" and not given.startswith("@"):
            return given
        try:
            text = self._read(option, given).decode()
        except UnicodeDecodeError:
            source = "standard input" if given == "-" else given[1:]
            raise UsageError(f"{option}: {source} is not UTF-8") from None
        return text.removesuffix("\n").removesuffix("\r")

    def json(self, option: str, given: str) -> Wire:
        source = self._read(option, given) if given == "-" or given.startswith("@") else given
        try:
            return loads(source)
        except NotJson as error:
            raise UsageError(f"{option} is not JSON: {error}") from None

    def json_object(self, option: str, given: str) -> dict[str, Wire]:
        value = self.json(option, given)
        if not isinstance(value, dict):
            raise UsageError(f"{option} must be a JSON object")
        return value

    def _read(self, option: str, given: str) -> bytes:
        if given == "-":
            if self._taken_by is not None:
                raise UsageError(f"{self._taken_by} and {option} cannot both read standard input")
            self._taken_by = option
        source = "standard input" if given == "-" else given[1:]
        try:
            return read_stdin(_MOST) if given == "-" else read_named(Path(source), _MOST)
        except OSError as error:
            raise UsageError(f"{option}: {source} cannot be read: {error.strerror}") from None


def write_text(path: Path, text: str, *, replace: bool, folders: bool = False) -> None:
    with writing_to(path):
        write_output(path, text.encode(), replace=replace, folders=folders)


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn a failure to write ``path`` into a :class:`UsageError`; a full or failing disk stays an ``OSError``."""
    try:
        yield
    except FileExistsError:
        raise UsageError(f"{path} already exists; --force overwrites it") from None
    except OSError as error:
        if is_of_the_disk(error):
            raise
        raise UsageError(f"{path} cannot be written: {error.strerror}", code="output") from None


def walk_file(text: str) -> Path:
    from chartui.core.narrative.walk.suite import NOT_A_WALK, SUFFIX

    path = Path(text)
    if path.suffix != SUFFIX and (path.is_file() or not path.exists()):  # not a device such as /dev/stdout
        raise argparse.ArgumentTypeError(NOT_A_WALK)
    return path


def database_file(text: str) -> Path:
    if text == "":
        raise argparse.ArgumentTypeError("the file name is empty")
    if text == "-":
        raise argparse.ArgumentTypeError(
            "a database cannot be written to standard output; for a file named -, write ./-"
        )
    return Path(text)


@contextmanager
def database_output(path: Path, *, replace: bool) -> Iterator[Path]:
    """A scratch file that becomes ``path`` at the end of the block. Raises as :func:`writing_to`."""
    with writing_to(path), output_file(path, replace=replace) as scratch:
        try:
            yield scratch
        except ServiceError as error:
            raise replaced(error, message=error.message.replace(str(scratch), str(path))) from None
