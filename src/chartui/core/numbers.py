"""Formatted numbers, the same on screen and on the command line, in every locale."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

#: Decimals of credits that are shown; the service gives six.
DECIMALS: Final = 3


def count(number: Decimal | int) -> str:
    """A number with separated thousands: ``8 045``, ``1 250.5``."""
    return f"{number:,f}".replace(",", " ") if isinstance(number, Decimal) else f"{number:,}".replace(",", " ")


def number_of(things: int, word: str) -> str:
    """``1 step``, ``200 steps``."""
    return f"{count(things)} {word}{'' if things == 1 else 's'}"


def credits_text(amount: Decimal | None) -> str:
    """Credits with a fixed number of decimals; neither a smaller amount nor None is shown as 0."""
    if amount is None:
        return "unknown"
    smallest = Decimal(1).scaleb(-DECIMALS)
    if 0 < amount < smallest:
        return f"<{smallest}"
    return count(amount.quantize(smallest, ROUND_HALF_EVEN)) if abs(amount) < 10**12 else f"{amount:.6E}"
