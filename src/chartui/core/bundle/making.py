"""A bundle of a character as it was read from a profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chartui.core.bundle.matching import Matching, matching
from chartui.core.bundle.model import (
    MEMBERS,
    RAW,
    Bundle,
    Identities,
    Identity,
    extras,
    seen_section,
    seen_trigger,
    seen_value,
)
from chartui.core.bundle.slugs import slugs
from chartui.core.jsontext import Wire
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.outline import outline
from chartui.core.narrative.story import Story
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.text import single_line
from chartui.core.unreadable import by_reason, sentence

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.core.character import Reading

__all__ = ["bundle_of", "identities_of", "seen_character"]


def bundle_of(
    reading: Reading, story: Story, key: str, *, scene: Turn | None = None, like: Bundle | None = None
) -> Bundle:
    """The bundle of a character that was read, with its story, as ``key`` (``profile/character``).

    ``like`` is an earlier bundle of it: its slugs stay, and so do its keys and the ids that other profiles have.
    ``scene`` is what was last composed for the character. Left out is what no file can bring anywhere: records that
    share an id, and members that no operation sets (:func:`chartui.core.bundle.reading.read_bundle` tells the rest).
    """
    found = matching(like, story, key) if like is not None else Matching({}, {})
    of_sections = slugs(
        ((item_id, story.sections[item_id].section_name) for item_id in _in_reading_order(story)),
        kept={item_id: slug for slug, item_id in found.sections.items()},
        avoiding=like.story.sections if like is not None else (),
        otherwise="section",
    )
    of_triggers = slugs(
        ((item_id, one.trigger_name) for item_id, one in story.triggers.items()),
        kept={item_id: slug for slug, item_id in found.triggers.items()},
        avoiding=like.story.triggers if like is not None else (),
        otherwise="trigger",
    )
    matched = Matching(
        {of_sections[item_id]: item_id for item_id in _in_reading_order(story)},
        {of_triggers[item_id]: item_id for item_id in story.triggers},
    )
    bundle = Bundle(
        story=_in_slugs(story, matched, of_sections, of_triggers),
        name=_text(reading.record.get("character_name")),
        settings={member: reading.now[member] for member in MEMBERS.values() if reading.now.get(member) is not None},
        unread=tuple(member for member in MEMBERS.values() if member not in reading.now),
        actions=_words(reading.record.get("character_actions")),
        scene=scene,
        keys=like.keys if like is not None else None,
        ids=like.ids if like is not None else {},
        incomplete=tuple(_missing(story)),
    )
    return bundle.having(key, identities_of(reading, story, matched))


def _missing(story: Story) -> Iterator[str]:
    """What of a story could not be read, a sentence for each reason; a member given twice is there."""
    odd = (one for one in story.unreadable if one.kind != "duplicate")
    return (single_line(sentence(alike)) for alike in by_reason(odd))


def identities_of(reading: Reading, story: Story, matched: Matching) -> Identities:
    """What a profile calls the parts of a file, with what each of them is there now."""
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
    """What stands for each member of the character itself, by the names in a file; of what can be read."""
    yield "name", seen_value(reading.record.get("character_name"))
    for name, member in MEMBERS.items():
        if member in reading.now:
            yield name, seen_value(reading.now[member])
    yield "narrative", seen_value(story.enabled)
    yield "start", seen_value(story.start)


def _in_reading_order(story: Story) -> list[str]:
    return [node.section for node in outline(story.graph()).nodes if node.kind is Kind.SECTION and node.section]


def _in_slugs(story: Story, matched: Matching, of_sections: Mapping[str, str], of_triggers: Mapping[str, str]) -> Story:
    """The story under other names, with those members alone that can be sent, in reading order."""

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


def _text(value: Wire) -> str | None:
    return value if isinstance(value, str) else None


def _words(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value) else None
