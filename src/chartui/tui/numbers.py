"""Formats credits, milliseconds, shares and counts for people, the same in every locale."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

from chartui.core.numbers import count, credits_difference, credits_text, money_text, number_of
from chartui.tui.glyphs import GLYPHS

if TYPE_CHECKING:
    from chartui.core.spec.models.estimation import LatencyRange

__all__ = [
    "count",
    "credits_difference",
    "credits_text",
    "latency_text",
    "money_text",
    "number_of",
    "percent_text",
    "share_text",
    "sign_of",
    "signed_text",
]


def signed_text(difference: Decimal | int) -> str:
    """A signed difference: with decimals for credits (``Decimal``), without for milliseconds."""
    text = credits_text(abs(difference)) if isinstance(difference, Decimal) else count(abs(difference))
    return f"{sign_of(difference)}{text}"


def sign_of(number: Decimal | int) -> str:
    return "+" if number > 0 else "−" if number < 0 else "±"


def percent_text(percent: Decimal | None) -> str:
    """A signed difference in percent: to a tenth if small, never rounded to zero; a dash if unknown."""
    if percent is None:
        return "–"
    sign, amount = sign_of(percent), abs(percent)
    if 0 < amount < Decimal("0.1"):
        return f"{sign}<0.1 %"
    return f"{sign}{count(amount.quantize(Decimal('0.1') if 0 < amount < 10 else Decimal(1), ROUND_HALF_EVEN))} %"


def share_text(share: Decimal | None) -> str:
    """A share in whole percent, never rounded to zero; a dash if unknown."""
    if share is None:
        return "–"
    percent = share * 100
    if 0 < percent < 1:
        return "<1 %"
    return f"{percent.quantize(Decimal(1), ROUND_HALF_EVEN)} %"


def latency_text(latency: LatencyRange | None) -> str:
    """Milliseconds as a range; a sign marks a minimum above the maximum, a dash an unknown range."""
    if latency is None:
        return "–"
    low, high = (count(n.quantize(Decimal(1), ROUND_HALF_EVEN)) for n in (latency.min, latency.max))
    sign = f"{GLYPHS.warning} " if latency.backwards else ""
    return f"{low} ms" if latency.min == latency.max else f"{sign}{low} – {high} ms"
