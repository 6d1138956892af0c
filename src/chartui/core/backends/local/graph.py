"""Operations on sections, triggers and their connections (C 4.4 to 4.13, decisions 31 to 41 and 59)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from chartui.core.backends.local.call import LocalCall, invalid, not_found
from chartui.core.backends.local.settings import SUCCESS
from chartui.core.backends.local.tables import SECTION, StoredCharacter
from chartui.core.jsontext import Wire, same
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.narrative import counting

_DONE: Final = "Successful"
#: The order of the members in C 2.3.
_SECTION_MEMBERS: Final = (*SECTION[:5], "parents", *SECTION[5:])
Item = dict[str, Any]


# -- reading -----------------------------------------------------------------------------------------------------------


def list_sections(call: LocalCall) -> Wire:
    """Return all sections of a character (C 4.7)."""
    return with_parents(call.tables.narrative.sections.all(call.character().character_id))


def get_section(call: LocalCall) -> Wire:
    """Return one section of a character (C 4.6)."""
    section_id = call.payload["section_id"]
    section = _with_its_parents(call, call.character().character_id, section_id)
    if section is None:
        raise not_found("section", section_id)
    return section


def _with_its_parents(call: LocalCall, character_id: str, section_id: str) -> Item | None:
    sections = with_parents(call.tables.narrative.section_and_parents(character_id, section_id))
    return next((section for section in sections if section["section_id"] == section_id), None)


def _expect_section(call: LocalCall, section: Item) -> None:
    if call.expected:
        present = _with_its_parents(call, section["character_id"], section["section_id"])
        call.expect(present or section, "section")


def with_parents(sections: Sequence[Item]) -> list[Item]:
    """Return copies of the sections with ``parents`` added, ready to be sent as a response.

    ``parents`` lists every section with a decision that targets the section. Each parent is listed once. For a
    section without parents, ``parents`` is null.
    """
    parents: dict[str, dict[str, None]] = {}
    for section in sections:
        for decision in section["decisions"] or ():
            parents.setdefault(decision["next_section_id"], {})[section["section_id"]] = None
    answered = []
    for section in sections:
        computed = {
            "parents": list(parents.get(section["section_id"], ())) or None,
            "triggers": section["triggers"] or None,
        }
        answered.append({name: computed[name] if name in computed else section[name] for name in _SECTION_MEMBERS})
    return answered


def list_triggers(call: LocalCall) -> Wire:
    """Return all triggers of a character (C 4.13)."""
    return call.tables.narrative.triggers.all(call.character().character_id)


def get_trigger(call: LocalCall) -> Wire:
    """Return one trigger of a character (C 4.12)."""
    return _item(call, call.character(), "trigger")


def _item(call: LocalCall, character: StoredCharacter, kind: Literal["section", "trigger"]) -> Item:
    narrative, item_id = call.tables.narrative, call.payload[f"{kind}_id"]
    table = narrative.sections if kind == "section" else narrative.triggers
    item = table.get(character.character_id, item_id)
    if item is None:
        raise not_found(kind, item_id)
    return item


# -- sections ----------------------------------------------------------------------------------------------------------


def create_section(call: LocalCall) -> Wire:
    """Add a section to a narrative graph (C 4.4). The first section becomes the start section (decision 26)."""
    character = call.character()
    section_id = call.ids()
    call.tables.narrative.sections.insert(
        {
            "character_id": character.character_id,
            "section_id": section_id,
            "section_name": call.payload["section_name"],
            "objective": call.payload["objective"],
            "decisions": None,
            "triggers": [],
            # Defaults, as in the examples of C 4.5 to 4.7 (decision 71).
            "updated_character_data": call.payload.get("updated_character_data", {}),
            "bt_constants": call.payload.get("bt_constants", ""),
            "behavior_tree_code": call.payload.get("behavior_tree_code", ""),
            "node_position": [],
        }
    )
    if character.record.get("start_narrative_section_id") is None:
        _start_at(call, character, section_id)
    return {"section_id": section_id}


def _start_at(call: LocalCall, character: StoredCharacter, section_id: str | None) -> None:
    character.record["start_narrative_section_id"] = section_id
    call.tables.characters.save(character)


def edit_section(call: LocalCall) -> Wire:
    """Change the name, objective or decisions of a section (C 4.5)."""
    changes = _section_changes(call.payload)
    character = call.character()
    section = _item(call, character, "section")
    _expect_section(call, section)
    if "decisions" in changes:
        stored = (decision["next_section_id"] for decision in section["decisions"] or ())
        known = _known_sections(call, character, section["section_id"]).union(stored)
        for position, decision in enumerate(changes["decisions"]):
            member = f"updated_data.decisions[{position}].next_section_id"
            _refuse_unknown(member, decision["next_section_id"], known)
    call.tables.narrative.sections.save({**section, **changes})
    return {"status": "success", "section_id": section["section_id"], "updated_data": changes}


def _section_changes(payload: Mapping[str, Any]) -> Item:
    """Return the object of changes, under either of its two names (decision 31)."""
    given = [payload[name] for name in ("updated_data", "updated_character_data") if name in payload]
    if not given:
        raise invalid("updated_data", "'updated_data' is required.")
    if not same(given[0], given[-1]):
        raise invalid("updated_data", "'updated_data' and 'updated_character_data' are both given but differ.")
    return _not_empty(given[0], ("section_name", "objective", "decisions"))


def _not_empty(changes: Mapping[str, Any], members: Iterable[str]) -> Item:
    if not changes:
        raise invalid("updated_data", f"'updated_data' is empty. Give at least one of {', '.join(members)}.")
    return dict(changes)


def _known_sections(call: LocalCall, character: StoredCharacter, item_id: str | None = None) -> set[str | None]:
    """Return the valid targets of a reference in the section or trigger ``item_id``.

    These are all sections, and all current and earlier targets of the item, even if they were deleted (decisions 38, 59
    and 68).
    """
    narrative = call.tables.narrative
    known: set[str | None] = {*narrative.section_ids(character.character_id)}
    return known if item_id is None else known | narrative.held_targets(character.character_id, item_id)


def _refuse_unknown(member: str, section_id: str, known: Container[str | None]) -> None:
    if section_id not in known:
        raise invalid(member, f"'{member}' refers to an unknown section: {section_id!r}.")


def delete_section(call: LocalCall) -> Wire:
    """Remove a section (C 4.8). References to the section become dangling references (decision 39)."""
    character = call.character()
    section = _item(call, character, "section")
    _expect_section(call, section)
    call.tables.narrative.sections.delete(character.character_id, section["section_id"])
    if character.record.get("start_narrative_section_id") == section["section_id"]:
        _start_at(call, character, None)
    return {"STATUS": _DONE}


# -- triggers ----------------------------------------------------------------------------------------------------------


def create_trigger(call: LocalCall) -> Wire:
    """Add a trigger to a narrative graph (C 4.9)."""
    destination = _destination(call.payload)
    name = call.payload["trigger_name"]
    character = call.character()
    if destination is not None:
        _refuse_unknown("destination_section", destination, _known_sections(call, character))
    _refuse_taken(call, character, name)
    trigger = {
        "character_id": character.character_id,
        "trigger_id": call.ids(),
        "trigger_name": name,
        "trigger_message": call.payload["trigger_message"],
        "destination_section": destination,
        "node_position": [],
    }
    call.tables.narrative.triggers.insert(trigger)
    return trigger


def _destination(payload: Mapping[str, Any]) -> str | None:
    """Return the destination of a new trigger.

    The misspelt name of the member is accepted too (decision 32). An empty text means that the trigger has no
    destination (decision 40).
    """
    given = [payload[name] or None for name in ("destination_section", "desgination_section") if name in payload]
    if given and given[0] != given[-1]:
        raise invalid(
            "destination_section", "'destination_section' and 'desgination_section' are both given but differ."
        )
    return given[0] if given else None


def _refuse_taken(call: LocalCall, character: StoredCharacter, name: str) -> None:
    if call.tables.narrative.has_trigger_named(character.character_id, name):
        raise ServiceError(ErrorKind.CONFLICT, f"A trigger named {name!r} already exists.", member="trigger_name")


def update_trigger(call: LocalCall) -> Wire:
    """Change the name, message or destination of a trigger (C 4.10)."""
    changes = _not_empty(call.payload["updated_data"], ("trigger_name", "trigger_message", "destination_section"))
    character = call.character()
    trigger = _item(call, character, "trigger")
    call.expect(trigger, "trigger")
    if "destination_section" in changes:
        changes["destination_section"] = changes["destination_section"] or None
        if changes["destination_section"] is not None:
            known = {*_known_sections(call, character, trigger["trigger_id"]), trigger["destination_section"]}
            _refuse_unknown("updated_data.destination_section", changes["destination_section"], known)
    if changes.get("trigger_name", trigger["trigger_name"]) != trigger["trigger_name"]:
        _refuse_taken(call, character, changes["trigger_name"])
    call.tables.narrative.triggers.save({**trigger, **changes})
    return {"STATUS": _DONE, "message": "trigger updated"}


def delete_trigger(call: LocalCall) -> Wire:
    """Remove a trigger (C 4.11)."""
    character = call.character()
    trigger = _item(call, character, "trigger")
    call.expect(trigger, "trigger")
    call.tables.narrative.triggers.delete(character.character_id, trigger["trigger_id"])
    return {"STATUS": _DONE, "message": "trigger deleted"}


# -- the embedded store only -------------------------------------------------------------------------------------------


def set_start_section(call: LocalCall) -> Wire:
    """Set the start section of a narrative graph. A null value removes the start section."""
    character = call.character()
    call.expect({"section_id": character.record.get("start_narrative_section_id")}, "start of the story")
    if call.payload["section_id"] is not None:
        _item(call, character, "section")
    _start_at(call, character, call.payload["section_id"])
    return {"STATUS": SUCCESS}


def set_override(call: LocalCall) -> Wire:
    """Override a trigger's target in one section. A null target removes the override (decision 59)."""
    character = call.character()
    section = _item(call, character, "section")
    trigger_id = call.payload["trigger_id"]
    destination = call.payload["destination_section"]
    kept = [override for override in section["triggers"] if override["trigger_id"] != trigger_id]
    restorable = call.tables.narrative.held_targets(character.character_id, section["section_id"])
    if trigger_id not in restorable and (len(kept) == len(section["triggers"]) or destination is not None):
        # A new override needs an existing trigger. An override whose trigger is missing can still be removed and
        # restored.
        _item(call, character, "trigger")
    held = [(override["trigger_id"], override["destination_section"]) for override in section["triggers"]]
    position = counting(held).get(trigger_id)
    call.expect({"destination_section": None if position is None else held[position][1]}, "override")
    if destination is not None:
        stored = (override["destination_section"] for override in section["triggers"])
        known = _known_sections(call, character, section["section_id"]).union(stored)
        _refuse_unknown("destination_section", destination, known)
        kept.append({"trigger_id": trigger_id, "destination_section": destination})
    call.tables.narrative.sections.save({**section, "triggers": kept})
    return {"STATUS": SUCCESS}


