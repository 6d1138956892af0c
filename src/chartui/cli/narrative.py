"""``chartui narrative``: the narrative graph of a character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.characters import existing
from chartui.cli.errors import Exit
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.narrative import Section, Trigger

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    add_verb(verbs, "show", "the sections, decisions and triggers as an outline", show).add_argument(
        "character_id", metavar="ID", help="the character's id"
    )


def show(arguments: Arguments, output: Output) -> int:
    """Write the outline of the graph; with ``--json`` its sections and triggers."""

    async def question(session: Session) -> tuple[Character, Sequence[Section], Sequence[Trigger]]:
        character = await existing(session, arguments.character_id)
        sections = await session.service.sections(arguments.character_id)
        return character, sections, await session.service.triggers(arguments.character_id)

    character, sections, triggers = ask(arguments, question)
    if output.as_json:
        output.json({"sections": [s.raw for s in sections], "triggers": [t.raw for t in triggers]})
        return Exit.DONE

    from chartui.core.narrative.graph import Graph
    from chartui.core.narrative.outline import outline
    from chartui.core.narrative.text import render

    state = {True: "on", False: "off", None: "not known"}[character.is_narrative_driven]
    output.text(f"{character.character_name or character.character_id}: narrative graph {state}")
    output.text(f"{len(sections)} sections, {len(triggers)} triggers")
    output.text()
    graph = Graph.build(sections, triggers, character.start_narrative_section_id)
    output.text(render(outline(graph)).rstrip("\n"))
    return Exit.DONE
