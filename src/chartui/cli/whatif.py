"""``chartui whatif``: how the cost of an interaction depends on one of its quantities."""

from __future__ import annotations

from typing import Final

from chartui.cli.configurations import (
    add_configuration,
    add_preset,
    add_rate_card,
    add_scenario,
    amount,
    asked_presets,
    completed,
    echo,
    echoed,
    mix_notes,
    mixed_prices,
    name_options,
    preset_of,
    rates_of,
    scenario_of,
)
from chartui.cli.errors import UsageError
from chartui.cli.output import Output, add_forms, write_sheet, write_texts
from chartui.cli.parser import Arguments, Parser
from chartui.core.estimation.rates import marked
from chartui.core.estimation.whatif import (
    QUANTITY_NAMES,
    crossings_sheet,
    dominance,
    shares,
    shares_sheet,
    what_if,
    whatif_sheet,
)
from chartui.core.sheet import as_records

#: The quantities, by their names on the command line.
_NAMES: Final = {name.replace("_", "-"): name for name in QUANTITY_NAMES}


def configure_whatif(parser: Parser) -> None:
    about = "input to vary (default: input-tokens)"
    parser.add_argument("quantity", nargs="?", choices=tuple(_NAMES), default="input-tokens", help=about)
    parser.option("--to", "N", "upper end of the range (default: four times the current quantity)", type=amount)
    parser.option("--compare", "PRESET", "saved presets to compare the configuration with", nargs="+", action="extend")
    add_preset(parser)
    add_configuration(parser, ranges=True)
    add_scenario(parser)
    add_rate_card(parser)
    add_forms(parser)


def whatif(arguments: Arguments, output: Output) -> None:
    """Write the costs over the range, the break-even points and the shares of the cost, as the What-if tab does.

    All configurations have the quantities of the first.
    """
    name_options(arguments)
    mix, chosen = scenario_of(arguments), preset_of(arguments)
    asked = asked_presets(arguments, chosen)
    rates = rates_of(arguments, output)
    named = [(name, completed(preset, rates.card)) for name, preset in asked]
    (own, (configuration, _)), *others = named
    pricing, _ = mixed_prices(chosen, mix, rates.card)
    try:
        found = what_if(
            pricing, [(name, one) for name, (one, _) in named], _NAMES[arguments.quantity], end=arguments.to
        )
    except ValueError as error:
        raise UsageError(f"--to: {error}") from None
    made = shares(pricing, configuration)
    notes = [
        *mix_notes(mix),
        *(crossing.text for crossing in found.crossings),
        *([dominance(made)] if made else []),
        *(["All configurations have the same quantities."] if others else []),
    ]
    sheet = marked(whatif_sheet(found, notes), rates)
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json(
            echoed(rates, pricing.quantities, configuration)
            | {"scenario": mix.name or None}
            | {"quantity": found.quantity, "current": found.present, "end": found.end}
            | {"configurations": as_records(sheet), "break_even": as_records(crossings_sheet(found))}
            | {"breakdown": as_records(shares_sheet(made, own)) if made else None, "notes": notes}
        )
    else:
        output.text(sheet.title)
        write_texts(sheet, output)
        output.sentences(notes)
        output.text()
        if made:
            write_texts(shares_sheet(made, own), output)
        output.table(echo(configuration, pricing.quantities, rates.card))
