"""Read and change the tables of the embedded store inside a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chartui.core.characters.finder import traits_of
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.damage import DamagedRow, of_kinds
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.spec.records import Records, action_words

#: The number of rows decoded from JSON in one piece.
SLICE: Final = 200


@dataclass(slots=True)
class StoredCharacter:
    """A stored character.

    ``record`` is in wire form. ``reasoning_effort`` is None if no reasoning level is set (decision 23).
    """

    record: dict[str, Wire]
    backstory: str | None = None
    reasoning_effort: str | None = None

    @property
    def character_id(self) -> str:
        character_id: str = self.record["character_id"]
        return character_id


def found(connection: sqlite3.Connection, sql: str, *values: str | float) -> bool:
    """Return whether a query has a result."""
    return connection.execute(sql, values).fetchone() is not None


class Characters:
    """Reads and changes the characters table inside a transaction.

    Lookups do not find characters of other accounts (decision 56).
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def insert(self, character: StoredCharacter, *, position: int | None = None) -> None:
        """Add a character at the end of the list, or at ``position`` if that position is free.

        ``record`` must contain the ID and the owner of the character.
        """
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
        """Return a character, or None if the account has no character with this ID."""
        row = self._connection.execute(
            "SELECT record, backstory, reasoning_effort FROM characters WHERE character_id = ? AND user_id = ?",
            (character_id, user_id),
        ).fetchone()
        return None if row is None else StoredCharacter(_record(loads(row[0])), row[1], row[2])

    def exists(self, character_id: str) -> bool:
        return found(self._connection, "SELECT 1 FROM characters WHERE character_id = ?", character_id)

    def held(self, user_id: str, member: str, value: str | float, *, model: str = "") -> bool:
        """Return whether any of the account's characters ever had ``value`` in the field ``member`` (decision 68).

        A reasoning level counts only if a character had it together with ``model``.
        """
        sql = "SELECT 1 FROM held_settings WHERE user_id = ? AND member = ? AND value = ? AND model = ?"
        return found(self._connection, sql, user_id, member, value, model)

    def position(self, character_id: str) -> int:
        """Return the position of a character in the list.

        The position is needed to restore the character in the same place.
        """
        found = self._connection.execute("SELECT seq FROM characters WHERE character_id = ?", (character_id,))
        position: int = found.fetchone()[0]
        return position

    def save(self, character: StoredCharacter) -> None:
        self._connection.execute(
            "UPDATE characters SET record = ?, backstory = ?, reasoning_effort = ? WHERE character_id = ?",
            (dumps(character.record), character.backstory, character.reasoning_effort, character.character_id),
        )

    def delete(self, character_id: str) -> None:
        self._connection.execute("DELETE FROM characters WHERE character_id = ?", (character_id,))

    def summaries(self, user_id: str) -> list[dict[str, Wire]]:
        """Return, for each character, the values shown in the list of characters, oldest character first.

        Only the table's index is read.
        """
        rows = self._connection.execute(
            "SELECT character_id, summary FROM characters WHERE user_id = ? ORDER BY seq", (user_id,)
        ).fetchall()
        # The values have the order in the definition of the column. They are named individually, because this code runs
        # for every character and must be fast.
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
        """Return each character's traits and backstory, oldest character first.

        Other parts of the records are not read.
        """
        rows = self._connection.execute(
            "SELECT character_id, backstory, json_extract(record, '$.character_traits', '$.speaking_style.description',"
            " '$.character_emotions') FROM characters WHERE user_id = ? ORDER BY seq",
            (user_id,),
        )
        described: list[dict[str, Wire]] = []
        # The rows are read in slices: reading JSON blocks other threads until it is done, and takes ten times the
        # memory of the text.
        while some := rows.fetchmany(SLICE):
            members = loads(f"[{','.join(description for _, _, description in some)}]")
            for (character_id, backstory, _), (traits, style, emotions) in zip(some, members, strict=True):
                words, scores = traits_of(traits, style, emotions)
                about = {"character_id": character_id, "words": words, "scores": scores, "backstory": backstory or ""}
                described.append(about)
        return described

    def measures(self, user_id: str) -> list[dict[str, Wire]]:
        """Return the values that determine each character's cost, oldest character first. Only the index is read.

        SQLite measures the text lengths and stops counting at a NUL character. This is accurate enough for an estimate.
        """
        rows = self._connection.execute(
            "SELECT summary, character_id, reasoning_effort, voice, prompt_length, backstory_length,"
            " CASE WHEN json_extract(summary, '$[3]') THEN (SELECT coalesce(max(length(objective)), 0) FROM sections"
            " WHERE sections.character_id = characters.character_id) END, actions"
            " FROM characters WHERE user_id = ? ORDER BY seq",
            (user_id,),
        ).fetchall()
        scenes = list({row[-1] for row in rows})  # many characters have the same actions
        summaries, actions = (loads(f"[{','.join(texts)}]") for texts in ([row[0] for row in rows], scenes))
        lengths = {text: sum(map(len, action_words(words))) for text, words in zip(scenes, actions, strict=True)}
        return [_measure(row, summary, lengths[row[-1]]) for row, summary in zip(rows, summaries, strict=True)]

    def records(self, user_id: str) -> Records:
        """Return the records of all characters of the account, oldest character first."""
        # The database checks JSON without blocking other threads or creating objects.
        rows = self._connection.execute(
            "SELECT record, CASE WHEN json_valid(record) THEN json_extract(record, '$.character_id') = character_id END"
            " FROM characters WHERE user_id = ? ORDER BY seq",
            (user_id,),
        )
        return Records.of_texts(_text(record, sound=bool(sound)) for record, sound in rows)


