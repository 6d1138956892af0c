"""Format a list of characters as a table that can be copied or written to a file."""

from __future__ import annotations

from collections.abc import Iterable

from chartui.core.characters.finder import Finder
from chartui.core.sheet import Column, Sheet

_COLUMNS = ("id", "name", "model", "language", "narrative", "memory", "gone", "staged", "created", "used")


def list_sheet(finder: Finder, places: Iterable[int]) -> Sheet:
    """Return a table of the characters at the given list positions, with all columns and marks.

    Unknown values are None.
    """
    rows = []
    for summary in map(finder.summaries.__getitem__, places):
        key, name, model, language, narrative, memory, created, used = summary
        gone = finder.is_gone(summary) if finder.known is not None else None
        rows.append((key, name, model, language, narrative, memory, gone, key in finder.staged, created, used))
    return Sheet("Characters", tuple(map(Column, _COLUMNS)), tuple(rows))
