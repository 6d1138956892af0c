"""Functions that fix problems in a story.

Each function takes a story and returns the fixed story. The story may have changed since it was checked, for example
because of another fix. A fix therefore finds the affected part by content, not by position, and changes nothing if that
part no longer exists.
"""

from __future__ import annotations

from collections.abc import Callable

from chartui.core.jsontext import same
from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.story import Story, decision
from chartui.core.spec.models.narrative import Decision

#: The tag that ends spoken words (decision 36).
SPEAK_END = "</speak>"


def starting_at_the_first(story: Story) -> Story:
    """Make the first section the start, as a store does by default (decision 26).

    The story is returned unchanged if it already has a start.
    """
    first = next(iter(story.sections), None)
    return story if first is None or story.start in story.sections else story.starting_at(first)


def _without(story: Story, section_id: str, way: Decision, least: int) -> Story:
    """Remove the last decision that equals ``way``, if the section has at least ``least`` such decisions."""
    section = story.sections.get(section_id)
    ways = list((section and section.decisions) or ())
    places = [place for place, other in enumerate(ways) if same(other.raw, way.raw)]
    if len(places) < least:
        return story
    del ways[places[-1]]
    return story.with_section(section_id, decisions=ways)


def without_decision(story: Story, section_id: str, way: Decision) -> Story:
    """Remove a decision whose target does not exist."""
    return story if way.next_section_id in story.sections else _without(story, section_id, way, 1)


def without_twin(story: Story, section_id: str, way: Decision) -> Story:
    """Remove the last of several identical decisions in a section."""
    return _without(story, section_id, way, 2)


def star_last(story: Story, section_id: str) -> Story:
    """Move the catch-all decision of a section to the end."""
    if section_id not in story.sections:
        return story
    ways = list(story.ways(section_id))
    ordered = sorted(ways, key=lambda way: way.criteria == IMMEDIATE)
    return story if ordered == ways else story.with_ways(section_id, ordered)


def disconnected(story: Story, trigger_id: str) -> Story:
    trigger = story.triggers.get(trigger_id)
    if trigger is None or not trigger.destination_section or trigger.destination_section in story.sections:
        return story
    return story.with_trigger(trigger_id, destination=None)


def without_override(story: Story, section_id: str, trigger_id: str) -> Story:
    """Remove the ineffective overrides of a trigger from a section. The first effective override is kept."""
    section = story.sections.get(section_id)
    leading = [one.destination_section for one in (section and section.triggers) or () if one.trigger_id == trigger_id]
    if not leading or (trigger_id in story.triggers and all(not to or to in story.sections for to in leading)):
        return story
    kept = next((to for to in leading if to in story.sections), None) if trigger_id in story.triggers else None
    return story.overriding(section_id, trigger_id, kept)


def _rewritten(story: Story, owner: str, of_trigger: bool, change: Callable[[str], str]) -> Story:
    """Change the message of a trigger or the objective of a section, if it still exists."""
    trigger, section = story.triggers.get(owner), story.sections.get(owner)
    if of_trigger and trigger is not None:
        before = trigger.trigger_message or ""
        return story if change(before) == before else story.with_trigger(owner, message=change(before))
    if not of_trigger and section is not None:
        before = section.objective or ""
        return story if change(before) == before else story.with_section(owner, objective=change(before))
    return story


def with_speak_closed(story: Story, owner: str, of_trigger: bool, text: str) -> Story:
    return _rewritten(story, owner, of_trigger, lambda now: now + SPEAK_END if now == text else now)


def with_another_key(story: Story, owner: str, of_trigger: bool, old: str, new: str) -> Story:
    """Replace a misspelled template key with the declared key."""

    def put(text: str) -> str:
        return text.replace(f"{{{old}}}", f"{{{new}}}")

    story = _rewritten(story, owner, of_trigger, put)
    section = None if of_trigger else story.sections.get(owner)
    before = list((section and section.decisions) or ())
    ways = [
        decision(put(way.criteria), way.next_section_id, priority=way.priority, like=way)
        if put(way.criteria) != way.criteria
        else way
        for way in before
    ]
    return story if ways == before else story.with_section(owner, decisions=ways)


def ending(story: Story, section_id: str) -> Story:
    """Mark a section without decisions as an ending."""
    return story.ending(section_id) if section_id in story.sections else story


def without_section(story: Story, section_id: str, embedded: bool) -> Story:
    """Remove an unreachable section and its incoming links, which are never taken."""
    if section_id not in story.sections or section_id in story.graph().reachable:
        return story
    return story.led_elsewhere(section_id, None, embedded=embedded).without_section(section_id)
