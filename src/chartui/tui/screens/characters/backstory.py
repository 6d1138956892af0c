"""What the scene of a character declares, which its backstory should name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.actions.backstory import Declared
from chartui.core.actions.turn import Turn
from chartui.core.profiles import ProfileKind
from chartui.core.spec.errors import ServiceError
from chartui.tui.screens.actions.composing import SCENE_PART
from chartui.tui.screens.actions.state import start_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chartui.core.jsontext import Wire
    from chartui.tui.app import ChartuiApp

__all__ = ["declared_for"]


async def declared_for(app: ChartuiApp, character_id: str, record: Mapping[str, Wire]) -> Declared:
    """What the scene of a character declares: what was composed for it here, else what it starts with."""
    session = app.session
    try:
        draft = await session.drafts.load(session.profile.place, character_id, SCENE_PART)
        if draft is not None:
            return _of(Turn.from_payload(draft.document))
    except (ServiceError, ValueError):  # the actions screen says what is wrong with it
        pass
    return _of(start_turn(character_id, record, demo=session.profile.kind is ProfileKind.DEMO))


def _of(turn: Turn) -> Declared:
    return Declared(
        turn.actions, tuple(thing.name for thing in turn.objects), tuple(person.name for person in turn.people)
    )