def _measure(row: Sequence[Wire], summary: Sequence[Wire], actions: int) -> dict[str, Wire]:
    _, character_id, level, voice, prompt, backstory, objective, _ = row
    _, model, _, driven, memory, *_ = summary
    return {
        "character_id": character_id,
        "model": model if isinstance(model, str) else None,
        "reasoning_effort": level,
        "memory_enabled": memory if isinstance(memory, bool) else None,
        "voice_type": voice or None,
        "is_narrative_driven": driven is True,
        "backstory": backstory,
        "prompt": prompt,
        "objective": objective,
        "actions": actions,
        "level_from": "record",
    }


def _text(record: str, *, sound: bool) -> str:
    """Return the text of a record. Raises :class:`DamagedRow` or :class:`NotJson` if it is not a valid record."""
    # SQLite accepts unpaired surrogates in JSON.
    if not sound or "\\ud" in record.lower():
        _record(loads(record))
        if not sound:
            raise DamagedRow("a record without its ID")
    return record


def _record(value: Wire) -> dict[str, Wire]:
    """Return the decoded record. Raises :class:`DamagedRow` for values that the store never writes."""
    if not isinstance(value, dict):
        raise DamagedRow("a record that is not an object")
    return value


#: The columns of sections and triggers. The character's ID and the item's own ID come first.
SECTION: Final = (
    "character_id",
    "section_id",
    "section_name",
    "objective",
    "decisions",
    "triggers",
    "updated_character_data",
    "bt_constants",
    "behavior_tree_code",
    "node_position",
)
TRIGGER: Final = (
    "character_id",
    "trigger_id",
    "trigger_name",
    "trigger_message",
    "destination_section",
    "node_position",
)
#: Columns that hold JSON text. In these columns, null differs from [], and members are kept as given.
_JSON: Final = frozenset(
    {"decisions", "triggers", "updated_character_data", "bt_constants", "behavior_tree_code", "node_position"}
)


