"""``chartui rank``: every model, or every voice, in the place of the present one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from chartui.cli.configurations import (
    add_configuration,
    add_preset,
    add_rate_card,
    configuration_of,
    echo,
    echoed,
    quantities_of,
    rates_of,
    take_preset,
)
from chartui.cli.errors import Exit
from chartui.cli.files import whole_number
from chartui.cli.output import Output, aligned
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sheets import add_forms, write_sheet
from chartui.core.estimation.rank import RANKED, Order, Ranked, rank_sheet
from chartui.core.estimation.rank import rank as ranking

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the options; what is left out of the configuration is as the rate card has it."""
    parser.set_defaults(handler=rank)
    add = parser.add_argument
    add("kind", nargs="?", choices=tuple(RANKED), default="models", help="what to compare (models)")
    add("--sort", choices=tuple(order.value for order in Order), default="credits", help="the order (credits)")
    add("--reverse", action="store_true", help="the other way round; what is unknown stays last")
    add("--limit", type=whole_number, metavar="N", help="how many at most (all)")
    add_preset(parser)
    add_configuration(parser)
    add_rate_card(parser)
    add_forms(parser)


def rank(arguments: Arguments, output: Output) -> int:
    """Write the ranking."""
    from chartui.core.estimation.prices import Pricing

    take_preset(arguments)
    rates = rates_of(arguments, output)
    configuration, quantities = configuration_of(arguments, rates.card), quantities_of(arguments, rates.card)
    kind, order = RANKED[arguments.kind], Order(arguments.sort)
    ranked = ranking(Pricing(rates.card, quantities), configuration, kind, by=order, reverse=arguments.reverse)
    ranked = ranked[: arguments.limit]
    sheet = rank_sheet(ranked, [rates.banner] if rates.banner else [])
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        from chartui.core.sheet import as_records

        asked = {"kind": kind, "sort": order.value, "reverse": arguments.reverse}
        output.json(echoed(rates, quantities, configuration) | asked | {"options": as_records(sheet)})
    else:
        output.table(_table(ranked), header=["", "KEY", "CREDITS", "DIFFERENCE", "LATENCY", ""], right={2, 3, 4})
        output.text()
        odd = dict.fromkeys(remark.text for entry in ranked for remark in entry.remarks if remark.odd)
        if odd:
            output.table([["odd" if i == 0 else "", text] for i, text in enumerate(odd)])
            output.text()
        output.table(echo(rates, quantities, configuration))
    return Exit.DONE


def _table(ranked: Sequence[Ranked]) -> list[list[str]]:
    """A row for each option; a star for the present one."""
    prices = iter(aligned([entry.credits for entry in ranked if entry.credits is not None]))
    more = iter(aligned([entry.difference for entry in ranked if entry.difference is not None]))
    return [
        [
            "*" if entry.chosen else "",
            entry.key,
            "unknown" if entry.credits is None else next(prices),
            "–" if entry.difference is None else _signed(entry.difference, next(more)),
            "–" if entry.latency is None else f"{entry.latency[0]}–{entry.latency[1]} ms",
            _remark(entry),
        ]
        for entry in ranked
    ]


def _signed(difference: Decimal, text: str) -> str:
    return f"+{text}" if difference > 0 else text


def _remark(entry: Ranked) -> str:
    said = {
        "realtime": entry.realtime,
        "billed by its provider": entry.billed_elsewhere,
        "odd": bool(entry.note),
    }
    return ", ".join(word for word, true in said.items() if true)
