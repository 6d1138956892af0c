"""Plan and check a push, which changes the character on a profile so that it matches a bundle file.

The plan is based on the current state, so a second push finds nothing to do. To complete an interrupted push, push
again. The second push uses names to recognize the sections and triggers that the first push created. Parts that the
file does not mention are deleted only on request. Anything that the profile cannot store is reported before anything is
sent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.bundle.difference import Difference, Verdict, differences
from chartui.core.bundle.merge import Settled, Wanted, settings_wanted, settle, wanted
from chartui.core.bundle.model import MEMBERS, Bundle, Identities, Identity, key_of, seen_section, seen_trigger
from chartui.core.bundle.present import (
    Matching,
    Present,
    identities_of,
    keep_scene,
    matching,
    present_of,
    seen_character,
)
from chartui.core.character import Reading, read_models
from chartui.core.characters.models import Models, from_catalogue, from_service
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.clock import random_ids
from chartui.core.journal import Entry, KeptPlan, Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.narrative.story import Story, differing_members
from chartui.core.narrative.story_import import refuse_incomplete
from chartui.core.plans.characters import create_character, needs_store, rename_character
from chartui.core.plans.history import look_at
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.plans.reads import Reads
from chartui.core.plans.story import story_steps, with_errors
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.core.session import Session

#: Placeholder in steps for the character that the first step creates.
_COMING: Final = "\0coming"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushPlan:
    """The plan of a push, and its effects.

    ``plan`` has no steps if everything matches the file. The notes of ``plan`` include the sentences in ``left_out``,
    ``unpruned``, ``notes`` and ``conflicts``. ``left_out`` lists the parts that the profile cannot store. ``unpruned``
    lists the parts that are not in the file but are kept on the profile. ``notes`` lists the values that cannot be
    verified. ``conflicts`` lists changes by others that the plan would overwrite. The user must agree to overwrite
    them before the plan runs.

    ``character_id`` is None if the plan creates the character. ``superseded`` lists the plans of earlier, unfinished
    pushes whose remaining steps are part of this plan. ``ids`` contains the profile's IDs, or placeholders for new
    sections and triggers. ``makes`` maps the number of each step that creates a section or trigger to the placeholder
    of that section or trigger. ``remaining`` lists the differences that will remain after the push. ``reading`` is the
    character as it was read from the profile.
    """

    bundle: Bundle
    plan: Plan
    reading: Reading
    character_id: str | None
    left_out: tuple[str, ...]
    unpruned: tuple[str, ...]
    notes: tuple[str, ...]
    conflicts: tuple[str, ...]
    superseded: tuple[str, ...]
    ids: Matching
    makes: Mapping[int, str]
    remaining: frozenset[tuple[str, str, str]]

    def pushed_to(self, progress: Progress | None) -> str | None:
        """Return the ID of the target character, or None if the character has not been created yet."""
        if self.character_id is not None or progress is None:
            return self.character_id
        answer: Any = progress.answers.get(0)
        return str(answer["character_id"]) if isinstance(answer, Mapping) and "character_id" in answer else None


async def push_plan(session: Session, bundle: Bundle, character_id: str | None, *, prune: bool = False) -> PushPlan:
    """Plan the changes that make a character match the bundle.

    If ``character_id`` is None, a character is created. Nothing is sent. If ``prune`` is true, parts that the bundle
    does not mention are deleted. Raises :class:`ServiceError` of kind ``not_found`` if the character does not exist, or
    of kind ``not_available`` if the profile cannot create characters.
    """
    if prune and bundle.incomplete:
        raise ServiceError(
            ErrorKind.UNSAFE,
            f"The file is incomplete ({'; '.join(bundle.incomplete)}), so it cannot be used for pruning. "
            "Pull it again, or push without pruning. Nothing was sent.",
            sent="no",
        )
    if character_id is None:
        if not session.service.embedded:
            raise ServiceError(ErrorKind.NOT_AVAILABLE, needs_store("Creating a character"))
        character_id = await made_before(session, bundle)
    if character_id is None:
        return await _creation(session, bundle)
    superseded = await unfinished(session, bundle, character_id)
    changed_here = await touched(session, superseded)
    present = await present_of(session, character_id)
    asked = settings_wanted(bundle, present.reading, prune=prune)[0]
    models = await _models(session, character_id) if asked else None
    push = _Push(session.service.embedded, bundle, present, models, prune=prune)
    found = tuple(conflicts(bundle, present, push.aim, push.settled.members, changed_here))
    return push.made(found, superseded)


async def _models(session: Session, character_id: str | None) -> Models | None:
    """Return the available models, or None if the profile may not change any setting (C 4.1)."""
    try:
        return from_service(await session.service.models(character_id))
    except ServiceError as error:
        return None if error.kind is ErrorKind.TIER else from_catalogue()


class _Push:
    def __init__(self, embedded: bool, bundle: Bundle, present: Present, models: Models | None, *, prune: bool) -> None:
        self._embedded, self._bundle, self._present = embedded, bundle, present
        self._character = build(Character, present.reading.record)
        self._name = self._character.character_name or self._character.character_id
        found = matching(bundle, present.story, present.key)
        self.aim: Wanted = wanted(bundle, present.story, found, embedded=embedded, prune=prune)
        refuse_incomplete(self._name, present.story, self.aim.story)
        self.settled: Settled = settle(bundle, present.reading, self._character, models, embedded=embedded, prune=prune)

    def made(self, found: tuple[str, ...], superseded: tuple[str, ...]) -> PushPlan:
        first = [step for step in (self._rename(), self.settled.step) if step is not None]
        rest = story_steps(
            self._character, self._present.story, self.aim.story, embedded=self._embedded, offset=len(first)
        )
        left_out = (*self._left_out(), *self.settled.left_out, *self.aim.left_out, *rest.left_out)
        unpruned = (*self.settled.unpruned, *self.aim.unpruned)
        said = (
            *(f"Conflict: {sentence}" for sentence in found),
            *(f"Skipped: {sentence}" for sentence in left_out),
            *(f"Kept: {sentence}" for sentence in unpruned),
            *self.settled.notes,
        )
        title = f"{TITLE}{single_line(self._name, limit=60)}"
        plan = Plan(id=random_ids(), title=title, steps=(*first, *rest.steps), notes=said)
        return PushPlan(
            bundle=self._bundle,
            plan=with_errors(plan, self._present.story, self.aim.story),
            reading=self._present.reading,
            character_id=self._character.character_id,
            left_out=left_out,
            unpruned=unpruned,
            notes=self.settled.notes,
            conflicts=found,
            superseded=superseded,
            ids=self.aim.ids,
            makes={number + len(first): item_id for number, item_id in rest.makes.items()},
            remaining=self._remaining(),
        )

    def _rename(self) -> Step | None:
        name = self._bundle.name
        return rename_character(self._character, name) if self._embedded and name is not None else None

    def _left_out(self) -> Iterator[str]:
        name, words = self._bundle.name, self._character.character_actions
        if not self._embedded and name is not None and name != self._character.character_name:
            yield f"The service cannot change the name to “{single_line(name, limit=60)}”."
        if self._bundle.actions is not None and self._bundle.actions != (None if words is None else tuple(words)):
            yield "Actions in the record can only be set when the character is created."
        mine, composed = self._bundle.scene, self._present.scene
        if mine is not None and composed is not None:
            lists = ((scene.actions, scene.objects, scene.people) for scene in (mine, composed))
            if len(set(lists)) > 1:
                yield "The scene in the file is not saved, because this machine has a different one for the character."

    def _remaining(self) -> frozenset[tuple[str, str, str]]:
        reading = self._present.reading
        sent = {member: self._bundle.settings.get(member) for member in self.settled.members}
        name = self._bundle.name if self._embedded and self._bundle.name is not None else self._character.character_name
        then = replace(
            self._present,
            reading=reading._replace(record={**reading.record, "character_name": name}, now={**reading.now, **sent}),
            story=self.aim.story,
            scene=self._present.scene or self._bundle.scene,
        )
        known = self._bundle.having(then.key, _identities(self.aim.ids, {}))
        return frozenset(_place(one) for one in differences(known, then.bundle(known), then.key))


def _place(difference: Difference) -> tuple[str, str, str]:
    return difference.part, difference.slug, difference.member


# -- creating a character ----------------------------------------------------------------------------------------------


async def _creation(session: Session, bundle: Bundle) -> PushPlan:
    """Return a plan that creates the character first.

    The other steps take the character's ID from the answer to the first step.
    """
    backstory: Any = bundle.settings.get("backstory")
    words = {"character_actions": list(bundle.actions)} if bundle.actions is not None else None
    step = create_character(bundle.name or "Unnamed", backstory=backstory, record=words)
    record = {
        "character_id": _COMING,
        "character_name": step.payload["character_name"],
        "is_narrative_driven": False,
        "start_narrative_section_id": None,
        **(words or {}),
    }
    settings = {"reasoning_effort": None, "backstory": backstory}
    empty = Story(sections={}, triggers={}, enabled=False)
    present = Present(
        key=key_of(session.profile.name, _COMING), reading=Reading(record, settings, settings, {}), story=empty
    )
    held = bundle.ids.get(key_of(session.profile.name, ""))
    begun = (held.plan,) if held is not None and held.plan is not None else ()
    push = _Push(True, bundle, present, await read_models(session.service), prune=False).made((), begun)
    steps = (step, *(replace(one, payload=_of_the_new_one(one.payload)) for one in push.plan.steps))
    return replace(
        push,
        plan=replace(push.plan, steps=steps),
        character_id=None,
        makes={number + 1: item_id for number, item_id in push.makes.items()},
    )


def _of_the_new_one(value: Wire) -> Any:
    """Shift the step numbers in a payload by one, since the new first step creates the character."""
    if isinstance(value, Mapping):
        if value.keys() == {"$step", "member"}:
            return result_of(value["$step"] + 1, value["member"])
        return {name: _of_the_new_one(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_of_the_new_one(inner) for inner in value]
    return result_of(0, "character_id") if value == _COMING else value


# -- running a push ----------------------------------------------------------------------------------------------------


async def watched(
    push: PushPlan, session: Session, steps: AsyncIterator[Progress], remember: Callable[[Bundle], None]
) -> AsyncIterator[Progress]:
    """Run a push and yield its progress.

    ``steps`` yields progress from the executor. ``remember`` is a function that writes the IDs of a bundle to its lock
    file. The plan is recorded in the lock file before anything is sent. The character's ID is recorded as soon as the
    character exists. The next push can therefore find the character even if this push is interrupted.
    """
    coming = key_of(session.profile.name, "")
    making = push.character_id is None
    if making:
        await _forget(push, session)  # If an earlier push had created the character, its ID would be known.
        remember(push.bundle.having(coming, Identities(plan=push.plan.id)))
    async for progress in steps:
        character_id = push.pushed_to(progress) if making else None
        if character_id is not None:
            making = False
            key = key_of(session.profile.name, character_id)
            remember(push.bundle.having(coming, None).having(key, Identities()))
        yield progress


class Pushed(NamedTuple):
    """The result of a push: the bundle with the profile's IDs, and the remaining differences."""

    bundle: Bundle
    different: tuple[Difference, ...]


