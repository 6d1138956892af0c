"""What staged settings do to the cost of an interaction, asked before they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chartui.core.character import Reading
from chartui.core.costs import Remembered, facts_of, facts_with, price
from chartui.core.estimation.character_cost import map_character
from chartui.core.estimation.pins import load_pins
from chartui.core.plans.plan import CREDITS, Consequence, cost_consequences
from chartui.core.plans.settings import MODEL, REASONING, Staged
from chartui.core.spec.errors import ServiceError
from chartui.tui.screens.estimator.character import assumptions_of, estimator_of, inputs_of

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

__all__ = ["foreseen"]


async def foreseen(
    app: ChartuiApp, shown: Shown, staged: Staged, record: Mapping[str, Wire]
) -> tuple[Consequence, ...]:
    """What the changes of ``staged`` do to credits and latency, with what the estimator holds for the rest.

    Nothing where they have no bearing on it. To be awaited in a worker.
    """
    if not {MODEL, REASONING} & staged.changes.keys():
        return ()
    now = facts_of(Reading(record, None, shown.now, shown.known_here), shown.models)
    later = facts_with(now, staged.changes, shown.models)
    service, estimator, pins = app.session.service.asking_as("characters"), estimator_of(app), load_pins()
    remembered: Remembered = {}
    costs = []
    try:
        for facts in (now, later):
            mapped = map_character(facts, inputs_of(estimator), pins)
            costs.append(await price(service, mapped, assumptions_of(estimator), remembered))
    except ServiceError as error:
        note = f"The service could not be asked: {error.message}"
        return (Consequence(label="per interaction", unit=CREDITS, before=None, after=None, note=note),)
    return cost_consequences(*costs)
