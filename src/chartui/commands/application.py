"""The commands of the whole program."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

# fmt: off
SCREENS: Final = (
    Command("show-estimator", "E", "show('estimator')", "app", "Go to the estimator",
            "What an interaction costs, recomputed at every key.", name="Estimator"),
    Command("show-characters", "C", "show('characters')", "app", "Go to the characters",
            "Every character of the account, and every field of each.", name="Characters"),
    Command("show-narrative", "N", "show('narrative')", "app", "Go to the narrative graph",
            "The sections, decisions and triggers of one character.", name="Narrative"),
    Command("show-actions", "A", "show('actions')", "app", "Go to the actions",
            "Say something to a character, and see what it does.", name="Actions"),
    Command("show-requests", "Q", "show('requests')", "app", "Go to the requests",
            "Every call of the program, with its answer.", name="Requests"),
)
APPLICATION: Final = (
    Command("help", "question_mark", "help", "app", "Show the keys",
            "Every key that does something here.", footer="help"),
    Command("palette", "colon ctrl+p", "palette", "app", "Find a command", "Every command by name.", footer="commands"),
    Command("refresh", "f5 ctrl+r", "refresh_data", "app", "Read again", "Ask the service again, past every cache."),
    Command("copy", "y", "copy", "app", "Copy", "To the terminal's clipboard, or to a file without one."),
    Command("write-file", "W", "write_file", "app", "Write to a file",
            "What can be copied here, under a name of your choice."),
    Command("show-unreadable", "V", "show_unreadable", "app", "Show unreadable elements…",
            "Lists the parts of answers that could not be read."),
    Command("undo", "u", "undo", "app", "Undo the last change",
            "Of a history, the selected one. Shows it first.", effect=DataEffect.WRITE),
    Command("history", "H", "history", "app", "Show the history",
            "What was changed from here; take back, go on, clear up."),
    Command("profiles", "P", "profiles", "app", "Open another profile",
            "Every profile: open, add, test, remove, make default."),
    Command("another-key", "K", "another_key", "app", "Enter another key",
            "For the service that is open; it is tried at once."),
    Command("lock", "exclamation_mark", "lock", "app", "Lock or unlock",
            "Who set the read-only lock; lifts it, or puts it on."),
    Command("theme", "at", "choose_theme", "app", "Theme…", "Six, and your own: seen while you move through them."),
    Command("jump", "semicolon f4", "jump", "app", "Jump to a part of the screen",
            "A letter over each part; typing it takes you there."),
    Command("quit", "q ctrl+q", "quit", "app", "Quit", "Leave the program.", footer="quit"),
    Command("suspend", "ctrl+z", "suspend", "app", "Suspend", "Returns to the shell. Enter fg there to continue."),
)
# fmt: on
