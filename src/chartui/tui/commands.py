"""Every command once: its keys, its words in the footer, the palette and the help, and what it does to data.

Bindings, footer, palette, help and the key reference are all made from this table. A command's ``action`` is a method
``action_…`` of the screen whose scope it has, or of the application.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from textual.binding import Binding, BindingType

__all__ = [
    "COMMANDS",
    "SCREENS",
    "Command",
    "DataEffect",
    "bindings_for",
    "command",
    "commands_for",
    "footer_commands",
    "key_label",
]


class DataEffect(StrEnum):
    """What a command does to the service's data."""

    NONE = "none"
    WRITE = "write"
    ACT = "act"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing a user can do. ``keys`` in the framework's words, the first one shown; ``scope`` is a screen or app."""

    id: str
    keys: tuple[str, ...]
    action: str
    title: str
    help: str
    scope: str = "app"
    name: str = ""
    footer: str = ""
    effect: DataEffect = DataEffect.NONE


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
)

COMMANDS: Final = (
    *SCREENS,
    # the application
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
    Command(id="quit", keys=("q", "ctrl+q"), action="quit", title="Quit", help="Leave the program.", footer="quit"),
    # the estimator
    Command(
        id="choose-field",
        keys=("enter",),
        action="choose_field",
        scope="estimator",
        title="Change this input",
        help="Opens the list, flips the switch, or edits the number.",
        footer="change",
    ),
    Command(
        id="step-up",
        keys=("right", "plus", "equals_sign"),
        action="step(1)",
        scope="estimator",
        title="Next option, or a step more",
        help="The next option of a list, or a step more.",
        footer="step",
    ),
    Command(
        id="step-down",
        keys=("left", "minus"),
        action="step(-1)",
        scope="estimator",
        title="Previous option, or a step less",
        help="The option before, or a step less.",
    ),
    Command(
        id="reset-field",
        keys=("r",),
        action="reset_field",
        scope="estimator",
        title="Reset this input",
        help="Back to the service's default.",
        footer="reset",
    ),
    Command(
        id="reset-all",
        keys=("R",),
        action="reset_all",
        scope="estimator",
        title="Reset every input",
        help="Back to the service's defaults, all ten.",
    ),
    # the characters
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
        title="Open the record",
        help="Every field of the character.",
        footer="open",
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
        id="leave-record",
        keys=("escape",),
        action="leave",
        scope="characters",
        title="Back to the list",
        help="Leaves the filter or the record.",
    ),
    # the narrative graph
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
        help="Sections, criteria, triggers; every word must occur.",
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
        id="follow",
        keys=("enter", "right"),
        action="follow",
        scope="narrative",
        title="Follow the reference",
        help="To the section that is referred to; elsewhere unfolds.",
        footer="follow",
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

_BY_ID: Final = {c.id: c for c in COMMANDS}


def command(command_id: str) -> Command:
    """The command called ``command_id``; raises ``KeyError``."""
    return _BY_ID[command_id]


def commands_for(scope: str) -> tuple[Command, ...]:
    """The commands of one screen, or of the application."""
    return tuple(c for c in COMMANDS if c.scope == scope)


def bindings_for(scope: str) -> list[BindingType]:
    """The framework's bindings of one scope."""
    return [Binding(",".join(c.keys), c.action, c.title, show=False, id=c.id) for c in commands_for(scope)]


def footer_commands(scope: str, *, read_only: bool) -> tuple[Command, ...]:
    """What the footer shows on a screen: its own commands, then the program's; never one that is locked."""
    return tuple(
        c
        for c in (*commands_for(scope), *commands_for("app"))
        if c.footer and not (read_only and c.effect is DataEffect.WRITE)
    )


_KEY_LABELS: Final = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "enter": "⏎",
    "escape": "esc",
    "space": "space",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "backspace": "⌫",
}


def key_label(key: str) -> str:
    """A key as it is written for people."""
    return "+".join(_KEY_LABELS.get(part, part) for part in key.split("+"))
