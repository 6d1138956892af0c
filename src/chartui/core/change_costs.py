"""Costs of characters before and after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chartui.core.character import Reading, models_of, read_character, with_objective
from chartui.core.characters.comparison import Figure, Held
from chartui.core.costs import PRICED, Basis, Remembered, facts_of, facts_with, price
from chartui.core.estimation.character_cost import CharacterCost, amount_in_short, latency_in_short, price_in_short
from chartui.core.estimation.character_map import Facts
from chartui.core.spec.errors import ServiceError

if TYPE_CHECKING:
    from chartui.core.characters.models import Models
    from chartui.core.journal import Journal
    from chartui.core.plans.bulk import Bulk
    from chartui.core.plans.plan import Plan
    from chartui.core.profiles import Place
    from chartui.core.service import Service

#: Number of characters to process before other tasks get a turn.
_SLICE: Final = 100
#: The most characters whose prices are requested with their own input tokens. For more, the prompt line is scaled, so
#: that a service gets one request per configuration.
_MOST_ASKED: Final = 20


class ChangePrices:
    """Computes the prices of characters before and after a change of settings.

    The price of each configuration is requested only once. ``scaled`` is described in :func:`price`.
    """

    def __init__(self, service: Service, models: Models, basis: Basis, *, scaled: bool = False) -> None:
        self._service = service
        self._models = models
        self._basis = basis
        self._scaled = scaled
        self._answers: Remembered = {}
        self._found: dict[Facts, CharacterCost] = {}

    async def of(self, reading: Reading, changes: Mapping[str, str]) -> tuple[CharacterCost, CharacterCost]:
        """Return a character's cost before and after the changes.

        Raises :class:`ServiceError` if a request to the service fails.
        """
        now = facts_of(reading, self._models, self._basis.scenes)
        return await self._price(now), await self._price(facts_with(now, changes, self._models))

    async def _price(self, facts: Facts) -> CharacterCost:
        if facts not in self._found:
            self._found[facts] = await price(self._service, facts, self._basis, self._answers, scaled=self._scaled)
        return self._found[facts]


async def cost_of(service: Service, reading: Reading, basis: Basis) -> CharacterCost:
    """Request the cost of a character with the stored settings.

    Raises :class:`ServiceError` if a request to the service fails.
    """
    models = await models_of(service, str(reading.record.get("character_id")))
    reading = await with_objective(service, reading)
    return await price(service, facts_of(reading, models, basis.scenes), basis)


async def figures_of(service: Service, reading: Reading, basis: Basis) -> tuple[Figure, ...]:
    """Return the credits, latency and input tokens of a character for a comparison, or say why they are unknown."""
    unknown = Held("unknown", known=False)
    latency = tokens = unknown
    try:
        cost = await cost_of(service, reading, basis)
    except ServiceError as error:
        credits_ = Held(f"Unknown: {error.message}", known=False)
    else:
        span, times, number = cost.credits, cost.latency, cost.input_tokens
        unpriced = Held(f"Unknown: {cost.unknown}", known=False)
        credits_ = unpriced if span is None else Held(amount_in_short(cost), span._asdict())
        latency = unknown if times is None else Held(latency_in_short(cost), times._asdict())
        tokens = unknown if number is None else Held(cost.tokens_in_short, number)
    return (
        Figure("Credits", "cost.credits", credits_),
        Figure("End to end", "cost.latency_ms", latency),
        Figure("Input tokens", "cost.input_tokens", tokens),
    )


async def price_told(service: Service, reading: Reading, basis: Basis) -> str:
    """Return a sentence that states the price of an interaction."""
    try:
        return price_in_short(await cost_of(service, reading, basis))
    except ServiceError as error:
        return f"Unknown: {error.message}"


async def bulk_with_costs(service: Service, bulk: Bulk, models: Models, basis: Basis) -> Plan:
    """Return the plan of a bulk change with its effect on credits and latency added, as in :func:`plan_with_costs`."""
    each = [(Reading(p.record, None, p.settings, p.known_here), staged.changes) for p, staged in bulk.changed]
    return await plan_with_costs(service, bulk.plan, each, models, basis)


async def undo_with_costs(service: Service, journal: Journal, place: Place, plan: Plan, basis: Basis) -> Plan:
    """Return an undo plan, with its effect on credits and latency added as in :func:`plan_with_costs`.

    If the plan changes anything but settings, or if a character cannot be read, the plan is returned unchanged.
    """
    priced = any(PRICED & step.payload.keys() for step in plan.steps)
    if not priced or any(step.operation != "update-character" for step in plan.steps):
        return plan
    each = []
    for step in plan.steps:
        changes = {member: str(step.payload[member] or "") for member in PRICED if member in step.payload}
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

    ``each`` contains, for each step, the character and the changes to its settings. A plan that does not affect the
    price is returned unchanged. If the service cannot be reached, a note in the plan says so.
    """
    import asyncio

    from chartui.core.plans.bulk import with_costs

    if not any(PRICED & changes.keys() for _, changes in each):
        return plan
    prices = ChangePrices(service, models, basis, scaled=len(each) > _MOST_ASKED)
    costs = []
    try:
        objectives = await _objectives(service, [reading for reading, _ in each])
        for number, (reading, changes) in enumerate(each):
            if number % _SLICE == 0:
                await asyncio.sleep(0)
            costs.append(await prices.of(reading._replace(objective=objectives[number]), changes))
    except ServiceError as error:
        note = f"The new cost per interaction is unknown: {error.message}"
        return replace(plan, notes=(*plan.notes, note))
    return await asyncio.to_thread(with_costs, plan, costs)


async def _objectives(service: Service, readings: Sequence[Reading]) -> Sequence[int | None]:
    """Return the length of the longest objective of each character, or None where it is not read.

    A service returns one graph per request, so those of many characters are not read from it.
    """
    if service.embedded and len(readings) > 1:
        found = {one.character_id: one.objective for one in await service.measures()}
        return [found.get(str(reading.record.get("character_id"))) for reading in readings]
    if len(readings) > _MOST_ASKED:
        return [None] * len(readings)
    return [(await with_objective(service, reading)).objective for reading in readings]
