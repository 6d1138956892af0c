"""``chartui estimate``: what one interaction costs, and how long it takes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.configuration import QUANTITIES, SELECTIONS, SWITCHES, add_configuration, add_rate_card
from chartui.cli.errors import Exit
from chartui.cli.output import Output, aligned, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.jsontext import canonical

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.core.spec.models.estimation import Estimate, LatencyRange

__all__ = ["configure"]

#: The longest bar, in cells.
BAR: Final = 20


def configure(parser: Parser) -> None:
    """Add the options; what is left out takes the service's default."""
    parser.set_defaults(handler=estimate)
    add_configuration(parser)
    add_rate_card(parser)


def estimate(arguments: Arguments, output: Output) -> int:
    """Ask for the estimate and write it."""

    async def question(session: Session) -> Estimate:
        from chartui.core.spec.models.estimation import Assumptions, Selections

        given = vars(arguments)
        return await session.service.estimate(
            Selections(**{name: given[name] for name in (*SELECTIONS, *SWITCHES)}),
            Assumptions(**{name: given[name] for name in QUANTITIES}),
        )

    found = ask(arguments, question, rate_card=arguments.rate_card)
    if output.as_json:
        output.json(found.raw)
    else:
        _write(found, output)
    return Exit.DONE


def _write(estimate: Estimate, output: Output) -> None:
    output.text(f"{canonical(estimate.credits)} credits per interaction, {_milliseconds(estimate.latency_ms)}")
    output.text()
    output.table(_lines(estimate), right={1, 2, 4})
    output.text()
    output.table(_echo(estimate))
    if estimate.disclaimer:
        output.text()
        output.text(estimate.disclaimer)


def _lines(estimate: Estimate) -> list[list[str]]:
    """A row for each line: label, credits, share, bar, latency, detail."""
    rows = []
    for line, amount in zip(estimate.lines, aligned([line.credits for line in estimate.lines]), strict=True):
        share = estimate.share(line) or Decimal(0)
        bar = "#" * round(BAR * min(max(share, Decimal(0)), Decimal(1)))
        latency = line.latency
        rows.append(
            [
                line.label or line.key,
                amount,
                f"{share:.0%}",
                bar.ljust(BAR),
                _milliseconds(latency) if latency else "",
                line.detail,
            ]
        )
    return rows


def _milliseconds(latency: LatencyRange | None) -> str:
    if latency is None:
        return "latency not given"
    low, high = canonical(latency.min), canonical(latency.max)
    return f"{low} ms" if low == high else f"{low}–{high} ms"


def _echo(estimate: Estimate) -> list[list[str]]:
    """What the estimate is for, as the service understood it (decision 8), and which rates were used."""
    rows = []
    if estimate.selections is not None:
        for name in (*SELECTIONS, *SWITCHES):
            value = getattr(estimate.selections, name)
            rows.append([name, yes_no(value) if name in SWITCHES else value or "–"])
    if estimate.assumptions is not None:
        for name in QUANTITIES:
            value = getattr(estimate.assumptions, name)
            rows.append([name.replace("_", " "), "–" if value is None else canonical(value)])
    card = estimate.rate_card
    if card is not None:
        version = "–" if card.version is None else canonical(card.version)
        rows.append(["rate card", f"{version}, effective {card.effective_date or '–'}"])
    return rows
