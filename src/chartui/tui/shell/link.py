"""The shell command that opens the current view."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


def copy_command(app: ChartuiApp) -> None:
    """Copy the shell command that opens the current view.

    Throw-away data has other ids at the next start, so names are given there.
    """
    screen, session = app.work.present, app.session
    if screen is None:
        return
    tab, character, section = screen.place().get("tab"), screen.in_hand, screen.section
    words = ["chartui", "--profile", session.profile.name]
    named = {"screen": screen.SCOPE, "character": character, "section": section and section.id, "tab": tab}
    if session.throwaway:
        words = ["chartui", "demo"]
        named["character"] = (app.work.name_known(character) or character) if character else None
        named["section"] = (section.name or section.id) if section else None
    if session.read_only and not session.profile.read_only:
        words.append("--read-only")  # the profile's own lock comes with the profile
    command = command_to(words, named)
    app.copy(command, single_line(command, limit=70))


def command_to(words: Sequence[str], named: Mapping[str, str | None]) -> str:
    """The shell command of these words and of these options with a value."""
    return " ".join([shlex.join(words), *(_option(name, value) for name, value in named.items() if value)])


def _option(name: str, value: str) -> str:
    """An option with its value, which would be taken for another option if it began with a dash."""
    return f"--{name}{'=' if value[0] == '-' else ' '}{shlex.quote(value)}"
