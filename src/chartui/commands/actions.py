"""The commands of the actions screen."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

# fmt: off
ACTIONS: Final = (
    Command("send-turn", "s enter", "send", "actions", "Send the turn",
            "Enter sends while you type. Costs credits on a service.", footer="send", effect=DataEffect.ACT),
    Command("write-text", "t", "write", "actions", "Write the line",
            "Esc leaves the text and keeps it.", footer="text"),
    Command("write-long-text", "e", "write_long", "actions", "Write in a large editor",
            "Edits several lines. Nothing is sent when you leave it."),
    Command("pick-actor", "c", "pick_character", "actions", "Choose a character…",
            "Each keeps its own text, scene and conversation.", footer="character"),
    Command("add-entry", "a", "add", "actions", "Add to the list",
            "Adds an action, object or character at the cursor.", footer="add"),
    Command("remove-entry", "d delete", "remove", "actions.compose", "Remove from the list",
            "Removes the selected action, object or character.", footer="remove"),
    Command("undo-scene", "z r", "turn_edit(-1)", "actions", "Undo edit",
            "Reverts the last edit of the text or the scene."),
    Command("redo-scene", "Z", "turn_edit(1)", "actions", "Redo edit", "Makes the edit again that you undid last."),
    Command("move-entry-up", "less_than_sign", "move(-1)", "actions.compose", "Move the entry up",
            "Of entries with similar names, the first one wins."),
    Command("move-entry-down", "greater_than_sign", "move(1)", "actions.compose", "Move the entry down",
            "Moves the entry down in its list."),
    Command("open-scene", "o", "open_scene", "actions", "Open a scene file…",
            "Loads its text and lists. W writes such a file."),
    Command("toggle-multistep", "m", "toggle_multistep", "actions", "Actions or words only",
            "Only a multistep turn is answered with actions."),
    Command("new-session", "n", "new_session", "actions", "New conversation or resume",
            "A new one starts without the earlier turns."),
    Command("show-reply", "p", "open_pane('reply')", "actions", "Show the reply",
            "Shows words and actions; again, the previous turn's."),
    Command("show-form", "f", "open_pane('form')", "actions", "Show the form",
            "Shows every field exactly as it will be sent."),
    Command("show-checks", "l", "open_pane('checks')", "actions", "Check the scene",
            "Lists what a service refuses and what hurts replies.", footer="checks"),
    Command("fix-finding", "x", "fix", "actions", "Checks: fix", "Fixes the selected finding or entry."),
    Command("fix-all-findings", "X", "fix_all", "actions", "Checks: fix all",
            "Applies every fix with a single answer. Undo reverts it."),
    Command("show-turns", "h", "open_pane('turns')", "actions", "Show earlier turns",
            "Lists earlier turns. Enter opens one; W writes them all."),
    Command("edit-turn-again", "b", "take_up", "actions", "Turns: edit again",
            "Loads the text and scene of the selected turn."),
    Command("replay-turns", "G", "replay(True)", "actions", "Replay turns in this scene…",
            "Sends every turn again and compares the actions.", effect=DataEffect.ACT),
    Command("replay-turns-as-recorded", "R", "replay(False)", "actions", "Replay turns as recorded…",
            "Sends every turn in its own scene and compares.", effect=DataEffect.ACT),
    Command("next-actions-tab", "right_square_bracket", "turn_pane(1)", "actions", "Next tab",
            "Reply, form, checks, turns; wraps around.", footer="tabs"),
    Command("previous-actions-tab", "left_square_bracket", "turn_pane(-1)", "actions", "Previous tab", "Wraps around."),
    Command("switch-side", "v", "other_pane", "actions", "Switch scene and reply",
            "A narrow window shows one of them at a time."),
    Command("read-deprecation", "D", "read_deprecation", "actions", "Read about the deprecation…",
            "Says when these actions end and what replaces them."),
    Command("cancel-turn", "escape", "give_up", "actions", "Cancel the reply or the text",
            "Leaves the text, or stops waiting for a reply.", footer="back"),
)
# fmt: on
