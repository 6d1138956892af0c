"""What can be done everywhere in the program."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command, DataEffect

__all__ = ["APPLICATION", "SCREENS"]

SCREENS: Final = (
    Command(
        id="show-estimator",
        keys=("E",),
        action="show('estimator')",
        name="Estimator",
        title="Go to the estimator",
        help="What an interaction costs, recomputed at every key.",
    ),
    Command(
        id="show-characters",
        keys=("C",),
        action="show('characters')",
        name="Characters",
        title="Go to the characters",
        help="Every character of the account, and every field of each.",
    ),
    Command(
        id="show-narrative",
        keys=("N",),
        action="show('narrative')",
        name="Narrative",
        title="Go to the narrative graph",
        help="The sections, decisions and triggers of one character.",
    ),
    Command(
        id="show-actions",
        keys=("A",),
        action="show('actions')",
        name="Actions",
        title="Go to the actions",
        help="Say something to a character, and see what it does.",
    ),
    Command(
        id="show-requests",
        keys=("Q",),
        action="show('requests')",
        name="Requests",
        title="Go to the requests",
        help="Every call of the program, with its answer.",
    ),
)

APPLICATION: Final = (
    Command(
        id="help",
        keys=("question_mark",),
        action="help",
        title="Show the keys",
        help="Every key that does something here.",
        footer="help",
    ),
    Command(
        id="palette",
        keys=("colon", "ctrl+p"),
        action="palette",
        title="Find a command",
        help="Every command by name.",
        footer="commands",
    ),
    Command(
        id="refresh",
        keys=("f5", "ctrl+r"),
        action="refresh_data",
        title="Read again",
        help="Ask the service again, past every cache.",
    ),
    Command(
        id="copy",
        keys=("y",),
        action="copy",
        title="Copy",
        help="To the terminal's clipboard, or to a file without one.",
    ),
    Command(
        id="write-file",
        keys=("W",),
        action="write_file",
        title="Write to a file",
        help="What can be copied here, under a name of your choice.",
    ),
    Command(
        id="show-unreadable",
        keys=("V",),
        action="show_unreadable",
        title="Show unreadable elements…",
        help="Lists the parts of answers that could not be read.",
    ),
    Command(
        id="undo",
        keys=("u",),
        action="undo",
        title="Undo the last change",
        help="Of a history, the selected one. Shows it first.",
        effect=DataEffect.WRITE,
    ),
    Command(
        id="history",
        keys=("H",),
        action="history",
        title="Show the history",
        help="What was changed from here; take back, go on, clear up.",
    ),
    Command(
        id="profiles",
        keys=("P",),
        action="profiles",
        title="Open another profile",
        help="Every profile: open, add, test, remove, make default.",
    ),
    Command(
        id="another-key",
        keys=("K",),
        action="another_key",
        title="Enter another key",
        help="For the service that is open; it is tried at once.",
    ),
    Command(
        id="lock",
        keys=("exclamation_mark",),
        action="lock",
        title="Lock or unlock",
        help="Who set the read-only lock; lifts it, or puts it on.",
    ),
    Command(
        id="theme",
        keys=("at",),
        action="choose_theme",
        title="Theme…",
        help="Six, and your own: seen while you move through them.",
    ),
    Command(
        id="jump",
        keys=("semicolon", "f4"),
        action="jump",
        title="Jump to a part of the screen",
        help="A letter over each part; typing it takes you there.",
    ),
    Command(id="quit", keys=("q", "ctrl+q"), action="quit", title="Quit", help="Leave the program.", footer="quit"),
    Command(
        id="suspend",
        keys=("ctrl+z",),
        action="suspend",
        title="Suspend",
        help="Returns to the shell. Enter fg there to continue.",
    ),
)
