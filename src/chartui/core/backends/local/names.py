"""Read the names in an embedded store for shell completion.

The store is never created, migrated or locked, and reading never waits for another program.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from chartui.core.backends.local.schema import APPLICATION_ID, BUILT_IN_USER, MIGRATIONS
from chartui.core.classes import NamedTuple

_CHARACTERS: Final = (
    "SELECT character_id, json_extract(summary, '$[0]'), json_extract(summary, '$[1]') FROM characters"
    " WHERE user_id = ? ORDER BY seq"
)
_SECTIONS: Final = "SELECT section_id, section_name, objective FROM sections WHERE character_id = ? ORDER BY seq"
_TRIGGERS: Final = "SELECT trigger_id, trigger_name, trigger_message FROM triggers WHERE character_id = ? ORDER BY seq"


class Named(NamedTuple):
    """A named character, section or trigger.

    ``about`` is the model of a character, the objective of a section, or the message of a trigger.
    """

    id: str
    name: str
    about: str


def character_names(path: Path) -> list[Named]:
    """Return the names of the characters in embedded profiles.

    The result is empty if the store cannot be read immediately.
    """
    return _names(path, _CHARACTERS, BUILT_IN_USER)


def section_names(path: Path, character_id: str) -> list[Named]:
    return _names(path, _SECTIONS, character_id)


def trigger_names(path: Path, character_id: str) -> list[Named]:
    return _names(path, _TRIGGERS, character_id)


def _names(path: Path, query: str, of: str) -> list[Named]:
    try:
        with _reading(path) as connection:
            return [Named(*map(_text, row)) for row in connection.execute(query, (of,))]
    except (sqlite3.Error, OSError):
        return []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a read-only connection.

    Raises ``sqlite3.Error`` or ``OSError``, also if the store has another version.
    """
    log = path.with_name(f"{path.name}-wal")
    # Opening a store without a log would create its companion files, unless the store is opened as immutable.
    query = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    uri = f"file:{quote(str(path))}?{query}"
    with closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as connection:
        version: Sequence[int] = [
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        ]
        if list(version) != [APPLICATION_ID, len(MIGRATIONS)]:
            raise sqlite3.DatabaseError("another version")
        yield connection
