"""The operations that change something, as functions: a quick way for tests past plans and reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from chartui.core.jsontext import Wire
from chartui.core.service import Service
from chartui.core.spec.models.local import CharacterCreated
from chartui.core.spec.models.narrative import Decision, SectionCreated, Trigger
from chartui.core.spec.operations import operation


async def update_character(
    service: Service,
    character_id: str,
    *,
    model: str | None = None,
    temperature: Decimal | None = None,
    reasoning_effort: str | None = None,
    backstory: str | None = None,
    expected: Mapping[str, Wire] | None = None,
) -> None:
    """Change settings; None leaves one as it is, an empty ``reasoning_effort`` clears it (decision 23)."""
    payload = _given(
        charID=character_id,
        model_group_name=model,
        temperature=temperature,
        reasoning_effort=reasoning_effort,
        backstory=backstory,
    )
    await _send(service, "update-character", payload, expected)


async def toggle_narrative(
    service: Service, character_id: str, enabled: bool, *, expected: Mapping[str, Wire] | None = None
) -> None:
    """Switch the narrative graph on or off."""
    await _send(service, "toggle-narrative", {"character_id": character_id, "is_narrative_driven": enabled}, expected)


async def _send(
    service: Service, name: str, payload: Mapping[str, Wire], expected: Mapping[str, Wire] | None = None
) -> Wire:
    """Perform a change whose answer says nothing that is needed."""
    answer = await service._backend.perform(operation(name), payload, service._context._replace(expected=expected))
    return answer.body


async def create_section(service: Service, character_id: str, name: str, objective: str) -> str:
    """Add a section; returns its id."""
    payload = {"character_id": character_id, "section_name": name, "objective": objective}
    result: SectionCreated = await service._ask("create-section", payload)
    return result.section_id


async def edit_section(
    service: Service,
    character_id: str,
    section_id: str,
    *,
    name: str | None = None,
    objective: str | None = None,
    decisions: Sequence[Decision] | None = None,
    expected: Mapping[str, Wire] | None = None,
) -> None:
    """Change a section; ``decisions`` replace the present ones whole."""
    changes = _given(
        section_name=name,
        objective=objective,
        decisions=None if decisions is None else [_decision(d) for d in decisions],
    )
    payload = {"character_id": character_id, "section_id": section_id, "updated_data": changes}
    await _send(service, "edit-section", payload, expected)


async def delete_section(
    service: Service, character_id: str, section_id: str, *, expected: Mapping[str, Wire] | None = None
) -> None:
    """Remove a section; what points to it is left dangling (decision 39)."""
    await _send(service, "delete-section", {"character_id": character_id, "section_id": section_id}, expected)


async def create_trigger(
    service: Service, character_id: str, name: str, message: str, destination: str | None = None
) -> Trigger:
    """Add a trigger; without a destination it is not connected."""
    payload = _given(
        character_id=character_id, trigger_name=name, trigger_message=message, destination_section=destination
    )
    return await service._ask("create-trigger", payload)


async def create_character(service: Service, name: str, *, backstory: str | None = None, record: Wire = None) -> str:
    """Add a character; returns its id."""
    payload = _given(character_name=name, backstory=backstory, record=record)
    result: CharacterCreated = await service._ask("create-character", payload)
    return result.character_id


async def rename_character(service: Service, character_id: str, name: str) -> None:
    await _send(service, "rename-character", {"charID": character_id, "character_name": name})


async def delete_character(service: Service, character_id: str) -> None:
    """Remove a character and its narrative graph."""
    await _send(service, "delete-character", {"charID": character_id})


async def set_start_section(service: Service, character_id: str, section_id: str | None) -> None:
    """Set the start of the story."""
    await _send(service, "set-start-section", {"character_id": character_id, "section_id": section_id})


async def set_override(
    service: Service, character_id: str, section_id: str, trigger_id: str, destination: str | None
) -> None:
    """Override a trigger's target in a section; None takes the override away."""
    payload = {
        "character_id": character_id,
        "section_id": section_id,
        "trigger_id": trigger_id,
        "destination_section": destination,
    }
    await _send(service, "set-override", payload)


def _given(**members: Wire) -> dict[str, Wire]:
    return {name: value for name, value in members.items() if value is not None}


def _decision(decision: Decision) -> dict[str, Wire]:
    """A decision as sent: a member that the service gave is sent back as it came."""
    wire = {"criteria": decision.criteria, "next_section_id": decision.next_section_id, **decision.raw}
    if decision.priority is not None:
        wire["priority"] = decision.priority
    return wire
