"""The character to start with: the last one used, or the one named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from chartui.core.naming import BadName, Item, find

if TYPE_CHECKING:
    from chartui.core.service import Service
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.tui.app import ChartuiApp


def found_character(app: ChartuiApp, *, there: bool) -> bool:
    """Whether the last character is gone. If so, the program starts at the list."""
    gone, app.returning = app.returning and not there, False
    if gone:
        app.character = None
        app.tell("The character you last worked on no longer exists.", severity="warning")
        app.work.show("characters")
    return gone


def name_character(app: ChartuiApp, summaries: Iterable[CharacterSummary]) -> None:
    """Replace the character name given at startup, or the start of it, by its ID; report if none matches."""
    if not app.names_character or app.character is None:
        return
    app.names_character = False
    try:
        items = (Item(one.character_id, one.character_name or "") for one in summaries)
        app.character = find("character", app.character, items, name_prefix=True).id
    except BadName as error:
        app.tell(str(error), title="--character", severity="warning")


async def naming_character(app: ChartuiApp, service: Callable[[], Service]) -> Callable[[], Service]:
    """As :func:`name_character`, with a list read for it, which the returned service keeps.

    Raises :class:`ServiceError`.
    """
    if not app.names_character:
        return service
    from chartui.core.plans.reads import Reads

    kept = Reads(service()).service
    name_character(app, await kept.summaries())
    return lambda: kept
