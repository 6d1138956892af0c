"""What can be done on the map of a story."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_MAP"]

STORY_MAP: Final[tuple[Command, ...]] = (
    Command(
        id="map-focus",
        keys=("f",),
        action="map_focus",
        scope="narrative",
        title="Map what is around, or all",
        help="Only what is a few steps from the cursor, or the whole.",
    ),
    Command(
        id="map-more",
        keys=("plus", "equals_sign"),
        action="map_more(1)",
        scope="narrative",
        title="More of the map",
        help="A step more around the cursor; of the whole, more words.",
    ),
    Command(
        id="map-less",
        keys=("minus",),
        action="map_more(-1)",
        scope="narrative",
        title="Less of the map",
        help="A step less around the cursor; of the whole, less words.",
    ),
)
