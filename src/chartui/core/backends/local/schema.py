"""The tables of the embedded store, and what brings a file of an earlier version up to date."""

from __future__ import annotations

from typing import Final

from chartui.core.database import Migrations

__all__ = ["APPLICATION_ID", "BUILT_IN_USER", "MIGRATIONS"]

#: Marks a file as ours in SQLite's header ("chTU").
APPLICATION_ID: Final = 0x63685455
#: The account of embedded profiles: professional, without a key (decision 56).
BUILT_IN_USER: Final = "local"

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
