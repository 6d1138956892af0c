"""Sentences that several screens share, above all the text of empty places with the keys that fill them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from textual.app import App

from chartui.commands import command
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.glyphs import GLYPHS

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.tui.app import ChartuiApp

#: Replaces the rows of a table if a filter hides all.
NO_MATCHES: Final = "No matches. Esc clears the filter."
NO_FINDINGS: Final = "No findings here."
NO_FIX: Final = "No safe automatic fix."
NO_FIXES: Final = "No findings with a safe automatic fix."
#: Below the changes of the journal.
ELSEWHERE: Final = "Only changes made with chartui on this machine are listed."
#: After a failure, and what it leaves as it was.
RETRY: Final = "Press {refresh} to retry."
#: After an API key was missing or refused, which would be so again.
_KEYS: Final = {
    ErrorKind.NO_KEY: "Press {change-api-key} to enter the API key. Or quit, provide it another way and restart.",
    ErrorKind.BAD_KEY: "Press {change-api-key} to enter another API key.",
}
NOT_SENT: Final = "Nothing was sent. Staged changes are kept."
OLD_FIGURES: Final = "The figures below are from the last estimate."
#: The selected character was deleted.
GONE: Final = "This character no longer exists."
#: Every conflict was resolved in favor of the stored value.
NOTHING_LEFT: Final = "Kept the stored values. Nothing left to apply."
NOTHING_TO_UNDO: Final = "No edit to undo."
NOTHING_TO_REDO: Final = "Nothing to redo."
_CREATE_IN_SERVICE: Final = "Create a character in the service, then press {refresh} to see it here."
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
    """Replaces the characters of a profile that has none, on screens other than their list."""
    local = "{show-characters} opens the list, where you can create a character."
    return guide(app, "This profile has no characters yet.", where_to_create(app, local))


def where_to_create(app: App[Any], local: str) -> str:
    """Where a profile gets its first character: ``local`` in a local store, otherwise in the service."""
    return local if cast("ChartuiApp", app).session.service.embedded else _CREATE_IN_SERVICE


def none_staged(app: App[Any], edit: str, *, of: str = "") -> str:
    """The message when there are no staged changes ``of`` something; ``edit`` is a sentence with the key to edit it."""
    return guide(app, f"No staged changes{of and f' for {of}'}. Edits are staged here until you apply them.", edit)


def nothing_to_turn(app: App[Any], step: int) -> str:
    """The message when there is no edit to undo (-1) or redo (1)."""
    return with_keys(app, "No staged edit to undo. {undo} undoes applied changes.") if step < 0 else NOTHING_TO_REDO


def applying(what: str) -> str:
    """The message while changes to ``what`` are being applied: undo and redo have to wait."""
    return f"Changes to {what} are being applied. Undo and redo will be available again afterwards."


def empty_graph(app: App[Any]) -> str:
    """Replaces the story of a graph without sections and triggers."""
    keys = "Press {add-to-story} to add the first section or {import-story} to import a story."
    return guide(app, "This graph is empty.", keys, action="editing")


def kept_for(session: Session) -> str:
    """How long something with a name is kept, and where it can be used."""
    if session.throwaway:
        return "Removed when you leave the demo."
    return "Available on this screen and on the command line."


def retry(error: ServiceError) -> str:
    """The sentence after an error, for :func:`guide`."""
    return _KEYS.get(error.kind, RETRY)


def story_not_loaded(app: App[Any], error: ServiceError) -> str:
    """Replaces a story that could not be read."""
    return guide(app, f"{GLYPHS.danger} The story could not be loaded. {error.message}", retry(error))


def no_exact_matches(app: App[Any]) -> str:
    """That an exact filter hides all characters, and the key of the fuzzy one that works while you type: the last."""
    keymap = cast("ChartuiApp", app).keymap
    keys = keymap.keys(command("fuzzy-filter"))
    return f"{NO_MATCHES} {keymap.sign(keys[-1])} also finds names with typos." if keys else NO_MATCHES


def with_keys(app: App[Any], keys: str) -> str:
    """A sentence with the labels of the keys that it names in braces, as in :func:`guide`."""

    keymap = cast("ChartuiApp", app).keymap

    def label(found: re.Match[str]) -> str:
        key, name = found.groups()
        return keymap.sign(name) if key else keymap.label(name) or f"“{command(name).title}”"

    return _KEY.sub(label, keys)
