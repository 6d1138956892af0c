"""The tables of the embedded store, and the migrations from older versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chartui.core.damage import Migrations, is_object
from chartui.core.jsontext import Wire

#: Marks a file as ours in SQLite's header ("chTU").
APPLICATION_ID: Final = 0x63685455
#: The account of embedded profiles: professional, without a key (decision 56).
BUILT_IN_USER: Final = "local"

# Rows are ordered by ``seq`` and never by time: clocks jump, and several rows can be written in one second.
#
# A character's record is stored as the given JSON text. ``summary`` repeats the seven members that a list shows, as a
# JSON array. With the index over this column, ten thousand characters are listed without reading any record. It is an
# array rather than seven columns because values keep their JSON type, and SQLite's own text functions would stop at a
# NUL.
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

#: The model in a record, taken from its summary. NULL if the record holds a value of another type there.
_MODEL: Final = "CASE json_type({row}.summary, '$[1]') WHEN 'text' THEN json_extract({row}.summary, '$[1]') END"
_TEMPERATURE: Final = "{row}.record, '$.personalised_prompt_config.TEMPERATURE'"
#: The settings that may be refused because of the catalogue or a range. For each: the member, its value, the model that
#: it was set for, and a condition.
_SETTINGS: Final = (
    ("model_group_name", _MODEL, "''", f"{_MODEL} IS NOT NULL"),
    ("reasoning_effort", "{row}.reasoning_effort", f"coalesce({_MODEL}, '')", "{row}.reasoning_effort IS NOT NULL"),
    (
        "temperature",
        f"json_extract({_TEMPERATURE}) + 0.0",  # values are compared as text, so they always have a decimal point
        "''",
        f"json_type({_TEMPERATURE}) IN ('integer', 'real') AND json_extract({_TEMPERATURE}) NOT BETWEEN 0 AND 1",
    ),
)


def _hold_settings(row: str, source: str = "") -> tuple[str, ...]:
    """Return the statements that record the settings of ``row``.

    ``row`` is the row of an SQL trigger, or a row of the table ``source``.
    """
    return tuple(
        "INSERT OR IGNORE INTO held_settings (user_id, member, value, model) "
        + f"SELECT {{row}}.user_id, '{member}', {value}, {model} {source} WHERE {condition}".format(row=row)
        for member, value, model, condition in _SETTINGS
    )


def _hold_targets(column: str, member: str) -> str:
    """Return the statement that records earlier target IDs, for use in an SQL trigger.

    The IDs were under ``member`` in the array ``column``.
    """
    path = f"OLD.{column}, fullkey || '.{member}'"
    return (
        "INSERT OR IGNORE INTO held_references (character_id, item_id, target)"  # noqa: S608 - constants of this module
        f" SELECT OLD.character_id, OLD.section_id, json_extract({path}) FROM json_each(OLD.{column})"
        f" WHERE json_type({path}) = 'text'"
    )


def _trigger(name: str, when: str, statements: tuple[str, ...]) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN {'; '.join(statements)}; END"


# Earlier values of a character can be written again (decision 68), whatever a later catalogue contains. Undo and drafts
# depend on it. SQL triggers fill these tables whenever a character is created, changed, copied or restored. Settings
# belong to the account, so they are kept after their character is deleted. A section or trigger may refer again to an
# earlier target, even if it no longer exists.
_VERSION_2: Final = (
    """
    CREATE TABLE held_settings (
        user_id TEXT NOT NULL REFERENCES accounts (user_id),
        member TEXT NOT NULL,
        value TEXT NOT NULL,
        model TEXT NOT NULL,
        PRIMARY KEY (user_id, member, value, model)
    )
    """,
    """
    CREATE TABLE held_references (
        character_id TEXT NOT NULL,
        item_id TEXT NOT NULL,
        target TEXT NOT NULL,
        PRIMARY KEY (character_id, item_id, target)
    )
    """,
    *_hold_settings("characters", "FROM characters"),
    _trigger("hold_new_settings", "AFTER INSERT ON characters", _hold_settings("NEW")),
    _trigger("hold_changed_settings", "AFTER UPDATE OF record, reasoning_effort ON characters", _hold_settings("NEW")),
    _trigger(
        "hold_decisions",
        "AFTER UPDATE OF decisions ON sections WHEN OLD.decisions IS NOT NEW.decisions",
        (_hold_targets("decisions", "next_section_id"),),
    ),
    _trigger(
        "hold_overrides",
        "AFTER UPDATE OF triggers ON sections WHEN OLD.triggers IS NOT NEW.triggers",
        (_hold_targets("triggers", "trigger_id"), _hold_targets("triggers", "destination_section")),
    ),
    _trigger(
        "hold_destination",
        "AFTER UPDATE OF destination_section ON triggers WHEN OLD.destination_section IS NOT NEW.destination_section",
        (
            "INSERT OR IGNORE INTO held_references (character_id, item_id, target) SELECT OLD.character_id,"
            " OLD.trigger_id, OLD.destination_section WHERE OLD.destination_section IS NOT NULL",
        ),
    ),
)

# The cost of a character depends on its voice and on the lengths of its texts. With the index over these and the
# summary, ten thousand characters are listed and priced without reading any record.
_PRICED: Final = {
    "voice": "CASE json_type(record, '$.voice_type') WHEN 'text' THEN json_extract(record, '$.voice_type') END",
    "prompt_length": (
        "CASE json_type(record, '$.personalised_prompt_config.PROMPT')"
        " WHEN 'text' THEN length(json_extract(record, '$.personalised_prompt_config.PROMPT')) END"
    ),
    "backstory_length": "coalesce(length(backstory), 0)",
}
_VERSION_3: Final = (
    *(f"ALTER TABLE characters ADD COLUMN {name} GENERATED ALWAYS AS ({value})" for name, value in _PRICED.items()),
    "DROP INDEX character_summaries",
    "CREATE INDEX character_lists ON characters"
    f" (user_id, seq, character_id, summary, reasoning_effort, {', '.join(_PRICED)})",
)

# A character's scene starts with the actions in its record, which are part of the prompt that is priced.
_VERSION_4: Final = (
    "ALTER TABLE characters ADD COLUMN actions GENERATED ALWAYS AS (CASE json_type(record, '$.character_actions')"
    " WHEN 'array' THEN json_extract(record, '$.character_actions') ELSE '[]' END)",
    "DROP INDEX character_lists",
    "CREATE INDEX character_lists ON characters"
    f" (user_id, seq, character_id, summary, reasoning_effort, {', '.join(_PRICED)}, actions)",
)

MIGRATIONS: Final[Migrations] = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4)


def _record(value: Wire) -> bool:
    return is_object(value) and all(isinstance(value.get(name), str) for name in ("character_id", "user_id"))


def _objects_with(*members: str) -> Callable[[Wire], bool]:
    """Build a check that a value is null or a list of objects with these members."""

    def fits(value: Wire) -> bool:
        if value is None:
            return True
        return isinstance(value, list) and all(is_object(item) and item.keys() >= set(members) for item in value)

    return fits


def _anything(_: Wire) -> bool:
    return True


#: For each column, a check whether the store could have written a value.
DOCUMENTS: Final[Mapping[str, Callable[[Wire], bool]]] = MappingProxyType(
    {
        "characters.record": _record,
        "sections.decisions": _objects_with("next_section_id"),
        "sections.triggers": _objects_with("trigger_id", "destination_section"),
        "sections.updated_character_data": _anything,
        "sections.bt_constants": _anything,
        "sections.behavior_tree_code": _anything,
        "sections.node_position": _anything,
        "triggers.node_position": _anything,
        "sessions.mentioned": is_object,
    }
)
