"""The table of all commands, with a module per screen.

Bindings, footer, palette, help and the key reference are made from it, and settings name commands by their ids. It does
not depend on the terminal framework, so the command line can read it as well.
"""

from __future__ import annotations

from typing import Final

from chartui.commands.actions import ACTIONS
from chartui.commands.application import APPLICATION, SCREENS
from chartui.commands.characters import CHARACTERS
from chartui.commands.command import APP, Command, DataEffect, within
from chartui.commands.estimator import ESTIMATOR
from chartui.commands.keys import key_label
from chartui.commands.narrative import NARRATIVE
from chartui.commands.requests import REQUESTS
from chartui.commands.table import TABLE

__all__ = [
    "COMMANDS",
    "SCREENS",
    "Command",
    "DataEffect",
    "command",
    "commands_at",
    "commands_for",
    "key_label",
    "locked_effects",
]

COMMANDS: Final = (*SCREENS, *APPLICATION, *ESTIMATOR, *CHARACTERS, *NARRATIVE, *ACTIONS, *REQUESTS, *TABLE)
_BY_ID: Final = {c.id: c for c in COMMANDS}


def command(command_id: str) -> Command:
    """The command with this id; raises ``KeyError``."""
    return _BY_ID[command_id]


def commands_for(scope: str) -> tuple[Command, ...]:
    """The commands of a screen and all its parts, or of the application."""
    return tuple(c for c in COMMANDS if (c.scope == APP if scope == APP else within(c.scope, scope)))


def commands_at(scope: str) -> tuple[Command, ...]:
    """The commands that a part performs itself."""
    return tuple(c for c in COMMANDS if c.scope == scope)


def locked_effects(*, read_only: bool, allow_act: bool) -> frozenset[DataEffect]:
    """The effects that the lock refuses: none unless ``read_only``. ``allow_act`` allows turns."""
    free = {DataEffect.NONE, *([DataEffect.ACT] if allow_act else [])}
    return frozenset(DataEffect) - free if read_only else frozenset()
