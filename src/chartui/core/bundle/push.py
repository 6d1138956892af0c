"""Pushing a bundle: the plan that makes a character on a profile what the file says, and what is there afterwards.

The plan is made from what is there just now, so a second push finds nothing to do, and one that was interrupted is done
by pushing again: what it has made already is found by its name. Nothing is taken away that the file does not mention,
unless that is asked for; what the profile cannot take is told before anything is sent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chartui.core.bundle.conflicts import TITLE, conflicts, made_before, touched, unfinished
from chartui.core.bundle.difference import Difference, Verdict, differences
from chartui.core.bundle.merge import settings_wanted, settle, wanted
from chartui.core.bundle.model import Bundle, Identities, Identity, key_of
from chartui.core.bundle.present import Matching, Present, identities_of, keep_scene, matching, present_of
from chartui.core.character import Reading, models_told
from chartui.core.clock import Ids, random_ids
from chartui.core.jsontext import Wire
from chartui.core.narrative.story import Story
from chartui.core.narrative.story_import import refuse_incomplete
from chartui.core.plans.characters import create_character, needs_store, rename_character
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.plans.story import story_steps
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.bundle.merge import Settled, Wanted
    from chartui.core.characters.models import Models
    from chartui.core.plans.executor import Progress
    from chartui.core.session import Session

#: Stands in steps for the character that the first of them makes.
_COMING: Final = "\0coming"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushPlan:
    """What a push would do.

    ``plan`` has no steps where everything is as the file says, and its notes say all that follows. ``left_out`` are
    sentences about what the profile cannot take, ``unpruned`` about what is there and not in the file and stays,
    ``notes`` about what cannot be checked. ``conflicts`` are about what somebody else changed and the plan overwrites:
    it is not to be carried out before somebody agreed to that.

    ``character_id`` is None for a character that the plan makes. ``superseded`` are plans of earlier pushes that were
    not finished: this one does what is left of them. ``ids`` are those of the profile, or what stands for them of what
    is made, and ``makes`` says which step makes which. ``remaining`` are the differences that the push leaves.
    """

    bundle: Bundle
    plan: Plan
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
        """The id of the character that is pushed to, as soon as it is known."""
        if self.character_id is not None or progress is None:
            return self.character_id
        answer: Any = progress.answers.get(0)
        return str(answer["character_id"]) if isinstance(answer, Mapping) and "character_id" in answer else None


async def push_plan(
    session: Session, bundle: Bundle, character_id: str | None, *, prune: bool = False, ids: Ids = random_ids
) -> PushPlan:
    """The plan that makes a character what the bundle says; a new one where ``character_id`` is None.

    Nothing is sent. ``prune`` takes away what the bundle does not mention. Raises :class:`ServiceError`, of kind
    ``not_found`` for a character that is not there, ``not_available`` where none can be made.
    """
    if prune and bundle.incomplete:
        raise ServiceError(
            ErrorKind.UNSAFE,
            f"The file is incomplete ({'; '.join(bundle.incomplete)}), so what it does not hold is not deleted. "
            "Pull it again, or push without pruning. Nothing was sent.",
            sent="no",
        )
    if character_id is None:
        if not session.service.embedded:
            raise ServiceError(ErrorKind.NOT_AVAILABLE, needs_store("Making a character"))
        character_id = await made_before(session, bundle)
    if character_id is None:
        return await _creation(session, bundle, ids)
    superseded = await unfinished(session, bundle, character_id)
    changed_here = await touched(session, superseded)
    present = await present_of(session, character_id)
    asked = settings_wanted(bundle, present.reading, prune=prune)[0]
    models = await _models(session, character_id) if asked else None
    push = _Push(session.service.embedded, bundle, present, models, prune=prune)
    found = tuple(conflicts(bundle, present, push.aim, push.settled.members, changed_here))
    return push.made(ids, found, superseded)


async def _models(session: Session, character_id: str | None) -> Models | None:
    """What can be chosen; None where the account may not change any setting (C 4.1)."""
    from chartui.core.characters.models import from_catalogue, from_service

    try:
        return from_service(await session.service.models(character_id))
    except ServiceError as error:
        return None if error.kind is ErrorKind.TIER else from_catalogue()


class _Push:
    def __init__(self, embedded: bool, bundle: Bundle, present: Present, models: Models | None, *, prune: bool) -> None:
        self._embedded, self._bundle, self._present = embedded, bundle, present
        self._character = build(Character, present.reading.record)
        character_id = self._character.character_id
        self._name = self._character.character_name or character_id
        found = matching(bundle, present.story, present.key)
        self.aim: Wanted = wanted(bundle, present.story, found, embedded=embedded, prune=prune)
        refuse_incomplete(self._name, present.story, self.aim.story)
        self.settled: Settled = settle(
            bundle, present.reading, character_id, self._name, models, embedded=embedded, prune=prune
        )

    def made(self, ids: Ids, found: tuple[str, ...], superseded: tuple[str, ...]) -> PushPlan:
        first = [step for step in (self._rename(), self.settled.step) if step is not None]
        rest = story_steps(
            self._character,
            self._present.story,
            self.aim.story,
            embedded=self._embedded,
            offset=len(first),
        )
        left_out = (*self._left_out(), *self.settled.left_out, *self.aim.left_out, *rest.left_out)
        unpruned = (*self.settled.unpruned, *self.aim.unpruned)
        said = (
            *(f"Conflict: {sentence}" for sentence in found),
            *(f"Left out: {sentence}" for sentence in left_out),
            *(f"Stays: {sentence}" for sentence in unpruned),
            *self.settled.notes,
        )
        title = f"{TITLE}{single_line(self._name, limit=60)}"
        return PushPlan(
            bundle=self._bundle,
            plan=Plan(id=ids(), title=title, steps=(*first, *rest.steps), notes=said),
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
            yield f"The name “{single_line(name, limit=60)}”: a service has no call to rename a character."
        if self._bundle.actions is not None and self._bundle.actions != (None if words is None else tuple(words)):
            yield "The actions of the record: a character can be given them only when it is made."
        mine, composed = self._bundle.scene, self._present.scene
        if mine is not None and composed is not None:
            lists = ((scene.actions, scene.objects, scene.people) for scene in (mine, composed))
            if len(set(lists)) > 1:
                yield "The scene: another one is composed for the character on this machine, and stays."

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


# -- a character that is made ------------------------------------------------------------------------------------------


async def _creation(session: Session, bundle: Bundle, ids: Ids) -> PushPlan:
    """The plan that makes the character first; everything else refers to the answer of that."""
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
    push = _Push(True, bundle, present, await models_told(session.service), prune=False).made(ids, (), begun)
    steps = (step, *(replace(one, payload=_of_the_new_one(one.payload)) for one in push.plan.steps))
    return replace(
        push,
        plan=replace(push.plan, steps=steps),
        character_id=None,
        makes={number + 1: item_id for number, item_id in push.makes.items()},
    )


def _of_the_new_one(value: Wire) -> Any:
    """A payload in a plan with one step more before it, about the character that this step makes."""
    if isinstance(value, Mapping):
        if value.keys() == {"$step", "member"}:
            return result_of(value["$step"] + 1, value["member"])
        return {name: _of_the_new_one(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_of_the_new_one(inner) for inner in value]
    return result_of(0, "character_id") if value == _COMING else value


# -- carrying it out ---------------------------------------------------------------------------------------------------


async def watched(
    push: PushPlan, session: Session, steps: AsyncIterator[Progress], remember: Callable[[Bundle], None]
) -> AsyncIterator[Progress]:
    """Carry a push out by its ``steps``, as the executor gives them; ``remember`` writes the ids of a bundle down.

    A character that is made must be found again whatever happens: the file names the plan before anything is sent, and
    the character as soon as it is there.
    """
    coming = key_of(session.profile.name, "")
    making = push.character_id is None
    if making:
        await _forget(push, session)  # what was begun has made nothing, or the character would be known
        remember(push.bundle.having(coming, Identities(plan=push.plan.id)))
    async for progress in steps:
        character_id = push.pushed_to(progress) if making else None
        if character_id is not None:
            making = False
            key = key_of(session.profile.name, character_id)
            remember(push.bundle.having(coming, None).having(key, Identities()))
        yield progress


class Pushed(NamedTuple):
    """What a push has come to: the bundle with the ids of the profile in it, and what is not as it should be."""

    bundle: Bundle
    different: tuple[Difference, ...]


async def pushed(push: PushPlan, session: Session, progress: Progress | None) -> Pushed:
    """Read back what is there after a push; ``progress`` is how its plan ended, None for one without steps.

    The scene of the file is kept for the character where none is composed for it here, and plans of which the push has
    done the rest are forgotten. Raises :class:`ServiceError`.
    """
    character_id = push.pushed_to(progress)
    if character_id is None:
        raise ServiceError(ErrorKind.UNEXPECTED, "The character was not made, so nothing can be read back.")
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
        await session.journal.forget_plan(plan_id)


def _identities(ids: Matching, made: Mapping[str, str]) -> Identities:
    """The ids of a profile, with those that were ``made`` in the place of what stood for them."""
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
