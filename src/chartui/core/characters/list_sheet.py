"""Format a list of characters as a table that can be copied or written to a file."""

from __future__ import annotations

from collections.abc import Iterable

from chartui.core.characters.finder import Finder, ListedCost
from chartui.core.jsontext import Wire
from chartui.core.sheet import Column, Sheet

_COLUMNS = ("id", "name", "model", "language", "narrative", "memory", "gone", "staged", "created", "used")
_COST = ("credits_min", "credits_max", "credits_at_least", "input_tokens")


def list_sheet(finder: Finder, places: Iterable[int]) -> Sheet:
    """Return a table of the characters at the given list positions, with all columns and marks.

    None stands for an unknown value. Cost columns are included if the costs were computed.
    """
    rows, costs = [], finder.costs
    for summary in map(finder.summaries.__getitem__, places):
        key, name, model, language, narrative, memory, created, used = summary
        gone = finder.is_gone(summary) if finder.known is not None else None
        row = (key, name, model, language, narrative, memory, gone, key in finder.staged, created, used)
        rows.append((*row, *_cost(costs.get(key))) if costs else row)
    columns = (*_COLUMNS, *_COST) if costs else _COLUMNS
    return Sheet("Characters", tuple(map(Column, columns)), tuple(rows))


def _cost(cost: ListedCost | None) -> tuple[Wire, ...]:
    if cost is None or cost.credits is None:
        return (None,) * len(_COST)
    return (*cost.credits, cost.at_least, cost.tokens)
