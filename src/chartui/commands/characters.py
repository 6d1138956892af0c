"""What can be done on the characters."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["CHARACTERS"]

CHARACTERS: Final = (
    Command(
        id="filter-characters",
        keys=("slash",),
        action="filter",
        scope="characters",
        title="Filter the list",
        help="Name, id, model or language; every word must occur.",
        footer="filter",
    ),
    Command(
        id="open-record",
        keys=("enter",),
        action="open_record",
        scope="characters",
        title="Open the record",
        help="Every field of the character.",
        footer="open",
    ),
    Command(
        id="open-narrative",
        keys=("n",),
        action="open_narrative",
        scope="characters",
        title="Open the narrative graph",
        help="The graph of the character under the cursor.",
        footer="narrative",
    ),
    Command(
        id="leave-record",
        keys=("escape",),
        action="leave",
        scope="characters",
        title="Back to the list",
        help="Leaves the filter or the record.",
    ),
)
