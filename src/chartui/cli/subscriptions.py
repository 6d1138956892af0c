"""``chartui subscriptions``: the cost of a month of usage, and the subscriptions that cover it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.configurations import (
    add_configuration,
    add_preset,
    add_price,
    add_rate_card,
    add_scenario,
    amount,
    asked_presets,
    completed,
    echo,
    echoed,
    mixed_prices,
    name_options,
    preset_of,
    price_of,
    rates_of,
    scenario_for,
    scenario_of,
)
from chartui.cli.errors import UsageError
from chartui.cli.output import Output, add_forms, write_sheet, write_texts
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.estimation.budget import (
    DAYS,
    INTERACTIONS,
    PERIODS,
    SESSIONS,
    USERS,
    Budget,
    Usage,
    monthly_budget,
    subscriptions_of,
    subscriptions_sheet,
    summary,
    volume_sheet,
)
from chartui.core.estimation.mix import exact_credits
from chartui.core.estimation.rates import marked
from chartui.core.sheet import as_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chartui.core.estimation.discovery import OfferedSubscription
    from chartui.core.estimation.mix import Ends
    from chartui.core.estimation.prices import Pricing
    from chartui.core.presets import Preset


def configure_subscriptions(parser: Parser) -> None:
    add_usage(parser)
    parser.option("--compare", "PRESET", "saved presets to compare the configuration with", nargs="+", action="extend")
    parser.flag("--volume", "show the monthly cost of each configuration")
    add_preset(parser)
    add_configuration(parser, ranges=True)
    add_scenario(parser)
    add_rate_card(parser)
    add_price(parser)
    add_forms(parser)


def add_usage(parser: Parser) -> None:
    parser.option("--users", "N", f"number of users (default: from the scenario, or {USERS})", type=amount)
    talk = parser.add_mutually_exclusive_group()
    talk.option(
        "--interactions",
        "N",
        f"interactions per user per period (default: from the scenario, or {INTERACTIONS})",
        type=amount,
    )
    talk.option("--minutes", "N", "minutes of conversation per user per period", type=amount)
    parser.add_argument("--per", choices=PERIODS, help="length of a period (default: from the scenario, or day)")
    parser.option("--days", "N", f"days of use per month (default: from the scenario, or {DAYS})", type=amount)
    parser.option(
        "--sessions", "N", f"sessions per user per month, with --per session (default: {SESSIONS})", type=amount
    )
    about = "growth in the number of users, in percent per month (default: from the scenario, or 0)"
    parser.option("--growth", "PERCENT", about, type=amount)


def subscriptions(arguments: Arguments, output: Output) -> None:
    """Write the month as the Subscriptions tab shows it. Of two tables, CSV and Markdown have the first."""
    mix = scenario_of(arguments)
    usage = usage_of(arguments, mix.usage)
    name_options(arguments)
    asked = asked_presets(arguments, preset_of(arguments))
    rates = rates_of(arguments, output)
    _, discovery = ask(arguments, lambda session: session.service.options(), rate_card=arguments.rate_card)
    offered = subscriptions_of(discovery, rates)
    budgets: list[tuple[str, Budget]] = []
    for name, preset in asked:
        prices = mixed_prices(preset, scenario_for(name, mix), rates.card)
        budgets.append((name, _month(preset, prices, usage, offered)))
    configuration, _ = completed(asked[0][1], rates.card)
    quantities = mixed_prices(asked[0][1], mix, rates.card)[0].quantities
    budget, price = budgets[0][1], price_of(arguments)
    sheet = subscriptions_sheet(budget, price=price)
    volume = volume_sheet(budgets, (*summary(budget, price), budget.verdict), price)
    with_volume = bool(arguments.compare or arguments.volume)
    if arguments.csv or arguments.markdown:
        chosen = volume._replace(notes=sheet.notes) if with_volume else sheet
        write_sheet(marked(chosen, rates), arguments, output)
    elif output.as_json:
        output.json(
            echoed(rates, quantities, configuration, price)
            | {"usage": usage._asdict(), "configurations": as_records(volume), "per_hour": budget.per_hour}
            | {"subscriptions": as_records(sheet), "notes": list(marked(sheet, rates).notes)}
        )
    else:
        if with_volume:
            write_texts(marked(volume, rates), output)
        write_texts(marked(sheet, rates), output)
        output.sentences(sheet.notes)
        output.text()
        output.table(echo(configuration, quantities, rates.card))


def _month(
    preset: Preset, prices: tuple[Pricing, Ends | None], usage: Usage, offered: Sequence[OfferedSubscription]
) -> Budget:
    pricing, ends = prices
    configuration, _ = completed(preset, pricing.card)
    budget = monthly_budget(exact_credits(pricing, configuration), pricing.quantities, usage, offered)
    return budget if ends is None else budget.between(ends.credits(configuration))


def usage_of(arguments: Arguments, below: Usage | None) -> Usage:
    """The usage of the scenario, overridden by options. Raises :class:`UsageError`."""
    usage = below or Usage(USERS, INTERACTIONS)
    given = {name: value for name in Usage._fields if (value := getattr(arguments, name)) is not None}
    if "interactions" in given:
        given["minutes"] = None
    elif "minutes" in given:
        given["interactions"] = None
    usage = usage._replace(**given)
    if arguments.sessions is not None and usage.per != "session":
        raise UsageError("--sessions needs --per session")
    if problem := usage.problem():
        raise UsageError(problem.text)
    return usage
