"""Include the user's own prices (:mod:`chartui.core.own_prices`) for options that are billed by a provider.

A rate card has no rates for these options, and a service bills nothing for them. The prices that the user has set are
added to local estimates and to the service's estimates, so the totals can be compared with those of other options.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from chartui.core.estimation.amounts import EXACT, for_seconds, for_tokens, tokens_in
from chartui.core.estimation.card import RateCard
from chartui.core.jsontext import Wire, canonical
from chartui.core.numbers import exact
from chartui.core.own_prices import OwnPrices
from chartui.core.spec.catalogue import is_realtime_key
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.shape import build

_DETAIL: Final = "your own price"


def with_own_prices(card: RateCard, prices: OwnPrices) -> RateCard:
    """Return a card that includes the user's own prices for options billed by their provider."""
    own = {kind: {key: prices[key] for key in entries if key in prices} for kind, entries in card.options.items()}
    if not any(own.values()):
        return card
    priced = {
        kind: {**entries, **{key: entries[key]._replace(rates=rates) for key, rates in own[kind].items()}}
        for kind, entries in card.options.items()
    }
    return card._replace(options=priced, own=frozenset(key for keys in own.values() for key in keys))


def estimate_with_own_prices(estimate: Estimate, prices: OwnPrices) -> Estimate:
    """Return a service's estimate with the user's own prices included in its lines and total.

    The estimate is unchanged if the service itself bills for the options used, or if the service does not report which
    options and quantities it used.
    """
    lines, more = list[Wire](), Decimal(0)
    for line in estimate.lines:
        amount, detail = (None, "") if line.credits else _own_line(estimate, line.key, prices)
        lines.append(line.raw if amount is None else {**line.raw, "credits": amount, "detail": detail})
        more = EXACT.add(more, amount or Decimal(0))
    if estimate.totals is None or not more:
        return estimate
    totals = {**estimate.totals.raw, "credits": EXACT.add(estimate.totals.credits, more)}
    made = build(Estimate, {**estimate.raw, "totals": totals, "lines": lines})
    object.__setattr__(made, "unreadable", estimate.unreadable)
    return made


def _own_line(estimate: Estimate, line: str, prices: OwnPrices) -> tuple[Decimal | None, str]:
    """The credits of a line and how they come about; None for a line that the service bills."""
    given, amounts = estimate.selections, estimate.assumptions
    if given is None or amounts is None:
        return None, ""
    model, voice = prices.get(given.llm or ""), prices.get(given.tts or "")
    if line == "prompt" and model is not None and amounts.input_tokens is not None:
        rate, tokens = model["prompt_per_1k"], amounts.input_tokens
    elif line == "ai_response" and model is not None and amounts.output_chars is not None:
        rate, tokens = model["output_per_1k"], tokens_in(amounts.output_chars)
    elif line == "voice_output" and voice is not None and amounts.tts_seconds is not None:
        if is_realtime_key(given.llm or ""):
            return None, ""
        rate, seconds = voice["per_second"], amounts.tts_seconds
        return for_seconds(rate, seconds), f"{exact(seconds)} s × {canonical(rate)} per second, {_DETAIL}"
    else:
        return None, ""
    return for_tokens(
        rate, tokens
    ), f"{exact(tokens)} token{'' if tokens == 1 else 's'} × {canonical(rate)} per 1 000, {_DETAIL}"
