"""How a deed of the history stands, in a word: for the history of the profile, and that of one character."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chartui.core.journal import Outcome
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.pieces import Role

if TYPE_CHECKING:
    from chartui.core.plans.history import Deed

__all__ = ["DeedState", "moment", "state_of"]


class DeedState(NamedTuple):
    """How a deed stands: in a word, with a sign and a role beside it."""

    word: str
    glyph: str
    role: Role


def state_of(deed: Deed) -> DeedState:
    """How a deed stands."""
    if deed.alive:
        return DeedState(deed.state, GLYPHS.busy, "label")
    if deed.outcome in (Outcome.OPEN, Outcome.UNKNOWN):
        return DeedState(deed.state, GLYPHS.warning, "warning")
    if deed.resumable:
        return DeedState(deed.state, GLYPHS.warning, "warning")
    if deed.outcome is Outcome.REFUSED:
        return DeedState(deed.state, GLYPHS.danger, "quiet")
    if deed.undone:
        return DeedState(deed.state, GLYPHS.back, "quiet")
    return DeedState(deed.state, GLYPHS.done, "local")


def moment(at: str) -> str:
    """A time of the journal, which is in UTC, to the second."""
    return at[:19].replace("T", " ")
