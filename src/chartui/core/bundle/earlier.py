"""What earlier pushes have left behind that were interrupted: a push that is done again does what is left of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from chartui.core.bundle.conflicts import OPERATION_OF
from chartui.core.bundle.model import key_of
from chartui.core.journal import Outcome, PlanState
from chartui.core.plans.history import look_at
from chartui.core.plans.reads import Reads
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle
    from chartui.core.journal import Entry, KeptPlan
    from chartui.core.session import Session

__all__ = ["TITLE", "made_before", "touched", "unfinished"]

#: What the title of every push begins with.
TITLE: Final = "Push "
_UNFINISHED: Final = (PlanState.RUNNING, PlanState.STOPPED, PlanState.CANCELLED)
_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)
_ALL: Final = 1_000_000


async def made_before(session: Session, bundle: Bundle) -> str | None:
    """The character that a push of the file has made that was interrupted before the file could say so, else None.

    Where it is not known whether it was made, that is looked at. Raises :class:`ServiceError`.
    """
    held = bundle.ids.get(key_of(session.profile.name, ""))
    if held is None or held.plan is None:
        return None
    making = await _first_step(session, held.plan)
    if making is not None and making.outcome in _IN_DOUBT:
        await look_at(Reads(session.service), session.journal, making)
        making = await _first_step(session, held.plan)
    answer: Any = making.answer if making is not None and making.outcome is Outcome.DONE else None
    if not isinstance(answer, Mapping) or not isinstance(answer.get("character_id"), str):
        return None
    character_id: str = answer["character_id"]
    try:
        return character_id if await session.service.character(character_id) is not None else None
    except ServiceError as error:
        if error.kind is not ErrorKind.NOT_FOUND:
            raise
        return None  # somebody removed it since


async def _first_step(session: Session, plan_id: str) -> Entry | None:
    entries = await session.journal.entries(session.profile.place, plan_id=plan_id, limit=_ALL)
    return next((entry for entry in entries if entry.step == 0), None)


async def unfinished(session: Session, bundle: Bundle, character_id: str) -> tuple[str, ...]:
    """The plans of pushes to the character that did not come to their end, and that nobody carries out."""
    kept = await session.journal.plans(session.profile.place, states=_UNFINISHED)
    pushes = [plan for plan in kept if plan.title.startswith(TITLE) and not plan.alive]
    if not pushes:
        return ()
    held = bundle.ids.get(key_of(session.profile.name, ""))
    concerned = {held.plan if held is not None else None}
    ids = [plan.id for plan in pushes]
    for entry in await session.journal.entries(session.profile.place, plan_id=ids, limit=_ALL):
        if entry.character_id == character_id:
            concerned.add(entry.plan_id)
    return tuple(plan.id for plan in pushes if plan.id in concerned or _is_about(plan, character_id))


def _is_about(plan: KeptPlan, character_id: str) -> bool:
    """Whether the first step of a plan is of a character: one that was stopped before it left no entry."""
    steps = plan.plan.get("steps") if isinstance(plan.plan, Mapping) else None
    first = steps[0] if isinstance(steps, list) and steps else None
    payload = first.get("payload") if isinstance(first, Mapping) else None
    return isinstance(payload, Mapping) and character_id in (payload.get("charID"), payload.get("character_id"))


async def touched(session: Session, plan_ids: Sequence[str]) -> frozenset[str]:
    """The ids of what plans may have changed, and the operations on the character itself; what is in doubt of their
    steps is looked at, and written down.

    Raises :class:`ServiceError`.
    """
    if not plan_ids:
        return frozenset()
    found: set[str] = set()
    reads = Reads(session.service)
    for entry in await session.journal.entries(session.profile.place, plan_id=plan_ids, limit=_ALL):
        if entry.outcome in _IN_DOUBT:
            await look_at(reads, session.journal, entry)
        found.update(_addresses(entry))
    return frozenset(found)


def _addresses(entry: Entry) -> Iterator[str]:
    for member in ("section_id", "trigger_id"):
        value = entry.payload.get(member)
        if isinstance(value, str):
            yield value
    if entry.operation in ("update-character", *OPERATION_OF.values()):
        yield entry.operation