def duplicate_character(call: LocalCall) -> Wire:
    """Copy a character with its settings and graph, under new IDs. Dangling references stay dangling."""
    original = call.character()
    narrative = call.tables.narrative
    sections = narrative.sections.all(original.character_id)
    triggers = narrative.triggers.all(original.character_id)
    character_id, moment = call.ids(), call.now()
    renewed = {section["section_id"]: call.ids() for section in sections}
    renewed_triggers = {trigger["trigger_id"]: call.ids() for trigger in triggers}
    name = call.payload.get("character_name", f"{original.record.get('character_name') or ''} (copy)")
    start = original.record.get("start_narrative_section_id")
    record = {
        **original.record,
        "character_id": character_id,
        "character_name": name,
        "timestamp": moment,
        "last_interacted_with": moment,
        "start_narrative_section_id": renewed.get(start, start),
    }
    call.tables.characters.insert(StoredCharacter(record, original.backstory, original.reasoning_effort))
    for section in sections:
        narrative.sections.insert({**repointed(section, renewed, renewed_triggers), "character_id": character_id})
    for trigger in triggers:
        destination = trigger["destination_section"]
        narrative.triggers.insert(
            {
                **trigger,
                "character_id": character_id,
                "trigger_id": renewed_triggers[trigger["trigger_id"]],
                "destination_section": renewed.get(destination, destination),
            }
        )
    return {"character_id": character_id}


def repointed(section: Item, sections: Mapping[str, str], triggers: Mapping[str, str]) -> Item:
    """Return a copy of ``section`` with its IDs replaced.

    The maps contain the new ID for each old ID. IDs that are not in the maps are kept.
    """
    decisions = section["decisions"]
    return {
        **section,
        "section_id": sections[section["section_id"]],
        "decisions": None
        if decisions is None
        else [
            {**decision, "next_section_id": sections.get(decision["next_section_id"], decision["next_section_id"])}
            for decision in decisions
        ],
        "triggers": [
            {
                **override,
                "trigger_id": triggers.get(override["trigger_id"], override["trigger_id"]),
                "destination_section": sections.get(override["destination_section"], override["destination_section"]),
            }
            for override in section["triggers"]
        ],
    }
