"""The commands of the whole program."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

# fmt: off
SCREENS: Final = (
    Command("show-estimator", "E", "show('estimator')", "app", "Go to the estimator",
            "Shows what an interaction costs, updated as you type.", name="Estimator"),
    Command("show-characters", "C", "show('characters')", "app", "Go to the characters",
            "Lists all characters, or returns to the open record.", name="Characters"),
    Command("show-narrative", "N", "show('narrative')", "app", "Go to the narrative graph",
            "Shows the graph of the current character.", name="Narrative"),
    Command("show-actions", "A", "show('actions')", "app", "Go to the actions",
            "Plans a character's actions for text that you send.", name="Actions"),
    Command("show-requests", "Q", "show('requests')", "app", "Go to the requests",
            "Lists all calls to the service and their responses.", name="Requests"),
)
APPLICATION: Final = (
    Command("help", "question_mark", "call('shell.help.show_help')", "app", "Show help",
            "Lists this screen's keys and symbols. Press / to filter.", footer="help"),
    Command("palette", "colon ctrl+p", "call('shell.palette_entries.open_palette')", "app", "Go to anything…",
            "Finds commands, characters, sections, settings and more.", footer="commands"),
    Command("refresh", "f5 ctrl+r", "refresh_data", "app", "Refresh",
            "Reloads the data from the service, ignoring caches."),
    Command("repaint", "ctrl+l", "repaint", "app", "Repaint the screen",
            "Redraws the screen, removing other programs' output."),
    Command("copy", "y", "call('clipboard.offer')", "app", "Copy…",
            "Lists what you can copy to the clipboard or a file.", footer="copy"),
    Command("copy-command", "", "call('shell.link.copy_command')", "app", "Copy command to open this view",
            "Copies a shell command that reopens this view."),
    Command("write-file", "W", "call('shell.files.offer_file')", "app", "Write to a file…",
            "Lists what this screen can write, then asks for a file."),
    Command("show-unreadable", "V", "call('shell.unreadable.show_unreadable')", "app", "Show unreadable elements…",
            "Lists the parts of responses that could not be read."),
    Command("undo", "u", "call('shell.history.undo_last')", "app", "Undo the last change…",
            "Undoes the last change or the one selected in the history.", effect=DataEffect.WRITE),
    Command("history", "H", "call('shell.history.show_history')", "app", "Show the history…",
            "Lists your changes. You can undo or resume a change."),
    Command("profiles", "P", "call('shell.profiles.choose_profile')", "app", "Choose a profile…",
            "Opens, adds, tests or removes a profile."),
    Command("change-api-key", "K", "call('shell.api_key.enter_key')", "app", "Enter another API key…",
            "Tests another API key, then uses it for this service."),
    Command("lock", "exclamation_mark", "call('shell.lock.turn_lock')", "app", "Lock or unlock",
            "Locks or unlocks the profile until you quit."),
    Command("theme", "at", "call('shell.themes.choose_theme')", "app", "Choose a theme…",
            "Previews each theme as you move through the list."),
    Command("jump", "semicolon f4", "call('shell.jump.jump')", "app", "Jump to a panel or tab",
            "Labels visible panels and tabs. Type a letter to jump."),
    Command("learn", "", "call('shell.tours.play')", "app", "Learn chartui…",
            "Guides you through the first steps with throwaway data."),
    Command("tours", "", "call('shell.tours.choose_tour')", "app", "Play a tour…",
            "Uses throwaway data, then returns to your screen."),
    Command("quit", "q ctrl+q", "quit", "app", "Quit",
            "Quits the program. Asks first if you have staged changes.", footer="quit"),
    Command("suspend", "ctrl+z", "suspend", "app", "Suspend", "Returns to the shell. Type fg to continue."),
)
# fmt: on
