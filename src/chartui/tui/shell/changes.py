"""How a change of the history stands, in a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from chartui.core.journal import Outcome
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.text import Role

if TYPE_CHECKING:
    from chartui.core.plans.history import Deed


class ChangeState(NamedTuple):
    """How a deed stands: in a word, with a sign and a role beside it."""

    word: str
    glyph: str
    role: Role


def state_of(deed: Deed) -> ChangeState:
    """How a deed stands."""
    if deed.alive:
        return ChangeState(deed.state, GLYPHS.busy, "label")
    if deed.outcome in (Outcome.OPEN, Outcome.UNKNOWN):
        return ChangeState(deed.state, GLYPHS.warning, "warning")
    if deed.resumable:
        return ChangeState(deed.state, GLYPHS.warning, "warning")
    if deed.outcome is Outcome.REFUSED:
        return ChangeState(deed.state, GLYPHS.danger, "quiet")
    if deed.undone:
        return ChangeState(deed.state, GLYPHS.back, "quiet")
    return ChangeState(deed.state, GLYPHS.done, "local")


def moment(at: str) -> str:
    """A time of the journal, which is in UTC, to the second."""
    return at[:19].replace("T", " ")
