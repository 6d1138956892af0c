"""``chartui subscriptions``: the cost of a month of usage, and the subscriptions that cover it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.configurations import (
    add_configuration,
    add_preset,
    add_price,
    add_rate_card,
    amount,
    completed,
    echo,
    echoed,
    name_options,
    preset_of,
    price_of,
    rates_of,
)
from chartui.cli.errors import Exit, UsageError
from chartui.cli.estimate import asked_presets
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
from chartui.core.estimation.prices import Pricing
from chartui.core.estimation.rates import marked
from chartui.core.sheet import as_records

if TYPE_CHECKING:
    from decimal import Decimal


def configure_subscriptions(parser: Parser) -> None:
    add = parser.add_argument
    add("--users", type=amount, metavar="N", default=USERS, help=f"number of users (default: {USERS})")
    talk = parser.add_mutually_exclusive_group()
    talk.add_argument(
        "--interactions", type=amount, metavar="N", help=f"interactions per user and period (default: {INTERACTIONS})"
    )
    talk.add_argument("--minutes", type=amount, metavar="N", help="minutes of conversation per user and period")
    add("--per", choices=PERIODS, default="day", help="the period (default: day)")
    add("--days", type=amount, metavar="N", default=DAYS, help=f"days with usage in a month (default: {DAYS})")
    add(
        "--sessions",
        type=amount,
        metavar="N",
        help=f"sessions per user and month, with --per session (default: {SESSIONS})",
    )
    add("--compare", nargs="+", action="extend", metavar="PRESET", help="saved presets to compare with")
    add("--volume", action="store_true", help="write the month of each configuration, as with --compare")
    add_preset(parser)
    add_configuration(parser)
    add_rate_card(parser)
    add_price(parser)
    add_forms(parser)


def subscriptions(arguments: Arguments, output: Output) -> int:
    """Write the month as the Subscriptions tab shows it. Of two tables, CSV and Markdown have the first."""
    usage = _usage(arguments)
    name_options(arguments)
    asked = asked_presets(arguments, preset_of(arguments))
    rates = rates_of(arguments, output)
    _, discovery = ask(arguments, lambda session: session.service.options(), rate_card=arguments.rate_card)
    offered = subscriptions_of(discovery, rates)
    budgets: list[tuple[str, Budget]] = []
    for name, preset in asked:
        configuration, quantities = completed(preset, rates.card)
        each = Pricing(rates.card, quantities).credits(configuration)
        budgets.append((name, monthly_budget(each, quantities, usage, offered)))
    configuration, quantities = completed(asked[0][1], rates.card)
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
        for note in sheet.notes:
            output.text(note)
        output.text()
        output.table(echo(configuration, quantities, rates.card))
    return Exit.DONE


def _usage(arguments: Arguments) -> Usage:
    interactions: Decimal | None = arguments.interactions
    if arguments.sessions is not None and arguments.per != "session":
        raise UsageError("--sessions needs --per session")
    if interactions is None and arguments.minutes is None:
        interactions = INTERACTIONS
    sessions = SESSIONS if arguments.sessions is None else arguments.sessions
    usage = Usage(arguments.users, interactions, arguments.minutes, arguments.days, arguments.per, sessions)
    if problem := usage.problem():
        raise UsageError(problem.text)
    return usage
