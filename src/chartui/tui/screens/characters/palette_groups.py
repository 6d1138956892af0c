"""The palette's entries for the characters and their settings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.core.plans.settings import BACKSTORY, MODEL, REASONING, TEMPERATURE
from chartui.core.text import single_line
from chartui.tui.screens.characters.links import open_character, open_setting
from chartui.tui.shell.palette import CHARACTERS, Entry, Group

if TYPE_CHECKING:
    from chartui.core.characters.finder import Finder
    from chartui.tui.app import ChartuiApp

_SETTINGS: Final = {MODEL: "Model", TEMPERATURE: "Temperature", REASONING: "Reasoning", BACKSTORY: "Backstory"}


def settings_group(app: ChartuiApp, name: str) -> Group:
    """The settings of the character called ``name``, or of the one that will be selected."""
    entries = []
    for member, title in _SETTINGS.items():
        about = f"Changes the {title.lower()} of {name or 'the selected character'}."
        go = partial(open_setting, app, member)
        entries.append(Entry(f"setting {member}", title, "setting", about, ("settings",), go))
    return Group.of(entries)


def characters_group(app: ChartuiApp, finder: Finder) -> Group:
    """The characters that ``finder`` searches."""

    def entry(place: int) -> Entry:
        one = finder.summaries[place]
        title = single_line(one.character_name or one.character_id, limit=60)
        about = " · ".join(single_line(text, limit=40) for text in (one.model, one.language_code) if text)
        return Entry(one.character_id, title, "character", about, (), partial(open_character, app, one.character_id))

    return Group(len(finder.summaries), entry, lambda: finder.vocabulary, CHARACTERS)
