"""``chartui narrative sections|triggers``: the parts of a narrative graph, one by one."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import UsageError
from chartui.cli.files import Values
from chartui.cli.lookup import (
    add_character,
    existing_section,
    existing_trigger,
    read_graph,
    read_story,
    section_called,
    story_plan,
    titled,
)
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.run_plan import add_change, answered, change, embedded_only
from chartui.cli.sessions import ask
from chartui.core.jsontext import Wire
from chartui.core.narrative.graph import Graph, edges_of
from chartui.core.narrative.story import Story, decision
from chartui.core.numbers import number_of
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.text import single_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chartui.core.plans.executor import Progress
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character


_DECISION: Final = re.compile(r"\s*(\S.*?)\s*=>\s*((?:(?!=>).)*?\S)(?:\s*:(-?[0-9]+))?\s*", re.DOTALL)
_EPILOG: Final = """\
Identify a section by its name (if unique), its ID, or at least the first 8
characters of its ID.

A decision goes to another section once its criteria are met; the criteria * are
always met. Decisions with a priority are tried first, lowest number first.
--decisions replaces the list, and --decision appends to it:

  --decision 'asks for the sword => SECTION'
  --decision 'is rude => SECTION:1'
  --decisions '[{"criteria": "*", "next_section_id": "SECTION"}]'
  --decisions '[]'
"""
_EDIT_EPILOG: Final = f"""{_EPILOG}
N is the number of a decision as listed by 'sections show', before any changes.
Priorities that contradict the new order are redistributed to match it. Criteria,
targets and removals are applied first, then moves, then insertions:

  --criteria 2 'is very rude' --target 2 'The gate' --move 3 1 --remove 4
  --insert 1 'asks again => SECTION'
