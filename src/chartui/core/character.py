"""One character, read with its settings, from whatever answers: what was returned, and what is only known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from chartui.core.characters.models import Models, from_catalogue, from_service
from chartui.core.plans.settings import BACKSTORY, MEMBERS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.records import settings_in

if TYPE_CHECKING:
    from chartui.core.journal import Journal, Written
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Place
    from chartui.core.service import Service


class Reading(NamedTuple):
    """A character as it was read.

    ``settings`` are all four of them, where an embedded store tells them; None on a service. ``now`` holds those that
    were returned, by the names of ``update-character``, and ``known_here`` what was last written from this machine to
    those that are not (decision 25).
    """

    record: Mapping[str, Wire]
    settings: Mapping[str, Wire] | None
    now: Mapping[str, Wire]
    known_here: Mapping[str, Written]


async def read_character(
    service: Service, journal: Journal, place: Place, character_id: str, record: Mapping[str, Wire] | None = None
) -> Reading | None:
    """Read a character with its settings; None when there is none. ``record`` is its record, where it was read before.

    Raises :class:`ServiceError`.
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


async def models_told(service: Service, character_id: str | None = None) -> Models:
    """What can be chosen, as the service says it; as the catalogue does where the account may not ask (C 4.2).

    Raises :class:`ServiceError`.
    """
    try:
        return from_service(await service.models(character_id), embedded=service.embedded)
    except ServiceError as error:
        if error.kind is not ErrorKind.TIER:
            raise
        return from_catalogue()


async def models_of(service: Service, character_id: str) -> Models:
    """What can be chosen for a character, as the service says it; where it does not say, as the catalogue does."""
    try:
        return from_service(await service.models(character_id), embedded=service.embedded)
    except ServiceError:
        return from_catalogue()


async def backstory_of(service: Service, journal: Journal, place: Place, character_id: str) -> str | None:
    """The backstory of a character: what an embedded store holds, else what was last written from this machine.

    None where neither is known, since no service gives it back (decision 25). Raises :class:`ServiceError`.
    """
    if service.embedded:
        return (await service.settings(character_id)).backstory or ""
    written = (await journal.last_written(place, character_id)).get(BACKSTORY)
    return written.value if written is not None and isinstance(written.value, str) else None
