"""What can be done on the characters."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

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
        title="Open the character",
        help="The pane that was shown last: its record or its settings.",
        footer="open",
    ),
    Command(
        id="edit-settings",
        keys=("e",),
        action="edit_settings",
        scope="characters",
        title="Edit the settings",
        help="Model, temperature, reasoning and backstory; staged until they are saved.",
        footer="settings",
    ),
    Command(
        id="save-settings",
        keys=("S",),
        action="save",
        scope="characters",
        title="Save the settings",
        help="Shows what changes first, and asks.",
        footer="save",
        effect=DataEffect.WRITE,
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
        id="next-pane",
        keys=("right_square_bracket",),
        action="turn_pane(1)",
        scope="characters",
        title="The next pane",
        help="From the settings to the record, and on.",
    ),
    Command(
        id="previous-pane",
        keys=("left_square_bracket",),
        action="turn_pane(-1)",
        scope="characters",
        title="The previous pane",
        help="From the record to the settings, and on.",
    ),
    Command(
        id="more",
        keys=("right", "plus", "equals_sign"),
        action="step(1)",
        scope="characters",
        title="A little more",
        help="Of the temperature; of a choice, the next one.",
    ),
    Command(
        id="less",
        keys=("left", "minus"),
        action="step(-1)",
        scope="characters",
        title="A little less",
        help="Of the temperature; of a choice, the previous one.",
    ),
    Command(
        id="restore-setting",
        keys=("r",),
        action="restore",
        scope="characters",
        title="Back to what is stored",
        help="Takes the change of one setting back.",
    ),
    Command(
        id="keep-setting",
        keys=("m",),
        action="keep_mine",
        scope="characters",
        title="Keep mine",
        help="Over what was written elsewhere since you began.",
    ),
    Command(
        id="drop-settings",
        keys=("X",),
        action="drop",
        scope="characters",
        title="Drop all changes",
        help="Of this character's settings; asks first.",
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
