"""Read the current state of a character on a profile, convert it to a bundle, and compare it with a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.bundle.difference import Difference, differences
from chartui.core.bundle.model import (
    MEMBERS,
    RAW,
    Bundle,
    Identities,
    Identity,
    extras,
    key_of,
    seen_section,
    seen_trigger,
    seen_value,
    slugs,
)
from chartui.core.character import Reading, read_character
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire
from chartui.core.narrative.outline import reading_order
from chartui.core.narrative.story import Story
from chartui.core.numbers import number_of
from chartui.core.plans.settings import BACKSTORY, REASONING
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.text import single_line
from chartui.core.unreadable import by_reason, sentence

if TYPE_CHECKING:
    from chartui.core.session import Session


# -- matching ---------------------------------------------------------------------------------------------------------


class Matching(NamedTuple):
    """The profile's IDs for the sections and triggers in a file, keyed by slug.

    Sections and triggers that are not on the profile are omitted.
    """

    sections: Mapping[str, str]
    triggers: Mapping[str, str]


class _Named(NamedTuple):
    """A section or trigger, with its name. Its text distinguishes it from others with the same name."""

    id: str
    name: str
    text: str


def matching(bundle: Bundle, there: Story, key: str) -> Matching:
    """Find the sections and triggers of a bundle in the stored story.

    ``key`` identifies the profile and the character, and determines which of the bundle's IDs are used.

    Among sections with the same name, those with the same text are matched first. The others are matched in the order
    in which a push creates sections. A repeated push therefore finds the sections that an interrupted push has already
    created.
    """
    ids = bundle.ids.get(key, Identities())
    # A push creates the start section first, so it is matched first.
    mine = sorted(_named_sections(bundle.story), key=lambda named: named.id != bundle.story.start)
    return Matching(
        _matched(mine, _named_sections(there), ids.sections),
        _matched(_named_triggers(bundle.story), _named_triggers(there), ids.triggers),
    )


def _named_sections(story: Story) -> list[_Named]:
    return [_Named(key, one.section_name or "", one.objective or "") for key, one in story.sections.items()]


def _named_triggers(story: Story) -> list[_Named]:
    return [_Named(key, one.trigger_name or "", one.trigger_message or "") for key, one in story.triggers.items()]


def _matched(mine: Sequence[_Named], there: Sequence[_Named], known: Mapping[str, Identity]) -> dict[str, str]:
    free = {one.id for one in there}
    found: dict[str, str] = {}
    for one in mine:
        identity = known.get(one.id)
        if identity is not None and identity.id in free:
            free.discard(identity.id)
            found[one.id] = identity.id
    for exactly in (True, False):
        waiting: dict[tuple[str, ...], deque[str]] = {}
        for other in (one for one in there if one.id in free):
            waiting.setdefault(other[1:] if exactly else other[1:2], deque()).append(other.id)
        for one in mine:
            alike = waiting.get(one[1:] if exactly else one[1:2])
            if one.id not in found and alike:
                found[one.id] = alike.popleft()
                free.discard(found[one.id])
    return found


# -- as a bundle ------------------------------------------------------------------------------------------------------


def identities_of(reading: Reading, story: Story, matched: Matching) -> Identities:
    """Return the profile's IDs for the sections and triggers in a file, each with a digest of the current contents."""
    return Identities(
        sections={
            slug: Identity(item_id, seen_section(story.sections[item_id])) for slug, item_id in matched.sections.items()
        },
        triggers={
            slug: Identity(item_id, seen_trigger(story.triggers[item_id])) for slug, item_id in matched.triggers.items()
        },
        seen=dict(seen_character(reading, story)),
    )


def seen_character(reading: Reading, story: Story) -> Iterator[tuple[str, str]]:
    """Yield the name of each readable value of the character itself, with a digest of the value.

    The names are the same as in a bundle file.
    """
    yield "name", seen_value(reading.record.get("character_name"))
    for name, member in MEMBERS.items():
        if member in reading.now:
            yield name, seen_value(reading.now[member])
    yield "narrative", seen_value(story.enabled)
    yield "start", seen_value(story.start)


