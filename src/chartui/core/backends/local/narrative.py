"""Sections and triggers as rows, in wire form on both sides (C 2.3 and 2.4).

``parents`` of a section is no column: it follows from the decisions of the others (decision 59).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chartui.core.damage import of_kinds
from chartui.core.jsontext import Wire, dumps, loads

__all__ = ["Narrative"]

_SECTION: Final = (
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
_TRIGGER: Final = (
    "character_id",
    "trigger_id",
    "trigger_name",
    "trigger_message",
    "destination_section",
    "node_position",
)
#: Columns that hold JSON text: null and [] are two things, and members are kept as given.
_JSON: Final = frozenset(
    {"decisions", "triggers", "updated_character_data", "bt_constants", "behavior_tree_code", "node_position"}
)


class _Table:
    """The rows of one kind, by character and id. Names of tables and columns are constants of this module."""

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
    """The narrative graphs, inside a transaction. Ids count within their character, oldest first."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.sections = _Table(connection, "sections", _SECTION)
        self.triggers = _Table(connection, "triggers", _TRIGGER)

    def section_ids(self, character_id: str) -> set[str]:
        """The ids of all sections, without reading them."""
        rows = self._connection.execute("SELECT section_id FROM sections WHERE character_id = ?", (character_id,))
        return {section_id for (section_id,) in rows}

    def held_targets(self, character_id: str, item_id: str) -> set[str]:
        """The ids that a section or trigger referred to before its present references (decision 68)."""
        rows = self._connection.execute(
            "SELECT target FROM held_references WHERE character_id = ? AND item_id = ?", (character_id, item_id)
        )
        return {target for (target,) in rows}

    def section_and_parents(self, character_id: str, section_id: str) -> list[dict[str, Wire]]:
        """A section and all that have a decision leading to it, without reading the others; oldest first."""
        # Ids are written in decisions as they are here: what does not hold the text leads somewhere else.
        return self.sections.where("section_id = ? OR instr(decisions, ?)", character_id, section_id, dumps(section_id))

    def has_trigger_named(self, character_id: str, name: str) -> bool:
        """Tell whether a trigger of the character has exactly this name (decision 40)."""
        found = self._connection.execute(
            "SELECT 1 FROM triggers WHERE character_id = ? AND trigger_name = ?", (character_id, name)
        )
        return found.fetchone() is not None
