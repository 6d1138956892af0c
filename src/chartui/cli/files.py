"""Files that a command writes because its words name them: one option and one set of sentences for all of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as replaced
from pathlib import Path

from chartui.cli.errors import UsageError, is_of_the_disk
from chartui.core.spec.errors import ServiceError

__all__ = ["add_force", "database_file", "database_output", "write_text", "writing_to"]


def add_force(parser: argparse._ActionsContainer, words: str) -> None:
    """Add ``--force``, which lets an existing file be overwritten."""
    parser.add_argument("--force", action="store_true", help=words)


def write_text(path: Path, text: str, *, replace: bool) -> None:
    """Write a file, whole or not at all; raises as :func:`writing_to`."""
    from chartui.core.paths import write_output

    with writing_to(path):
        write_output(path, text.encode(), replace=replace)


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turns the refusal to write ``path`` into a :class:`UsageError`; a full or failing disk stays an ``OSError``."""
    try:
        yield
    except FileExistsError:
        raise UsageError(f"there is a file {path} already; --force overwrites it") from None
    except OSError as error:
        if is_of_the_disk(error):
            raise
        raise UsageError(f"{path} cannot be written: {error.strerror}", code="output") from None


def database_file(text: str) -> Path:
    """The name of a database file, as a type of ``argparse``: no pipe can hold one."""
    if text == "":
        raise argparse.ArgumentTypeError("the name of the file is empty")
    if text == "-":
        raise argparse.ArgumentTypeError("a database needs a file; for one that is called -, write ./-")
    return Path(text)


@contextmanager
def database_output(path: Path, *, replace: bool) -> Iterator[Path]:
    """A scratch file that becomes ``path`` once the block has filled it; failures name ``path``.

    Raises as :func:`writing_to`, and what the block raises.
    """
    from chartui.core.paths import output_file

    with writing_to(path), output_file(path, replace=replace) as scratch:
        try:
            yield scratch
        except ServiceError as error:
            raise replaced(error, message=error.message.replace(str(scratch), str(path))) from None