def _in_slugs(story: Story, matched: Matching, of_sections: Mapping[str, str], of_triggers: Mapping[str, str]) -> Story:
    """Return the story with slugs as IDs, in reading order, and with only those members that can be sent."""

    def named(item_id: str | None, names: Mapping[str, str] = of_sections) -> str | None:
        return names.get(item_id, f"{RAW}{item_id}") if item_id else None

    def section(slug: str, one: Section) -> Section:
        members: dict[str, Wire] = {
            "section_id": slug,
            "section_name": one.section_name,
            "objective": one.objective,
            "decisions": None if one.decisions is None else [way(decision) for decision in one.decisions],
            "triggers": [
                {
                    "trigger_id": named(override.trigger_id, of_triggers) or RAW,
                    "destination_section": named(override.destination_section),
                }
                for override in one.triggers or ()
            ]
            or None,
        }
        return build(Section, members)

    def way(one: Decision) -> dict[str, Wire]:
        priority = {} if one.priority is None else {"priority": one.priority}
        return {
            **extras(one),
            "criteria": one.criteria,
            "next_section_id": named(one.next_section_id) or RAW,
            **priority,
        }

    def trigger(slug: str, one: Trigger) -> Trigger:
        members = {
            "trigger_id": slug,
            "trigger_name": one.trigger_name,
            "trigger_message": one.trigger_message,
            "destination_section": named(one.destination_section),
        }
        return build(Trigger, members)

    return Story(
        sections={slug: section(slug, story.sections[item_id]) for slug, item_id in matched.sections.items()},
        triggers={slug: trigger(slug, story.triggers[item_id]) for slug, item_id in matched.triggers.items()},
        start=named(story.start),
        enabled=story.enabled,
    )


def _words(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value) else None


