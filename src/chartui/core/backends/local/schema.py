"""The tables of the embedded store, and how a file of an earlier version is brought up to date.

A version is a list of statements. They are run one by one inside one transaction together with the new version number:
a script run at once would commit what came before it, and a failure would leave half a version behind.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from chartui.core.spec.errors import ErrorKind, ServiceError

__all__ = ["APPLICATION_ID", "BUILT_IN_USER", "MIGRATIONS", "Migrations", "copy_store", "migrate"]

#: Marks a file as ours in SQLite's header ("chTU").
APPLICATION_ID: Final = 0x63685455
#: The account of embedded profiles: professional, without a key (decision 56).
BUILT_IN_USER: Final = "local"

#: What leads from each version to the next; the first list makes an empty file version 1.
Migrations = Sequence[Sequence[str]]

# Rows are ordered by ``seq`` and never by time: clocks jump, and two things happen in one second.
#
# A character's record stays the JSON text that was given. ``summary`` repeats the seven members that a list shows, as
# a JSON array, and with its index answers for ten thousand characters without touching one record. An array rather
# than a column each: values keep their JSON type, and SQLite's own text functions would stop at a NUL.
_VERSION_1: Final = (
    """
    CREATE TABLE accounts (
        seq INTEGER PRIMARY KEY,
        user_id TEXT NOT NULL UNIQUE,
        tier TEXT NOT NULL CHECK (tier IN ('free', 'professional', 'enterprise')),
        key_digest BLOB UNIQUE
    )
    """,
    f"INSERT INTO accounts (user_id, tier) VALUES ('{BUILT_IN_USER}', 'professional')",  # noqa: S608 - a constant
    """
    CREATE TABLE characters (
        seq INTEGER PRIMARY KEY,
        user_id TEXT NOT NULL REFERENCES accounts (user_id),
        character_id TEXT NOT NULL UNIQUE,
        reasoning_effort TEXT,
        summary TEXT NOT NULL GENERATED ALWAYS AS (json_extract(
            record,
            '$.character_name',
            '$.personalised_prompt_config.MODEL',
            '$.language_code',
            '$.is_narrative_driven',
            '$.memory_settings.enabled',
            '$.timestamp',
            '$.last_interacted_with'
        )) STORED,
        record TEXT NOT NULL,
        backstory TEXT
    )
    """,
    "CREATE INDEX character_summaries ON characters (user_id, seq, character_id, summary)",
    """
    CREATE TABLE sections (
        seq INTEGER PRIMARY KEY,
        character_id TEXT NOT NULL REFERENCES characters (character_id) ON DELETE CASCADE,
        section_id TEXT NOT NULL,
        section_name TEXT NOT NULL,
        objective TEXT NOT NULL,
        decisions TEXT NOT NULL,
        triggers TEXT NOT NULL,
        updated_character_data TEXT NOT NULL,
        bt_constants TEXT NOT NULL,
        behavior_tree_code TEXT NOT NULL,
        node_position TEXT NOT NULL,
        UNIQUE (character_id, section_id)
    )
    """,
    """
    CREATE TABLE triggers (
        seq INTEGER PRIMARY KEY,
        character_id TEXT NOT NULL REFERENCES characters (character_id) ON DELETE CASCADE,
        trigger_id TEXT NOT NULL,
        trigger_name TEXT NOT NULL,
        trigger_message TEXT NOT NULL,
        destination_section TEXT,
        node_position TEXT NOT NULL,
        UNIQUE (character_id, trigger_id),
        UNIQUE (character_id, trigger_name)
    )
    """,
    """
    CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY,
        character_id TEXT NOT NULL REFERENCES characters (character_id) ON DELETE CASCADE,
        mentioned TEXT NOT NULL
    )
    """,
    "CREATE INDEX character_sessions ON sessions (character_id)",
)

MIGRATIONS: Final[Migrations] = (_VERSION_1,)


def migrate(connection: sqlite3.Connection, path: Path, migrations: Migrations = MIGRATIONS) -> None:
    """Bring the open file ``path`` to the newest version; a file that has data is copied before each step.

    Raises :class:`ServiceError` (kind ``broken``) for a file of another program or of a newer version, and whatever a
    failing statement raises, with the file as it was before that step.
    """
    version = _version(connection)
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise ServiceError(ErrorKind.BROKEN, f"{path} is a database of another program; nothing was changed.")
    if version > len(migrations):
        raise ServiceError(
            ErrorKind.BROKEN,
            f"{path} was written by a newer version of chartui (store version {version}, this one knows up to "
            f"{len(migrations)}): upgrade chartui. Nothing was changed.",
        )
    for target in range(version + 1, len(migrations) + 1):
        if target > 1:
            copy_store(connection, path.with_name(f"{path.name}.version-{target - 1}.backup"))
        _step(connection, target, migrations[target - 1])


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _step(connection: sqlite3.Connection, target: int, statements: Sequence[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < target:  # else another process was faster
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {target}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def copy_store(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the whole store into ``target``, replacing an earlier copy only once the new one is complete.

    Readable by its owner alone. Raises ``OSError`` and ``sqlite3.Error``.
    """
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    scratch.unlink(missing_ok=True)
    try:
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(scratch)) as copy:
            connection.backup(copy)
            # One file on its own: a copy that is kept needs no log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
