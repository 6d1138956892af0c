"""The data that the views compute from on this machine: the current inputs, their rates, and the pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import MAX_QUANTITY, QUANTITIES, RateCard
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.text import cell_width, cut, single_line
from chartui.tui.numbers import count, credits_difference, credits_text, percent_text, signed_text

if TYPE_CHECKING:
    from chartui.core.estimation.constraints import Constraints
    from chartui.core.estimation.discovery import Discovery
    from chartui.core.estimation.mix import Case, Ends
    from chartui.core.estimation.rates import Rates
    from chartui.core.estimation.scenario import Scenario
    from chartui.core.money import Price
    from chartui.core.typed_numbers import Range
    from chartui.tui.screens.estimator.quantities import Inputs
    from chartui.tui.screens.estimator.state import EstimatorState


class Pinned(NamedTuple):
    """A complete configuration: pinned under a name, or without one, at the cursor of a view."""

    name: str
    configuration: Configuration
    quantities: Quantities


class Visited(NamedTuple):
    """A configuration of this session, the one from which it was changed (None for the first), and the time.

    ``place`` is that of its inputs in the state's trail.
    """

    made: Pinned
    before: Pinned | None
    at: datetime
    place: int


class Study(NamedTuple):
    """The data for the views at one moment.

    ``baseline`` is the index of the baseline in ``pinned``. All data is exact and needs no service; ``rates`` says
    where the figures come from. ``asked`` are the constraints once you changed them. ``pricings`` are those of
    the quantities of any pin, which a ``scenario`` replaces. ``ends`` are the prices for the lowest and the highest
    quantities, None if none varies. ``given`` are the quantities for a command if there is a scenario or a range, and
    ``written`` is the scenario that the command names. ``price`` is that of 1 000 credits, from the settings. ``trail``
    has the configurations of this session, each once, while their tab is open.
    """

    rates: Rates
    pricing: Pricing
    configuration: Configuration
    discovery: Discovery
    asked: Constraints | None = None
    pinned: tuple[Pinned, ...] = ()
    baseline: int = 0
    pricings: Mapping[Quantities, Pricing] = MappingProxyType({})
    price: Price | None = None
    trail: tuple[Visited, ...] = ()
    scenario: Scenario | None = None
    ends: Ends | None = None
    written: Scenario | None = None
    given: Mapping[str, Range] | None = None

    @property
    def constraints(self) -> Constraints:
        """The constraints of Explore, Rank and the choosers; they follow the selections until you change them."""
        if self.asked is not None:
            return self.asked
        from chartui.core.estimation.constraints import default_constraints

        return default_constraints(self.configuration)

    @property
    def fits(self) -> str:
        """What is said of configurations that the constraints allow."""
        from chartui.core.estimation.constraints import default_constraints

        card, usual = self.rates.card, default_constraints(self.configuration)
        same = self.asked is None or self.asked.supported(card) == usual.supported(card)
        return "fit your inputs" if same else "meet the constraints"

    @property
    def quantities(self) -> Quantities:
        return self.pricing.quantities

    @property
    def base(self) -> Pinned | None:
        """The baseline; None without pins."""
        return self.pinned[self.baseline] if self.baseline < len(self.pinned) else None

    def pricing_of(self, pinned: Pinned) -> Pricing:
        return self.pricing if self.scenario is not None else self.pricings[pinned.quantities]

    def quantities_of(self, pinned: Pinned) -> Quantities:
        return self.quantities if self.scenario is not None else pinned.quantities

    def ends_of(self, pinned: Pinned | None) -> tuple[Decimal, Decimal] | None:
        """The least and the most credits of a pin or, without one, of the inputs; None if no quantity varies."""
        if self.ends is None or (pinned is not None and self.scenario is None):
            return None
        return self.ends.credits(self.configuration if pinned is None else pinned.configuration)

    @property
    def kinds(self) -> int:
        """The number of kinds of interaction of which the figures are averages; 1 without a scenario."""
        return max(1, len(self.scenario.kinds)) if self.scenario is not None else 1

    @property
    def unit(self) -> str:
        """What a figure shows, in a few words: ``credits``, ``typical credits`` or ``typical average credits``."""
        return f"{'typical ' if self.ends else ''}{'average ' if self.kinds > 1 else ''}credits"

    @property
    def basis(self) -> str:
        """The end of a title, if the quantities are ranges or of several kinds: ``, typical averages of 2 kinds``."""
        averages = f"averages of {self.kinds} kinds" if self.kinds > 1 else "quantities" if self.ends else ""
        return f", {'typical ' if self.ends else ''}{averages}" if averages else ""

    def between(self, configuration: Configuration) -> str:
        """The least and the most credits of a configuration in words; empty if no quantity varies."""
        found = self.ends and self.ends.credits(configuration)
        return f"{credits_text(found[0])} to {credits_text(found[1])} credits" if found else ""


class Studies:
    """Makes studies of states; data that depends only on rates and quantities is computed once."""

    def __init__(self) -> None:
        self._pricing: Pricing | None = None
        self._ends: Ends | None = None
        self._cases: tuple[Case, ...] | None = None
        self._pricings: dict[Quantities, Pricing] = {}
        self._last: Study | None = None
        #: The configurations of the trail, by the id of their inputs.
        self._complete: dict[int, tuple[Inputs, Pinned | None]] = {}

    def of(self, state: EstimatorState, price: Price | None = None, *, throwaway: bool = False) -> Study | None:
        """The study of a state and a price of credits; for invalid quantities, the last one. None without rates."""
        rates, quantities = state.rates, _quantities(state)
        if rates is None:
            return None
        if quantities is None:
            return self._last
        pricing = self._priced(state, rates.card, quantities)
        configuration = configuration_of(state, rates)
        written, given = state.written(throwaway=throwaway)
        self._last = Study(
            rates=rates,
            pricing=pricing,
            configuration=configuration,
            discovery=state.discovery,
            asked=state.constraints,
            pinned=state.pinned,
            baseline=state.baseline,
            pricings=self._of_pinned(state.pinned, rates.card),
            price=price,
            trail=tuple(self._trail(state)) if state.view == "trail" else (),
            scenario=state.scenario,
            ends=self._ends,
            written=written,
            given=given,
        )
        return self._last

    def _priced(self, state: EstimatorState, card: RateCard, quantities: Quantities) -> Pricing:
        """The prices for the typical quantities, and the ends of their ranges; those of before if still valid."""
        pricing, cases = self._pricing, state.cases() if state.mixed else None
        if pricing is not None and (pricing.card, pricing.quantities, self._cases) == (card, quantities, cases):
            return pricing
        self._cases, self._ends = cases, None
        if cases is None:
            self._pricing = Pricing(card, quantities)
            return self._pricing
        from chartui.core.estimation.mix import ends_of, pricing_of

        default = quantities._replace(
            **{
                name: value if isinstance(value := state.service_default(name), Decimal) else card.assumptions[member]
                for name, member in zip(Quantities._fields, QUANTITIES, strict=True)
            }
        )
        self._pricing = pricing_of(card, [(case.weight, case.quantities(default)) for case in cases])
        self._ends = ends_of(card, cases, default)
        return self._pricing

    def _trail(self, state: EstimatorState) -> Iterator[Visited]:
        """The configurations of this session; different inputs may be the same one."""
        last, seen = self._last, set[Pinned]()
        if last is None or last.rates is not state.rates or last.discovery is not state.discovery:
            self._complete.clear()
        for place, (inputs, before, at) in enumerate(state.trail):
            made = self._completed(inputs, state)
            if made is not None and made not in seen:
                seen.add(made)
                yield Visited(made, self._completed(before, state) if before is not None else None, at, place)

    def _completed(self, inputs: Inputs, state: EstimatorState) -> Pinned | None:
        known = self._complete.get(id(inputs))
        if known is None:
            made = pinned_as("", replace(state, chosen=inputs.chosen, typed=inputs.typed, scenario=inputs.scenario))
            known = self._complete[id(inputs)] = (inputs, made)
        return known[1]

    def _of_pinned(self, pinned: tuple[Pinned, ...], card: RateCard) -> Mapping[Quantities, Pricing]:
        known = {q: p for q, p in self._pricings.items() if p.card is card}
        self._pricings = {one.quantities: known.get(one.quantities) or Pricing(card, one.quantities) for one in pinned}
        return self._pricings


def pinned_as(name: str, state: EstimatorState) -> Pinned | None:
    """The complete inputs of a state, under a name; None without rates or for an invalid quantity."""
    rates, quantities = state.rates, _quantities(state)
    if rates is None or quantities is None:
        return None
    return Pinned(name, configuration_of(state, rates), quantities)


def configuration_of(state: EstimatorState, rates: Rates) -> Configuration:
    """The current selections, complete; those neither chosen nor reported take the card's defaults."""
    chosen = (state.value(name) for name in Configuration._fields)
    given = {n: v for n, v in zip(Configuration._fields, chosen, strict=True) if isinstance(v, str | bool)}
    return Configuration.default(rates.card)._replace(**given)  # type: ignore[arg-type]


