"""Estimate the cost of a character on its service. Each configuration that the character may have gets a price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chartui.core.characters.reasoning import CLEAR, after_model_change
from chartui.core.estimation.card import QUANTITIES, RateCard
from chartui.core.estimation.character_cost import (
    CharacterCost,
    CharacterMap,
    Facts,
    Inputs,
    Priced,
    Source,
    map_character,
    price_in_short,
)
from chartui.core.estimation.pins import Pins
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.plans.settings import MODEL, REASONING
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions, Estimate, LatencyRange, Selections, Totals

if TYPE_CHECKING:
    from chartui.core.character import Reading
    from chartui.core.characters.models import Models
    from chartui.core.estimation.mix import Case, MixEstimate
    from chartui.core.journal import Journal
    from chartui.core.plans.bulk import Bulk
    from chartui.core.plans.plan import Plan
    from chartui.core.profiles import Place
    from chartui.core.service import Service
    from chartui.core.spec.catalogue import ReasoningLevels

#: The settings that the price depends on.
_PRICED: Final = frozenset({MODEL, REASONING})
#: Number of characters to process before other tasks get a turn, since processing thousands takes a while.
_SLICE: Final = 100
_NO_TOTAL: Final = "The service's estimate has no readable total."
#: The default quantities of a single kind of interaction.
_DEFAULT: Final = ((Decimal(1), Assumptions()),)
#: Earlier estimates of a service, by configuration and quantities.
Remembered = MutableMapping[tuple[Selections, Assumptions], Estimate]


def affects_price(members: Iterable[str]) -> bool:
    """Return whether any of these settings affects the price of a character."""
    return not _PRICED.isdisjoint(members)


class Basis(NamedTuple):
    """The inputs of a price that are not in the character's record: pinned prices, missing values, and quantities.

    ``cases`` are the kinds of interaction of a scenario, and the price is the mean of their prices. If there are no
    cases, the price is that of an interaction with the quantities in ``assumptions``.
    """

    pins: Pins
    inputs: Inputs = Inputs()
    assumptions: Assumptions = Assumptions()
    cases: tuple[Case, ...] = ()

    @property
    def weighted(self) -> tuple[tuple[Decimal, Assumptions], ...]:
        """The typical quantities of each kind of interaction, with the weight of each kind."""
        return tuple((case.weight, case.assumptions()) for case in self.cases) or ((Decimal(1), self.assumptions),)

    @property
    def words(self) -> str:
        """A phrase for the origin of the inputs, such as ``with default inputs``."""
        own = self.inputs.given or self.inputs.chosen.keys() - {"llm"} or self.weighted != _DEFAULT
        whose = "the estimator's" if self.inputs.chosen_from is Source.FORM else "your"
        return f"with {whose if own else 'default'} inputs"


def facts_of(reading: Reading, models: Models) -> Facts:
    """Return the facts about a character that determine its price (decisions 25 and 63)."""
    code, code_from = _known(MODEL, reading)
    level, level_from = _known(REASONING, reading)
    memory: Any = reading.record.get("memory_settings")
    enabled = memory.get("enabled") if isinstance(memory, Mapping) else None
    voice = reading.record.get("voice_type")
    facts = Facts(
        code=code,
        code_from=code_from or Source.RECORD,
        level=level,
        level_from=level_from,
        levels=_levels(code, models),
        sure=models.sure,
        memory=enabled if isinstance(enabled, bool) else None,
        voice=voice if isinstance(voice, str) and voice else None,
    )
    if level_from is Source.KNOWN_HERE and facts.levels is not None:
        # The model may have changed since the level was written, which resets a level that the new model does not
        # support (decision 22).
        return facts._replace(level=after_model_change(level, facts.levels))
    return facts


def _known(member: str, reading: Reading) -> tuple[str | None, Source | None]:
    """Return a setting and its source. The source is None if the setting is unknown."""
    if member in reading.now:
        value, source = reading.now[member], Source.RECORD
    elif member in reading.known_here:
        value, source = reading.known_here[member].value, Source.KNOWN_HERE
    else:
        return None, None
    return (value if isinstance(value, str) and value != CLEAR else None), source


def _levels(code: str | None, models: Models) -> ReasoningLevels | None:
    model = models.get(code)
    return model.reasoning if model is not None else None


def facts_with(facts: Facts, changes: Mapping[str, str], models: Models) -> Facts:
    """Return the facts about a character after ``changes`` are applied.

    ``changes`` is described in :class:`~chartui.core.plans.settings.Staged`. A reasoning level that is not staged
    changes with the model (decision 22).
    """
    if MODEL in changes:
        code = changes[MODEL]
        facts = facts._replace(code=code, code_from=Source.STAGED, levels=_levels(code, models))
    if REASONING in changes:
        return facts._replace(level=changes[REASONING] or None, level_from=Source.STAGED)
    if MODEL in changes and facts.level_from is not None and facts.levels is not None:
        return facts._replace(level=after_model_change(facts.level, facts.levels))
    return facts


def pricing_for(card: RateCard, assumptions: Assumptions) -> Pricing:
    """Return the prices of a card's options for the given quantities (default: the quantities of the card)."""
    default = Quantities.default(card)
    given = {name: value for name in Quantities._fields if (value := getattr(assumptions, name)) is not None}
    return Pricing(card, default._replace(**given))


