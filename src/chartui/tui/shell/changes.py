"""The state of a change in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.classes import NamedTuple
from chartui.core.journal import Outcome
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.text import Role

if TYPE_CHECKING:
    from chartui.core.plans.history import PastChange


class ChangeState(NamedTuple):
    """A word with a sign and a role."""

    word: str
    glyph: str
    role: Role


def state_of(change: PastChange) -> ChangeState:
    """The state of a change."""
    if change.alive:
        return ChangeState(change.state, GLYPHS.busy, "label")
    if change.outcome in (Outcome.OPEN, Outcome.UNKNOWN):
        return ChangeState(change.state, GLYPHS.warning, "warning")
    if change.resumable:
        return ChangeState(change.state, GLYPHS.warning, "warning")
    if change.outcome is Outcome.REFUSED:
        return ChangeState(change.state, GLYPHS.danger, "quiet")
    if change.undone:
        return ChangeState(change.state, GLYPHS.back, "quiet")
    return ChangeState(change.state, GLYPHS.done, "local")


def moment(at: str) -> str:
    """A journal time, which is in UTC, to the second."""
    return at[:19].replace("T", " ")
