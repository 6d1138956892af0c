"""``chartui narrative``: the narrative graph of a character."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from chartui.cli import (
    narrative_files,
    narrative_lint,
    narrative_map,
    narrative_sections,
    narrative_triggers,
    narrative_walk,
)
from chartui.cli.changes import add_change, change, embedded_only, plan_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.graphs import (
    add_character,
    existing_section,
    read_graph,
    read_story,
    section_called,
    steps_for,
    story_plan,
)
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_noun, add_verb, add_verbs
from chartui.cli.sessions import ask
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chartui.core.jsontext import Wire
    from chartui.core.narrative.nodes import Node
    from chartui.core.narrative.story import Story
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.narrative import Section, Trigger

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the verbs, and the sections and triggers with theirs."""
    verbs = add_verbs(parser)
    verb = add_verb(verbs, "show", "the sections, decisions and triggers as an outline", show)
    add_character(verb)
    parts = verb.add_mutually_exclusive_group()
    parts.add_argument("--filter", metavar="WORDS", help="only what holds every one of these words, and the way there")
    parts.add_argument("--leading-to", metavar="SECTION", help="only what leads to the section with this id or name")
    narrative_map.configure(verbs)
    narrative_lint.configure(verbs)
    narrative_walk.add_walk(verbs)
    add_character(add_change(verbs, "enable", "switch the narrative graph on", enable))
    add_character(add_change(verbs, "disable", "switch the narrative graph off", disable))
    verb = add_change(verbs, "start", "choose the section that the story starts with (embedded store)", start)
    add_character(verb)
    verb.add_argument("section_id", metavar="SECTION", nargs="?", help="the section's id or name")
    verb.add_argument("--none", action="store_true", help="let it start nowhere")
    narrative_files.configure(verbs)
    narrative_sections.configure(add_noun(verbs, "sections", "the sections of the graph, one by one"))
    narrative_triggers.configure(add_noun(verbs, "triggers", "the triggers of the graph, one by one"))


def show(arguments: Arguments, output: Output) -> int:
    """Write the outline of the graph; with ``--json`` its sections and triggers, or the nodes that were asked for."""
    # The start section, which only the record holds, is part of the outline.
    record = not output.as_json or arguments.filter is not None or arguments.leading_to is not None

    async def question(session: Session) -> tuple[Character, Sequence[Section], Sequence[Trigger], ServiceError | None]:
        try:
            return *await read_graph(session, arguments.character_id, record=record), None
        except ServiceError as error:
            # The sections are there all the same where only the list of all records cannot be read.
            if session.service.embedded or not record or error.kind is not ErrorKind.UNEXPECTED:
                raise
            return *await read_graph(session, arguments.character_id, record=False), error

    character, sections, triggers, without_record = ask(arguments, question)
    from chartui.core.narrative.story import Story

    story = Story.of(character, sections, triggers)
    if without_record is not None:
        story = replace(story, start_known=False)
        output.warn(f"The start section is unknown, since the record could not be read: {without_record}")
    if arguments.filter is not None or arguments.leading_to is not None:
        return _show_some(arguments, output, story)
    if output.as_json:
        output.json({"sections": [s.raw for s in sections], "triggers": [t.raw for t in triggers]})
        return Exit.DONE

    from chartui.core.narrative.outline import outline, render

    state = {True: "on", False: "off", None: "not known"}[character.is_narrative_driven]
    output.text(f"{character.character_name or character.character_id}: narrative graph {state}")
    output.text(f"{len(sections)} sections, {len(triggers)} triggers")
    output.text()
    output.text(render(outline(story.graph())).rstrip("\n"))
    return Exit.DONE


def _show_some(arguments: Arguments, output: Output, story: Story) -> int:
    """Write what the filter leaves, or what leads to a section; status 1 when that is nothing."""
    from chartui.core.narrative.outline import outline, render, way_text

    drawn = outline(story.graph())
    if arguments.filter is not None:
        found = drawn.matching(arguments.filter)
        lines = render(drawn, drawn.rows_to(node.place for node in found)).splitlines()
    else:
        found = drawn.leading_to_section(section_called(story, arguments.leading_to))
        lines = [f"{way_text(drawn, way)}{' (never runs)' if way.never_runs else ''}" for way in found]
    if output.as_json:
        output.json({"nodes": [_as_json(node) for node in found]})
    for line in () if output.as_json else lines:
        output.text(line)
    return Exit.DONE if found else Exit.NO


def _as_json(node: Node) -> dict[str, Wire]:
    """A node as data: ``label`` is what leads here, ``title`` what is here, ``position`` the place in its array."""
    return {
        "kind": node.kind.value,
        "link": node.link.value,
        "label": node.label,
        "title": node.title,
        "section_id": node.section,
        "trigger_id": node.trigger,
        "position": node.position,
        "never_runs": node.never_runs,
    }


def enable(arguments: Arguments, output: Output) -> int:
    """Switch the graph on."""
    return _toggle(arguments, output, enabled=True)


def disable(arguments: Arguments, output: Output) -> int:
    """Switch the graph off."""
    return _toggle(arguments, output, enabled=False)


def _toggle(arguments: Arguments, output: Output, *, enabled: bool) -> int:
    async def make(session: Session) -> Plan:
        steps = await steps_for(session, arguments.character_id)
        return plan_of(f"Narrative graph {'on' if enabled else 'off'}", [steps.toggle(enabled)])

    return change(arguments, output, make)


def start(arguments: Arguments, output: Output) -> int:
    """Let the story start at a section, or nowhere."""
    if (arguments.section_id is None) is not arguments.none:
        raise UsageError("give either a SECTION to start with or --none")

    async def make(session: Session) -> Plan:
        embedded_only(session, "Choosing where the story starts")
        character, stored = await read_story(session, arguments.character_id)
        section_id = None if arguments.none else existing_section(stored, arguments.section_id)
        return story_plan(session, character, stored, stored.starting_at(section_id), "Start of the story")

    return change(arguments, output, make)
