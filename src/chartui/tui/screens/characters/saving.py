"""Saving what is staged for a character: as a plan, and where one member is refused, the others without it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from chartui.core.clock import random_ids
from chartui.core.plans.settings import MEMBERS, Staged, plan, refused_member
from chartui.core.plans.wording import LABELS, short
from chartui.core.spec.errors import ErrorKind
from chartui.core.text import single_line
from chartui.tui.run_plan import reads_for
from chartui.tui.screens.characters.conflict import on_what_is_there
from chartui.tui.wait import waiting
from chartui.tui.widgets.questions import Confirm

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from chartui.core.jsontext import Wire
    from chartui.core.plans.executor import Progress
    from chartui.core.spec.errors import ServiceError
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

    Keep = Callable[[Shown, bool], None]

__all__ = ["save", "what_changed", "what_is_staged"]


async def save(app: ChartuiApp, shown: Shown, record: Mapping[str, Wire], keep: Keep) -> None:
    """Save what is staged for the character ``shown``; ``keep`` is given what is stored and staged afterwards.

    With it comes whether something was saved, and what is still staged is only what is left.

    What is there now is read first, and whoever changed the same meanwhile is not overwritten unasked; so also when
    that is found only while it is sent. ``record`` is what the character is priced by. To be awaited in a worker. What
    keeps it from being saved is told.
    """
    refused: set[str] = set()
    while True:
        async with waiting(app, f"Apply the changes of {single_line(shown.name, limit=30)}"):
            shown, left, progress = await _applied(app, shown, refused, record, keep)
        if left is None or progress is None:
            break
        if progress.ok:
            return
        error = progress.first_error
        if error is not None and error.kind is ErrorKind.CONFLICT:
            continue
        member = _refused(error, left)
        if error is None or member is None or not await app.push_screen_wait(_rest(left, member, error)):
            break
        refused.add(member)
    keep(shown, False)


async def _applied(
    app: ChartuiApp, shown: Shown, refused: Collection[str], record: Mapping[str, Wire], keep: Keep
) -> tuple[Shown, Staged | None, Progress | None]:
    """One try without the ``refused`` members: what is there now, what was sent of it, and how that ended."""
    from chartui.tui.screens.characters.foreseeing import foreseen

    reads = reads_for(app)
    shown, going = await on_what_is_there(app, shown, reads)
    if not going:
        return shown, None, None
    left = shown.staged.without(*refused)
    if not left.changes:
        app.tell("What is there now counts: nothing is left to be saved.", title=shown.name)
        return shown, None, None
    if shown.problems:
        app.tell(next(iter(shown.problems.values())), title=f"{shown.name} cannot be saved so", severity="warning")
        return shown, None, None
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
    return shown, left, await app.carry_out(made, deed="Save", done=lambda _: keep(saved, True), reads=reads)


def _refused(error: ServiceError | None, staged: Staged) -> str | None:
    """The member without which the others may be taken (decision 17)."""
    if error is None or error.kind is not ErrorKind.INVALID or len(staged.changes) < 2:
        return None
    return refused_member(error, staged)


def _rest(staged: Staged, refused: str, error: ServiceError) -> Confirm:
    others = ", ".join(LABELS[member] for member in staged.changes if member != refused)
    message = (
        f"The service refused the {LABELS[refused]}, and with it everything: nothing was changed. "
        f"It said: “{single_line(error.message)}” "
        f"Save {others} without it? The {LABELS[refused]} stays staged."
    )
    return Confirm(f"Save the rest of {single_line(staged.name, limit=30)}", message, "Save the rest")


def what_is_staged(staged: Staged) -> str:
    """What is staged of one character, in a line."""
    return ", ".join(f"{LABELS[member]} {short(text, 20)}" for member, text in staged.changes.items()) or "nothing"


def what_changed(before: Staged, after: Staged) -> str:
    """What one edit did to what was staged before, as the title of its step."""
    members = [member for member in MEMBERS if before.changes.get(member) != after.changes.get(member)]
    if not members:
        return "Keep mine"
    verb = "Change" if after.changes.keys() & set(members) else "Revert"
    return f"{verb} {', '.join(LABELS[member] for member in members)}"
