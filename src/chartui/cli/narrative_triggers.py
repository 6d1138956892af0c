"""``chartui narrative triggers``: the triggers of a narrative graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import Values
from chartui.cli.lookup import (
    add_character,
    read_graph,
    read_story,
    section_called,
    steps_for,
    story_plan,
    titled,
    trigger_called,
)
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.run_plan import add_change, answered, change, embedded_only, plan_of
from chartui.cli.sessions import ask
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph
    from chartui.core.narrative.story import Story
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session
    from chartui.core.spec.models.narrative import Trigger

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    add_character(add_verb(verbs, "list", "every trigger, a line each", list_triggers))
    verb = add_verb(verbs, "show", "all of one trigger", show)
    add_character(verb)
    _add_trigger(verb)
    verb = add_change(verbs, "create", "add a trigger and write its id", create)
    add_character(verb)
    verb.add_argument("name", metavar="NAME", help="its name, which no other trigger of the character has")
    verb.add_argument("message", metavar="MESSAGE", help="the event: text, @FILE, or - for standard input")
    verb.add_argument(
        "--destination", metavar="SECTION", help="the id or name of the section it leads to (without: not connected)"
    )
    verb = add_change(verbs, "edit", "change a trigger's name, message or destination", edit)
    add_character(verb)
    _add_trigger(verb)
    verb.add_argument("--name", metavar="NAME", help="another name")
    verb.add_argument("--message", metavar="TEXT|@FILE|-", help="another message")
    leads = verb.add_mutually_exclusive_group()
    leads.add_argument("--destination", metavar="SECTION", help="the id or name of the section it leads to")
    leads.add_argument("--disconnect", action="store_true", help="let it lead nowhere")
    verb = add_change(verbs, "delete", "remove triggers", delete)
    add_character(verb)
    verb.add_argument("trigger_ids", metavar="TRIGGER", nargs="+", help="the trigger's id or name")
    verb = add_change(verbs, "override", "let a trigger lead elsewhere while a section runs (embedded store)", override)
    add_character(verb)
    _add_trigger(verb)
    verb.add_argument("section_id", metavar="SECTION", help="the id or name of the section that runs")
    verb.add_argument("destination", metavar="DESTINATION", nargs="?", help="the id or name of the section it leads to")
    verb.add_argument("--none", action="store_true", help="let the trigger lead where it always does")


def _add_trigger(parser: Parser) -> None:
    parser.add_argument("trigger_id", metavar="TRIGGER", help="the trigger's id or name")


def _existing(story: Story, given: str) -> str:
    """The id of a trigger that is there; raises :class:`ServiceError` (kind ``not_found``)."""
    trigger_id = trigger_called(story, given)
    if trigger_id not in story.triggers:
        raise ServiceError(ErrorKind.NOT_FOUND, f"There is no trigger '{given}'.", sent="no")
    return trigger_id


def list_triggers(arguments: Arguments, output: Output) -> int:
    """Write the triggers; with ``--json`` as the service words them."""
    character, sections, triggers = ask(
        arguments, lambda session: read_graph(session, arguments.character_id, record=False)
    )
    if output.as_json:
        output.json([trigger.raw for trigger in triggers])
        return Exit.DONE
    from chartui.core.narrative.story import Story

    graph = Story.of(character, sections, triggers).graph()
    rows = [
        [
            trigger.trigger_id,
            trigger.trigger_name or "–",
            _leads_to(trigger, graph),
            single_line(trigger.trigger_message or "–", limit=60),
        ]
        for trigger in triggers
    ]
    if rows:
        output.table(rows, header=["ID", "NAME", "LEADS TO", "MESSAGE"])
    output.note(f"{len(rows)} triggers")
    return Exit.DONE


def _leads_to(trigger: Trigger, graph: Graph) -> str:
    if any(one.where == "/destination_section" for one in trigger.unreadable):
        return "? (could not be read)"
    return titled(graph, trigger.destination_section) if trigger.destination_section else "–"


def show(arguments: Arguments, output: Output) -> int:
    """Write one trigger; with ``--json`` as the service words it."""
    _, story = ask(arguments, lambda session: read_story(session, arguments.character_id, record=False))
    trigger = story.triggers[_existing(story, arguments.trigger_id)]
    if output.as_json:
        output.json(trigger.raw)
        return Exit.DONE
    graph, target = story.graph(), trigger.destination_section or ""
    known = target in graph.sections
    output.fields(
        [
            ("Name", trigger.trigger_name or "–"),
            ("Id", trigger.trigger_id),
            ("Message", trigger.trigger_message or "–"),
            ("Leads to", f"{graph.section_name(target)} ({target})" if known else _leads_to(trigger, graph)),
        ]
    )
    return Exit.DONE


# -- changing ---------------------------------------------------------------------------------------------------------


def create(arguments: Arguments, output: Output) -> int:
    """Add a trigger and write its id; with ``--json`` the trigger."""
    message = Values().text("MESSAGE", arguments.message)

    async def make(session: Session) -> Plan:
        steps = await steps_for(session, arguments.character_id, record=False)
        _, story = await read_story(session, arguments.character_id, record=False)
        destination = arguments.destination and section_called(story, arguments.destination)
        step = steps.create_trigger(arguments.name, message, destination)
        return plan_of(f"New trigger “{arguments.name}”", [step])

    return change(arguments, output, make, done=answered(output, "trigger_id"))


def edit(arguments: Arguments, output: Output) -> int:
    """Change what the options name."""
    message = None if arguments.message is None else Values().text("--message", arguments.message)
    if arguments.name is message is arguments.destination is None and not arguments.disconnect:
        raise UsageError("nothing to change: give --name, --message, --destination or --disconnect")

    async def make(session: Session) -> Plan:
        character, stored = await read_story(session, arguments.character_id, record=False)
        trigger_id = _existing(stored, arguments.trigger_id)
        wanted = stored.with_trigger(trigger_id, name=arguments.name, message=message)
        if arguments.disconnect or arguments.destination is not None:
            target = None if arguments.disconnect else section_called(stored, arguments.destination)
            wanted = wanted.with_trigger(trigger_id, destination=target)
        return story_plan(session, character, stored, wanted, "Edit a trigger")

    return change(arguments, output, make)


def delete(arguments: Arguments, output: Output) -> int:
    """Remove triggers."""

    async def make(session: Session) -> Plan:
        character, stored = await read_story(session, arguments.character_id, record=False)
        gone = list(dict.fromkeys(_existing(stored, given) for given in arguments.trigger_ids))
        wanted = stored
        for trigger_id in gone:
            wanted = wanted.without_trigger(trigger_id)
        title = "Delete a trigger" if len(gone) == 1 else f"Delete {len(gone)} triggers"
        return story_plan(session, character, stored, wanted, title)

    return change(arguments, output, make)


def override(arguments: Arguments, output: Output) -> int:
    """Let a trigger lead elsewhere while a section runs, or no longer (decision 59)."""
    if (arguments.destination is None) is not arguments.none:
        raise UsageError("give either a DESTINATION or --none")

    async def make(session: Session) -> Plan:
        embedded_only(session, "An override")
        steps = await steps_for(session, arguments.character_id, record=False)
        _, story = await read_story(session, arguments.character_id, record=False)
        target = None if arguments.none else section_called(story, arguments.destination)
        section_id = section_called(story, arguments.section_id)
        step = steps.override(steps.section(section_id).section_id, _existing(story, arguments.trigger_id), target)
        return plan_of("Override of a trigger", [step])

    return change(arguments, output, make)
