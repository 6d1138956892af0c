"""What stands in the way of a push: changes by others (decision 37), and earlier pushes that were interrupted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from chartui.core.bundle.model import MEMBERS, key_of, seen_section, seen_trigger
from chartui.core.bundle.present import seen_character
from chartui.core.journal import Outcome, PlanState
from chartui.core.narrative.story import differing_members
from chartui.core.plans.history import look_at
from chartui.core.plans.reads import Reads
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.bundle.merge import Wanted
    from chartui.core.bundle.model import Bundle, Identity
    from chartui.core.bundle.present import Present
    from chartui.core.journal import Entry, KeptPlan
    from chartui.core.session import Session

#: Which operation changes a member of the character itself; those that are not here are settings.
_OPERATION_OF: Final[Mapping[str, str]] = {
    "name": "rename-character",
    "narrative": "toggle-narrative",
    "start": "set-start-section",
}
_CALLED: Final[Mapping[str, str]] = {
    "narrative": "The switch of the story",
    "start": "The start of the story",
    "reasoning_effort": "The reasoning level",
}


def conflicts(
    bundle: Bundle, present: Present, aim: Wanted, settings: Collection[str], touched: Collection[str]
) -> Iterator[str]:
    """What would be overwritten, in sentences; ``settings`` are those that the push changes.

    ``touched`` holds the ids and operations of what was changed from here by an earlier push that is not finished.
    """
    held = bundle.ids.get(present.key)
    if held is None:
        return
    changing = {name for name, member in MEMBERS.items() if member in settings}
    if bundle.name is not None and bundle.name != present.reading.record.get("character_name"):
        changing.add("name")
    if aim.story.enabled is not present.story.enabled:
        changing.add("narrative")
    if aim.story.start != present.story.start:
        changing.add("start")
    for name, now in seen_character(present.reading, present.story):
        operation = _OPERATION_OF.get(name, "update-character")
        if name in changing and held.seen.get(name, now) != now and operation not in touched:
            yield _sentence(_CALLED.get(name, f"The {name}"))
    for slug, item_id in aim.ids.sections.items():
        section, wanted = present.story.sections.get(item_id), aim.story.sections[item_id]
        now = seen_section(section) if section is not None else ""
        if differing_members(section, wanted) and _stale(held.sections.get(slug), now, touched):
            yield _sentence(f"Section “{single_line(wanted.section_name or slug, limit=60)}”", gone=section is None)
    for slug, item_id in aim.ids.triggers.items():
        trigger, event = present.story.triggers.get(item_id), aim.story.triggers[item_id]
        now = seen_trigger(trigger) if trigger is not None else ""
        if differing_members(trigger, event) and _stale(held.triggers.get(slug), now, touched):
            yield _sentence(f"Trigger “{single_line(event.trigger_name or slug, limit=60)}”", gone=trigger is None)


def _stale(known: Identity | None, now: str, touched: Collection[str]) -> bool:
    """Whether something is not what it was; what is gone is not what it was either."""
    return known is not None and known.seen not in ("", now) and known.id not in touched


def _sentence(what: str, *, gone: bool = False) -> str:
    return f"{what} was {'removed' if gone else 'changed'} there since the file was last pulled or pushed."


# -- pushes that were interrupted -------------------------------------------------------------------------------------


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
    if entry.operation in ("update-character", *_OPERATION_OF.values()):
        yield entry.operation
