"""What can be done on the narrative graph."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

__all__ = ["NARRATIVE"]

NARRATIVE: Final = (
    Command(
        id="pick-character",
        keys=("c",),
        action="pick_character",
        scope="narrative",
        title="Choose another character",
        help="Whose graph is shown.",
        footer="character",
    ),
    Command(
        id="filter-sections",
        keys=("slash",),
        action="filter",
        scope="narrative",
        title="Filter the tree",
        help="Sections, criteria, triggers; every word must occur.",
        footer="filter",
    ),
    Command(
        id="fold",
        keys=("space", "left"),
        action="fold",
        scope="narrative",
        title="Fold or unfold",
        help="Hides or shows what comes after this section.",
        footer="fold",
    ),
    Command(
        id="follow",
        keys=("enter", "right"),
        action="follow",
        scope="narrative",
        title="Follow the reference",
        help="To the section that is referred to; elsewhere unfolds.",
        footer="follow",
    ),
    Command(
        id="go-back",
        keys=("backspace", "escape"),
        action="go_back",
        scope="narrative",
        title="Back to where one came from",
        help="Undoes the last jump along a reference.",
    ),
    Command(
        id="toggle-narrative",
        keys=("T",),
        action="toggle_narrative",
        scope="narrative",
        title="Switch the graph on or off",
        help="Asks first. A character follows its graph while it is on.",
        footer="on/off",
        effect=DataEffect.WRITE,
    ),
)
