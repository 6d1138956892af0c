"""Restore deleted characters, sections and triggers with their old IDs (decision 26).

Only the embedded store supports this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from chartui.core.backends.local.call import LocalCall, invalid
from chartui.core.backends.local.settings import SUCCESS
from chartui.core.backends.local.tables import SECTION, TRIGGER, StoredCharacter
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError

Item = dict[str, Any]

#: Members of a section or trigger that are not null if they are missing.
_TEXTS: Final = frozenset({"section_name", "objective", "trigger_name", "trigger_message"})
_DEFAULTS: Final[Mapping[str, Wire]] = {**dict.fromkeys(_TEXTS, ""), "node_position": []}


def snapshot_character(call: LocalCall) -> Wire:
    """Return everything that the store holds about a character, as one consistent snapshot."""
    character = call.character()
    narrative = call.tables.narrative
    return {
        "character_id": character.character_id,
        "position": call.tables.characters.position(character.character_id),
        "record": character.record,
        "backstory": character.backstory,
        "reasoning_effort": character.reasoning_effort,
        "sections": narrative.sections.all(character.character_id),
        "triggers": narrative.triggers.all(character.character_id),
    }


def restore_character(call: LocalCall) -> Wire:
    """Restore a character of the calling account from a snapshot, at its old position."""
    snapshot: Mapping[str, Any] = call.payload["snapshot"]
    record = _members(snapshot.get("record"), "snapshot.record")
    character_id = _text(record.get("character_id"), "snapshot.record.character_id")
    for member in ("backstory", "reasoning_effort"):
        if not isinstance(snapshot.get(member), str | None):
            raise invalid(f"snapshot.{member}", f"'snapshot.{member}' must be text or null.")
    if call.tables.characters.exists(character_id):
        raise ServiceError(
            ErrorKind.CONFLICT, f"A character already has the ID {character_id!r}. Nothing was restored."
        )
    restored = StoredCharacter(
        {**record, "user_id": call.account.user_id}, snapshot.get("backstory"), snapshot.get("reasoning_effort")
    )
    call.tables.characters.insert(restored, position=_position(snapshot))
    for kind, restore in (("sections", _restored_section), ("triggers", _restored_trigger)):
        for number, item in enumerate(_items(snapshot.get(kind), f"snapshot.{kind}")):
            restore(call, character_id, _members(item, f"snapshot.{kind}[{number}]"), f"snapshot.{kind}[{number}]")
    return {"character_id": character_id}


def _position(snapshot: Mapping[str, Any]) -> int | None:
    position = snapshot.get("position")
    if position is None:
        return None
    if not isinstance(position, int) or isinstance(position, bool) or not 0 < position < 2**63:
        raise invalid("snapshot.position", "'snapshot.position' must be a whole number above 0.")
    return position


def restore_section(call: LocalCall) -> Wire:
    """Restore one deleted section. The start section of the graph does not change."""
    _restored_section(call, call.character().character_id, call.payload["section"], "section")
    return {"STATUS": SUCCESS}


def restore_trigger(call: LocalCall) -> Wire:
    _restored_trigger(call, call.character().character_id, call.payload["trigger"], "trigger")
    return {"STATUS": SUCCESS}


def _restored_section(call: LocalCall, character_id: str, given: Mapping[str, Any], where: str) -> None:
    section = _item(given, SECTION, character_id, where)
    section["triggers"] = section["triggers"] or []  # null in answers if the section has no decisions
    _items(section["triggers"], f"{where}.triggers")
    if section["decisions"] is not None:
        _items(section["decisions"], f"{where}.decisions")
    if section["section_id"] in call.tables.narrative.section_ids(character_id):
        raise _exists("section", section["section_id"])
    call.tables.narrative.sections.insert(section)


def _restored_trigger(call: LocalCall, character_id: str, given: Mapping[str, Any], where: str) -> None:
    trigger = _item(given, TRIGGER, character_id, where)
    destination = trigger["destination_section"]
    if not isinstance(destination, str | None):
        raise invalid(f"{where}.destination_section", f"'{where}.destination_section' must be text or null.")
    if call.tables.narrative.triggers.get(character_id, trigger["trigger_id"]) is not None:
        raise _exists("trigger", trigger["trigger_id"])
    if call.tables.narrative.has_trigger_named(character_id, trigger["trigger_name"]):
        name = trigger["trigger_name"]
        raise ServiceError(ErrorKind.CONFLICT, f"A trigger named {name!r} already exists. Nothing was restored.")
    call.tables.narrative.triggers.insert(trigger)


def _item(given: Mapping[str, Any], columns: Sequence[str], character_id: str, where: str) -> Item:
    """Return ``given`` as a table row, with its own ID, the character's ID, and only the ``columns`` of the table."""
    own, key, *others = columns
    item = {name: given.get(name, _DEFAULTS.get(name)) for name in others}
    for name in _TEXTS & item.keys():
        if not isinstance(item[name], str):
            raise invalid(f"{where}.{name}", f"'{where}.{name}' must be text.")
    return {own: character_id, key: _text(given.get(key), f"{where}.{key}"), **item}


def _members(value: Any, where: str) -> Item:
    if not isinstance(value, Mapping):
        raise invalid(where, f"'{where}' must be an object.")
    return dict(value)


def _items(value: Any, where: str) -> Iterable[Any]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, Mapping) for item in value):
        raise invalid(where, f"'{where}' must be an array of objects.")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise invalid(where, f"'{where}' must be non-empty text.")
    return value


def _exists(what: str, item_id: str) -> ServiceError:
    return ServiceError(ErrorKind.CONFLICT, f"A {what} already has the ID {item_id!r}. Nothing was restored.")
