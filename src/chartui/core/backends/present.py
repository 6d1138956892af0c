"""Read the values that a change would overwrite or remove, immediately before the change is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chartui.core.backends.base import Backend, Context
from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire
from chartui.core.spec.operations import operation
from chartui.core.spec.records import Records, settings_in

Members = Mapping[str, Wire]


async def present(
    backend: Backend, operation_name: str, payload: Members, context: Context, *, embedded: bool
) -> Members | None:
    """Return the current values of the fields that a change would set, keyed by their names in the payload.

    For a deletion, all fields are returned. The fields in ``context.expected`` are included even if the change would
    not set them. Unreadable fields are always omitted, for example the backstory and the reasoning level, which a
    remote service never returns (decision 25). The result is None if there is nothing to read, or if the payload does
    not say what to change. Raises :class:`~chartui.core.spec.errors.ServiceError` if reading fails.
    """
    reader = READERS[operation_name]
    if reader is None:
        return None
    found = await reader(_Reading(backend, payload, context, embedded))
    wanted = _changed(operation_name, payload)
    if found is None or wanted is None:
        return found
    wanted |= set(context.expected or ())
    return {name: value for name, value in found.items() if name in wanted}


def _changed(operation_name: str, payload: Members) -> set[str] | None:
    """Return the members that a change sets, or None for a deletion, which removes all members."""
    match operation_name:
        case "update-character":
            # A new model may also change the reasoning level (decision 21).
            follows = {"reasoning_effort"} if "model_group_name" in payload else set()
            return payload.keys() - {"charID"} | follows
        case "edit-section" | "update-trigger":
            changes = payload.get("updated_data", payload.get("updated_character_data"))
            # Include the name, because the history shows it.
            return {*(changes if isinstance(changes, Mapping) else ()), "section_name", "trigger_name"}
        case "set-override":
            return {"destination_section"}
        case "delete-section" | "delete-trigger" | "delete-character":
            return None
        case _:
            return payload.keys() - {"charID", "character_id"}


@dataclass(frozen=True, slots=True)
class _Reading:
    backend: Backend
    payload: Members
    context: Context
    embedded: bool

    def named(self, *members: str) -> dict[str, str] | None:
        """Return the IDs that the payload gives under ``members``, or None if one of them is missing.

        Such a payload is refused elsewhere.
        """
        ids = {name: value for name in members if isinstance(value := self.payload.get(name), str)}
        return ids if len(ids) == len(members) else None

    async def ask(self, name: str, payload: Members) -> Any:
        outer = self.context
        context = Context(origin="journal", refresh=True, deadline=outer.deadline, typed=True, progress=outer.progress)
        row = operation(name)
        return (await self.backend.perform(row, payload, context)).read(row)

    async def record(self) -> Mapping[str, Any] | None:
        """Return the record of the character named in the payload.

        From a remote service, this reads the whole list.
        """
        ids = self.named("charID") or self.named("character_id")
        if ids is None:
            return None
        (character_id,) = ids.values()
        if self.embedded:
            record: Mapping[str, Any] = await self.ask("get-character", {"charID": character_id})
            return record
        return Records.of((await self.ask("list-characters", {}))["characters"]).find(character_id)


async def _settings(reading: _Reading) -> Members | None:
    if reading.embedded:
        return await _stored_settings(reading)
    record = await reading.record()
    return None if record is None else settings_in(record)  # Members that the record lacks are unknown.


def _from_record(**names: str) -> Callable[[_Reading], Awaitable[Members | None]]:
    """Return a function that reads members of the record, by their names in the change."""

    async def read(reading: _Reading) -> Members | None:
        record = await reading.record()
        return None if record is None else {**record, **{ours: record.get(theirs) for ours, theirs in names.items()}}

    return read


def _asked(operation_name: str, *members: str) -> Callable[[_Reading], Awaitable[Members | None]]:
    """Return a function that performs a read with the IDs ``members`` of the payload."""

    async def read(reading: _Reading) -> Members | None:
        ids = reading.named(*members)
        return None if ids is None else await reading.ask(operation_name, ids)

    return read


_section: Final = _asked("get-section", "character_id", "section_id")
_stored_settings: Final = _asked("get-settings", "charID")
_trigger: Final = _asked("get-trigger", "character_id", "trigger_id")


async def _whole_section(reading: _Reading) -> Members | None:
    """Return a section. From a store, the result also says whether the story starts at the section, because deleting
    the section also removes the start.
    """
    section = await _section(reading)
    record = await reading.record() if section is not None and reading.embedded else None
    if section is None or record is None:
        return section
    return {**section, "start": record.get("start_narrative_section_id") == section["section_id"]}


async def _override(reading: _Reading) -> Members | None:
    section = await _section(reading)
    if section is None:
        return None
    from chartui.core.spec.models.narrative import counting  # imported here, together with the declarations of graphs

    trigger_id = reading.payload.get("trigger_id")
    held: list[Any] = [(one.get("trigger_id"), one.get("destination_section")) for one in section.get("triggers") or ()]
    position = counting(held).get(str(trigger_id))
    return {**section, "destination_section": None if position is None else held[position][1]}


#: Changing rows → the read before the change, or None for creations.
READERS: Final[Mapping[str, Callable[[_Reading], Awaitable[Members | None]] | None]] = MappingProxyType(
    {
        "update-character": _settings,
        "toggle-narrative": _from_record(),
        "create-section": None,
        "edit-section": _section,
        "delete-section": _whole_section,
        "create-trigger": None,
        "update-trigger": _trigger,
        "delete-trigger": _trigger,
        "create-character": None,
        "duplicate-character": None,
        "rename-character": _from_record(),
        "delete-character": _asked("snapshot-character", "charID"),
        "set-start-section": _from_record(section_id="start_narrative_section_id"),
        "set-override": _override,
        "restore-character": None,
        "restore-section": None,
        "restore-trigger": None,
    }
)
