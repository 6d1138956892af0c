"""Calculate the cost of a character in a file, and the effect of a push on the cost of the stored character."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.bundle.merge import settings_wanted
from chartui.core.change_costs import ChangePrices
from chartui.core.character import Reading, models_of, with_objective
from chartui.core.costs import Basis, affects_price, facts_of, facts_with
from chartui.core.estimation.character_cost import CharacterCost
from chartui.core.estimation.character_map import map_character
from chartui.core.plans.plan import CostEffect, cost_effects
from chartui.core.plans.settings import MEMBERS, as_text
from chartui.core.spec.errors import ServiceError

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle
    from chartui.core.bundle.push import PushPlan
    from chartui.core.estimation.character_map import Facts
    from chartui.core.service import Service

_NEW: Final = "The character does not exist yet."
#: The cost of a character before and after a change.
Costs = tuple[CharacterCost, CharacterCost]


def reading_of(bundle: Bundle) -> Reading:
    """Return a character as described by its file.

    Settings are missing if they could not be read when the file was written.
    """
    now = {member: bundle.settings.get(member) for member in MEMBERS if member not in bundle.unread}
    record: dict[str, Any] = {"character_name": bundle.name, "is_narrative_driven": bundle.story.enabled}
    if bundle.actions is not None:
        record["character_actions"] = list(bundle.actions)
    longest = max((len(section.objective or "") for section in bundle.story.sections.values()), default=0)
    return Reading(record, None, now, {}, objective=longest)


async def diff_effects(service: Service, bundle: Bundle, reading: Reading, basis: Basis) -> tuple[CostEffect, ...]:
    """Return the effect of the settings in a file on credits and latency.

    The result is empty if the settings do not affect the price. If the service cannot be reached, the amounts are
    unknown, and the error message is given as the reason.
    """
    wanted, *_ = settings_wanted(bundle, reading, prune=False)
    changes = {member: as_text(member, value) for member, value in wanted.items()}
    return _effects(await _costs(service, reading, changes, basis)) if affects_price(changes) else ()


async def push_with_costs(
    service: Service, push: PushPlan, basis: Basis, *, always: bool = False
) -> tuple[PushPlan, Costs | None]:
    """Add the effect on credits and latency to a push. Return the push, and the cost before and after the push.

    If the push does not affect the price, it is returned unchanged, and the costs are None unless ``always`` is set.
    Failures are handled as in :func:`diff_effects`.
    """
    steps = list(push.plan.steps)
    number = next((n for n, step in enumerate(steps) if step.operation == "update-character"), None)
    payload: Mapping[str, Any] = {} if number is None else steps[number].payload
    changes = {member: as_text(member, payload[member]) for member in MEMBERS if member in payload}
    if not (always or affects_price(changes)):
        return push, None
    now, later = await _costs(service, push.reading, changes, basis)
    if push.character_id is None:
        now = CharacterCost(now.mapped._replace(unknown=_NEW))
    if number is not None and affects_price(changes):
        steps[number] = replace(steps[number], effects=_effects((now, later)))
        push = replace(push, plan=replace(push.plan, steps=tuple(steps)))
    return push, (now, later)


def _effects(costs: Costs) -> tuple[CostEffect, ...]:
    now, later = ((cost.mapped.configurations, cost.credits, cost.latency, cost.unknown) for cost in costs)
    return () if now == later and not costs[1].unknown else cost_effects(*costs)


async def _costs(service: Service, reading: Reading, changes: Mapping[str, str], basis: Basis) -> Costs:
    models = await models_of(service, str(reading.record.get("character_id")))
    if reading.objective is None:
        reading = await with_objective(service, reading)
    try:
        return await ChangePrices(service, models, basis).of(reading, changes)
    except ServiceError as error:
        now = facts_of(reading, models, basis.scenes)
        return _unknown(now, basis, error), _unknown(facts_with(now, changes, models), basis, error)


def _unknown(facts: Facts, basis: Basis, error: ServiceError) -> CharacterCost:
    return CharacterCost(map_character(facts, basis.inputs, basis.pins)._replace(unknown=error.message))
