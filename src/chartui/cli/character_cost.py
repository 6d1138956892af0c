"""What a character costs: ``chartui estimate --character``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.configurations import SELECTIONS, SWITCHES
from chartui.cli.errors import Exit, UsageError
from chartui.cli.estimate import circumstances, lines_of, milliseconds, write_notes
from chartui.cli.lookup import read_whole
from chartui.cli.output import Output, aligned, yes_no
from chartui.cli.parser import Arguments
from chartui.cli.sessions import ask
from chartui.cli.sheets import write_sheet

if TYPE_CHECKING:
    from chartui.core.estimation.character_cost import CharacterCost, Inputs, Part, Source
    from chartui.core.jsontext import Wire
    from chartui.core.presets import Preset
    from chartui.core.session import Session
    from chartui.core.spec.models.estimation import Estimate

__all__ = ["write_cost"]


def write_cost(arguments: Arguments, output: Output, chosen: Preset) -> int:
    """Write what a character costs, and where every member of its configuration comes from.

    A price that nobody knows is an answer like any other, and said: status 0.
    """
    from chartui.core.estimation.character_cost import cost_as_wire, cost_sheet
    from chartui.core.estimation.pins import load_pins

    for option in ("compare", "save_preset"):
        if getattr(arguments, option):
            raise UsageError(f"--{option.replace('_', '-')} and --character are two questions; ask one at a time")
    pins = load_pins()
    for problem in pins.problems:
        output.note(problem)

    async def question(session: Session) -> tuple[str | None, CharacterCost]:
        from chartui.core.character import models_of
        from chartui.core.costs import facts_of, price
        from chartui.core.estimation.character_cost import map_character

        service, wanted = session.service, arguments.of_character
        reading = await read_whole(session, wanted)
        facts = facts_of(reading, await models_of(service, wanted))
        mapped = map_character(facts, _inputs(arguments, chosen), pins)
        name = reading.record.get("character_name")
        return name if isinstance(name, str) else None, await price(service, mapped, chosen.assumptions)

    name, cost = ask(arguments, question, rate_card=arguments.rate_card)
    if arguments.csv or arguments.markdown:
        write_sheet(cost_sheet(cost, f"What {name or arguments.of_character} costs"), arguments, output)
    elif output.as_json:
        facts = cost.mapped.facts
        character: Wire = {
            "id": arguments.of_character,
            "name": name,
            "model": facts.code,
            "reasoning_effort": facts.level,
            "reasoning_known": facts.level_from is not None,
        }
        output.json({"character": character, **cost_as_wire(cost)})
    else:
        _write(name or arguments.of_character, cost, output)
    return Exit.DONE


def _inputs(arguments: Arguments, chosen: Preset) -> Inputs:
    """What the options say, which goes before the record, and what a preset says, which comes after it."""
    from chartui.core.estimation.character_cost import Inputs, Source

    names = (*SELECTIONS, *SWITCHES)
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    below = {name: value for name in names if (value := getattr(chosen.selections, name)) is not None}
    return Inputs(chosen=below, chosen_from=Source.PRESET, given=given)


def _write(name: str, cost: CharacterCost, output: Output) -> None:
    from chartui.core.estimation.character_cost import price_text

    output.text(f"{name}: {price_text(cost)}")
    if cost.exact is not None:
        output.text(f"{milliseconds(cost.exact.latency_ms)} end to end.")
        output.text()
        output.table(lines_of(cost.exact), right={1, 2, 4})
    elif cost.priced:
        output.text()
        output.table(list(_candidates(cost)), right={1, 2})
    output.text()
    output.table([_member(cost, part) for part in cost.mapped.parts])
    if (estimate := cost.cheapest) is not None:
        output.text()
        output.table(circumstances(estimate))
        write_notes(cost.doubt, estimate, output)
    if cost.exact is None and cost.mapped.candidates:
        output.note(f"'chartui rates pin {cost.mapped.facts.code}' shows what it may be pinned to.")


def _candidates(cost: CharacterCost) -> list[list[str]]:
    """What the model may be, each with its price and its latency."""
    amounts = iter(aligned([estimate.known_credits for estimate in cost.estimates]))
    return [
        [one.llm or "–", *(_figures(next(amounts), one.estimate) if one.estimate is not None else ["unknown", ""])]
        for one in cost.priced
    ]


def _figures(amount: str, estimate: Estimate) -> list[str]:
    return [f"{amount} credits", milliseconds(estimate.latency_ms)]


def _member(cost: CharacterCost, part: Part) -> list[str]:
    """A member with its value, where it comes from, and why."""
    from chartui.core.estimation.character_cost import value_of

    value = value_of(cost, part)
    if isinstance(value, list):
        text = f"one of {len(value)}"
    elif value is None:
        text = "service's default" if part.values else "unknown"
    else:
        text = yes_no(value) if isinstance(value, bool) else str(value)
    return [part.member, text, _origin(part.source, assumed=part.assumed), part.why]


def _origin(source: Source, *, assumed: bool) -> str:
    return f"{source.value}, assumed" if assumed else source.value
