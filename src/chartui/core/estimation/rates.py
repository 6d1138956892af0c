"""Which rates stand in for a profile's service where asking it would take too many calls (DESIGN 5).

An embedded store has a card of its own. For a service the learned card is used where there is one, else the reference
card, which says nothing about that service.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from chartui.core.estimation.card import BadCard, RateCard, load_card
from chartui.core.files import read_own
from chartui.core.paths import data_dir
from chartui.core.profiles import Profile

__all__ = ["BadCard", "Rates", "Standing", "learned_path", "rates_for"]


class Standing(StrEnum):
    """What a card is to the profile it is used for."""

    OWN = "own"
    LEARNED = "learned"
    REFERENCE = "reference"


class Rates(NamedTuple):
    """A card, what it is to the profile, and what is to be said wherever its figures are shown; empty for its own.

    ``problem`` says why a learned card that is there is not the one, empty where nothing is wrong.
    """

    card: RateCard
    standing: Standing
    banner: str = ""
    problem: str = ""


def learned_path(profile: Profile) -> Path:
    return data_dir() / "rates" / f"{profile.name}.toml"


def rates_for(profile: Profile, *, rate_card: Path | None = None) -> Rates:
    """The rates to compute with on ``profile``; ``rate_card`` goes before an embedded profile's own.

    Raises :class:`~chartui.core.estimation.card.BadCard` or ``OSError`` where the store's own card cannot be used. A
    learned card that cannot be used is passed over, and the banner says why.
    """
    if profile.embedded:
        card = load_card(rate_card) if rate_card is not None else load_card(profile.rate_card, read=read_own)
        return Rates(card, Standing.OWN)
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
            return Rates(learned, Standing.LEARNED, f"Rates learned on {learned.origin.learned_at[:10]}{without}.")
        problem = "the learned card is of another address"
    why = problem or "no rates were learned from this service"
    return Rates(load_card(), Standing.REFERENCE, f"Reference rates, not this service's: {why}.", problem)