"""

#: The options that change decisions by their numbers.
_BY_NUMBER: Final = ("insert", "move", "criteria", "target", "remove")


def add_sections(parser: Parser) -> None:
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "list the sections", list_sections, add_character)
    add_verb(verbs, "show", "show a section in full", show_section, add_character, _add_section)
    verb = add_change(verbs, "create", "add a section and print its ID", create_section, add_character)
    verb.option("name", "NAME", "name of the section")
    verb.option("objective", "OBJECTIVE", "objective: text, @FILE, or - for standard input")
    _add_decisions(verb)
    verb.flag("--ending", "make the section an ending (with an empty list of decisions)")
    verb = add_change(
        verbs, "edit", "change a section's name, objective or decisions", edit_section, add_character, _add_section
    )
    verb.option("--name", "NAME", "new name")
    verb.option("--objective", "TEXT|@FILE|-", "new objective")
    _add_decisions(verb)
    _add_decision_edits(verb)
    verb.switch(
        "--ending", "make the section an ending (with an empty list of decisions), or an ordinary section again"
    )
    verb = add_change(
        verbs, "delete", "remove sections, after listing their incoming links", delete_sections, add_character
    )
    verb.option("section_ids", "SECTION", "the section's ID or name", nargs="+")
    verb.option(
        "--repair",
        "point=SECTION|remove",
        "point incoming links to another section, or remove decisions and disconnect triggers "
        "(default: leave the links dangling)",
    )


def _add_section(parser: Parser) -> None:
    parser.option("section_id", "SECTION", "the section's ID or name")


def _add_decision_edits(parser: Parser) -> None:
    parser.epilog = _EDIT_EPILOG
    for name, second, summary in (
        ("--insert", "DECISION", "insert a decision at position N"),
        ("--move", "M", "move decision N to position M"),
        ("--criteria", "TEXT", "new criteria for decision N"),
        ("--target", "SECTION", "new target for decision N"),
    ):
        parser.option(name, ("N", second), f"{summary}; may be repeated", nargs=2, action="append", default=[])
    parser.option("--remove", "N", "remove decision N; may be repeated", action="append", default=[])


def _add_decisions(parser: Parser) -> None:
    parser.epilog = _EPILOG
    parser.option(
        "--decision",
        "DECISION",
        "add a decision, CRITERIA => SECTION[:PRIORITY]; may be repeated",
        action="append",
        default=[],
        type=_decision,
    )
    parser.option("--decisions", "JSON|@FILE|-", "array of decisions that replaces the existing decisions")


def _decision(text: str) -> dict[str, Wire]:
    found = _DECISION.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a decision; write 'CRITERIA => SECTION[:PRIORITY]'")
    criteria, section_id, priority = found.groups()
    decision: dict[str, Wire] = {"criteria": criteria, "next_section_id": section_id}
    return decision if priority is None else {**decision, "priority": int(priority)}


def _replacement(arguments: Arguments, values: Values) -> list[dict[str, Wire]] | None:
    if arguments.decisions is None:
        return None
    given = values.json("--decisions", arguments.decisions)
    needed = ("criteria", "next_section_id")
    if not isinstance(given, list) or not all(
        isinstance(one, dict) and all(isinstance(one.get(name), str) for name in needed) for one in given
    ):
        raise UsageError("--decisions must be an array of objects with the string members criteria and next_section_id")
    return given


def _graph(arguments: Arguments) -> tuple[Character, Sequence[Section], Sequence[Trigger]]:
    return ask(arguments, lambda session: read_graph(session, arguments.character_id, record=False))


def list_sections(arguments: Arguments, output: Output) -> None:
    character, sections, triggers = _graph(arguments)
    if output.as_json:
        output.json([section.raw for section in sections])
        return

    graph = Story.of(character, sections, triggers).graph()
    known, start = "start_narrative_section_id" in character.raw, character.start_narrative_section_id
    starts = {
        section.section_id: "?" if not known else "yes" if section.section_id == start else "" for section in sections
    }
    rows = [[s.section_id, s.section_name or "–", starts[s.section_id], _targets(s, graph)] for s in sections]
    if rows:
        output.table(rows, header=["ID", "NAME", "START", "TARGETS"])
    output.note(number_of(len(rows), "section"))
    if rows and not known:
        output.note(f"The start section is unknown. To find out, run: chartui characters show {arguments.character_id}")


def _targets(section: Section, graph: Graph) -> str:
    targets = dict.fromkeys(decision.next_section_id for decision in section.decisions or ())
    return ", ".join(titled(graph, target) if target else "(no target)" for target in targets) or "–"


def _named(graph: Graph, section_id: str) -> str:
    return graph.section_name(section_id) if section_id in graph.sections else graph.absence(section_id, "missing")


def show_section(arguments: Arguments, output: Output) -> None:
    _, story = ask(arguments, lambda session: read_story(session, arguments.character_id, record=False))
    graph, triggers = story.graph(), story.triggers.values()
    section = story.sections[existing_section(story, arguments.section_id, arguments)]
    if output.as_json:
        output.json(section.raw)
        return
    fired = {trigger.trigger_id: trigger.trigger_name or trigger.trigger_id for trigger in triggers}
    fields = [("Name", section.section_name or "–"), ("ID", section.section_id)]
    fields.append(("Objective", section.objective or "–"))
    for number, edge in enumerate(edges_of(section), start=1):
        target = _named(graph, edge.target) if edge.target else "no target"
        facts = [edge.target] if edge.target else []
        if edge.priority is not None:
            facts.append(f"priority {edge.priority}")
        where = f"{target} ({', '.join(facts)})" if facts else target
        fields.append((f"Decision {number}", f"{edge.criteria or 'no criteria'} → {where}"))
    if section.decisions is not None and not section.decisions:
        fields.append(("Decisions", "none: the story ends here"))
    for override in section.triggers or ():
        target_id = override.destination_section
        target = "nowhere" if not target_id else f"{_named(graph, target_id)} ({target_id})"
        fields.append(("Override", f"{fired.get(override.trigger_id, override.trigger_id)} → {target}"))
    output.fields(fields)


def create_section(arguments: Arguments, output: Output) -> int:
    values = Values()
    objective = values.text("OBJECTIVE", arguments.objective)
    replacement = _replacement(arguments, values)
    decisions = [*(replacement or ()), *arguments.decision]
    if arguments.ending and decisions:
        raise UsageError("--ending applies only to a section without decisions")

    def added(stored: Story) -> Story:
        fresh = stored.fresh_id()
        ends = arguments.ending or replacement is not None
        given = _built(arguments, stored, decisions) if decisions or ends else None
        wanted = stored.with_section(fresh, name=arguments.name, objective=objective, decisions=given)
        return wanted if wanted.start is not None else wanted.starting_at(fresh)

    done = answered(output, "section_id")
    return _change_story(arguments, output, f"New section “{arguments.name}”", added, done=done)


def _change_story(
    arguments: Arguments,
    output: Output,
    title: str,
    edit: Callable[[Story], Story],
    *,
    done: Callable[[Progress], None] | None = None,
) -> int:
    async def make(session: Session) -> Plan:
        character, stored = await read_story(session, arguments.character_id, record=False)
        return story_plan(session, character, stored, edit(stored), title)

    return change(arguments, output, make, done=done)


def _built(arguments: Arguments, story: Story, decisions: Sequence[dict[str, Wire]]) -> list[Decision]:
    return [build(Decision, _meant(story, one, arguments)) for one in decisions]


def _meant(story: Story, decision: dict[str, Wire], arguments: Arguments) -> dict[str, Wire]:
    target = decision.get("next_section_id")
    return {**decision, "next_section_id": section_called(story, target, arguments)} if target else decision


def edit_section(arguments: Arguments, output: Output) -> int:
    values = Values()
    objective = None if arguments.objective is None else values.text("--objective", arguments.objective)
    whole = bool(arguments.decision) or arguments.decisions is not None
    by_number = any(getattr(arguments, option) for option in _BY_NUMBER)
    if arguments.name is objective is arguments.ending is None and not whole and not by_number:
        raise UsageError("nothing to change: give --name, --objective, --decision or --decisions, or edit a decision")
    if arguments.ending is not None and (whole or by_number):
        raise UsageError("--ending and --no-ending cannot be combined with edits to decisions; use two commands")
    if whole and by_number:
        raise UsageError(
            "options that edit decisions by number cannot be combined with --decision or --decisions; use two commands"
        )
    replacement = _replacement(arguments, values)

    def edited(stored: Story) -> Story:
        section_id = existing_section(stored, arguments.section_id, arguments)
        wanted = stored.with_section(section_id, name=arguments.name, objective=objective)
        if whole:
            return _with_decisions(arguments, wanted, section_id, replacement)
        if by_number:
            return wanted.with_ways(section_id, _edited_decisions(arguments, wanted, section_id))
        return wanted if arguments.ending is None else _ending(wanted, section_id, ends=arguments.ending)

    return _change_story(arguments, output, "Edit a section", edited)


def _ending(story: Story, section_id: str, *, ends: bool) -> Story:
    section = story.sections[section_id]
    if section.decisions and ends:
        number = len(section.decisions)
        raise UsageError(f"the section has {number_of(number, 'decision')}; --decisions '[]' removes them")
    if section.decisions is not None and not section.decisions and not ends:
        raise UsageError(
            "the section is stored as an ending; to make it an ordinary section, add a decision with --decision"
        )
    return story.ending(section_id, ends)


def _with_decisions(
    arguments: Arguments, story: Story, section_id: str, replacement: list[dict[str, Wire]] | None
) -> Story:
    present = story.sections[section_id].decisions or ()
    given = [dict(way.raw) for way in present] if replacement is None else replacement
    return story.with_section(section_id, decisions=_built(arguments, story, (*given, *arguments.decision)))


def _edited_decisions(arguments: Arguments, story: Story, section_id: str) -> list[Decision]:
    there = story.ways(section_id)
    ways: list[Decision | None] = list(there)

    def place(given: str, most: int = len(there)) -> int:
        if not given.isascii() or not given.isdecimal() or not 1 <= int(given) <= most:
            raise UsageError(f"there is no decision {given}: the section has {number_of(len(there), 'decision')}")
        return int(given) - 1

    for number, criteria in arguments.criteria:
        way = ways[place(number)] or there[place(number)]
        ways[place(number)] = decision(criteria, way.next_section_id, priority=way.priority, like=way)
    for number, section in arguments.target:
        way = ways[place(number)] or there[place(number)]
        target = section_called(story, section, arguments)
        ways[place(number)] = decision(way.criteria, target, priority=way.priority, like=way)
    moved = [(ways[place(number)], place(to)) for number, to in arguments.move]
    for number in arguments.remove:
        ways[place(number)] = None
    left = [way for way in ways if way is not None]
    for mover, to in moved:
        at = next((i for i, other in enumerate(left) if other is mover), None)
        if at is not None:
            left.insert(to, left.pop(at))
    for number, text in arguments.insert:
        try:
            given = _meant(story, _decision(text), arguments)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"--insert: {error}") from None
        priority = given.get("priority")
        left.insert(
            place(number, len(left) + 1), decision(given["criteria"], given["next_section_id"], priority=priority)
        )
    return left


def delete_sections(arguments: Arguments, output: Output) -> int:
    how, _, target = (arguments.repair or "").partition("=")
    if arguments.repair is not None and (how, bool(target)) not in (("remove", False), ("point", True)):
        raise UsageError("--repair must be 'remove' or 'point=SECTION'")

    async def make(session: Session) -> Plan:
        character, stored = await read_story(session, arguments.character_id)
        gone = list(dict.fromkeys(existing_section(stored, given, arguments) for given in arguments.section_ids))
        place = existing_section(stored, target, arguments) if target else None
        if place in gone:
            raise UsageError(f"'{target}' is also being deleted, so it cannot be a target")
        wanted = stored
        for section_id in gone:
            if arguments.repair is not None:
                wanted = wanted.led_elsewhere(section_id, place, embedded=session.service.embedded)
            wanted = wanted.without_section(section_id)
        title = "Delete a section" if len(gone) == 1 else f"Delete {len(gone)} sections"
        return story_plan(session, character, stored, wanted, title)

    return change(arguments, output, make)


def add_triggers(parser: Parser) -> None:
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "list the triggers", list_triggers, add_character)
    add_verb(verbs, "show", "show a trigger in full", show_trigger, add_character, _add_trigger)
    verb = add_change(verbs, "create", "add a trigger and print its ID", create_trigger, add_character)
    verb.option("name", "NAME", "name of the trigger, unique among the character's triggers")
    verb.option("message", "MESSAGE", "message that describes the event: text, @FILE, or - for standard input")
    verb.option("--destination", "SECTION", "ID or name of the target section (default: none)")
    verb = add_change(
        verbs, "edit", "change a trigger's name, message or target", edit_trigger, add_character, _add_trigger
    )
    verb.option("--name", "NAME", "new name")
    verb.option("--message", "TEXT|@FILE|-", "new message")
    leads = verb.add_mutually_exclusive_group()
    leads.option("--destination", "SECTION", "the ID or name of the new target section")
    leads.flag("--disconnect", "remove the trigger's target")
    verb = add_change(verbs, "delete", "remove triggers", delete_triggers, add_character)
    verb.option("trigger_ids", "TRIGGER", "the trigger's ID or name", nargs="+")
    verb = add_change(
        verbs,
        "override",
        "override a trigger's target in one section (embedded store only)",
        override,
        add_character,
        _add_trigger,
    )
    verb.option("section_id", "SECTION", "ID or name of the section that overrides the target")
    verb.option("destination", "DESTINATION", "the ID or name of the target section", nargs="?")
    verb.flag("--none", "remove the override")


def _add_trigger(parser: Parser) -> None:
    parser.option("trigger_id", "TRIGGER", "the trigger's ID or name")


def list_triggers(arguments: Arguments, output: Output) -> None:
    character, sections, triggers = _graph(arguments)
    if output.as_json:
        output.json([trigger.raw for trigger in triggers])
        return

    graph = Story.of(character, sections, triggers).graph()
    rows = [
        [t.trigger_id, t.trigger_name or "–", _destination(t, graph), single_line(t.trigger_message or "–", limit=60)]
        for t in triggers
    ]
    if rows:
        output.table(rows, header=["ID", "NAME", "TARGET", "MESSAGE"])
    output.note(number_of(len(rows), "trigger"))


def _destination(trigger: Trigger, graph: Graph) -> str:
    if any(one.where == "/destination_section" for one in trigger.unreadable):
        return "? (could not be read)"
    return titled(graph, trigger.destination_section) if trigger.destination_section else "–"


def show_trigger(arguments: Arguments, output: Output) -> None:
    _, story = ask(arguments, lambda session: read_story(session, arguments.character_id, record=False))
    trigger = story.triggers[existing_trigger(story, arguments.trigger_id, arguments)]
    if output.as_json:
        output.json(trigger.raw)
        return
    graph, target = story.graph(), trigger.destination_section or ""
    target_text = (
        f"{graph.section_name(target)} ({target})" if target in graph.sections else _destination(trigger, graph)
    )
    names = [("Name", trigger.trigger_name or "–"), ("ID", trigger.trigger_id)]
    output.fields([*names, ("Message", trigger.trigger_message or "–"), ("Target", target_text)])


def create_trigger(arguments: Arguments, output: Output) -> int:
    message = Values().text("MESSAGE", arguments.message)

    def added(stored: Story) -> Story:
        destination = arguments.destination and section_called(stored, arguments.destination, arguments)
        fresh = stored.fresh_id("trigger")
        return stored.with_trigger(fresh, name=arguments.name, message=message, destination=destination)

    done = answered(output, "trigger_id")
    return _change_story(arguments, output, f"New trigger “{arguments.name}”", added, done=done)


def edit_trigger(arguments: Arguments, output: Output) -> int:
    message = None if arguments.message is None else Values().text("--message", arguments.message)
    if arguments.name is message is arguments.destination is None and not arguments.disconnect:
        raise UsageError("nothing to change: give --name, --message, --destination or --disconnect")

    def edited(stored: Story) -> Story:
        trigger_id = existing_trigger(stored, arguments.trigger_id, arguments)
        wanted = stored.with_trigger(trigger_id, name=arguments.name, message=message)
        if not arguments.disconnect and arguments.destination is None:
            return wanted
        target = None if arguments.disconnect else section_called(stored, arguments.destination, arguments)
        return wanted.with_trigger(trigger_id, destination=target)

    return _change_story(arguments, output, "Edit a trigger", edited)


def delete_triggers(arguments: Arguments, output: Output) -> int:
    async def make(session: Session) -> Plan:
        character, stored = await read_story(session, arguments.character_id, record=False)
        gone = list(dict.fromkeys(existing_trigger(stored, given, arguments) for given in arguments.trigger_ids))
        wanted = stored
        for trigger_id in gone:
            wanted = wanted.without_trigger(trigger_id)
        title = "Delete a trigger" if len(gone) == 1 else f"Delete {len(gone)} triggers"
        return story_plan(session, character, stored, wanted, title)

    return change(arguments, output, make)


def override(arguments: Arguments, output: Output) -> int:
    if (arguments.destination is None) is not arguments.none:
        raise UsageError("give either a DESTINATION or --none")

    async def make(session: Session) -> Plan:
        embedded_only(session, "An override")
        character, stored = await read_story(session, arguments.character_id, record=False)
        target = None if arguments.none else section_called(stored, arguments.destination, arguments)
        section_id = existing_section(stored, arguments.section_id, arguments)
        wanted = stored.overriding(section_id, existing_trigger(stored, arguments.trigger_id, arguments), target)
        return story_plan(session, character, stored, wanted, "Override a trigger")

    return change(arguments, output, make)
