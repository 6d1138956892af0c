"""Reads a character, its settings and its story for the commands that show or change them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from chartui.cli.naming import found
from chartui.cli.parser import Arguments, Parser
from chartui.cli.run_plan import plan_of
from chartui.core.character import Reading, read_character
from chartui.core.naming import Item, is_whole_id
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from chartui.core.narrative.graph import Graph
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session
    from chartui.core.spec.models.narrative import Section, Trigger


T = TypeVar("T")


def add_character(parser: Parser) -> None:
    parser.option("character_id", "CHARACTER", "the character's name or ID")


async def existing(session: Session, character_id: str) -> Character:
    """The record of a character; raises :class:`ServiceError` (kind ``not_found``) on every backend."""
    return await _there(session, character_id, session.service.character(character_id))


async def read_whole(session: Session, character_id: str) -> Reading:
    """A character with its settings, including those only known on this machine; raises as :func:`existing`."""
    reading = read_character(session.service, session.journal, session.profile.place, character_id)
    return await _there(session, character_id, reading)


async def _there(session: Session, character_id: str, read: Awaitable[T | None]) -> T:
    """The result of ``read``. For a missing character, the error gives the name last seen on this machine."""
    try:
        found = await read
    except ServiceError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
        found = None
    if found is not None:
        return found
    name = ""
    with suppress(ServiceError):  # an unusable last-seen file
        seen = await session.seen.all(session.profile.place)
        name = next((one.name for one in seen if one.character_id == character_id), "")
    last = f" The character's last known name is {name}." if name else ""
    raise ServiceError(ErrorKind.NOT_FOUND, f"No character has the ID “{character_id}”.{last}")


async def read_graph(
    session: Session, character_id: str, *, record: bool = True
) -> tuple[Character, Sequence[Section], Sequence[Trigger]]:
    """The record of a character, its sections and its triggers; raises :class:`ServiceError`.

    A service can only send the records of all characters, so without ``record`` it is not asked for them. The name, the
    start section and whether the graph is enabled are then unknown.
    """
    if record or session.service.embedded:
        character = await existing(session, character_id)
    else:
        character = build(Character, {"character_id": character_id})
    sections = await session.service.sections(character_id)
    return character, sections, await session.service.triggers(character_id)


async def read_story(session: Session, character_id: str, *, record: bool = True) -> tuple[Character, Story]:
    character, sections, triggers = await read_graph(session, character_id, record=record)
    return character, Story.of(character, sections, triggers)


def story_plan(session: Session, character: Character, stored: Story, wanted: Story, title: str) -> Plan:
    """A plan that turns ``stored`` into ``wanted``. Its notes list what cannot be applied.

    Raises :class:`~chartui.core.plans.narrative.BadReference`.
    """
    from chartui.core.config import load_config
    from chartui.core.narrative.lint import switched_off
    from chartui.core.plans.story import story_steps, with_errors

    made = story_steps(character, stored, wanted, embedded=session.service.embedded)
    off, _ = switched_off(load_config().lint_off)
    if session.service.embedded and wanted.start in stored.sections and wanted.start not in wanted.sections:
        wanted = wanted.starting_at(None)  # as the store does (decision 26)
    return with_errors(plan_of(title, made.steps, notes=made.left_out), stored, wanted, off)


def titled(graph: Graph, section_id: str) -> str:
    known = section_id in graph.sections
    return graph.section_name(section_id) if known else f"{section_id} ({graph.absence(section_id, 'missing')})"


def section_called(story: Story, given: str, arguments: Arguments) -> str:
    """Like :func:`existing_section`, but also accepts any whole ID and the ID of a missing section with links to it."""
    if given not in story.sections and (is_whole_id(given) or given in story.mentioned()):
        return given
    return existing_section(story, given, arguments)


def existing_section(story: Story | Graph, given: str, arguments: Arguments) -> str:
    """The ID of a section. Raises as :func:`~chartui.cli.naming.names`."""
    items = (Item(key, one.section_name or "") for key, one in story.sections.items())
    return found("section", given, items, arguments)


def existing_trigger(story: Story | Graph, given: str, arguments: Arguments) -> str:
    items = (Item(key, one.trigger_name or "") for key, one in story.triggers.items())
    return found("trigger", given, items, arguments)
