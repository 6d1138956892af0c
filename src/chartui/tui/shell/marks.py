"""How a profile is marked: a sign for where its data are, in the colour that is its own."""

from __future__ import annotations

from typing import Final

from chartui.core.profiles import Mark, Profile
from chartui.tui.glyphs import GLYPHS

__all__ = ["mark_of", "role_of"]

#: The colour of a mark is one of the theme's meanings, so every theme has it.
_ROLES: Final = {
    Mark.GREEN: "local",
    Mark.CYAN: "latency",
    Mark.BLUE: "accent",
    Mark.VIOLET: "staged",
    Mark.AMBER: "remote",
    Mark.RED: "danger",
}


def mark_of(profile: Profile) -> str:
    """The sign."""
    return GLYPHS.local if profile.embedded else GLYPHS.remote


def role_of(profile: Profile) -> str:
    """The style of the palette that it is drawn in."""
    return _ROLES[profile.mark]
