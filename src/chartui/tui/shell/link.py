"""The shell command that opens the current view."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chartui.core.bookmark import text_in

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


def copy_command(app: ChartuiApp) -> None:
    """Copy the shell command that opens the current view.

    Throwaway data has other ids at the next start, so names are given there.
    """
    screen, session = app.work.present, app.session
    if screen is None:
        return
    place, character, section = screen.place(), screen.in_hand, screen.section
    if screen.has_class("-narrow") and place.get("in_tab") is False:
        place = {name: value for name, value in place.items() if name not in ("tab", "finding")}  # not in sight
    words = ["chartui", "--profile", session.profile.name]
    named = {"screen": screen.SCOPE, "character": character, "section": section and section.id}
    named |= {name: text_in(place, name) for name in ("tab", "finding", "filter", "sort")}
    switches = {"fuzzy": named["filter"] and place.get("fuzzy"), "reverse": place.get("descending")}
    if session.throwaway:
        words = ["chartui", "demo"]
        named["character"] = (app.work.name_known(character) or character) if character else None
        named["section"] = (section.name or section.id) if section else None
    if session.read_only and not session.profile.read_only:
        words.append("--read-only")  # the profile's own lock comes with the profile
    command = command_to(words, named, *(name for name, on in switches.items() if on))
    app.copy(command, command)


def command_to(words: Sequence[str], named: Mapping[str, str | None], *switches: str) -> str:
    """The shell command of these words, of these options with a value, and of switches."""
    options = [_option(name, value) for name, value in named.items() if value]
    return " ".join([shlex.join(words), *options, *(f"--{name}" for name in switches)])


def _option(name: str, value: str) -> str:
    """An option with its value, which would be taken for another option if it began with a dash."""
    return f"--{name}{'=' if value[0] == '-' else ' '}{shlex.quote(value)}"