async def pushed(push: PushPlan, session: Session, progress: Progress | None) -> Pushed:
    """Read the character back after a push.

    ``progress`` is the outcome of the plan, or None if the plan had no steps. Superseded plans are abandoned. The scene
    in the file is saved for the character, unless this machine already has one. Raises :class:`ServiceError`.
    """
    character_id = push.pushed_to(progress)
    if character_id is None:
        raise ServiceError(ErrorKind.UNEXPECTED, "The character was not created, so there is nothing to read back.")
    await keep_scene(session, push.bundle, character_id)
    await _forget(push, session)
    present = await present_of(session, character_id)
    made = dict(_answered(push, progress)) if progress is not None else {}
    known = push.bundle.having(key_of(session.profile.name, ""), None)
    known = known.having(present.key, _identities(push.ids, made))
    found = matching(known, present.story, present.key)
    known = known.having(present.key, identities_of(present.reading, present.story, found))
    left = differences(known, present.bundle(known), present.key)
    return Pushed(
        known, tuple(one for one in left if one.verdict is not Verdict.UNKNOWN and _place(one) not in push.remaining)
    )


async def _forget(push: PushPlan, session: Session) -> None:
    for plan_id in push.superseded:
        await session.journal.abandon_plan(plan_id)


def _identities(ids: Matching, made: Mapping[str, str]) -> Identities:
    """Return the IDs of a profile, with placeholders replaced by the IDs in ``made``."""
    return Identities(
        sections={slug: Identity(made.get(item_id, item_id)) for slug, item_id in ids.sections.items()},
        triggers={slug: Identity(made.get(item_id, item_id)) for slug, item_id in ids.triggers.items()},
    )


