"""Writing a backstory: in the user's own editor, and held against the scene that the character is to act in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.actions.backstory import Declared
from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.plans.settings import BACKSTORY
from chartui.core.profiles import ProfileKind
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.external_editor import edit_outside
from chartui.tui.screens.actions.state import start_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chartui.core.jsontext import Wire
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

__all__ = ["declared_for", "write_outside"]


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


async def write_outside(app: ChartuiApp, shown: Shown) -> str | None:
    """The backstory as the user left it in their own editor; None where nothing is to change, which is told."""
    name = single_line(shown.name, limit=40)
    edited = await edit_outside(app, shown.value(BACKSTORY) or "", title=f"backstory of {name}")
    if edited.text is None:
        app.tell(edited.told, title=f"Backstory of {name}")
    return edited.text
