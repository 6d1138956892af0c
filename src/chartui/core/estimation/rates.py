"""The rates for local estimates, which are used where a service would need too many calls (DESIGN 5).

An embedded store has its own card. For a service, its learned card is used if there is one. Otherwise, the reference
card is used, although it does not describe that service. Either has the user's own prices.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from chartui.core.config import load_config
from chartui.core.estimation.card import BadCard, RateCard, load_card
from chartui.core.files import read_own
from chartui.core.paths import data_dir
from chartui.core.profiles import Profile

__all__ = ["BadCard", "RateSource", "Rates", "learned_path", "rates_for"]


class RateSource(StrEnum):
    """Where the rates used for a profile come from."""

    STORE = "store"
    LEARNED = "learned"
    REFERENCE = "reference"


class Rates(NamedTuple):
    """A rate card, its source, and a banner to show above amounts computed with the card. The banner is empty for a
    store's own card.

    ``problem`` says why an existing learned card is not used, and is empty otherwise.
    """

    card: RateCard
    source: RateSource
    banner: str = ""
    problem: str = ""


def learned_path(profile: Profile) -> Path:
    return data_dir() / "rates" / f"{profile.name}.toml"


def rates_for(profile: Profile, *, rate_card: Path | None = None) -> Rates:
    """Return the rates for ``profile``. ``rate_card`` overrides an embedded store's own card.

    Raises :class:`~chartui.core.estimation.card.BadCard` or ``OSError`` if the store's card cannot be used. A learned
    card that cannot be used is skipped, and the banner says why.
    """
    rates, prices = _rates_for(profile, rate_card), load_config().prices
    if not prices:
        return rates
    from chartui.core.estimation.own_prices import with_own_prices

    return rates._replace(card=with_own_prices(rates.card, prices))


def _rates_for(profile: Profile, rate_card: Path | None) -> Rates:
    if profile.embedded:
        card = load_card(rate_card) if rate_card is not None else load_card(profile.rate_card, read=read_own)
        return Rates(card, RateSource.STORE)
    problem = ""
    try:
        learned = load_card(learned_path(profile), read=read_own)
    except FileNotFoundError:
        pass
    except (BadCard, OSError) as error:
        problem = f"the learned card cannot be used ({error})"
    else:
        if learned.origin is not None and learned.origin.base_url == profile.base_url:
            without = "" if learned.timed else ", without latencies"
            return Rates(learned, RateSource.LEARNED, f"Rates learned on {learned.origin.learned_at[:10]}{without}.")
        problem = "the learned rates are for another address"
    why = problem or "no rates were learned from this service"
    return Rates(load_card(), RateSource.REFERENCE, f"Reference rates, not this service's: {why}.", problem)
