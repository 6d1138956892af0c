"""The commands of every table."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

# fmt: off
TABLE: Final = (
    Command("sort-table", "O", "sort", "table", "Sort the table",
            "By the next column; each both ways, then as it came."),
    Command("filter-table", "slash", "filter", "table", "Filter the table",
            "Keeps the rows that hold every word you type."),
)
# fmt: on
