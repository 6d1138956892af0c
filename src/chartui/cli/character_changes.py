"""``chartui characters set|create|duplicate|rename|delete``: the verbs that change characters."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import Values
from chartui.cli.lookup import add_character, existing
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Group, Parser, Verbs
from chartui.cli.run_plan import add_change, answered, carry_out, change, embedded_only, plan_of, planning
from chartui.cli.sessions import ask
from chartui.core.character import read_models
from chartui.core.characters.conditions import SETTINGS_ONLY, BadCondition, Condition, check_fields, matches, parse
from chartui.core.characters.models import Models, from_catalogue
from chartui.core.clock import random_ids
from chartui.core.jsontext import NotJson, Wire, canonical, loads
from chartui.core.naming import BadName, Item, UnknownName, find
from chartui.core.plans.bulk import Present, bulk_change
from chartui.core.plans.characters import create_character, delete_character, duplicate_character, rename_character
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.records import settings_in

if TYPE_CHECKING:
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session

_EPILOG: Final = """\
A condition is FIELD=VALUE, FIELD!=VALUE or FIELD~PART. Characters must meet all
conditions. A field is a path into the record (see 'characters show --json') or
a short name: id, name, model, temperature, memory, narrative, language, voice
and, in an embedded store, reasoning and backstory.

examples:
  chartui characters set ID --temperature 0.4
  chartui characters set --where model=mdla-5.1 --where narrative=yes \\
      --model mdla-5.4 --reasoning low --dry-run
  chartui characters set --all --reasoning ''
