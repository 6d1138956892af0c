"""``chartui options``: every model, voice and animation with its rate, the defaults and the plans."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit
from chartui.cli.output import Output, aligned, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.jsontext import canonical

if TYPE_CHECKING:
    from chartui.core.estimation.discovery import Choice, Discovery, OfferedPlan
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session
    from chartui.core.spec.catalogue import Kind

__all__ = ["configure"]

_TITLES: Final[dict[Kind, str]] = {
    "llm": "Models",
    "stt": "Voice input",
    "tts": "Voice output",
    "animation": "Animation",
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=options)
    parser.add_argument("--refresh", action="store_true", help="go past an answer that was kept")


def options(arguments: Arguments, output: Output) -> int:
    """Write what the service offers; as it came, when nothing of it is known."""

    async def question(session: Session) -> Wire:
        return (await session.service.options(refresh=arguments.refresh)).raw

    answer = ask(arguments, question)
    if output.as_json:
        output.json(answer)
        return Exit.DONE

    from chartui.core.estimation.discovery import discover

    found = discover(answer)
    if not found.fits:
        output.note("none of the options in this answer is known; it is shown as it came")
        output.json(answer)
        return Exit.DONE
    absent = "not among the readable options" if found.unreadable else "not offered by this service"
    for kind, title in _TITLES.items():
        output.text(title)
        _write_choices(found.choices[kind], found.selections.get(kind), absent, output)
        output.text()
    _write_defaults(found, output)
    if found.plans:
        output.text()
        output.text("Plans")
        _write_plans(found.plans, output)
    return Exit.DONE


def _write_choices(choices: Sequence[Choice], default: str | bool | None, absent: str, output: Output) -> None:
    """A row for each option: a star for the default, key, label, and a column for each number that any of them has.

    ``absent`` is said of an option that the answer does not list.
    """
    paths = list(dict.fromkeys(path for choice in choices for path in choice.numbers))
    columns = [_column([choice.numbers.get(path) for choice in choices]) for path in paths]
    rows = [
        ["*" if choice.key == default else "", choice.key, choice.label, *numbers, "" if choice.listed else absent]
        for choice, *numbers in zip(choices, *columns, strict=True)
    ]
    header = ["", "KEY", "LABEL", *(_title(path) for path in paths), ""]
    output.table(rows, header=header, right=range(3, 3 + len(paths)))


def _title(path: str) -> str:
    """``credits.prompt_per_1k`` as the heading of a column."""
    return path.removeprefix("credits.").replace("_", " ").replace(".", " ").upper()


def _column(numbers: Sequence[Decimal | int | None]) -> list[str]:
    """The numbers with the same number of decimals, and a dash for none."""
    present = iter(aligned([Decimal(number) for number in numbers if number is not None]))
    return ["–" if number is None else next(present) for number in numbers]


def _write_defaults(found: Discovery, output: Output) -> None:
    if not found.selections and not found.assumptions:
        return
    output.text("Defaults")
    selections = [[name, yes_no(v) if isinstance(v, bool) else v] for name, v in found.selections.items()]
    assumptions = [[name, canonical(Decimal(number))] for name, number in found.assumptions.items()]
    output.table([["", *row] for row in [*selections, *assumptions]])


def _write_plans(plans: Sequence[OfferedPlan], output: Output) -> None:
    rows = [
        ["", plan.label, monthly, price, plan.tier or "–"]
        for plan, monthly, price in zip(
            plans,
            _column([plan.monthly_credits for plan in plans]),
            _column([plan.price for plan in plans]),
            strict=True,
        )
    ]
    output.table(rows, header=["", "PLAN", "CREDITS A MONTH", "PRICE A MONTH", "TIER"], right={2, 3})
