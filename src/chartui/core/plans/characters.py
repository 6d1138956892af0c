"""Steps that create, copy, rename and delete characters, for embedded stores only (decision 26)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chartui.core.jsontext import Wire
from chartui.core.plans.plan import Change, Step, changing

if TYPE_CHECKING:
    from chartui.core.service import Service
    from chartui.core.spec.models.characters import Character


def needs_store(action: str) -> str:
    """Return an error message saying that ``action`` (such as "Creating a character") needs an embedded store."""
    return f"{action} needs an embedded store, such as profile 'local'. A service cannot do this. Nothing was sent."


def create_character(name: str, *, backstory: str | None = None, record: Mapping[str, Wire] | None = None) -> Step:
    """Build a step that creates a character. ``record`` contains values to set in the character's record."""
    given: dict[str, Any] = {"backstory": backstory, "record": None if record is None else dict(record)}
    payload = {"character_name": name, **{member: value for member, value in given.items() if value is not None}}
    shown = {"name": name, "backstory": backstory, **(record or {})}
    return Step(
        operation="create-character",
        payload=payload,
        subject=name,
        changes=tuple(
            Change(label=label, before=None, after=value) for label, value in shown.items() if value is not None
        ),
    )


def duplicate_character(character: Character, name: str | None = None) -> Step:
    """Build a step that copies a character with its settings and narrative graph.

    If ``name`` is None, the store chooses a name for the copy.
    """
    payload: dict[str, Wire] = {"charID": character.character_id}
    changes: tuple[Change, ...] = ()
    if name is not None:
        payload["character_name"] = name
        changes = (Change(label="name of the copy", before=None, after=name),)
    return Step(operation="duplicate-character", payload=payload, subject=_called(character), changes=changes)


def rename_character(character: Character, name: str) -> Step | None:
    """Build a step that renames a character, or return None if the character already has this name."""
    return changing(
        "rename-character",
        {"charID": character.character_id},
        {"character_name": name},
        character.raw,
        subject=_called(character),
    )


async def delete_character(service: Service, character: Character) -> Step:
    """Build a step that deletes a character.

    The step lists everything that is deleted with the character. The step fails if the character has changed since it
    was read. Raises :class:`~chartui.core.spec.errors.ServiceError` if the character's data cannot be read.
    """
    character_id = character.character_id
    settings = await service.settings(character_id)
    sections, triggers = await service.sections(character_id), await service.triggers(character_id)
    changes = [Change(label="character", before=_called(character), after="deleted")]
    parts = {"sections": len(sections), "triggers": len(triggers)}
    changes += [Change(label=label, before=number, after=0) for label, number in parts.items() if number]
    if settings.backstory:
        changes.append(Change(label="backstory", before=settings.backstory, after=""))
    # A conversation held after the character was read does not prevent its removal.
    expected = {name: value for name, value in character.raw.items() if name != "last_interacted_with"}
    return Step(
        operation="delete-character",
        payload={"charID": character.character_id},
        expected=expected | dict(settings.raw),
        subject=_called(character),
        changes=tuple(changes),
    )


def _called(character: Character) -> str:
    return character.character_name or character.character_id
