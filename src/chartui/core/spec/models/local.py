"""Requests and responses of the operations that only an embedded store has (decisions 26 and 59)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import ABSENT, Record, answer, request


@request({"char_id": "charID"})
class CharIdRequest:
    """A request that identifies a character by its ``charID`` field, as in the settings operations."""

    char_id: str


@request()
class CreateCharacter:
    """A request to create a character. ``record`` may contain any field of a record except the IDs and the owner."""

    character_name: str
    backstory: str = ABSENT
    record: Mapping[str, Wire] = ABSENT


@request({"char_id": "charID"})
class DuplicateCharacter:
    """A request to duplicate a character with its settings and narrative graph.

    The copied character, sections and triggers get new IDs.
    """

    char_id: str
    character_name: str = ABSENT


@request({"char_id": "charID"})
class RenameCharacter:
    """A request to rename a character."""

    char_id: str
    character_name: str


@request()
class SetStartSection:
    """A request to set the section in which the story starts. Null removes the start."""

    character_id: str
    section_id: str | None


@request()
class SetOverride:
    """A request to override the target of a trigger while a section is running. Null removes the override."""

    character_id: str
    section_id: str
    trigger_id: str
    destination_section: str | None


@request()
class RestoreCharacter:
    """A request to restore a character, with its original IDs, from the response to ``snapshot-character``."""

    snapshot: Mapping[str, Wire]


@request()
class RestoreSection:
    """A request to restore a section with its original ID. ``section`` has the form used in responses."""

    character_id: str
    section: Mapping[str, Wire]


@request()
class RestoreTrigger:
    """A request to restore a trigger with its original ID. ``trigger`` has the form used in responses."""

    character_id: str
    trigger: Mapping[str, Wire]


@answer()
class Snapshot(Record):
    """All data in the store about one character. ``position`` is the character's position in the list of characters."""

    character_id: str
    position: int | None = None
    record: Mapping[str, Wire]
    backstory: str | None = None
    reasoning_effort: str | None = None
    sections: Sequence[Mapping[str, Wire]]
    triggers: Sequence[Mapping[str, Wire]]


@answer()
class CharacterCreated(Record):
    """The ID of a new character."""

    character_id: str


@answer()
class AccountNote(Record):
    """An account in the embedded store, without its API key."""

    user_id: str
    tier: str
    characters: int = 0


@answer()
class AccountList(Record):
    """All accounts in the embedded store."""

    accounts: Sequence[AccountNote]
