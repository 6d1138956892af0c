"""The command palette: every command of the present screen and of the program, to be found by what it is called."""

from __future__ import annotations

from collections.abc import Collection

from chartui.commands import DataEffect, commands_for
from chartui.keymap import Keymap
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.chooser import Choice, Chooser

__all__ = ["palette"]


def palette(scope: str, *, keymap: Keymap, locked: Collection[DataEffect]) -> Chooser[Choice]:
    """A chooser of commands, whose result is the id of one; what is locked says so."""
    choices = []
    for command in (*commands_for(scope), *commands_for("app")):
        refused = command.effect in locked
        detail = f"{GLYPHS.read_only} locked: this profile is read-only" if refused else command.help
        choices.append(Choice(command.id, command.title, keymap.label(command), detail))
    return Chooser("Commands", choices)
