"""Provide the rates for local estimates, which are used where requesting estimates from a service would take too many
calls (DESIGN 5).

An embedded store has its own card. For a service, the learned card is used if it exists. Otherwise, the reference card
is used if the user chooses it, although it does not describe that service. All of these cards include the user's own
prices.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from chartui.core.classes import NamedTuple
from chartui.core.config import load_config
from chartui.core.estimation.card import BadCard, RateCard, load_card
from chartui.core.files import read_own
from chartui.core.paths import data_dir
from chartui.core.profiles import Profile

if TYPE_CHECKING:
    from chartui.core.estimation.drift import DriftMark, RateNotes
    from chartui.core.sheet import Sheet


class RateSource(StrEnum):
    """The source of the rates used for a profile."""

    STORE = "store"
    LEARNED = "learned"
    REFERENCE = "reference"


class Rates(NamedTuple):
    """A rate card, its source, and a banner to show above amounts that were computed with the card.

    ``banner`` is empty for an embedded store's own card. ``problem`` says why an existing learned card is not used, and
    is empty otherwise. ``drift`` is the known drift of the service from its learned card, if any. ``chosen`` says
    whether the user chose the reference rates.
    """

    card: RateCard
    source: RateSource
    banner: str = ""
    problem: str = ""
    drift: DriftMark | None = None
    chosen: bool = False

    @property
    def mark(self) -> str:
        """The word that marks amounts computed with rates that may differ from the service's rates.

        It is empty for reliable rates.
        """
        if self.source is RateSource.REFERENCE:
            return "reference"
        return "drifted" if self.drift is not None else ""

    @property
    def unknown(self) -> str:
        """A phrase that says why the service's rates are unknown, and which command learns them."""
        why = self.problem or "no rates have been learned from this service"
        return f"{why}; 'chartui rates learn' learns them from about 80 estimates and takes about 20 s"

    @property
    def unsettled(self) -> bool:
        """Whether the service's rates are unknown and the user has not chosen the reference rates."""
        return self.source is RateSource.REFERENCE and not self.chosen


def learned_path(profile: Profile) -> Path:
    return data_dir() / "rates" / f"{profile.name}.toml"


def previous_path(profile: Profile) -> Path:
    """Return the path of the previous card, which the learned card replaced."""
    return learned_path(profile).with_suffix(".previous.toml")


def notes_path(profile: Profile) -> Path:
    return learned_path(profile).with_suffix(".notes.json")


def keep_drift(profile: Profile, earlier: DriftMark | None, mark: DriftMark | None) -> None:
    """Save the drift of a profile's learned card, or remove the saved drift if ``mark`` is None.

    ``earlier`` is the drift that ``mark`` replaces. If another program has recorded a drift in the meantime, only a
    larger drift replaces it. Raises ``OSError`` if the drift cannot be saved.
    """

    from chartui.core.estimation.drift import change_notes

    def changed(notes: RateNotes) -> RateNotes:
        replaced = notes.drift == earlier or (mark is not None and mark.replaces(notes.drift))
        return notes._replace(drift=mark) if replaced else notes

    change_notes(notes_path(profile), profile.base_url or "", changed)


def choose_reference(profile: Profile) -> None:
    """Save the user's choice of the reference rates for a profile's service.

    Raises ``OSError`` if the choice cannot be saved.
    """
    from chartui.core.estimation.drift import change_notes

    change_notes(notes_path(profile), profile.base_url or "", lambda notes: notes._replace(reference=True))


def with_drift(rates: Rates, mark: DriftMark | None) -> Rates:
    """Return learned rates with the given drift, or without drift if ``mark`` is None."""
    assert rates.card.origin is not None  # noqa: S101 - a learned card has an origin
    day = rates.card.origin.learned_at[:10]
    without = "" if rates.card.timed else ", without latencies"
    banner = f"Rates learned on {day}{without}."
    if mark is not None:
        banner = f"Rates learned on {day}{without} have drifted: {mark.text}. 'chartui rates learn' learns them again."
    return rates._replace(banner=banner, drift=mark)


def marked(sheet: Sheet, rates: Rates) -> Sheet:
    """Return a copy of a table that shows the rates' mark in every row and the rates' banner in the notes."""
    from chartui.core.sheet import Column

    said = not rates.banner or rates.banner in sheet.notes
    notes = sheet.notes if said else (rates.banner, *sheet.notes)
    if not rates.mark:
        return sheet._replace(notes=notes)
    rows = tuple((*row, rates.mark) for row in sheet.rows)
    return sheet._replace(columns=(*sheet.columns, Column("rates")), rows=rows, notes=notes)


def rates_for(profile: Profile, *, rate_card: Path | None = None) -> Rates:
    """Return the rates for ``profile``. ``rate_card`` replaces the card of an embedded store.

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
    from chartui.core.estimation.drift import load_notes

    problem = ""
    try:
        learned = load_card(learned_path(profile), read=read_own)
    except FileNotFoundError:
        pass
    except (BadCard, OSError) as error:
        problem = f"the learned card cannot be used ({error})"
    else:
        if learned.origin is not None and learned.origin.base_url == profile.base_url:
            mark = load_notes(notes_path(profile), profile.base_url or "").drift
            applies = mark is not None and mark.learned_at == learned.origin.learned_at
            return with_drift(Rates(learned, RateSource.LEARNED), mark if applies else None)
        problem = "the learned rates are for another address"
    banner = f"Reference rates, not this service's: {problem or 'no rates have been learned from this service'}."
    chosen = load_notes(notes_path(profile), profile.base_url or "").reference
    return Rates(load_card(), RateSource.REFERENCE, banner, problem, chosen=chosen)
