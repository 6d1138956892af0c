"""``chartui scenarios``, which saves scenarios by name, and the estimate of a mix of interactions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.configurations import (
    add_ranges,
    add_scenario,
    amount,
    cases_of,
    echo,
    mix_in_words,
    price_of,
    scenario_of,
)
from chartui.cli.estimate import LINES, latency_words, lines_of, write_notes
from chartui.cli.named_files import NamedFileCommands
from chartui.cli.output import Output, write_sheet, write_texts
from chartui.cli.parser import Arguments, Parser, add_verbs
from chartui.cli.sessions import ask, configuration
from chartui.cli.subscriptions import add_usage, usage_of
from chartui.core.costs import estimate_mix
from chartui.core.estimation.mix import ENDS, End, MixEstimate, mix_sheet
from chartui.core.estimation.scenario import Scenario, Scenarios, as_table, table_of
from chartui.core.numbers import between_text, exact

if TYPE_CHECKING:
    from decimal import Decimal

    from chartui.core.jsontext import Wire
    from chartui.core.presets import Preset
    from chartui.core.spec.models.estimation import Estimate

#: The names of the credits for each end of the quantities.
_ENDS: Final[dict[str, End]] = dict(zip(("least", "typical", "most"), ENDS, strict=True))


def configure_scenarios(parser: Parser) -> None:
    verbs = add_verbs(parser)
    _SCENARIOS.add_first(verbs, "list the scenarios")
    about = "save inputs and usage; kinds of interaction are taken from --scenario"
    verb = _SCENARIOS.add_save(verbs, about, save, "from the scenario, or none")
    add_scenario(verb)
    add_ranges(verb, "(default: from the scenario or the service)")
    about = "characters of text spoken per second, used to calculate speech length from text length, or vice versa"
    verb.option("--characters-per-second", "N", f"{about} (default: the two lengths are independent)", type=amount)
    add_usage(verb)
    _SCENARIOS.add_last(verbs)


def save(arguments: Arguments, output: Output) -> None:
    below = scenario_of(arguments)
    names = ("users", "interactions", "minutes", "per", "days", "sessions", "growth")
    given = any(getattr(arguments, name) is not None for name in names)
    rate: Decimal | None = arguments.characters_per_second
    scenario = replace(
        below,
        name=arguments.name,
        note=below.note if arguments.note is None else arguments.note,
        usage=usage_of(arguments, below.usage) if given else below.usage,
        characters_per_second=below.characters_per_second if rate is None else rate,
    )
    with configuration():
        path = Scenarios().save(scenario, replace=arguments.replace)
    output.note(f"scenario '{scenario.name}' was saved to {path}")
    _SCENARIOS.write(path, scenario, output)


def _kinds(scenario: Scenario) -> str:
    return ", ".join(kind.name for kind in scenario.kinds) or "–"


def _write(scenario: Scenario, path: Path, output: Output) -> None:
    output.text(Scenarios().written(scenario).rstrip())
    output.text()
    output.fields([("file", str(path))])


_SCENARIOS: Final = NamedFileCommands("scenario", Scenarios, as_table, ("KINDS", _kinds), _write)


# -- an estimate -------------------------------------------------------------------------------------------------------


def write_mix(arguments: Arguments, output: Output, chosen: Preset, mix: Scenario) -> MixEstimate:
    cases = cases_of(mix, chosen)
    found = ask(
        arguments,
        lambda session: estimate_mix(session.service, chosen.selections, cases),
        rate_card=arguments.rate_card,
    )
    typical = found.mixed()
    price = price_of(arguments)
    sheet = mix_sheet(found, f"Scenario {mix.name}".rstrip(), tuple(filter(None, (typical.disclaimer,))))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        money: dict[str, Wire] = {} if price is None else {"price": price.wire, "money": price.of(typical.credits)}
        output.json({**_wire(found, mix, typical), **money})
    else:
        least, most = (_text(found.mixed(end)) for end in ("low", "high"))
        money_text = "" if price is None else f" ({price.text(typical.credits)})"
        each = f"{_text(typical)} credits per interaction{money_text}"
        output.sentence(f"{each}, {latency_words(typical.latency_ms)}")
        if found.ends is not None:
            output.sentence(between_text(least, most))
        output.sentence(f"{mix_in_words(mix)}. The lines below show the averages for typical interactions.")
        output.text()
        write_texts(sheet, output)
        output.table(lines_of(typical), header=LINES, right={1, 2, 4}, wraps=True)
        output.text()
        output.table(echo(typical.selections, typical.assumptions, typical.rate_card))
        write_notes(typical.doubt, typical, output)
    return found


def _text(estimate: Estimate) -> str:
    return "unknown" if estimate.credits is None else exact(estimate.credits)


def _wire(found: MixEstimate, mix: Scenario, typical: Estimate) -> dict[str, Wire]:
    kinds: list[dict[str, Any]] = [
        {
            "name": case.name,
            "weight": case.weight,
            "assumptions": table_of(case.ranges),
            "credits": {name: getattr(found, end)[at].credits for name, end in _ENDS.items()},
        }
        for at, case in enumerate(found.cases)
    ]
    ends = {name: found.mixed(end).credits for name, end in _ENDS.items()}
    return {**typical.raw, "scenario": mix.name or None, "credits": ends, "kinds": kinds}
