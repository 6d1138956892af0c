"""What only the embedded store can do (decisions 26 and 59): rows of the table without a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import ABSENT, Record, answer, request


@request({"char_id": "charID"})
class CharIdRequest:
    """Names a character the way the settings operations do."""

    char_id: str


@request()
class CreateCharacter:
    """A new character; ``record`` may give any member of the record but its ids and owner."""

    character_name: str
    backstory: str = ABSENT
    record: Mapping[str, Wire] = ABSENT


@request({"char_id": "charID"})
class DuplicateCharacter:
    """A copy with its settings and its whole narrative graph, under new ids."""

    char_id: str
    character_name: str = ABSENT


@request({"char_id": "charID"})
class RenameCharacter:
    """A new name."""

    char_id: str
    character_name: str


@request()
class SetStartSection:
    """The start of the story; null for none."""

    character_id: str
    section_id: str | None


@request()
class SetOverride:
    """Where a trigger leads while one section runs; null takes the override away."""

    character_id: str
    section_id: str
    trigger_id: str
    destination_section: str | None


@request()
class RestoreCharacter:
    """A character as ``snapshot-character`` answered it, to be put back under its ids."""

    snapshot: Mapping[str, Wire]


@request()
class RestoreSection:
    """A section to be put back under its id, in the form it is answered in."""

    character_id: str
    section: Mapping[str, Wire]


@request()
class RestoreTrigger:
    """A trigger to be put back under its id, in the form it is answered in."""

    character_id: str
    trigger: Mapping[str, Wire]


@answer()
class Snapshot(Record):
    """All that the store holds of a character; ``position`` is where it stands among the others."""

    character_id: str
    position: int | None = None
    record: Mapping[str, Wire]
    backstory: str | None = None
    reasoning_effort: str | None = None
    sections: Sequence[Mapping[str, Wire]]
    triggers: Sequence[Mapping[str, Wire]]


@answer()
class CharacterCreated(Record):
    """The id of a new character."""

    character_id: str


@answer()
class AccountNote(Record):
    """An account of the embedded store, without its key."""

    user_id: str
    tier: str
    characters: int = 0


@answer()
class AccountList(Record):
    """All accounts."""

    accounts: Sequence[AccountNote]
