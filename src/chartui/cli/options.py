"""``chartui options``: the models, voices and animations to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.numbers import aligned, exact
from chartui.core.spec.catalogue import is_beta_key, is_billed_by_provider

if TYPE_CHECKING:
    from chartui.core.estimation.discovery import Choice, Discovery, OfferedSubscription
    from chartui.core.spec.catalogue import Kind


_TITLES: Final[dict[Kind, str]] = {
    "llm": "Models",
    "stt": "Speech input",
    "tts": "Speech output",
    "animation": "Animation",
}


def configure_options(parser: Parser) -> None:
    parser.flag("--refresh", "ignore cached responses")


def options(arguments: Arguments, output: Output) -> None:
    answer, found = ask(arguments, lambda session: session.service.options(refresh=arguments.refresh))
    if output.as_json:
        output.json(answer.raw)
        return
    if not found.fits:
        output.note("The response contains no known options and is shown unchanged.")
        output.json(answer.raw)
        return
    absent = "the option could not be read" if found.unreadable else "not offered by this service"
    for kind, title in _TITLES.items():
        output.text(title)
        _write_choices(found.choices[kind], found.selections.get(kind), absent, output)
        output.text()
    _write_defaults(found, output)
    if found.subscriptions:
        output.text()
        output.text("Subscriptions")
        _write_subscriptions(found.subscriptions, output)


def _write_choices(choices: Sequence[Choice], default: str | bool | None, absent: str, output: Output) -> None:
    """A row per option with a star for the default; ``absent`` marks options that the answer does not list."""
    paths = list(dict.fromkeys(path for choice in choices for path in choice.numbers))
    columns = [_column([choice.numbers.get(path) for choice in choices]) for path in paths]
    rows = [
        ["*" if choice.key == default else "", choice.key, choice.label, *numbers, _remark(choice, absent)]
        for choice, *numbers in zip(choices, *columns, strict=True)
    ]
    header = ["", "KEY", "LABEL", *(_title(path) for path in paths), ""]
    output.table(rows, header=header, right=range(3, 3 + len(paths)))


def _remark(choice: Choice, absent: str) -> str:
    remarks = {
        "realtime": choice.realtime,
        "billed by its provider": is_billed_by_provider(choice.key),
        "beta": is_beta_key(choice.key),
        absent: not choice.listed,
    }
    return ", ".join(remark for remark, applies in remarks.items() if applies)


def _title(path: str) -> str:
    return path.removeprefix("credits.").replace("_", " ").replace(".", " ").upper()


def _column(numbers: Sequence[Decimal | int | None]) -> list[str]:
    present = iter(aligned([Decimal(number) for number in numbers if number is not None]))
    return ["–" if number is None else next(present) for number in numbers]


def _write_defaults(found: Discovery, output: Output) -> None:
    if not found.selections and not found.assumptions:
        return
    output.text("Defaults")
    selections = [[name, yes_no(v) if isinstance(v, bool) else v] for name, v in found.selections.items()]
    assumptions = [[name, exact(number)] for name, number in found.assumptions.items()]
    output.table([["", *row] for row in [*selections, *assumptions]])


def _write_subscriptions(subscriptions: Sequence[OfferedSubscription], output: Output) -> None:
    rows = [
        ["", one.label, monthly, price, one.tier or "–"]
        for one, monthly, price in zip(
            subscriptions,
            _column([one.monthly_credits for one in subscriptions]),
            _column([one.price for one in subscriptions]),
            strict=True,
        )
    ]
    output.table(rows, header=["", "SUBSCRIPTION", "CREDITS A MONTH", "PRICE A MONTH", "TIER"], right={2, 3})
