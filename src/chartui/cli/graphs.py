"""A character, with its settings or its narrative graph, read for the commands that show or change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.parser import Parser
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chartui.core.plans.narrative import GraphSteps
    from chartui.core.reading import Reading
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.narrative import Section, Trigger

__all__ = ["add_character", "existing", "read_graph", "read_whole", "steps_for"]


def add_character(parser: Parser) -> None:
    """The argument that names a character."""
    parser.add_argument("character_id", metavar="ID", help="the character's id")


async def existing(session: Session, character_id: str) -> Character:
    """The record of a character; raises :class:`ServiceError` (kind ``not_found``), whatever answers."""
    character = await session.service.character(character_id)
    if character is None:
        raise _missing(character_id)
    return character


async def read_whole(session: Session, character_id: str) -> Reading:
    """A character with its settings, and what is only known here of them; raises as :func:`existing`."""
    from chartui.core.reading import read_character

    reading = await read_character(session.service, session.journal, session.profile.place, character_id)
    if reading is None:
        raise _missing(character_id)
    return reading


def _missing(character_id: str) -> ServiceError:
    return ServiceError(ErrorKind.NOT_FOUND, f"There is no character '{character_id}'.")


async def read_graph(session: Session, character_id: str) -> tuple[Character, Sequence[Section], Sequence[Trigger]]:
    """The record of a character, its sections and its triggers; raises :class:`ServiceError`."""
    character = await existing(session, character_id)
    sections = await session.service.sections(character_id)
    return character, sections, await session.service.triggers(character_id)


async def steps_for(session: Session, character_id: str) -> GraphSteps:
    """What makes the steps that change the graph, as it is now; raises :class:`ServiceError`."""
    from chartui.core.narrative.graph import Graph
    from chartui.core.plans.narrative import GraphSteps

    character, sections, triggers = await read_graph(session, character_id)
    graph = Graph.build(sections, triggers, character.start_narrative_section_id)
    return GraphSteps(character, graph, embedded=session.service.embedded)
