"""The text in place of something empty: what belongs there, and the keys that fill it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from textual.app import App

from chartui.commands import command

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: In place of the rows of a table that a filter hides.
NO_MATCHES: Final = "No matches. Esc clears the filter."
#: A key in a sentence: the id of a command, or the framework's name of a key after "key ".
_KEY: Final = re.compile(r"\{(key )?([a-z_-]+)\}")


def guide(app: App[Any], text: str, keys: str, *, action: str = "") -> str:
    """``text``, then ``keys``: a sentence with ``{command-id}`` or ``{key enter}`` for each key.

    Where a lock disables one of these commands, the sentence of the lock takes the place of ``keys``: ``action`` is
    what it disables, such as "editing".
    """
    effects = [command(name).effect for key, name in _KEY.findall(keys) if not key]
    refusal = cast("ChartuiApp", app).refusal
    locked = next(filter(None, (refusal(action, effect) for effect in effects)), "") if action else ""
    return f"{text} {locked or with_keys(app, keys)}"


def no_characters(app: App[Any]) -> str:
    """In place of the characters of a profile that has none, away from their list."""
    text = "This profile has no characters yet."
    if not cast("ChartuiApp", app).session.service.embedded:
        return guide(app, text, "Create one in the service, then press {refresh} to see it here.")
    return guide(app, text, "{show-characters} opens the list, where you create the first one.")


def empty_graph(app: App[Any]) -> str:
    """In place of the story of a graph without sections and triggers."""
    keys = "Press {add-to-story} to add the first section or {import-story} to import a story."
    return guide(app, "This graph is empty.", keys, action="editing")


def with_keys(app: App[Any], keys: str) -> str:
    """A sentence with the labels of the keys that it names in braces, as in :func:`guide`."""

    keymap = cast("ChartuiApp", app).keymap

    def label(found: re.Match[str]) -> str:
        key, name = found.groups()
        return keymap.sign(name) if key else keymap.label(name) or f"“{command(name).title}”"

    return _KEY.sub(label, keys)
