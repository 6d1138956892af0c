"""``chartui narrative sections``: the sections of a narrative graph."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Final

from chartui.cli.changes import add_change, answered, change, plan_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.graphs import add_character, read_graph, steps_for
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import ask
from chartui.cli.values import Values
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session
    from chartui.core.spec.models.narrative import Section

__all__ = ["configure"]

_DECISION: Final = re.compile(r"\s*(\S.*?)\s*=>\s*(\S+?)(?::(-?[0-9]+))?\s*", re.DOTALL)
_EPILOG: Final = """\
A decision leads to another section once its criteria are met; the criteria *
are always met. Those with a priority are tried first, the lowest before the
others. --decisions replaces what is there, --decision adds behind it:

  --decision 'asks for the sword => SECTION'
  --decision 'is rude => SECTION:1'
  --decisions '[{"criteria": "*", "next_section_id": "SECTION"}]'
  --decisions '[]'
"""


def configure(parser: Parser) -> None:
    """Add the verbs."""
    verbs = add_verbs(parser)
    add_character(add_verb(verbs, "list", "every section, a line each", list_sections))
    verb = add_verb(verbs, "show", "all of one section", show)
    add_character(verb)
    _add_section(verb)
    verb = add_change(verbs, "create", "add a section and write its id", create)
    add_character(verb)
    verb.add_argument("name", metavar="NAME", help="its name")
    verb.add_argument("objective", metavar="OBJECTIVE", help="what it is for: text, @FILE, or - for standard input")
    _add_decisions(verb)
    verb = add_change(verbs, "edit", "change a section's name, objective or decisions", edit)
    add_character(verb)
    _add_section(verb)
    verb.add_argument("--name", metavar="NAME", help="another name")
    verb.add_argument("--objective", metavar="TEXT|@FILE|-", help="another objective")
    _add_decisions(verb)
    verb = add_change(verbs, "delete", "remove sections; says first what leads to them", delete)
    add_character(verb)
    verb.add_argument("section_ids", metavar="SECTION", nargs="+", help="the section's id")


def _add_section(parser: Parser) -> None:
    parser.add_argument("section_id", metavar="SECTION", help="the section's id")


def _add_decisions(parser: Parser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add = parser.add_argument
    add(
        "--decision",
        metavar="DECISION",
        dest="decision",
        action="append",
        default=[],
        type=_decision,
        help="one more, CRITERIA => SECTION[:PRIORITY]; may be repeated",
    )
    add("--decisions", metavar="JSON|@FILE|-", help="an array of decisions in place of those that are there")


def _decision(text: str) -> dict[str, Wire]:
    found = _DECISION.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no decision; write 'CRITERIA => SECTION' or …:PRIORITY")
    criteria, section_id, priority = found.groups()
    decision: dict[str, Wire] = {"criteria": criteria, "next_section_id": section_id}
    return decision if priority is None else {**decision, "priority": int(priority)}


def _replacement(arguments: Arguments, values: Values) -> list[dict[str, Wire]] | None:
    """What ``--decisions`` puts in place of what is there; None without it. Raises :class:`UsageError`."""
    if arguments.decisions is None:
        return None
    given = values.json("--decisions", arguments.decisions)
    if not isinstance(given, list) or not all(map(_is_decision, given)):
        raise UsageError("--decisions must be an array of objects with the texts criteria and next_section_id")
    return given


def _is_decision(value: Wire) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("criteria", "next_section_id"))


# -- reading ----------------------------------------------------------------------------------------------------------


def list_sections(arguments: Arguments, output: Output) -> int:
    """Write the sections; with ``--json`` as the service words them."""
    character, sections, _ = ask(arguments, lambda session: read_graph(session, arguments.character_id))
    if output.as_json:
        output.json([section.raw for section in sections])
        return Exit.DONE
    names = {section.section_id: section.section_name or section.section_id for section in sections}
    rows = [
        [
            section.section_id,
            section.section_name or "–",
            "yes" if section.section_id == character.start_narrative_section_id else "",
            _leads_to(section, names),
        ]
        for section in sections
    ]
    if rows:
        output.table(rows, header=["ID", "NAME", "START", "LEADS TO"])
    output.note(f"{len(rows)} sections")
    return Exit.DONE


def _leads_to(section: Section, names: dict[str, str]) -> str:
    targets = dict.fromkeys(decision.next_section_id for decision in section.decisions or ())
    return ", ".join(names.get(target, f"{target} (not there)") for target in targets) or "–"


def show(arguments: Arguments, output: Output) -> int:
    """Write one section; with ``--json`` as the service words it."""
    _, sections, triggers = ask(arguments, lambda session: read_graph(session, arguments.character_id))
    section = next((section for section in sections if section.section_id == arguments.section_id), None)
    if section is None:
        raise ServiceError(ErrorKind.NOT_FOUND, f"There is no section '{arguments.section_id}'.")
    if output.as_json:
        output.json(section.raw)
        return Exit.DONE
    names = {other.section_id: other.section_name or other.section_id for other in sections}
    fired = {trigger.trigger_id: trigger.trigger_name or trigger.trigger_id for trigger in triggers}
    fields = [
        ("Name", section.section_name or "–"),
        ("Id", section.section_id),
        ("Objective", section.objective or "–"),
    ]
    for decision in section.decisions or ():
        target = names.get(decision.next_section_id, "not there")
        when = "" if decision.priority is None else f", priority {decision.priority}"
        fields.append(("Decision", f"{decision.criteria} → {target} ({decision.next_section_id}{when})"))
    for override in section.triggers or ():
        target_id = override.destination_section
        target = "nowhere" if not target_id else f"{names.get(target_id, 'not there')} ({target_id})"
        fields.append(("Override", f"{fired.get(override.trigger_id, override.trigger_id)} → {target}"))
    output.fields(fields)
    return Exit.DONE


# -- changing ---------------------------------------------------------------------------------------------------------


def create(arguments: Arguments, output: Output) -> int:
    """Add a section and write its id."""
    values = Values()
    objective = values.text("OBJECTIVE", arguments.objective)
    decisions = [*(_replacement(arguments, values) or ()), *arguments.decision]

    async def make(session: Session) -> Plan:
        steps = await steps_for(session, arguments.character_id)
        return plan_of(f"New section “{arguments.name}”", steps.create_section(arguments.name, objective, decisions))

    return change(arguments, output, make, done=answered(output, "section_id"))


def edit(arguments: Arguments, output: Output) -> int:
    """Change what the options name."""
    values = Values()
    objective = None if arguments.objective is None else values.text("--objective", arguments.objective)
    if arguments.name is objective is arguments.decisions is None and not arguments.decision:
        raise UsageError("nothing to change: give --name, --objective, --decision or --decisions")
    replacement = _replacement(arguments, values)

    async def make(session: Session) -> Plan:
        steps = await steps_for(session, arguments.character_id)
        decisions = replacement
        if arguments.decision:
            present = [dict(decision.raw) for decision in steps.section(arguments.section_id).decisions or ()]
            decisions = [*(present if replacement is None else replacement), *arguments.decision]
        step = steps.edit_section(arguments.section_id, name=arguments.name, objective=objective, decisions=decisions)
        return plan_of("Edit a section", [step])

    return change(arguments, output, make)


def delete(arguments: Arguments, output: Output) -> int:
    """Remove sections, after showing what leads to them (decision 39)."""
    section_ids = list(dict.fromkeys(arguments.section_ids))

    async def make(session: Session) -> Plan:
        steps = await steps_for(session, arguments.character_id)
        title = "Delete a section" if len(section_ids) == 1 else f"Delete {len(section_ids)} sections"
        return plan_of(
            title, [steps.delete_section(section_id, together_with=section_ids) for section_id in section_ids]
        )

    return change(arguments, output, make)
