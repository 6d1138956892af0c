"""The palette's entries for the characters and their settings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from chartui.core.plans.settings import BACKSTORY, MODEL, REASONING, TEMPERATURE
from chartui.core.text import single_line
from chartui.tui.screens.characters.state import Tab
from chartui.tui.shell.palette import CHARACTERS, Entry, Group

if TYPE_CHECKING:
    from chartui.core.characters.finder import Finder
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.screen import CharactersScreen

_SETTINGS: Final = {MODEL: "Model", TEMPERATURE: "Temperature", REASONING: "Reasoning", BACKSTORY: "Backstory"}


def settings_group(app: ChartuiApp, name: str) -> Group:
    """The settings of the character called ``name``, or of the one that will be selected."""
    entries = []
    for member, title in _SETTINGS.items():
        about = f"Changes the {title.lower()} of {name or 'the selected character'}."
        go = partial(_open_setting, app, member)
        entries.append(Entry(f"setting {member}", title, "setting", about, ("settings",), go))
    return Group.of(entries)


def characters_group(app: ChartuiApp, finder: Finder) -> Group:
    """The characters that ``finder`` searches."""

    def entry(place: int) -> Entry:
        one = finder.summaries[place]
        title = single_line(one.character_name or one.character_id, limit=60)
        about = " · ".join(single_line(text, limit=40) for text in (one.model, one.language_code) if text)
        return Entry(one.character_id, title, "character", about, (), partial(_open, app, one.character_id))

    return Group(len(finder.summaries), entry, lambda: finder.vocabulary, CHARACTERS)


async def _open(app: ChartuiApp, character_id: str) -> None:
    """Open a character from any screen, once the list is loaded."""
    await app.go_to("characters")
    screen = cast("CharactersScreen", app.work["characters"])
    if screen.characters.listed.is_set():
        screen.open_character(character_id)
    else:
        screen.start(partial(screen.open_listed, character_id), group="open")


async def show_field(app: ChartuiApp, path: str) -> None:
    """Show a field of the selected character's record, from any screen."""
    await app.go_to("characters")
    cast("CharactersScreen", app.work["characters"]).show_field(path)


async def _open_setting(app: ChartuiApp, member: str) -> None:
    """Open the settings at one of them, from any screen."""
    await app.go_to("characters")
    screen = cast("CharactersScreen", app.work["characters"])
    screen.action_open_tab(Tab.SETTINGS)
    screen.detail.settings.go_to(member)