def _answered(push: PushPlan, progress: Progress) -> Iterator[tuple[str, str]]:
    for number, item_id in push.makes.items():
        answer = progress.answers.get(number)
        if isinstance(answer, Mapping):
            found = answer.get("section_id") or answer.get("trigger_id")
            if isinstance(found, str):
                yield item_id, found


# -- changes by others (decision 37) -----------------------------------------------------------------------------------


#: The operation that changes each member of the character itself; members not listed here are settings.
_OPERATION_OF: Final = {"name": "rename-character", "narrative": "toggle-narrative", "start": "set-start-section"}
_CALLED: Final[Mapping[str, str]] = {
    "narrative": "The on/off state of the graph",
    "start": "The start of the story",
    "reasoning_effort": "The reasoning level",
}


def conflicts(
    bundle: Bundle, present: Present, aim: Wanted, settings: Collection[str], touched: Collection[str]
) -> Iterator[str]:
    """Yield a sentence for each change by others that the push would overwrite.

    ``settings`` lists the settings to change. ``touched`` lists the IDs of the sections and triggers that an
    unfinished push may have changed, and the operations that it may have run.
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
    values = {**present.reading.now, **{member: bundle.settings.get(member) for member in settings}}
    record = {**present.reading.record, "character_name": bundle.name}
    meant = dict(seen_character(present.reading._replace(record=record, now=values), aim.story))
    for name, now in seen_character(present.reading, present.story):
        operation, seen = _OPERATION_OF.get(name, "update-character"), held.seen.get(name, now).split()
        if name in changing and now not in seen and operation not in touched:
            yield _sentence(_CALLED.get(name, f"The {name}"), unedited=meant.get(name) in seen)
    for slug, item_id in aim.ids.sections.items():
        section, wanted = present.story.sections.get(item_id), aim.story.sections[item_id]
        now = seen_section(section) if section is not None else ""
        known = held.sections.get(slug)
        if differing_members(section, wanted) and _stale(known, now, touched):
            unedited = section is not None and known is not None and seen_section(wanted) in known.seen.split()
            title = f"Section “{single_line(wanted.section_name or slug, limit=60)}”"
            yield _sentence(title, gone=section is None, unedited=unedited)
    for slug, item_id in aim.ids.triggers.items():
        trigger, event = present.story.triggers.get(item_id), aim.story.triggers[item_id]
        now = seen_trigger(trigger) if trigger is not None else ""
        known = held.triggers.get(slug)
        if differing_members(trigger, event) and _stale(known, now, touched):
            unedited = trigger is not None and known is not None and seen_trigger(event) in known.seen.split()
            title = f"Trigger “{single_line(event.trigger_name or slug, limit=60)}”"
            yield _sentence(title, gone=trigger is None, unedited=unedited)


def _stale(known: Identity | None, now: str, touched: Collection[str]) -> bool:
    """Return whether a value has changed since it was last seen. A removed value counts as changed."""
    return known is not None and known.seen != "" and now not in known.seen.split() and known.id not in touched


def _sentence(what: str, *, gone: bool = False, unedited: bool) -> str:
    """Return the sentence about a part; ``unedited`` means that the file still has the value seen last."""
    how = "removed" if gone else "changed"
    there = ", but not in the file" if unedited else ""
    return f"{what} has been {how} in the profile since the file was last pulled or pushed{there}."


# -- interrupted pushes ------------------------------------------------------------------------------------------------


#: Prefix of the title of every push.
TITLE: Final = "Push "
_UNFINISHED: Final = (PlanState.RUNNING, PlanState.STOPPED, PlanState.CANCELLED)
_IN_DOUBT: Final = (Outcome.OPEN, Outcome.UNKNOWN)
_ALL: Final = 1_000_000


async def made_before(session: Session, bundle: Bundle) -> str | None:
    """Return the ID of a character that an earlier push created without recording this ID in the lock file.

    Returns None if there is no such character. If the outcome of the earlier push is unknown, it is determined first.
    Raises :class:`ServiceError`.
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
        return None  # removed since then


