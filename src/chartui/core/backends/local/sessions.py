"""Conversations with the local planner: which there are, and what was last spoken of in each (decision 43)."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from chartui.core.jsontext import dumps, loads

__all__ = ["Session", "Sessions"]


class Session(NamedTuple):
    """One conversation with one character; ``mentioned`` are the names that "it" and "them" stand for."""

    session_id: str
    character_id: str
    mentioned: dict[str, str]


class Sessions:
    """The table of conversations, inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, session_id: str, character_id: str) -> Session | None:
        """A conversation with this character, or None."""
        row = self._connection.execute(
            "SELECT mentioned FROM sessions WHERE session_id = ? AND character_id = ?", (session_id, character_id)
        ).fetchone()
        return None if row is None else Session(session_id, character_id, loads(row[0]))

    def save(self, session: Session) -> None:
        """Add a conversation, or what was spoken of since."""
        self._connection.execute(
            "INSERT INTO sessions (session_id, character_id, mentioned) VALUES (?, ?, ?)"
            " ON CONFLICT (session_id) DO UPDATE SET mentioned = excluded.mentioned",
            (session.session_id, session.character_id, dumps(session.mentioned)),
        )
