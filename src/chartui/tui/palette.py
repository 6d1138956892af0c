"""The command palette: every command of the present screen and of the program, to be found by what it is called."""

from __future__ import annotations

from collections.abc import Collection

from chartui.commands import DataEffect, commands_for
from chartui.core.lock import Lock
from chartui.keymap import Keymap
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.chooser import Choice, Chooser

__all__ = ["palette"]


def palette(scope: str, *, keymap: Keymap, locked: Collection[DataEffect], lock: Lock) -> Chooser[Choice]:
    """A chooser of commands, whose result is the id of one; what is locked names the lock."""
    choices = []
    for command in (*commands_for(scope), *commands_for("app")):
        refused = command.effect in locked
        detail = f"{GLYPHS.read_only} {lock.cause}" if refused else command.help
        choices.append(Choice(command.id, command.title, keymap.label(command), detail))
    return Chooser("Commands", choices)
