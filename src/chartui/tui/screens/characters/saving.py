"""Saving what is staged for a character: as a plan, and where one member is refused, the others without it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from chartui.core.clock import random_ids
from chartui.core.plans.settings import Staged, plan, refused_member
from chartui.core.plans.wording import LABELS, short
from chartui.core.spec.errors import ErrorKind
from chartui.core.text import single_line
from chartui.tui.screens.characters.conflict import on_what_is_there
from chartui.tui.widgets.confirm import Confirm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chartui.core.jsontext import Wire
    from chartui.core.plans.executor import Progress
    from chartui.core.spec.errors import ServiceError
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

__all__ = ["save", "what_is_staged"]


async def save(app: ChartuiApp, shown: Shown, record: Mapping[str, Wire], keep: Callable[[Shown], None]) -> None:
    """Save what is staged for the character ``shown``; ``keep`` is given the values and what is still staged.

    What is there now is read first, and whoever changed the same meanwhile is not overwritten unasked; so also when
    that is found only while it is sent. ``record`` is what the character is priced by. To be awaited in a worker. What
    keeps it from being saved is told.
    """
    from chartui.tui.running import carry_out
    from chartui.tui.screens.characters.foreseeing import foreseen, tell_what_is_there

    refused: set[str] = set()
    while True:
        shown, going = await on_what_is_there(app, shown)
        if not going:
            break
        left = shown.staged.without(*refused)
        if not left.changes:
            app.tell("What is there now counts: nothing is left to be saved.", title=shown.name)
            break
        if shown.problems:
            app.tell(next(iter(shown.problems.values())), title=f"{shown.name} cannot be saved so", severity="warning")
            break
        made = plan(
            left,
            shown.models,
            new_id=random_ids,
            known_here={member: written.value for member, written in shown.known_here.items()},
            unnamed=shown.unnamed,
            consequences=await foreseen(app, shown, left, record),
        )
        now = {**shown.now, **left.saved(*left.changes)}
        saved = replace(shown, now=now, staged=shown.staged.without(*left.changes))
        progress = await carry_out(app, made, deed="Save", done=partial(_kept, keep, saved))
        if progress is None:
            break
        if progress.ok:
            await tell_what_is_there(app, left)
            return
        error = progress.first_error
        if error is not None and error.kind is ErrorKind.CONFLICT:
            continue
        member = _refused(error, left)
        if error is None or member is None or not await app.push_screen_wait(_rest(left, member, error)):
            break
        refused.add(member)
    keep(shown)


def _kept(keep: Callable[[Shown], None], saved: Shown, _: Progress) -> None:
    keep(saved)


def _refused(error: ServiceError | None, staged: Staged) -> str | None:
    """The member without which the others may be taken (decision 17)."""
    if error is None or error.kind is not ErrorKind.INVALID or len(staged.changes) < 2:
        return None
    return refused_member(error, staged)


def _rest(staged: Staged, refused: str, error: ServiceError) -> Confirm:
    others = ", ".join(LABELS[member] for member in staged.changes if member != refused)
    message = (
        f"The service refused the {LABELS[refused]}, and with it everything: nothing was changed. "
        f"It said: “{single_line(error.message, limit=200)}” "
        f"Save {others} without it? The {LABELS[refused]} stays staged."
    )
    return Confirm(f"Save the rest of {single_line(staged.name, limit=30)}", message, "Save the rest")


def what_is_staged(staged: Staged) -> str:
    """What is staged of one character, in a line."""
    return ", ".join(f"{LABELS[member]} {short(text, 20)}" for member, text in staged.changes.items()) or "nothing"
