"""The commands of every table."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

# fmt: off
TABLE: Final = (
    Command("sort-table", "s", "sort", "table", "Sort the table",
            "Cycles through columns and directions, then unsorted.", footer="sort"),
    Command("filter-table", "slash", "filter", "table", "Filter the table",
            "Shows only rows that contain every word you type."),
)
# fmt: on