# -- the current character --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The current state of a character on a profile, with its story and the scene composed for it on this machine.

    ``key`` identifies the character among the IDs in a file.
    """

    key: str
    reading: Reading
    story: Story
    scene: Turn | None = None

    def bundle(self, like: Bundle | None = None) -> Bundle:
        """Build a bundle from everything that was read.

        ``like`` is an earlier bundle. It provides the slugs, the template keys and the IDs of other profiles. Parts
        that a file cannot represent are omitted. These are fields that no operation sets, and sections or triggers that
        share an ID with an earlier one. :func:`chartui.core.bundle.reader.read_bundle` reports other problems.
        """
        like, now, record, story = like or Bundle(), self.reading.now, self.reading.record, self.story
        found, order = matching(like, story, self.key), reading_order(story.graph())
        of_sections = slugs(
            ((item_id, story.sections[item_id].section_name) for item_id in order),
            kept={item_id: slug for slug, item_id in found.sections.items()},
            avoiding=like.story.sections,
            otherwise="section",
        )
        of_triggers = slugs(
            ((item_id, one.trigger_name) for item_id, one in story.triggers.items()),
            kept={item_id: slug for slug, item_id in found.triggers.items()},
            avoiding=like.story.triggers,
            otherwise="trigger",
        )
        matched = Matching(
            {of_sections[item_id]: item_id for item_id in order},
            {of_triggers[item_id]: item_id for item_id in story.triggers},
        )
        bundle = Bundle(
            story=_in_slugs(story, matched, of_sections, of_triggers),
            name=name if isinstance(name := record.get("character_name"), str) else None,
            settings={member: now[member] for member in MEMBERS.values() if now.get(member) is not None},
            unread=tuple(member for member in MEMBERS.values() if member not in now),
            actions=_words(record.get("character_actions")),
            scene=self.scene,
            keys=like.keys,
            ids=like.ids,
            incomplete=tuple(
                single_line(sentence(alike))
                for alike in by_reason(one for one in story.unreadable if one.kind != "duplicate")
            ),
        )
        return bundle.having(self.key, identities_of(self.reading, story, matched))

    def compared(self, bundle: Bundle) -> tuple[Difference, ...]:
        """Compare a bundle with the current state of the character."""
        return differences(bundle, self.bundle(bundle), self.key)


async def present_of(session: Session, character_id: str) -> Present:
    """Read a character with its story.

    Raises :class:`ServiceError`, with the kind ``not_found`` if the character does not exist.
    """
    service, place = session.service, session.profile.place
    reading = await read_character(service, session.journal, place, character_id)
    if reading is None:
        raise ServiceError(ErrorKind.NOT_FOUND, f"Character '{character_id}' does not exist.")
    sections, triggers = await service.sections(character_id), await service.triggers(character_id)
    return Present(
        key=key_of(session.profile.name, character_id),
        reading=reading,
        story=Story.of(build(Character, reading.record), sections, triggers),
        scene=await _scene(session, character_id),
    )


async def pull(session: Session, character_id: str, *, like: Bundle | None = None) -> tuple[Bundle, tuple[str, ...]]:
    """Read a character as a bundle. Also return a list of sentences about parts that a file cannot contain.

    ``like`` is an earlier bundle. It provides fields that neither the service nor this machine stores. Raises the same
    errors as :func:`present_of`.
    """
    present = await present_of(session, character_id)
    bundle = present.bundle(like)
    if like is not None:
        settings = {**{member: like.settings.get(member) for member in bundle.unread}, **bundle.settings}
        bundle = replace(
            bundle,
            settings={member: value for member, value in settings.items() if value is not None},
            unread=tuple(member for member in bundle.unread if settings[member] is None),
            scene=bundle.scene or like.scene,
        )
    return bundle, tuple(_not_in_file(present, bundle))


def _not_in_file(present: Present, bundle: Bundle) -> Iterator[str]:
    sections, triggers = present.story.other_sections, present.story.other_triggers
    if sections or triggers:
        counts = f"{number_of(len(sections), 'section')} and {number_of(len(triggers), 'trigger')}"
        yield f"Left out of the file because of duplicate IDs: {counts}."
    untold = [member for member in (REASONING, BACKSTORY) if member not in present.reading.now]
    kept = [LABELS[member] for member in untold if member not in bundle.unread]
    unread = [LABELS[member] for member in untold if member in bundle.unread]
    if kept:
        yield f"The service does not return these values, so those in the file are kept: {', '.join(kept)}."
    if unread:
        yield (
            f"The service does not return these values, so they are marked as unread and a push does not change them: "
            f"{', '.join(unread)}."
        )


async def compared(session: Session, bundle: Bundle, character_id: str) -> tuple[Difference, ...]:
    """Compare a bundle with the current state of the character. Raises the same errors as :func:`present_of`."""
    return (await present_of(session, character_id)).compared(bundle)


# -- the composed scene ------------------------------------------------------------------------------------------------


async def _scene(session: Session, character_id: str) -> Turn | None:
    """Return the last scene composed here for the character, or None if it has no actions and no targets."""
    draft = await session.drafts.load(session.profile.place, character_id, SCENE_PART)
    if draft is None:
        return None
    try:
        turn = Turn.from_payload(draft.document)
    except ValueError:  # damaged, or from another version; the actions screen reports it
        return None
    return turn if turn.actions or turn.targets else None


async def keep_scene(session: Session, bundle: Bundle, character_id: str) -> None:
    """Save the scene in a bundle as the character's scene on this machine, unless the character already has a scene."""
    place = session.profile.place
    if bundle.scene is None or await session.drafts.load(place, character_id, SCENE_PART) is not None:
        return
    await session.drafts.save(
        place, character_id, SCENE_PART, replace(bundle.scene, character_id=character_id).payload()
    )