"""


def add_changes(verbs: Verbs) -> None:
    _add_set(verbs)
    verb = add_change(verbs, "create", "create a character and print its ID (embedded store only)", create)
    verb.option("name", "NAME", "name of the character")
    verb.option("--backstory", "TEXT|@FILE|-", "backstory (default: none)")
    verb.option("--record", "JSON|@FILE|-", "other fields of the record, as a JSON object")
    verb = add_change(
        verbs,
        "duplicate",
        "copy a character with its graph and print the new ID (embedded store only)",
        copy,
        add_character,
    )
    verb.option("name", "NAME", "name of the copy (default: chosen by the store)", nargs="?")
    verb = add_change(verbs, "rename", "rename a character (embedded store only)", rename, add_character)
    verb.option("name", "NAME", "new name")
    verb = add_change(
        verbs, "delete", "delete characters, after showing what will be deleted with them (embedded store only)", delete
    )
    verb.epilog = "'chartui characters set --help' explains conditions."
    _add_choice(verb, all_of_them=False)


def _add_set(verbs: Verbs) -> None:
    verb = add_change(verbs, "set", "change settings of one or more characters", set_settings)
    verb.epilog = _EPILOG
    which = _add_choice(verb, all_of_them=True)
    which.flag("--skip", "skip the characters whose changes would be refused, and list their names")
    what = verb.add_argument_group("settings")
    what.option("--model", "MODEL", "code or name of the model")
    what.option("--temperature", "NUMBER", "temperature, from 0 to 1", type=_temperature)
    what.option("--reasoning", "LEVEL", "reasoning level of the model, auto, or '' to clear the level")
    what.option("--backstory", "TEXT|@FILE|-", "backstory")


def _add_choice(verb: Parser, *, all_of_them: bool) -> Group:
    """Add the options that choose characters; ``all_of_them`` adds ``--all``, for changes to every character."""
    which = verb.add_argument_group("choosing characters")
    which.option("character_ids", "CHARACTER", "names or IDs of characters", nargs="*")
    which.option(
        "--where", "CONDITION", "condition that characters must meet; may be repeated", action="append", default=[]
    )
    if all_of_them:
        which.flag("--all", "all characters")
    return which


def _temperature(text: str) -> str:
    """The number in canonical form. Checked here, because the service would check it only after you have confirmed."""
    try:
        number = loads(text)
    except NotJson:
        number = None
    if isinstance(number, bool) or not isinstance(number, int | Decimal) or not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return canonical(Decimal(number))


def set_settings(arguments: Arguments, output: Output) -> int:
    conditions = _conditions(arguments)
    wanted = _wanted(arguments)
    reason = " and ".join(condition.text for condition in conditions)

    async def carried_out(session: Session) -> int:
        planned, reads = await planning(arguments, session)
        chosen = await _chosen(planned, arguments, conditions, output)
        plan = await _plan(planned, arguments, chosen, wanted, reason)
        if not chosen:
            output.note("No character meets the conditions." if conditions else "There are no characters.")
            if not output.as_json:
                return Exit.NO
        status = await carry_out(arguments, output, session, plan, reads)
        return status if chosen else Exit.NO

    return ask(arguments, carried_out, resolve=False)


async def _plan(
    session: Session, arguments: Arguments, chosen: Sequence[Present], wanted: Mapping[str, str], reason: str
) -> Plan:
    """The change as a plan with prices. Raises :class:`UsageError` if the change of a character would be refused."""
    # Only these settings depend on the models, and the service may refuse to list them.
    asking = {"model_group_name", "reasoning_effort"} & wanted.keys()
    models = await read_models(session.service) if asking else from_catalogue()
    if "model_group_name" in wanted:
        wanted = {**wanted, "model_group_name": _model(models, wanted["model_group_name"], arguments)}
    bulk = bulk_change(chosen, wanted, models, ids=random_ids, reason=reason)
    if bulk.refused and not arguments.skip:
        raise UsageError(f"{' '.join(bulk.refusals)} Nothing was sent. Use --skip to change only the other characters.")
    if arguments.yes and not arguments.dry_run:
        return bulk.plan

    from chartui.core.change_costs import bulk_with_costs
    from chartui.core.costs import basis_for

    return await bulk_with_costs(session.service, bulk, models, await basis_for(session))


def _model(models: Models, given: str, arguments: Arguments) -> str:
    """The code of the model with this code or label, or a unique start of either. Unknown codes are sent unchanged."""
    try:
        items = (Item(one.code, one.label) for one in models.all)
        return find("model", given, items, whole=arguments.yes, name_prefix=True).id
    except UnknownName:
        return given
    except BadName as error:
        raise UsageError(str(error), code="name") from None


def _conditions(arguments: Arguments) -> Sequence[Condition]:
    every: bool | None = getattr(arguments, "all", None)
    if every and (arguments.character_ids or arguments.where):
        raise UsageError("--all cannot be combined with names or --where")
    if not (every or arguments.character_ids or arguments.where):
        hint = "" if every is None else " or --all"
        raise UsageError(f"no characters given: give names or IDs, or choose them with --where{hint}")
    try:
        return [parse(text) for text in arguments.where]
    except BadCondition as error:
        raise UsageError(f"--where: {error}") from None


def _wanted(arguments: Arguments) -> dict[str, str]:
    backstory = None if arguments.backstory is None else Values().text("--backstory", arguments.backstory)
    given = {
        "model_group_name": arguments.model,
        "temperature": arguments.temperature,
        "reasoning_effort": arguments.reasoning,
        "backstory": backstory,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    if not wanted:
        raise UsageError("nothing to change: give --model, --temperature, --reasoning or --backstory")
    return wanted


async def _chosen(
    session: Session, arguments: Arguments, conditions: Sequence[Condition], output: Output
) -> list[Present]:
    """The chosen characters, in the service's order. Of records that share an ID, only the first is used."""
    records = await _named(session, arguments.character_ids)
    _check(session, conditions, records)
    unread = [condition for condition in conditions if condition.path in SETTINGS_ONLY]
    rest = [condition for condition in conditions if condition.path not in SETTINGS_ONLY]
    chosen, place = [], session.profile.place
    numbers: Counter[str] = Counter()
    for record in records:
        identity, name = record["character_id"], record.get("character_name")
        numbers[identity] += 1
        if numbers[identity] > 1 or not matches(rest, record):
            continue
        settings: Mapping[str, Wire] = settings_in(record)
        if session.service.embedded:
            settings = (await session.service.settings(identity)).raw
            if not matches(unread, settings):
                continue
        known_here = {} if session.service.embedded else await session.journal.last_written(place, identity)
        chosen.append(Present(identity, name if isinstance(name, str) else None, settings, record, known_here))
    for identity, number in numbers.items():
        if number > 1:
            output.note(f"{number} records have the ID {identity}. Only the first is used.")
    return chosen


