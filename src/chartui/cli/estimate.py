"""``chartui estimate``: what one interaction costs, and how long it takes."""

from __future__ import annotations

import argparse
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

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

_SELECTIONS: Final = {
    "llm": "the model",
    "stt": "what recognises speech",
    "tts": "what speaks",
    "animation": "what moves the face",
}
_SWITCHES: Final = {"memory": "long-term memory", "knowledge": "the knowledge bank"}
_QUANTITIES: Final = {
    "input_tokens": "tokens of the prompt",
    "output_chars": "characters of the reply",
    "stt_seconds": "seconds of speech heard",
    "tts_seconds": "seconds of speech spoken",
}


def configure(parser: Parser) -> None:
    """Add the options; what is left out takes the service's default."""
    parser.set_defaults(handler=estimate)
    for name, text in _SELECTIONS.items():
        parser.add_argument(f"--{name}", metavar="KEY", help=f"{text} ('chartui options' lists the keys)")
    for name, text in _SWITCHES.items():
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=f"{text}")
    for name, text in _QUANTITIES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=_quantity, metavar="N", help=text)
    parser.add_argument("--rate-card", type=Path, metavar="FILE", help="rates to use on an embedded profile")


def _quantity(text: str) -> Decimal:
    from chartui.core.spec.codecs import BadText, Codec, decode

    try:
        return Decimal(decode(Codec.NUMBER, text))
    except BadText:
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 8 or 2.5") from None


def estimate(arguments: Arguments, output: Output) -> int:
    """Ask for the estimate and write it."""

    async def question(session: Session) -> Estimate:
        from chartui.core.spec.models.estimation import Assumptions, Selections

        given = vars(arguments)
        return await session.service.estimate(
            Selections(**{name: given[name] for name in (*_SELECTIONS, *_SWITCHES)}),
            Assumptions(**{name: given[name] for name in _QUANTITIES}),
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
        for name in (*_SELECTIONS, *_SWITCHES):
            value = getattr(estimate.selections, name)
            rows.append([name, yes_no(value) if name in _SWITCHES else value or "–"])
    if estimate.assumptions is not None:
        for name in _QUANTITIES:
            value = getattr(estimate.assumptions, name)
            rows.append([name.replace("_", " "), "–" if value is None else canonical(value)])
    card = estimate.rate_card
    if card is not None:
        version = "–" if card.version is None else canonical(card.version)
        rows.append(["rate card", f"{version}, effective {card.effective_date or '–'}"])
    return rows
