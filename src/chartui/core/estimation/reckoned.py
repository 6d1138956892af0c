"""What a character costs by the rates on this machine: for many at once, where asking a service takes too many calls.

The figures are those that a service with the same rate card would answer; they come without their lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from chartui.core.estimation.costing import CharacterCost, CharacterMap, Priced
from chartui.core.estimation.pricing import Configuration, Pricing, Quantities
from chartui.core.spec.models.estimation import Estimate, LatencyRange, Totals

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.spec.models.estimation import Assumptions

__all__ = ["pricing_for", "reckon"]


def pricing_for(card: RateCard, assumptions: Assumptions) -> Pricing:
    """The shares of a card's options for these quantities; what is not given is the card's own."""
    default = Quantities.default(card)
    given = {name: value for name in Quantities._fields if (value := getattr(assumptions, name)) is not None}
    return Pricing(card, default._replace(**given))


def reckon(mapped: CharacterMap, pricing: Pricing) -> CharacterCost:
    """What each configuration that a character may be costs by these rates; an option that they lack has no price."""
    return CharacterCost(mapped, tuple(_priced(mapped, pricing)))


def _priced(mapped: CharacterMap, pricing: Pricing) -> Iterator[Priced]:
    default = Configuration.default(pricing.card)
    for configuration in mapped.configurations:
        whole = default._replace(**configuration)  # type: ignore[arg-type]
        amount, latency = pricing.credits(whole), pricing.latency(whole)
        if amount is None:
            yield Priced(whole.llm, None, f"The rates have no '{whole.llm}', or not what goes with it.")
            continue
        ends = None if latency is None else LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1]))
        yield Priced(whole.llm, Estimate(totals=Totals(credits=amount), lines=(), latency_ms=ends))
