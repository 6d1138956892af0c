"""Add notes to plans that delete characters. The notes say that the characters' staged changes are kept."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chartui.core.numbers import count
from chartui.core.plans.plan import DELETION, Plan
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.drafts import Drafts
    from chartui.core.profiles import Place

#: The names under which drafts are saved, with what they are changes to.
_PARTS: Final = {"settings": "the settings", "narrative": "the story"}


async def noting_drafts(plan: Plan, saved: Drafts, place: Place) -> Plan:
    """Return the plan with a note for each kind of staged change to the characters that the plan deletes."""
    deleted = {step.payload["charID"]: step.subject for step in plan.steps if step.operation == DELETION}
    if not deleted:
        return plan
    drafts = []
    with suppress(ServiceError):  # reported when a draft is next read or saved
        drafts = [one for one in await saved.all(place) if one.character_id in deleted]
    notes = []
    for part, what in _PARTS.items():
        if names := sorted(deleted[one.character_id] for one in drafts if one.part == part):
            more = f" and {count(len(names) - 1)} more" if names[1:] else ""
            notes.append(
                f"Staged changes to {what} of {single_line(names[0], limit=30)}{more} will not be applied."
                " They are kept and come back if you undo the deletion."
            )
    return replace(plan, notes=(*plan.notes, *notes))
