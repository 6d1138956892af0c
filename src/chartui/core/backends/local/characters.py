"""Characters as rows: the record as it was given, and beside it what no record holds (decision 26)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final

from chartui.core.characters.finder import traits_of
from chartui.core.damage import DamagedRow
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.spec.records import Records

__all__ = ["Characters", "StoredCharacter"]

#: Rows that are read from JSON at once.
SLICE: Final = 200


@dataclass(slots=True)
class StoredCharacter:
    """A character: ``record`` in wire form, ``reasoning_effort`` None when not set (decision 23)."""

    record: dict[str, Wire]
    backstory: str | None = None
    reasoning_effort: str | None = None

    @property
    def character_id(self) -> str:
        """The id in the record."""
        character_id: str = self.record["character_id"]
        return character_id


class Characters:
    """The table of characters, inside a transaction. Somebody else's characters are not found (decision 56)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def insert(self, character: StoredCharacter, *, position: int | None = None) -> None:
        """Add a character, last; or at ``position`` if nobody stands there. Its record names its id and its owner."""
        taken = self._connection.execute("SELECT 1 FROM characters WHERE seq = ?", (position,)).fetchone()
        self._connection.execute(
            "INSERT INTO characters (seq, user_id, character_id, reasoning_effort, record, backstory)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                None if taken else position,
                character.record["user_id"],
                character.character_id,
                character.reasoning_effort,
                dumps(character.record),
                character.backstory,
            ),
        )

    def get(self, user_id: str, character_id: str) -> StoredCharacter | None:
        """One character of the account, or None."""
        row = self._connection.execute(
            "SELECT record, backstory, reasoning_effort FROM characters WHERE character_id = ? AND user_id = ?",
            (character_id, user_id),
        ).fetchone()
        return None if row is None else StoredCharacter(_record(loads(row[0])), row[1], row[2])

    def exists(self, character_id: str) -> bool:
        """Whether any account has a character with this id."""
        found = self._connection.execute("SELECT 1 FROM characters WHERE character_id = ?", (character_id,))
        return found.fetchone() is not None

    def held(self, user_id: str, member: str, value: str | float, *, model: str = "") -> bool:
        """Whether a character of the account has, or once had, this value of a setting (decision 68).

        Of a reasoning level ``model`` is the code it was set for.
        """
        found = self._connection.execute(
            "SELECT 1 FROM held_settings WHERE user_id = ? AND member = ? AND value = ? AND model = ?",
            (user_id, member, value, model),
        )
        return found.fetchone() is not None

    def position(self, character_id: str) -> int:
        """Where a character stands among all of the store, for putting it back there."""
        found = self._connection.execute("SELECT seq FROM characters WHERE character_id = ?", (character_id,))
        position: int = found.fetchone()[0]
        return position

    def save(self, character: StoredCharacter) -> None:
        """Write a changed character back."""
        self._connection.execute(
            "UPDATE characters SET record = ?, backstory = ?, reasoning_effort = ? WHERE character_id = ?",
            (dumps(character.record), character.backstory, character.reasoning_effort, character.character_id),
        )

    def delete(self, character_id: str) -> None:
        """Remove a character with its sections, triggers and sessions."""
        self._connection.execute("DELETE FROM characters WHERE character_id = ?", (character_id,))

    def summaries(self, user_id: str) -> list[dict[str, Wire]]:
        """The columns of a list, oldest character first, read from the index alone."""
        rows = self._connection.execute(
            "SELECT character_id, summary FROM characters WHERE user_id = ? ORDER BY seq", (user_id,)
        ).fetchall()
        # The order is that of the column's definition. Names written out: this runs for every character there is.
        return [
            {
                "character_id": character_id,
                "character_name": name,
                "model": model,
                "language_code": language,
                "is_narrative_driven": driven,
                "memory_enabled": memory,
                "timestamp": created,
                "last_interacted_with": interacted,
            }
            for (character_id, _), (name, model, language, driven, memory, created, interacted) in zip(
                rows, loads(f"[{','.join(summary for _, summary in rows)}]"), strict=True
            )
        ]

    def descriptions(self, user_id: str) -> list[dict[str, Wire]]:
        """The traits in each record, oldest character first; no other member is read."""
        rows = self._connection.execute(
            "SELECT character_id, json_extract(record, '$.character_traits', '$.speaking_style.description',"
            " '$.character_emotions') FROM characters WHERE user_id = ? ORDER BY seq",
            (user_id,),
        )
        found: list[dict[str, Wire]] = []
        # In slices: reading JSON lets no other thread work until it is done, and takes ten times the room of the words.
        while some := rows.fetchmany(SLICE):
            members = loads(f"[{','.join(description for _, description in some)}]")
            for (character_id, _), (traits, style, emotions) in zip(some, members, strict=True):
                words, scores = traits_of(traits, style, emotions)
                found.append({"character_id": character_id, "words": words, "scores": scores})
        return found

    def records(self, user_id: str) -> Records:
        """Every record of the account, oldest character first."""
        # The database reads JSON without holding up other threads, and makes nothing of it.
        rows = self._connection.execute(
            "SELECT record, CASE WHEN json_valid(record) THEN json_extract(record, '$.character_id') = character_id END"
            " FROM characters WHERE user_id = ? ORDER BY seq",
            (user_id,),
        )
        return Records.of_texts(_text(record, sound=bool(sound)) for record, sound in rows)


def _text(record: str, *, sound: bool) -> str:
    """The text of a record; raises as :func:`_record` for one that is not sound, or :class:`NotJson`."""
    # Halves of pairs are JSON to a database.
    if not sound or "\\ud" in record.lower():
        _record(loads(record))
        if not sound:
            raise DamagedRow("a record without its id")
    return record


def _record(value: Wire) -> dict[str, Wire]:
    """A record as it was read; raises :class:`DamagedRow` for what the store never writes."""
    if not isinstance(value, dict):
        raise DamagedRow("a record that is not an object")
    return value
