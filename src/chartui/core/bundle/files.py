"""Bundles in files: written whole or not at all, over an earlier one with its comments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chartui.core.bundle.reading import read_bundle, text_of_file
from chartui.core.bundle.writing import bundle_text, with_ids
from chartui.core.paths import write_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chartui.core.bundle.model import Bundle, Identities

__all__ = ["earlier_bundle", "remember", "write_bundle"]


def earlier_bundle(path: Path) -> Bundle | None:
    """The bundle in a file that may not be there; raises :class:`~chartui.core.bundle.reading.BundleError`."""
    return read_bundle(path) if path.exists() else None


def write_bundle(path: Path, bundle: Bundle, *, replace: bool = False) -> None:
    """Write a bundle; over an earlier one, which ``replace`` allows, its comments and the order of its parts stay.

    Raises :class:`~chartui.core.bundle.reading.BundleError` where something else is in the file, ``FileExistsError``,
    ``OSError``, and ``ValueError`` for half a character, which no file can hold.
    """
    over = text_of_file(path) if replace and path.exists() else ""
    write_output(path, bundle_text(bundle, over).encode(), replace=replace)


def remember(path: Path, ids: Mapping[str, Identities]) -> None:
    """Write other ids into a file of which everything else stays as it is.

    Raises :class:`~chartui.core.bundle.reading.BundleError` and ``OSError``.
    """
    text = text_of_file(path)
    made = with_ids(text, ids)
    if made != text:
        write_output(path, made.encode(), replace=True)
