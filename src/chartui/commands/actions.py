"""The commands of the actions screen."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

__all__ = ["ACTIONS"]

# fmt: off
ACTIONS: Final = (
    Command("send-turn", "s enter", "send", "actions", "Send the turn",
            "Enter while one writes. Costs credits on a service.", footer="send", effect=DataEffect.ACT),
    Command("write-text", "t", "write", "actions", "Write what is said",
            "Escape leaves the text again; it stays.", footer="text"),
    Command("write-long-text", "e", "write_long", "actions", "Write it in a large editor",
            "With lines of its own; nothing is sent by leaving it."),
    Command("pick-actor", "c", "pick_character", "actions", "Speak to another character",
            "Each has a text, a scene and a conversation of its own.", footer="character"),
    Command("add-entry", "a", "add", "actions", "Add to the list",
            "An action, an object or a character, by the cursor.", footer="add"),
    Command("remove-entry", "d delete", "remove", "actions.compose", "Remove from the list",
            "The action, object or character with the cursor.", footer="remove"),
    Command("restore-entry", "z r", "turn_edit(-1)", "actions", "Undo edit",
            "Reverts the last edit of the text or the scene."),
    Command("redo-entry", "Z", "turn_edit(1)", "actions", "Redo edit", "Makes again the edit that was undone last."),
    Command("move-entry-up", "less_than_sign", "move(-1)", "actions.compose", "Move the entry up",
            "Within its list; of similar names the first is meant."),
    Command("move-entry-down", "greater_than_sign", "move(1)", "actions.compose", "Move the entry down",
            "Within its list."),
    Command("open-scene", "o", "open_scene", "actions", "Open a scene file",
            "Text and lists of it; W writes such a file."),
    Command("toggle-multistep", "m", "toggle_multistep", "actions", "Ask for actions, or words only",
            "Only a multistep turn is answered with actions."),
    Command("new-session", "n", "new_session", "actions", "New conversation, or go on",
            "A new one knows nothing of the turns before."),
    Command("show-reply", "p", "open_pane('reply')", "actions", "Reply: the answer",
            "Words and actions; again, those of the last turn."),
    Command("show-form", "f", "open_pane('form')", "actions", "Form: what would be sent",
            "Every field exactly as it would be sent just now."),
    Command("show-checks", "l", "open_pane('checks')", "actions", "Checks: look the scene over",
            "What would be refused, and what makes for bad actions.", footer="checks"),
    Command("fix-finding", "x", "fix", "actions", "Checks: put this right",
            "The finding or the entry with the cursor."),
    Command("fix-all-findings", "X", "fix_all", "actions", "Checks: put everything right",
            "As far as there is one way to; undo reverts it."),
    Command("show-turns", "h", "open_pane('turns')", "actions", "Turns: those before",
            "Enter shows one whole; W writes them all, to be replayed."),
    Command("take-up-turn", "b", "take_up", "actions", "Turns: compose it again",
            "Text and scene of the turn that is looked at."),
    Command("say-again", "G", "replay(True)", "actions", "Replay turns in this scene",
            "Sends every turn again and compares the actions.", effect=DataEffect.ACT),
    Command("say-again-recorded", "R", "replay(False)", "actions", "Replay turns as recorded",
            "Sends every turn in its own scene, and compares.", effect=DataEffect.ACT),
    Command("next-answer-pane", "right_square_bracket", "turn_pane(1)", "actions", "The next pane beside the scene",
            "Reply, form, checks, turns, and the reply again."),
    Command("previous-answer-pane", "left_square_bracket", "turn_pane(-1)", "actions", "The pane before",
            "From right to left, and from the first to the last."),
    Command("other-pane", "v", "other_pane", "actions", "Between scene and reply",
            "A narrow window shows one of them at a time."),
    Command("read-deprecation", "D", "read_deprecation", "actions", "Read about the deprecation",
            "From when, and what takes the place of these actions."),
    Command("give-up", "escape", "give_up", "actions", "Give up waiting or leave the text",
            "A turn that was sent may have been carried out.", footer="back"),
)
# fmt: on
