"""The commands of the whole program."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

# fmt: off
SCREENS: Final = (
    Command("show-estimator", "E", "show('estimator')", "app", "Go to the estimator",
            "Shows what an interaction costs, updated as you type.", name="Estimator"),
    Command("show-characters", "C", "show('characters')", "app", "Go to the characters",
            "Lists every character, with the cursor on yours.", name="Characters"),
    Command("show-narrative", "N", "show('narrative')", "app", "Go to the narrative graph",
            "Shows the graph of the current character.", name="Narrative"),
    Command("show-actions", "A", "show('actions')", "app", "Go to the actions",
            "Talks to the current character.", name="Actions"),
    Command("show-requests", "Q", "show('requests')", "app", "Go to the requests",
            "Lists every call to the service with its answer.", name="Requests"),
)
APPLICATION: Final = (
    Command(
        "help",
        "question_mark",
        "help",
        "app",
        "Show help",
        "Lists the keys that work here. / filters, Enter runs one.",
        footer="help",
    ),
    Command("palette", "colon ctrl+p", "palette", "app", "Go to anything…",
            "Finds commands, characters, sections, settings and more.", footer="commands"),
    Command("refresh", "f5 ctrl+r", "refresh_data", "app", "Refresh",
            "Reads the data from the service again, ignoring caches."),
    Command("repaint", "ctrl+l", "repaint", "app", "Repaint the screen",
            "Draws every line again, in case other output is on it."),
    Command("copy", "y", "copy", "app", "Copy", "Copies what you see; without a clipboard, to a file."),
    Command("copy-command", "", "copy_command", "app", "Copy command to open this view",
            "Copies the shell command that opens what you see."),
    Command("write-file", "W", "write_file", "app", "Write to a file…",
            "Saves this screen's content to a file you name."),
    Command("show-unreadable", "V", "show_unreadable", "app", "Show unreadable elements…",
            "Lists the parts of answers that could not be read."),
    Command("undo", "u", "undo", "app", "Undo the last change…",
            "In a history, undoes the selected change. Asks first.", effect=DataEffect.WRITE),
    Command("history", "H", "history", "app", "Show the history…",
            "Lists the changes made from here: undo, resume, resolve."),
    Command("profiles", "P", "profiles", "app", "Choose a profile…", "Opens, adds, tests or removes a profile."),
    Command("change-api-key", "K", "another_key", "app", "Enter another API key…",
            "Uses it for the open service after testing it."),
    Command("lock", "exclamation_mark", "lock", "app", "Lock or unlock",
            "Locks changes, or unlocks them until you quit."),
    Command("theme", "at", "choose_theme", "app", "Choose a theme…",
            "Previews each theme as you move through the list."),
    Command("jump", "semicolon f4", "jump", "app", "Jump to a part or tab",
            "Shows a letter on each part and tab; type one to go there."),
    Command("learn", "", "learn", "app", "Learn chartui…",
            "Guides you through the first steps on throw-away data."),
    Command("tours", "", "tours", "app", "Play a tour…",
            "Plays on throw-away data, then returns to where you are."),
    Command("quit", "q ctrl+q", "quit", "app", "Quit", "Leaves the program. Staged changes are kept.", footer="quit"),
    Command("suspend", "ctrl+z", "suspend", "app", "Suspend", "Returns to the shell. Enter fg there to continue."),
)
# fmt: on
