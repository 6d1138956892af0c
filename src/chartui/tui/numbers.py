"""Formats credits, milliseconds, shares and counts for people, the same in every locale."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

from chartui.core.numbers import (
    count,
    credits_difference,
    credits_text,
    money_text,
    number_of,
    percent_text,
    sign_of,
    signed_text,
)
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


def share_text(share: Decimal | None) -> str:
    """A share in whole percent, never rounded to zero; a dash if unknown."""
    if share is None:
        return "–"
    percent = share * 100
    if 0 < percent < 1:
        return "<1%"
    return f"{percent.quantize(Decimal(1), ROUND_HALF_EVEN)}%"


def latency_text(latency: LatencyRange | None) -> str:
    """Milliseconds as a range; a sign marks a minimum above the maximum, a dash an unknown range."""
    if latency is None:
        return "–"
    low, high = (count(n.quantize(Decimal(1), ROUND_HALF_EVEN)) for n in (latency.min, latency.max))
    sign = f"{GLYPHS.warning} " if latency.backwards else ""
    return f"{low} ms" if latency.min == latency.max else f"{sign}{low} – {high} ms"
