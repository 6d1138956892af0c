"""Reads the graph of one character, and its record, which may take much longer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Final

from textual.message import Message

from chartui.core.classes import dataclass
from chartui.core.narrative.outline import Outline
from chartui.core.narrative.story import Story
from chartui.core.service import Service
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.records import Records
from chartui.core.spec.shape import build
from chartui.tui.screens.narrative.state import laid_out

#: Seconds that a graph waits for the record with its start section, which determines the order of the rows.
HOLD: Final = 1.0


@dataclass
class GraphRead(Message):
    """The graph of a character was read, or reading it failed; ``record_follows`` if its record is still loading."""

    wanted: str | None
    character: Character | None = None
    story: Story | None = None
    outline: Outline | None = None
    error: ServiceError | None = None
    record_follows: bool = False


@dataclass
class RecordRead(Message):
    """The record of the character whose graph is shown was read, or reading it failed."""

    wanted: str
    character: Character | None = None
    error: ServiceError | None = None


async def read_graph(
    service: Callable[[], Service], wanted: str | None, known: Character | None, records: Records | None = None
) -> AsyncIterator[GraphRead | RecordRead]:
    """The graph of the character ``wanted``, by default the first with its graph on; then its record, if that takes
    longer. ``known`` is the record read last, and ``records`` are those of a list that was just read.
    """
    embedded = service().embedded
    record: asyncio.Task[RecordRead] | None = None
    try:
        if embedded or (records is not None and wanted and records.find(wanted) is None):
            records = None
        elif not wanted:
            records = records if records is not None else await service().records()
        character_id = wanted or await _first_with_graph(service(), records)
        if character_id is None:
            yield GraphRead(wanted)
            return
        character, sections, triggers = await asyncio.gather(
            _record_for_now(service(), character_id, records, known),
            service().sections(character_id),
            service().triggers(character_id),
        )
        if not embedded and records is None:
            record = asyncio.create_task(_record(service(), character_id))
            await asyncio.wait((record,), timeout=0 if character is known else HOLD)
            if record.done() and (read := record.result().character) is not None:
                character, record = read, None
        story = Story.of(character, sections, triggers)
        if character is not None and character.raw.keys() == {"character_id"}:
            story = replace(story, start_known=False)
        outline = await laid_out(story)
        yield GraphRead(wanted, character, story, outline, record_follows=record is not None)
        if record is not None:
            yield await record
    except ServiceError as error:
        yield GraphRead(wanted, error=error)
    finally:
        if record is not None:
            record.cancel()


async def _record(service: Service, character_id: str) -> RecordRead:
    """The record, which has the start and whether the graph is on."""
    try:
        return RecordRead(character_id, await service.character(character_id))
    except ServiceError as error:
        return RecordRead(character_id, error=error)


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