def basis_pricing(card: RateCard, basis: Basis) -> Pricing:
    """Return the prices of a card's options for the quantities of ``basis``."""
    if not basis.cases:
        return pricing_for(card, basis.assumptions)
    from chartui.core.estimation.mix import pricing_of

    default = Quantities.default(card)
    return pricing_of(card, [(case.weight, case.quantities(default)) for case in basis.cases])


def reckon(facts: Facts, basis: Basis, pricing: Pricing) -> CharacterCost:
    """Return the cost of each possible configuration of a character at the rates of ``pricing``.

    ``basis`` provides the quantities. Options without rates have no price.
    """
    mapped = map_character(facts, basis.inputs, basis.pins)
    return CharacterCost(mapped, tuple(_priced(mapped, pricing)), basis.words)


def _priced(mapped: CharacterMap, pricing: Pricing) -> Iterator[Priced]:
    default = Configuration.default(pricing.card)
    for configuration in mapped.configurations:
        whole = default._replace(**configuration)  # type: ignore[arg-type]
        amount, latency = pricing.credits(whole), pricing.latency(whole)
        if amount is None:
            yield Priced(whole.llm, None, f"The rate card lacks '{whole.llm}' or an option used with it.")
            continue
        ends = None if latency is None else LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1]))
        yield Priced(whole.llm, Estimate(totals=Totals(credits=amount), lines=(), latency_ms=ends))


def model_costs(
    codes: Iterable[str],
    models: Models,
    facts: Facts,
    changes: Mapping[str, str],
    *,
    basis: Basis,
    card: RateCard,
) -> Mapping[str, CharacterCost]:
    """Return the cost of a character for each of several models, at the rates on this machine.

    ``changes`` contains the staged changes to other settings. A staged level that a model does not support is ignored.
    """
    found, pricing = {}, basis_pricing(card, basis)
    for code in codes:
        model, wanted = models.get(code), {**changes, MODEL: code}
        if model is not None and wanted.get(REASONING, CLEAR) not in (CLEAR, *model.reasoning.accepted):
            del wanted[REASONING]
        found[code] = reckon(facts_with(facts, wanted, models), basis, pricing)
    return found


async def price(service: Service, facts: Facts, basis: Basis, remembered: Remembered | None = None) -> CharacterCost:
    """Request the price of each possible configuration of a character from the service, one after the other.

    Answers in ``remembered`` are not requested again. An option that the service refuses gets no price. Other failures,
    such as an invalid quantity, raise :class:`ServiceError`.
    """
    from chartui.core.estimation.mix import mixed_estimate

    mapped = map_character(facts, basis.inputs, basis.pins)
    known: Remembered = remembered if remembered is not None else {}
    priced = []
    for configuration in mapped.configurations:
        selections = Selections(**configuration)  # type: ignore[arg-type]
        llm = selections.llm
        try:
            for _, assumptions in basis.weighted:
                if (selections, assumptions) not in known:
                    known[selections, assumptions] = await service.estimate(selections, assumptions)
            estimate = mixed_estimate([(weight, known[selections, each]) for weight, each in basis.weighted])
        except ServiceError as error:
            if error.kind is not ErrorKind.INVALID or error.member in QUANTITIES:
                raise
            priced.append(Priced(llm, None, error.message))
        else:
            known_price = estimate.credits is not None
            priced.append(Priced(llm, estimate) if known_price else Priced(llm, None, _NO_TOTAL))
    return CharacterCost(mapped, tuple(priced), basis.words)