class _Table:
    """The rows of one table, by character and ID. Table and column names are constants of this module."""

    def __init__(self, connection: sqlite3.Connection, name: str, columns: tuple[str, ...]) -> None:
        self._connection = connection
        self._columns = columns
        self._kinds = (str | None,) * len(columns)
        changeable = ", ".join(f"{column} = ?" for column in columns[2:])
        here = f"WHERE character_id = ? AND {columns[1]} = ?"
        self._select = f"SELECT {', '.join(columns)} FROM {name}"  # noqa: S608
        self._select_one = f"{self._select} {here}"
        self._insert = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
        self._update = f"UPDATE {name} SET {changeable} {here}"  # noqa: S608
        self._delete = f"DELETE FROM {name} {here}"  # noqa: S608

    def all(self, character_id: str) -> list[dict[str, Wire]]:
        return self.where("TRUE", character_id)

    def where(self, condition: str, character_id: str, *values: str) -> list[dict[str, Wire]]:
        sql = f"{self._select} WHERE character_id = ? AND ({condition}) ORDER BY seq"
        return [self._wire(row) for row in self._connection.execute(sql, (character_id, *values))]

    def get(self, character_id: str, item_id: str) -> dict[str, Wire] | None:
        row = self._connection.execute(self._select_one, (character_id, item_id)).fetchone()
        return None if row is None else self._wire(row)

    def insert(self, item: Mapping[str, Wire]) -> None:
        self._connection.execute(self._insert, self._row(item, self._columns))

    def save(self, item: Mapping[str, Wire]) -> None:
        self._connection.execute(self._update, self._row(item, self._columns[2:]) + self._row(item, self._columns[:2]))

    def delete(self, character_id: str, item_id: str) -> None:
        self._connection.execute(self._delete, (character_id, item_id))

    def _wire(self, row: Sequence[str | None]) -> dict[str, Wire]:
        of_kinds(row, self._kinds)
        return {
            column: loads(value) if column in _JSON and value is not None else value
            for column, value in zip(self._columns, row, strict=True)
        }

    @staticmethod
    def _row(item: Mapping[str, Wire], columns: Iterable[str]) -> list[str | None]:
        return [dumps(item[column]) if column in _JSON else item[column] for column in columns]


class Narrative:
    """Reads and changes the narrative graph tables inside a transaction.

    IDs are unique within a character. Sections and triggers are returned oldest first.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.sections = _Table(connection, "sections", SECTION)
        self.triggers = _Table(connection, "triggers", TRIGGER)

    def section_ids(self, character_id: str) -> set[str]:
        rows = self._connection.execute("SELECT section_id FROM sections WHERE character_id = ?", (character_id,))
        return {section_id for (section_id,) in rows}

    def held_targets(self, character_id: str, item_id: str) -> set[str]:
        """Return all IDs that the given section or trigger refers to or has ever referred to (decision 68)."""
        rows = self._connection.execute(
            "SELECT target FROM held_references WHERE character_id = ? AND item_id = ?", (character_id, item_id)
        )
        return {target for (target,) in rows}

    def section_and_parents(self, character_id: str, section_id: str) -> list[dict[str, Wire]]:
        """Return a section and all sections with a decision that targets it, oldest first."""
        # The JSON text of decisions contains the IDs of their targets, so decisions without this text have other
        # targets.
        return self.sections.where("section_id = ? OR instr(decisions, ?)", character_id, section_id, dumps(section_id))

    def has_trigger_named(self, character_id: str, name: str) -> bool:
        """Return whether the character has a trigger with exactly this name (decision 40)."""
        sql = "SELECT 1 FROM triggers WHERE character_id = ? AND trigger_name = ?"
        return found(self._connection, sql, character_id, name)


class Session(NamedTuple):
    """A conversation with a character. ``mentioned`` lists the names that pronouns such as "it" and "them" refer to."""

    session_id: str
    character_id: str
    mentioned: dict[str, str]


class Sessions:
    """Reads and changes the conversations table inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, session_id: str, character_id: str) -> Session | None:
        """Return a conversation with the character, or None if it does not exist."""
        row = self._connection.execute(
            "SELECT mentioned FROM sessions WHERE session_id = ? AND character_id = ?", (session_id, character_id)
        ).fetchone()
        return None if row is None else Session(session_id, character_id, loads(row[0]))

    def save(self, session: Session) -> None:
        """Add a conversation, or update the ``mentioned`` names of an existing one."""
        self._connection.execute(
            "INSERT INTO sessions (session_id, character_id, mentioned) VALUES (?, ?, ?)"
            " ON CONFLICT (session_id) DO UPDATE SET mentioned = excluded.mentioned",
            (session.session_id, session.character_id, dumps(session.mentioned)),
        )
