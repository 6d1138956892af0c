"""Saving what is staged for a character: as a plan, and where one member is refused, the others without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.clock import random_ids
from chartui.core.plans.settings import Staged, plan, refused_member
from chartui.core.plans.wording import LABELS, short
from chartui.core.spec.errors import ErrorKind
from chartui.core.text import single_line
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.confirm import Confirm

if TYPE_CHECKING:
    from chartui.core.spec.errors import ServiceError
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

__all__ = ["save", "two_drafts"]


async def save(app: ChartuiApp, shown: Shown) -> Staged:
    """Save what is staged for the character ``shown``; returns what is still staged afterwards.

    To be awaited in a worker. What keeps it from being saved is told.
    """
    staged = shown.staged
    if shown.conflicts:
        members = ", ".join(LABELS[member] for member in shown.conflicts)
        mine, theirs = app.keymap.label("keep-setting"), app.keymap.label("restore-setting")
        message = (
            f"Changed elsewhere since you began: {members}. Keep yours ({mine}) or take the other ({theirs}) first."
        )
        app.tell(message, title=shown.name, severity="warning")
        return staged
    if shown.problems:
        app.tell(next(iter(shown.problems.values())), title=f"{shown.name} cannot be saved so", severity="warning")
        return staged
    left = staged
    while left.changes:
        known_here = {member: written.value for member, written in shown.known_here.items()}
        progress = await app.carry_out(plan(left, shown.models, new_id=random_ids, known_here=known_here), deed="Save")
        if progress is None:
            break
        if progress.ok:
            return staged.without(*left.changes)
        refused = _refused(progress.first_error, left)
        if refused is None or not await app.push_screen_wait(_rest(left, refused)):
            break
        left = left.without(refused)
    return staged


def _refused(error: ServiceError | None, staged: Staged) -> str | None:
    """The member without which the others may be taken (decision 17)."""
    if error is None or error.kind is not ErrorKind.INVALID or len(staged.changes) < 2:
        return None
    return refused_member(error, staged)


def _rest(staged: Staged, refused: str) -> Confirm:
    others = ", ".join(LABELS[member] for member in staged.changes if member != refused)
    message = (
        f"The service refused the {LABELS[refused]}, and with it everything: nothing was changed. "
        f"Save {others} without it? The {LABELS[refused]} stays staged."
    )
    return Confirm(f"Save the rest of {single_line(staged.name, limit=30)}", message, "Save the rest")


def two_drafts(mine: Staged, theirs: Staged | None) -> Chooser[Choice]:
    """Asks which of two drafts of one character counts, when another program has written one too."""
    other = "the other program dropped or sent its draft" if theirs is None else _what(theirs)
    choices = [Choice("mine", "Keep mine", "", _what(mine)), Choice("theirs", "Take the other", "", other)]
    return Chooser(f"Another program changes {mine.name} too", choices)


def _what(staged: Staged) -> str:
    return ", ".join(f"{LABELS[member]} {short(text, 20)}" for member, text in staged.changes.items()) or "nothing"
