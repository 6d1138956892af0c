"""What can be done on the actions screen."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

__all__ = ["ACTIONS"]

ACTIONS: Final = (
    Command(
        id="send-turn",
        keys=("s", "enter"),
        action="send",
        scope="actions",
        title="Send the turn",
        help="Enter while one writes. Costs credits on a service.",
        footer="send",
        effect=DataEffect.ACT,
    ),
    Command(
        id="write-text",
        keys=("t",),
        action="write",
        scope="actions",
        title="Write what is said",
        help="Escape leaves the text again; it stays.",
        footer="text",
    ),
    Command(
        id="write-long-text",
        keys=("e",),
        action="write_long",
        scope="actions",
        title="Write it in a large editor",
        help="With lines of its own; nothing is sent by leaving it.",
    ),
    Command(
        id="pick-actor",
        keys=("c",),
        action="pick_character",
        scope="actions",
        title="Speak to another character",
        help="Each has a text, a scene and a conversation of its own.",
        footer="character",
    ),
    Command(
        id="add-entry",
        keys=("a",),
        action="add",
        scope="actions",
        title="Add to the list",
        help="An action, an object or a character, by the cursor.",
        footer="add",
    ),
    Command(
        id="remove-entry",
        keys=("d", "delete"),
        action="remove",
        scope="actions",
        title="Remove from the list",
        help="The action, object or character with the cursor.",
        footer="remove",
    ),
    Command(
        id="restore-entry",
        keys=("r",),
        action="restore",
        scope="actions",
        title="Put back what was removed",
        help="The last entry that was removed, where it was.",
    ),
    Command(
        id="toggle-multistep",
        keys=("m",),
        action="toggle_multistep",
        scope="actions",
        title="Ask for actions, or words only",
        help="Only a multistep turn is answered with actions.",
    ),
    Command(
        id="new-session",
        keys=("n",),
        action="new_session",
        scope="actions",
        title="New conversation, or go on",
        help="A new one knows nothing of the turns before.",
    ),
    Command(
        id="other-pane",
        keys=("v",),
        action="other_pane",
        scope="actions",
        title="Between scene and reply",
        help="A narrow window shows one of them at a time.",
    ),
    Command(
        id="read-deprecation",
        keys=("D",),
        action="read_deprecation",
        scope="actions",
        title="Read about the deprecation",
        help="From when, and what takes the place of these actions.",
    ),
    Command(
        id="give-up",
        keys=("escape",),
        action="give_up",
        scope="actions",
        title="Give up waiting or leave the text",
        help="A turn that was sent may have been carried out.",
    ),
)