async def _named(session: Session, character_ids: Sequence[str]) -> Sequence[Mapping[str, Wire]]:
    if character_ids and session.service.embedded:
        return [(await existing(session, character_id)).raw for character_id in dict.fromkeys(character_ids)]
    records = await session.service.records(about=character_ids)
    if not character_ids:
        return records
    ids = [summary.character_id for summary in records.summaries]
    missing = set(character_ids).difference(ids)
    if missing:
        names = ", ".join(f"'{name}'" for name in character_ids if name in missing)
        raise ServiceError(ErrorKind.NOT_FOUND, f"Character not found: {names}. Nothing was sent.", sent="no")
    return records.at(place for place, identity in enumerate(ids) if identity in character_ids)


def _check(session: Session, conditions: Sequence[Condition], records: Sequence[Mapping[str, Wire]]) -> None:
    for condition in conditions:
        if condition.path in SETTINGS_ONLY and not session.service.embedded:
            raise UsageError(f"--where {condition.text}: only an embedded store reports this field")
    try:
        check_fields(conditions, records)
    except BadCondition as error:
        raise UsageError(f"--where: {error}") from None


# -- one character ----------------------------------------------------------------------------------------------------


def create(arguments: Arguments, output: Output) -> int:
    values = Values()
    backstory = None if arguments.backstory is None else values.text("--backstory", arguments.backstory)
    record = None if arguments.record is None else values.json_object("--record", arguments.record)

    async def make(session: Session) -> Plan:
        embedded_only(session, "Creating a character")
        step = create_character(arguments.name, backstory=backstory, record=record)
        return plan_of(f"New character “{arguments.name}”", [step])

    return change(arguments, output, make, done=answered(output, "character_id"))


def copy(arguments: Arguments, output: Output) -> int:
    async def make(session: Session) -> Plan:
        embedded_only(session, "Copying a character")
        character = await existing(session, arguments.character_id)
        return plan_of("Copy a character", [duplicate_character(character, arguments.name)])

    return change(arguments, output, make, done=answered(output, "character_id"))


def rename(arguments: Arguments, output: Output) -> int:
    async def make(session: Session) -> Plan:
        embedded_only(session, "Renaming a character")
        character = await existing(session, arguments.character_id)
        return plan_of("Rename a character", [rename_character(character, arguments.name)])

    return change(arguments, output, make)


def delete(arguments: Arguments, output: Output) -> int:
    conditions = _conditions(arguments)
    reason = " and ".join(condition.text for condition in conditions)

    async def carried_out(session: Session) -> int:
        embedded_only(session, "Deleting a character")
        planned, reads = await planning(arguments, session)
        chosen = await _chosen(planned, arguments, conditions, output)
        characters = [await existing(planned, one.character_id) for one in chosen]
        steps = [replace(await delete_character(planned.service, one), reason=reason) for one in characters]
        title = "Delete a character" if len(steps) == 1 else f"Delete {len(steps)} characters"
        if not steps:
            output.note("No character meets the conditions.")
            if not output.as_json:
                return Exit.NO
        plan = plan_of(title, steps, independent=True)
        status = await carry_out(arguments, output, session, plan, reads)
        return status if steps else Exit.NO

    return ask(arguments, carried_out, resolve=False)
