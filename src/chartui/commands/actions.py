"""The commands of the actions screen."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

# fmt: off
ACTIONS: Final = (
    Command("send-turn", "enter", "send", "actions", "Send the turn",
            "Sends the line with its scene. A service bills you for it.", footer="send", effect=DataEffect.ACT),
    Command("write-text", "e", "write", "actions", "Write the line",
            "Type over the sample text. Esc leaves the text field.", footer="write"),
    Command("write-text-outside", "x", "write_outside", "actions", "Edit the text in your editor…",
            "Opens $VISUAL or $EDITOR and uses the text you save."),
    Command("write-long-text", "", "write_long", "actions", "Write several lines of text…",
            "Opens a multi-line editor. Closing it sends nothing."),
    Command("add-entry", "a", "add", "actions", "Add to the list",
            "Adds an action, object or character at the cursor.", footer="add"),
    Command("remove-entry", "d delete", "remove", "actions.compose", "Remove from the list",
            "Removes the selected action, object or character.", footer="remove"),
    Command("pick-actor", "c", "pick_character", "actions", "Choose a character…",
            "Each character has its own text, scene and conversation.", footer="character"),
    Command("undo-scene", "z", "turn_edit(-1)", "actions", "Undo edit",
            "Reverts the last edit to the text or the scene.", footer="undo"),
    Command("redo-scene", "Z", "turn_edit(1)", "actions", "Redo edit", "Reapplies the last undone edit."),
    Command("move-entry-up", "less_than_sign", "move(-1)", "actions.compose", "Move the entry up",
            "Moves the entry up. Names higher up take precedence."),
    Command("move-entry-down", "greater_than_sign", "move(1)", "actions.compose", "Move the entry down",
            "Moves the entry down in its list."),
    Command("open-scene", "o", "open_scene", "actions", "Open a scene file…",
            "Loads a scene's text and lists. W saves a scene."),
    Command("toggle-multistep", "t", "toggle_multistep", "actions", "Switch actions on or off",
            "Sets whether replies contain actions (multistep turns)."),
    Command("new-session", "r", "new_session", "actions", "Start or resume a conversation",
            "Starts a new conversation, or resumes the previous one."),
    Command("show-reply", "", "open_pane('reply')", "actions", "Show the reply",
            "Shows what the character said and did in a turn."),
    Command("show-form", "i", "open_pane('form')", "actions", "Show the form",
            "Shows the turn's form fields. Enter sends the turn."),
    Command("show-checks", "l", "open_pane('checks')", "actions", "Check the scene",
            "Lists problems that block the turn or make replies worse.", footer="checks"),
    Command("fix-finding", "F", "fix", "actions", "Checks: fix finding", "Fixes the selected finding or entry."),
    Command("fix-all-findings", "X", "fix_all", "actions", "Checks: fix all findings",
            "Applies every unambiguous fix. Undo reverts them all."),
    Command("show-turns", "h", "open_pane('turns')", "actions", "Show earlier turns",
            "Lists earlier turns. Enter opens one; W saves them all."),
    Command("edit-turn-again", "e", "edit_again", "actions.turns", "Turns: edit this turn again",
            "Loads the turn's text and scene for editing.", footer="edit again"),
    Command("replay-turns", "b", "replay", "actions", "Replay all turns…",
            "Sends every turn again and compares the actions.", footer="replay", effect=DataEffect.ACT),
    Command("next-actions-tab", "right_square_bracket", "turn_pane(1)", "actions", "Next tab",
            "Cycles through the reply, form, checks and turns.", footer="tabs"),
    Command("previous-actions-tab", "left_square_bracket", "turn_pane(-1)", "actions", "Previous tab",
            "Shows the previous tab. Wraps around."),
    Command("switch-side", "v", "other_pane", "actions", "Switch between scene and reply",
            "Goes to the other panel. Narrow windows show only one."),
    Command("read-deprecation", "", "read_deprecation", "actions", "Read about the deprecation…",
            "Shows the deprecation date and what to use instead."),
    Command("cancel-turn", "escape", "give_up", "actions", "Stop waiting or leave the field",
            "Stops waiting for the reply, or leaves the text field.", footer="back"),
)
# fmt: on
