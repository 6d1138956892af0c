"""From other screens and the palette to a character, a field of its record, or its settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

from chartui.tui.guides import GONE
from chartui.tui.screens.characters.state import Tab

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.screen import CharactersScreen


async def _shown(app: ChartuiApp) -> CharactersScreen:
    await app.go_to("characters")
    return cast("CharactersScreen", app.work["characters"])


async def open_character(app: ChartuiApp, character_id: str) -> None:
    """Open a character, once the list is loaded."""
    screen = await _shown(app)
    if screen.characters.listed.is_set():
        _open(screen, character_id)
    else:
        screen.start(partial(_open_listed, screen, character_id), group="open")


async def _open_listed(screen: CharactersScreen, character_id: str) -> None:
    await screen.characters.listed.wait()
    _open(screen, character_id)


def _open(screen: CharactersScreen, character_id: str) -> None:
    screen.go_to(character_id)
    screen.action_open_tab(screen.state.tab)


async def open_field(app: ChartuiApp, path: str) -> None:
    """Open the selected character's record at a field, by its name on the wire."""
    screen = await _shown(app)
    screen.action_open_tab(Tab.RECORD)
    screen.read_then(partial(screen.detail.record.go_to, path))


async def open_setting(app: ChartuiApp, member: str) -> None:
    """Open the selected character's settings at one of them."""
    screen = await _shown(app)
    screen.action_open_tab(Tab.SETTINGS)
    screen.detail.settings.go_to(member)


async def stage_settings(app: ChartuiApp, character_id: str, changes: Mapping[str, str], told: str) -> None:
    """Open the settings of a character, stage changes and show ``told``. Await it in a worker.

    Changes staged already stay. Nothing is sent, so the lock does not apply.
    """
    app.character = character_id
    app.work.show("characters", leads_back=True)
    screen = cast("CharactersScreen", app.work["characters"])
    await screen.characters.listed.wait()
    await screen.detail.settings.drafts_read.wait()
    screen.receive(character_id)
    if screen.in_hand == character_id:
        screen.action_open_tab(Tab.SETTINGS)
        screen.read_then(partial(screen.detail.settings.give, changes, told))
    else:
        app.tell(GONE, title="Failed", severity="warning")