async def _first_step(session: Session, plan_id: str) -> Entry | None:
    entries = await session.journal.entries(session.profile.place, plan_id=plan_id, limit=_ALL)
    return next((entry for entry in entries if entry.step == 0), None)


async def unfinished(session: Session, bundle: Bundle, character_id: str) -> tuple[str, ...]:
    """Return the IDs of unfinished plans that push to the character and are not currently running."""
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
    """Return whether the first step of a plan is about the character.

    A plan that stopped before that step has no entry in the journal.
    """
    steps = plan.plan.get("steps") if isinstance(plan.plan, Mapping) else None
    first = steps[0] if isinstance(steps, list) and steps else None
    payload = first.get("payload") if isinstance(first, Mapping) else None
    return isinstance(payload, Mapping) and character_id in (payload.get("charID"), payload.get("character_id"))


async def touched(session: Session, plan_ids: Sequence[str]) -> frozenset[str]:
    """Return the IDs of the sections and triggers that earlier plans may have changed, and the operations they may have
    run.

    ``plan_ids`` contains the IDs of these plans. If the outcome of a step is unknown, it is determined and recorded.
    Raises :class:`ServiceError`.
    """
    if not plan_ids:
        return frozenset()
    found: set[str] = set()
    reads = Reads(session.service)
    for entry in await session.journal.entries(session.profile.place, plan_id=plan_ids, limit=_ALL):
        if entry.outcome in _IN_DOUBT:
            await look_at(reads, session.journal, entry)
        addressed = map(entry.payload.get, ("section_id", "trigger_id"))
        found.update(value for value in addressed if isinstance(value, str))
        if entry.operation in ("update-character", *_OPERATION_OF.values()):
            found.add(entry.operation)
    return frozenset(found)