async def estimate_mix(service: Service, selections: Selections, cases: Sequence[Case]) -> MixEstimate:
    """Request estimates for the lowest, typical and highest quantities of each kind of interaction.

    Raises :class:`ServiceError`.
    """
    from chartui.core.estimation.mix import ENDS, MixEstimate

    known: dict[Assumptions, Estimate] = {}
    for assumptions in (case.assumptions(end) for case in cases for end in ENDS):
        if assumptions not in known:
            known[assumptions] = await service.estimate(selections, assumptions)
    return MixEstimate(tuple(cases), *(tuple(known[case.assumptions(end)] for case in cases) for end in ENDS))


class ChangePrices:
    """Calculates the prices of characters before and after a change of settings.

    Each configuration is requested from the service only once.
    """

    def __init__(self, service: Service, models: Models, basis: Basis) -> None:
        self._service = service
        self._models = models
        self._basis = basis
        self._answers: Remembered = {}
        self._found: dict[Facts, CharacterCost] = {}

    async def of(self, reading: Reading, changes: Mapping[str, str]) -> tuple[CharacterCost, CharacterCost]:
        """Return the cost of a character before and after the changes. Raises :class:`ServiceError`."""
        now = facts_of(reading, self._models)
        return await self._price(now), await self._price(facts_with(now, changes, self._models))

    async def _price(self, facts: Facts) -> CharacterCost:
        if facts not in self._found:
            self._found[facts] = await price(self._service, facts, self._basis, self._answers)
        return self._found[facts]


async def price_told(service: Service, reading: Reading, basis: Basis) -> str:
    """Return a sentence with the price of an interaction with a character."""
    from chartui.core.character import models_of

    try:
        models = await models_of(service, str(reading.record.get("character_id")))
        cost = await price(service, facts_of(reading, models), basis)
    except ServiceError as error:
        return f"Unknown: {error.message}"
    return price_in_short(cost)


async def bulk_with_costs(service: Service, bulk: Bulk, models: Models, basis: Basis) -> Plan:
    """Return the plan of a bulk change, with its effect on credits and latency added as in :func:`plan_with_costs`."""
    from chartui.core.character import Reading

    each = [(Reading(p.record, None, p.settings, p.known_here), staged.changes) for p, staged in bulk.changed]
    return await plan_with_costs(service, bulk.plan, each, models, basis)


async def undo_with_costs(service: Service, journal: Journal, place: Place, plan: Plan, basis: Basis) -> Plan:
    """Return an undo plan, with its effect on credits and latency added as in :func:`plan_with_costs`.

    If the plan changes anything but settings, or if a character cannot be read, the plan is returned unchanged.
    """
    from chartui.core.character import models_of, read_character

    priced = any(_PRICED & step.payload.keys() for step in plan.steps)
    if not priced or any(step.operation != "update-character" for step in plan.steps):
        return plan
    each = []
    for step in plan.steps:
        changes = {member: str(step.payload[member] or CLEAR) for member in _PRICED if member in step.payload}
        try:
            reading = await read_character(service, journal, place, str(step.payload["charID"]))
        except ServiceError:
            reading = None
        if reading is None:  # The review reports the error.
            return plan
        each.append((reading, changes))
    models = await models_of(service, str(plan.steps[0].payload["charID"]))
    return await plan_with_costs(service, plan, each, models, basis)


async def plan_with_costs(
    service: Service, plan: Plan, each: Sequence[tuple[Reading, Mapping[str, str]]], models: Models, basis: Basis
) -> Plan:
    """Return a plan with its effect on credits and latency added.

    ``each`` contains the character and the changes for each step. A plan that does not affect the price is returned
    unchanged. If the service cannot be reached, a note says so.
    """
    import asyncio

    from chartui.core.plans.bulk import with_costs

    prices = ChangePrices(service, models, basis)
    costs = []
    if not any(_PRICED & changes.keys() for _, changes in each):
        return plan
    try:
        for number, (reading, changes) in enumerate(each):
            if number % _SLICE == 0:
                await asyncio.sleep(0)
            costs.append(await prices.of(reading, changes))
    except ServiceError as error:
        note = f"The new cost per interaction is unknown: {error.message}"
        return replace(plan, notes=(*plan.notes, note))
    return await asyncio.to_thread(with_costs, plan, costs)
