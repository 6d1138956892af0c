"""Read characters with their settings.

The values come from a service or store, and from changes made on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from chartui.core.characters.finder import Texts, Traits, texts_in, traits_in, traits_told
from chartui.core.characters.models import Models, from_catalogue, from_service
from chartui.core.classes import NamedTuple
from chartui.core.plans.settings import BACKSTORY, MEMBERS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.records import Records, settings_in

if TYPE_CHECKING:
    from chartui.core.drafts import Drafts
    from chartui.core.journal import Journal, Written
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Place
    from chartui.core.service import Service


T = TypeVar("T")


class Reading(NamedTuple):
    """A character as read from a service or store.

    For an embedded store, ``settings`` contains all four settings. It is None for a service. ``now`` contains the
    settings that the service or store returned, keyed by their names in ``update-character``. For all other settings,
    ``known_here`` contains the last values written from this machine (decision 25). ``objective`` is the length of the
    longest objective in the narrative graph, in Unicode characters. It is None if the graph was not read.
    """

    record: Mapping[str, Wire]
    settings: Mapping[str, Wire] | None
    now: Mapping[str, Wire]
    known_here: Mapping[str, Written]
    objective: int | None = None


async def read_character(
    service: Service, journal: Journal, place: Place, character_id: str, record: Mapping[str, Wire] | None = None
) -> Reading | None:
    """Read a character with its settings, or return None if the character does not exist.

    ``record`` is the character's record, if it has already been read. Raises :class:`ServiceError` if reading
    fails.
    """
    if record is None:
        character = await service.character(character_id)
        if character is None:
            return None
        record = character.raw
    if not service.embedded:
        return Reading(record, None, settings_in(record), await journal.last_written(place, character_id))
    settings = (await service.settings(character_id)).raw
    return Reading(record, settings, {member: settings[member] for member in MEMBERS if member in settings}, {})


async def read_models(service: Service, character_id: str | None = None) -> Models:
    """Return the models that the service lists.

    If the account is not allowed to list models, return the catalogue (C 4.2). Raises :class:`ServiceError` if the
    request fails for another reason.
    """
    try:
        return from_service(await service.models(character_id), embedded=service.embedded)
    except ServiceError as error:
        if error.kind is not ErrorKind.TIER:
            raise
        return from_catalogue()


async def models_of(service: Service, character_id: str) -> Models:
    """Return the models available to a character. If the service cannot list them, return the catalogue."""
    try:
        return from_service(await service.models(character_id), embedded=service.embedded)
    except ServiceError:
        return from_catalogue()


async def with_objective(service: Service, reading: Reading) -> Reading:
    """Return a copy of ``reading`` with the length of the longest objective, which affects the cost.

    The narrative graph is read only if the character follows it. If reading fails, the length is None.
    """
    if reading.record.get("is_narrative_driven") is not True:
        return reading
    try:
        sections = await service.sections(str(reading.record.get("character_id")))
    except ServiceError:
        return reading
    return reading._replace(objective=max((len(section.objective or "") for section in sections), default=0))


async def scenes_of(drafts: Drafts, place: Place) -> Mapping[str, int]:
    """Return the length of each scene composed on this machine, keyed by character ID.

    Lengths are in Unicode characters. Unreadable scenes are left out, because the actions screen reports them.
    """
    from chartui.core.actions.turn import SCENE_PART, Turn

    found = {}
    with suppress(ServiceError):
        for draft in await drafts.all(place, part=SCENE_PART):
            with suppress(ValueError):
                found[draft.character_id] = Turn.from_payload(draft.document).scene_length
    return found


async def start_of(service: Service, record: Mapping[str, Wire]) -> str:
    """Return the name of a character's start section.

    The result is empty if there is no start section or if it cannot be read.
    """
    start = record.get("start_narrative_section_id")
    try:
        sections = await service.sections(str(record.get("character_id"))) if start else ()
    except ServiceError:
        return ""
    return next((section.section_name or "" for section in sections if section.section_id == start), "")


async def backstory_of(service: Service, journal: Journal, place: Place, character_id: str) -> str | None:
    """Return the backstory of a character in an embedded store, or the last backstory written from this machine.

    Services do not return backstories (decision 25). For a service, the result is None if no backstory was written from
    this machine. Raises :class:`ServiceError` if the backstory cannot be read.
    """
    if service.embedded:
        return (await service.settings(character_id)).backstory or ""
    written = (await journal.last_written(place, character_id)).get(BACKSTORY)
    return written.value if written is not None and isinstance(written.value, str) else None


async def read_traits(service: Service, records: Records) -> Mapping[str, Traits]:
    """Return the traits of every character.

    For a service, ``records`` must contain the service's list of characters. Raises :class:`ServiceError` if reading
    fails.
    """
    if service.embedded:
        return traits_told(await service.descriptions())
    return await _in_thread(traits_in, records)


async def read_texts(
    service: Service, journal: Journal, place: Place, fields: Collection[str], records: Records
) -> Texts:
    """Return the texts of the given fields for every character.

    For a service, ``records`` must contain the service's list of characters. For an embedded store, the texts are read
    from the store. Raises :class:`ServiceError` if reading fails.
    """
    if not fields:
        return {}
    if service.embedded:
        records = await service.records()
        backstories = {one.character_id: one.backstory for one in await service.descriptions()}
    else:
        written = await journal.written_settings(place)
        backstories = {key: text for key, one in written.items() if isinstance(text := one.get(BACKSTORY), str)}
    return await _in_thread(texts_in, records, fields, backstories)


async def _in_thread(work: Callable[..., T], *arguments: object) -> T:
    import asyncio  # imported here, because it is not needed to start the program

    return await asyncio.to_thread(work, *arguments)
