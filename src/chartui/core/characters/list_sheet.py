"""A list of characters as a table to copy or to write to a file."""

from __future__ import annotations

from collections.abc import Iterable

from chartui.core.characters.finder import Finder
from chartui.core.sheet import Column, Sheet

_COLUMNS = ("id", "name", "model", "language", "narrative", "memory", "gone", "staged", "created", "used")


def list_sheet(finder: Finder, places: Iterable[int]) -> Sheet:
    """Return a table of the characters at these positions in the list, with every column and mark.

    None means unknown.
    """
    rows = []
    for summary in map(finder.summaries.__getitem__, places):
        key, name, model, language, narrative, memory, created, used = summary
        gone = finder.is_gone(summary) if finder.known is not None else None
        rows.append((key, name, model, language, narrative, memory, gone, key in finder.staged, created, used))
    return Sheet("Characters", tuple(map(Column, _COLUMNS)), tuple(rows))
