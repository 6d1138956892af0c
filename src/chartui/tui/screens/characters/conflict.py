"""What was changed here and elsewhere: what it was, what is there now, and what is wanted, before anything is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from chartui.core.character import read_character
from chartui.core.plans.settings import REASONING, Conflict, as_text, conflicts, settled
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ServiceError
from chartui.tui.widgets.conflicts import Clash, Conflicts

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.plans.reads import Reads
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

__all__ = ["on_what_is_there"]


async def on_what_is_there(app: ChartuiApp, shown: Shown, reads: Reads) -> tuple[Shown, bool]:
    """The settings over the present ones, which ``reads`` reads; what was changed elsewhere as well is asked about.

    With it whether to go on: not where the user gave up, and not where nothing could be read, which is told. To be
    awaited in a worker.
    """
    session, staged = app.session, shown.staged
    service = reads.service.asking_as("characters")
    try:
        reading = await read_character(service, session.journal, session.profile.place, staged.character_id)
    except ServiceError as error:
        app.tell_failure(error, kept="Nothing was sent, and what is staged is kept.")
        return shown, False
    if reading is None:
        message = "This character is not there any more. Nothing was sent; what is staged is kept."
        app.tell(message, title=shown.name, severity="warning")
        return shown, False
    shown = replace(shown, now=reading.now, known_here=reading.known_here)
    if met := conflicts(staged, reading.now):
        clashes = {member: _clash(conflict) for member, conflict in met.items()}
        mine = await app.push_screen_wait(Conflicts(shown.name, clashes, what="setting"))
        if mine is None:
            return shown, False
        staged = settled(staged, reading.now, {member for member, kept in mine.items() if kept})
    return replace(shown, staged=staged.on(reading.now)), True


def _clash(conflict: Conflict) -> Clash:
    was, now, mine = (_text(conflict.member, value) for value in (conflict.base, conflict.now, conflict.mine))
    return Clash(LABELS[conflict.member], was, now, mine)


def _text(member: str, value: Wire) -> str:
    """A value as it is edited; a level that is not set is a state of its own (decision 23)."""
    text = as_text(member, value)
    return "not set" if member == REASONING and not text else text
