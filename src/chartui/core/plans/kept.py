"""Read the plans stored in the journal, and their progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.journal import Entry, Journal, KeptPlan
from chartui.core.plans.plan import BadPlan, Plan, from_wire
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

#: A number greater than the number of entries of any plan.
_MANY: Final = 1_000_000


async def kept_plan(journal: Journal, place: Place, plan_id: str) -> KeptPlan:
    """Return a stored plan.

    ``place`` identifies the service or store that the plan must belong to. Raises :class:`ServiceError` if the plan is
    missing (``not_found``) or belongs to another service or store (``not_available``).
    """
    kept = await journal.plan(plan_id)
    if kept is None:
        raise ServiceError(ErrorKind.NOT_FOUND, f"There is no plan '{plan_id}'. Nothing was sent.", sent="no")
    if kept.place != place:
        where = f"profile '{kept.place.profile}' ({kept.place.base})"
        raise ServiceError(ErrorKind.NOT_AVAILABLE, f"This plan is for {where}. Nothing was sent.")
    return kept


def plan_of(kept: KeptPlan) -> Plan:
    """Return the plan described by a stored document.

    Raises :class:`ServiceError` (kind ``broken``) if the document is invalid.
    """
    try:
        return from_wire(kept.plan)
    except BadPlan as error:
        raise ServiceError(ErrorKind.BROKEN, f"{error} Nothing was sent.", sent="no") from None


async def last_tries(journal: Journal, plan_id: str) -> Mapping[int, Entry]:
    """Return a mapping from a plan's step numbers to the last journal entry of each step.

    A step that was never sent, for example because no change was needed, has no entry.
    """
    entries = await journal.entries(plan_id=plan_id, limit=_MANY)
    return {entry.step: entry for entry in reversed(entries) if entry.step is not None}
