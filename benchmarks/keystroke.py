"""Typing in the estimator: from a digit in a quantity field until all that it changes is on the screen.

.venv/bin/python benchmarks/keystroke.py --presses 40
.venv/bin/python benchmarks/keystroke.py --view explore
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from probe import Press, Session, environment, session, size_of
from report import CHARTUI, Row, late, of, show

from chartui.core.estimation.constraints import FEATURE_NAMES, default_constraints, features
from chartui.core.estimation.exploration import explore
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.rates import rates_for
from chartui.core.profiles import BUILT_IN
from chartui.tui.numbers import count, credits_text

USABLE: Final = "end to end"
#: Windows of so many columns and rows show the estimate, the ranking and a view at once.
TALL: Final = (100, 34)
DIGITS: Final = "123456789"
#: How many digits are typed before the field is reset.
LENGTH: Final = 4
#: What the figures are of: the estimate alone, or with the front of all configurations and its plot beside the form.
VIEWS: Final = ("estimate", "explore")
#: Goals for the new figures on the screen, median and what 95 of 100 stay below, in ms.
GOALS: Final = {"estimate": "≤ 20", "explore": "≤ 35, 95%: ≤ 50"}


def type_digits(running: Session, presses: int, *, view: str, tall: bool) -> list[Press]:
    """Type digits into the number of input tokens, resetting it now and then; the field has the cursor."""
    pressed: list[Press] = []
    typed = ""
    while len(pressed) < presses:
        if len(typed) == LENGTH:
            running.press("r")
            running.settle()
            typed = ""
        typed += DIGITS[len(pressed) % len(DIGITS)]
        pressed.append(running.press(typed[-1], until=changed(typed, view=view, tall=tall)))
        running.settle()
    return pressed


def changed(typed: str, *, view: str, tall: bool) -> str:
    """A pattern that what is written fulfils once all figures for the digits ``typed`` are shown, and not before."""
    return r"(?s)\A" + "".join(f"(?=.*{pattern})" for pattern in _figures(typed, view=view, tall=tall))


def _figures(typed: str, *, view: str, tall: bool) -> Iterator[str]:
    card = rates_for(BUILT_IN["demo"]).card
    pricing = Pricing(card, Quantities.default(card)._replace(input_tokens=Decimal(typed)))
    chosen = Configuration.default(card)
    amount, span = pricing.credits(chosen), pricing.latency(chosen)
    if amount is None or span is None:
        raise ValueError("the rate card of the demo data knows everything about its own choice")
    total = re.escape(credits_text(amount))
    if tall:
        # The large digits of the total are no text, but the prompt's line is, and the ranking's best total.
        prompt = Decimal(dict(pricing.lines(chosen))["prompt"]).scaleb(-6)
        yield rf"(?<![\d.]){re.escape(credits_text(prompt))} "
        others = (chosen._replace(llm=key) for key in pricing.models)
        totals = [pricing.credits(one) for one in others if not features(one)[FEATURE_NAMES["billed-elsewhere"]]]
        best = min(found for found in totals if found is not None)
        yield rf"(?<![\d.]){re.escape(credits_text(best))} "
    else:
        yield rf"(?<![\d.]){total} credits"
    if view == "explore":
        front = explore(pricing, default_constraints(chosen)).front
        under = next(point for point in front if point.latency is not None and point.latency <= span[1])
        yield rf"(?<![\d.]){re.escape(credits_text(under.credits))} +{re.escape(count(under.latency or 0))} "


def run(size: tuple[int, int], presses: int, view: str) -> list[Press]:
    """Open the estimator and type."""
    with session((CHARTUI, "demo"), size, environment()) as running:
        running.start(USABLE)
        if view == "explore":
            for _ in range(3):
                running.press("]")
            running.settle()
        for _ in range(6):  # below the selections
            running.press("down")
        running.settle()
        return type_digits(running, presses, view=view, tall=size[0] >= TALL[0] and size[1] >= TALL[1])


def main() -> None:
    """Measure at every size that is asked for."""
    parser = argparse.ArgumentParser(description="Types digits in the estimator.")
    parser.add_argument("--presses", type=int, default=40, help="digits per window size (default: 40)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    parser.add_argument("--view", choices=VIEWS, default="estimate", help="tab beside the form (default: estimate)")
    arguments = parser.parse_args()
    for size in arguments.size or [(80, 24), (120, 40)]:
        pressed = run(size, arguments.presses, arguments.view)
        shown = of(pressed, "shown")
        rows = [
            Row("the digit: first byte", of(pressed, "first"), "ms"),
            Row(f"every new figure (95%: {late(shown):.1f})", shown, "ms", GOALS[arguments.view]),
            Row("last byte", of(pressed, "last"), "ms"),
            Row("written", of(pressed, "size", 1e3), "kB", decimals=2),
        ]
        show(f"typing at {size[0]}x{size[1]}, {arguments.view} beside the form", rows)


if __name__ == "__main__":
    main()
