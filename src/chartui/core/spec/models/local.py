"""Operations that only the embedded store has (decisions 26 and 59). Their rows in the operation table have no path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import ABSENT, Record, answer, request


@request({"char_id": "charID"})
class CharIdRequest:
    """A request that identifies a character by the member name of the settings operations."""

    char_id: str


@request()
class CreateCharacter:
    """A new character. ``record`` may contain any member of the record except its IDs and owner."""

    character_name: str
    backstory: str = ABSENT
    record: Mapping[str, Wire] = ABSENT


@request({"char_id": "charID"})
class DuplicateCharacter:
    """A request to copy a character with its settings and its whole narrative graph, under new IDs."""

    char_id: str
    character_name: str = ABSENT


@request({"char_id": "charID"})
class RenameCharacter:
    """A request to rename a character."""

    char_id: str
    character_name: str


@request()
class SetStartSection:
    """The section in which the story starts, or null for none."""

    character_id: str
    section_id: str | None


@request()
class SetOverride:
    """The target of a trigger while a given section is running. Null removes the override."""

    character_id: str
    section_id: str
    trigger_id: str
    destination_section: str | None


@request()
class RestoreCharacter:
    """A character from ``snapshot-character``, to be restored with its original IDs."""

    snapshot: Mapping[str, Wire]


@request()
class RestoreSection:
    """A section to be restored with its original ID, in the form used in answers."""

    character_id: str
    section: Mapping[str, Wire]


@request()
class RestoreTrigger:
    """A trigger to be restored with its original ID, in the form used in answers."""

    character_id: str
    trigger: Mapping[str, Wire]


@answer()
class Snapshot(Record):
    """Everything that the store holds about a character. ``position`` is its place in the list of characters."""

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
    """All accounts."""

    accounts: Sequence[AccountNote]
