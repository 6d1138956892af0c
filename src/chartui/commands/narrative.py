"""What can be done on the narrative graph."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect
from chartui.commands.story_editing import STORY_EDITING
from chartui.commands.story_files import STORY_FILES
from chartui.commands.story_lint import STORY_LINT
from chartui.commands.story_map import STORY_MAP
from chartui.commands.story_walk import STORY_WALK

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
        help="Names, criteria, objectives, messages; every word.",
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
        id="fold-all",
        keys=("asterisk",),
        action="fold_all",
        scope="narrative",
        title="Fold or unfold everything",
        help="Leaves two levels; unfolds all where anything is folded.",
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
        id="see-who-leads",
        keys=("b",),
        action="ask_who_leads",
        scope="narrative",
        title="See what leads here",
        help="Decisions, triggers, overrides; goes to the chosen one.",
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
        id="show-section",
        keys=("i",),
        action="open_pane('section')",
        scope="narrative",
        title="Read the section",
        help="All there is to know of the place the cursor is at.",
    ),
    Command(
        id="show-map",
        keys=("m",),
        action="open_pane('map')",
        scope="narrative",
        title="See the map",
        help="The graph drawn as boxes; it follows the cursor.",
        footer="map",
    ),
    Command(
        id="show-findings",
        keys=("l",),
        action="open_pane('lint')",
        scope="narrative",
        title="See what is wrong",
        help="What the rules find, and what would put it right.",
        footer="lint",
    ),
    Command(
        id="walk-story",
        keys=("p",),
        action="open_pane('walk')",
        scope="narrative",
        title="Play the story",
        help="From the section the cursor is at, decision by decision.",
        footer="play",
    ),
    Command(
        id="next-story-pane",
        keys=("right_square_bracket",),
        action="turn_pane(1)",
        scope="narrative",
        title="The next pane beside the tree",
        help="From left to right, and from the last to the first.",
    ),
    Command(
        id="previous-story-pane",
        keys=("left_square_bracket",),
        action="turn_pane(-1)",
        scope="narrative",
        title="The previous pane beside the tree",
        help="From right to left, and from the first to the last.",
    ),
    Command(
        id="fill-window",
        keys=("v",),
        action="fill_window",
        scope="narrative",
        title="Give the pane the window",
        help="Hides the tree beside the pane, and brings it back.",
    ),
    *STORY_EDITING,
    *STORY_MAP,
    *STORY_LINT,
    *STORY_WALK,
    *STORY_FILES,
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
