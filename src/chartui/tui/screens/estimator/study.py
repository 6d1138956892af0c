"""What the views beside the estimate are computed from, on this machine: the present inputs, and the rates for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from chartui.core.estimation.card import MAX_QUANTITY, QUANTITIES
from chartui.core.estimation.pricing import Configuration, Pricing, Quantities

if TYPE_CHECKING:
    from chartui.core.estimation.discovery import Discovery
    from chartui.core.estimation.rates import Rates
    from chartui.tui.screens.estimator.state import EstimatorState

__all__ = ["Pinned", "Studies", "Study"]


@dataclass(frozen=True, slots=True)
class Pinned:
    """A configuration that was kept to compare others with: as it was chosen and typed, and what that amounted to."""

    name: str
    chosen: Mapping[str, str | bool]
    typed: Mapping[str, str]
    configuration: Configuration
    quantities: Quantities


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One moment's material for the views. ``baseline`` is the position of the pinned one that others are held against.

    Everything in it is exact and needs no service; ``rates`` says what its figures are worth.
    """

    rates: Rates
    pricing: Pricing
    configuration: Configuration
    discovery: Discovery
    pinned: tuple[Pinned, ...] = ()
    baseline: int = 0

    @property
    def quantities(self) -> Quantities:
        """The present quantities."""
        return self.pricing.quantities


class Studies:
    """Makes studies of states; what depends only on rates and quantities is made once for them."""

    def __init__(self) -> None:
        self._pricing: Pricing | None = None
        self._last: Study | None = None

    def of(self, state: EstimatorState) -> Study | None:
        """The study of a state; of one whose quantities are none, the last there was. None without rates."""
        rates, quantities = state.rates, _quantities(state)
        if rates is None:
            return None
        if quantities is None:
            return self._last
        pricing = self._pricing
        if pricing is None or pricing.card is not rates.card or pricing.quantities != quantities:
            pricing = self._pricing = Pricing(rates.card, quantities)
        self._last = Study(
            rates=rates,
            pricing=pricing,
            configuration=configuration_of(state, rates),
            discovery=state.discovery,
            pinned=state.pinned,
            baseline=state.baseline,
        )
        return self._last


def configuration_of(state: EstimatorState, rates: Rates) -> Configuration:
    """The present selections, complete: what nobody chose or told is as the card has it."""
    chosen = (state.value(name) for name in Configuration._fields)
    given = {n: v for n, v in zip(Configuration._fields, chosen, strict=True) if isinstance(v, str | bool)}
    return Configuration.default(rates.card)._replace(**given)  # type: ignore[arg-type]


def _quantities(state: EstimatorState) -> Quantities | None:
    """The present quantities, complete; None while one of them is not a number that a service takes."""
    rates = state.rates
    if rates is None or not state.complete:
        return None
    amounts: list[int | Decimal] = []
    for name, member in zip(Quantities._fields, QUANTITIES, strict=True):
        value = state.value(name)
        amount = value if isinstance(value, Decimal) else Decimal(rates.card.assumptions[member])
        if not 0 <= amount <= MAX_QUANTITY:
            return None
        amounts.append(amount)
    return Quantities(*amounts)
