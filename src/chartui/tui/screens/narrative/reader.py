"""Reads the graph of one character, and its record, which may take much longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from textual.message import Message

from chartui.core.narrative.outline import Outline
from chartui.core.narrative.story import Story
from chartui.core.service import Service
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.records import Records
from chartui.core.spec.shape import build
from chartui.tui.screens.narrative.state import laid_out


@dataclass
class GraphRead(Message):
    """The graph of a character was read, or reading it failed."""

    wanted: str | None
    character: Character | None = None
    story: Story | None = None
    outline: Outline | None = None
    error: ServiceError | None = None


@dataclass
class RecordRead(Message):
    """The record of the character whose graph is shown was read, or reading it failed."""

    wanted: str
    character: Character | None = None
    error: ServiceError | None = None


async def read_graph(
    service: Callable[[], Service], wanted: str | None, known: Character | None
) -> AsyncIterator[GraphRead | RecordRead]:
    """The graph of the character ``wanted``, by default the first with its graph on; then its record, if that comes
    separately. ``known`` is the record read last.
    """
    try:
        embedded = service().embedded
        records = None if wanted or embedded else await service().records()
        character_id = wanted or await _first_with_graph(service(), records)
        if character_id is None:
            yield GraphRead(wanted)
            return
        character, sections, triggers = await asyncio.gather(
            _record_for_now(service(), character_id, records, known),
            service().sections(character_id),
            service().triggers(character_id),
        )
    except ServiceError as error:
        yield GraphRead(wanted, error=error)
        return
    story = Story.of(character, sections, triggers)
    if character is not None and character.raw.keys() == {"character_id"}:
        story = replace(story, start_known=False)
    yield GraphRead(wanted, character, story, await laid_out(story))
    if not embedded and records is None:
        try:  # has the start and whether the graph is on
            yield RecordRead(character_id, await service().character(character_id))
        except ServiceError as error:
            yield RecordRead(character_id, error=error)


async def _record_for_now(
    service: Service, character_id: str, records: Records | None, known: Character | None
) -> Character | None:
    """The record shown with the graph; from a service, which returns all records in one call, the last one read."""
    if service.embedded or records is not None:
        return await service.character(character_id, among=records)
    if known is not None and known.character_id == character_id:
        return known
    return build(Character, {"character_id": character_id})


async def _first_with_graph(service: Service, records: Records | None) -> str | None:
    """The first character with its graph on, or else the first of all."""
    summaries = await service.summaries() if records is None else records.summaries
    chosen = next((s for s in summaries if s.is_narrative_driven), summaries[0] if summaries else None)
    return chosen.character_id if chosen else None
