"""Characters as files, for ``pull``, ``diff`` and ``push``: which file, and which character."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.parser import Parser

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle

__all__ = ["add_file", "bundle_files", "character_of", "read_file", "read_text"]


def add_file(parser: Parser) -> None:
    """The argument that names a file to read."""
    parser.add_argument("bundle_file", metavar="FILE", help="the file; - reads standard input")


@contextmanager
def bundle_files() -> Iterator[None]:
    """Turns a file that cannot be used into a :class:`UsageError`."""
    from chartui.core.bundle.reader import BundleError

    try:
        yield
    except BundleError as error:
        raise UsageError.of(error) from None


def read_text(name: str) -> tuple[str, str]:
    """The text in a file, and what the file is called in messages. Raises :class:`UsageError`."""
    from chartui.core.bundle.reader import LONGEST, text_of_file
    from chartui.core.files import read_stdin

    with bundle_files():
        if name != "-":
            return text_of_file(Path(name)), name
    try:
        return read_stdin(LONGEST).decode(), "standard input"
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8") from None


def read_file(name: str) -> tuple[Bundle, Path | None]:
    """The bundle in a file, and where it is; None for standard input and for a pipe. Raises :class:`UsageError`."""
    from chartui.core.bundle.reader import read_bundle

    text, where = read_text(name)
    with bundle_files():
        bundle = read_bundle(text, where=where)
    # What came through a pipe is gone, and takes no ids.
    return bundle, Path(name) if name != "-" and Path(name).is_file() else None


def character_of(bundle: Bundle, given: str | None, profile: str) -> str | None:
    """The character of a profile that is meant: the one that is named, else the one that the file belongs to, or None.

    Raises :class:`UsageError` where it belongs to several.
    """
    if given is not None:
        return given
    known = bundle.known_as(profile)
    if len(known) > 1:
        raise UsageError(
            f"the file belongs to several characters of profile '{profile}': name one of {', '.join(known)}"
        )
    return known[0] if known else None