def _quantities(state: EstimatorState) -> Quantities | None:
    """The current quantities, complete; None while one of them is invalid."""
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


class Against(NamedTuple):
    """The difference of the current inputs from the baseline of this name, in credits and percent.

    ``difference`` is None if either price is unknown, ``percent`` also if the baseline costs nothing. ``size``
    names the baseline's input tokens, or says that its other quantities differ; empty if all are the same.
    """

    name: str
    difference: Decimal | None
    percent: Decimal | None
    size: str = ""

    @property
    def texts(self) -> tuple[str, str, str]:
        """For display, the longest first: ``+1.204 (+13%) vs. “baseline”, 4 000 tokens``, ``+1.204 (+13%) vs. pin,
        4 000 tokens``, ``+1.204 vs. 4 000 tokens``. For the same size: ``… vs. “baseline”``, ``… vs. pin``.
        """
        return self._said(f"“{single_line(self.name, limit=40)}”"), self._said("pin"), self._short

    def text(self, room: int, *, least: int) -> str:
        """The longest text in at most ``room`` cells, with the beginning of the name if that has ``least`` cells."""
        named, pin, short = self.texts
        if cell_width(named) <= room:
            return named
        left = room - cell_width(self._said("“”"))
        if left >= least:
            return self._said(f"“{cut(single_line(self.name, limit=40), left)}”")
        return pin if cell_width(pin) <= room else short

    def _said(self, other: str) -> str:
        percent = f" ({percent_text(self.percent)})" if self.percent is not None else ""
        return f"{self._amount}{percent} vs. {other}{self.size and f', {self.size}'}"

    @property
    def _short(self) -> str:
        return f"{self._amount} vs. {self.size or 'pin'}"

    @property
    def _amount(self) -> str:
        return "unknown" if self.difference is None else signed_text(self.difference)


def against(study: Study) -> Against | None:
    """The current total compared with the baseline's; None without pins."""
    base = study.base
    if base is None:
        return None
    there, here = study.pricing_of(base).credits(base.configuration), study.pricing.credits(study.configuration)
    size, quantities = "", study.quantities_of(base)
    if quantities.input_tokens != study.quantities.input_tokens:
        size = f"{count(quantities.input_tokens)} tokens"
    elif quantities != study.quantities:
        size = "other quantities"
    if there is None or here is None:
        return Against(base.name, None, None, size)
    return Against(base.name, credits_difference(here, there), (here - there) * 100 / there if there else None, size)
