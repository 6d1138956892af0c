"""The changes that put things right, each a function from a story to a story.

A story may have changed since the finding was made, by another fix for one: what a change is about is looked for by
what it says and not by its position, and where it is not there any more the story stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.jsontext import same
from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.story import decision

if TYPE_CHECKING:
    from chartui.core.narrative.story import Story
    from chartui.core.spec.models.narrative import Decision

#: The mark that ends what is said word for word (decision 36).
SPEAK_END = "</speak>"


def starting_at_the_first(story: Story) -> Story:
    """Let a story that starts nowhere start with its first section, as a store does by itself (decision 26)."""
    first = next(iter(story.sections), None)
    return story if first is None or story.start in story.sections else story.starting_at(first)


def switched_off(story: Story) -> Story:
    """Do not let the character follow the story for the time being."""
    return story.switched(False)


# -- decisions --------------------------------------------------------------------------------------------------------


def _places(story: Story, section_id: str, way: Decision) -> list[int]:
    """Where a section has a decision that says just this."""
    section = story.sections.get(section_id)
    return [n for n, other in enumerate((section and section.decisions) or ()) if same(other.raw, way.raw)]


def _without(story: Story, section_id: str, place: int) -> Story:
    ways = list(story.sections[section_id].decisions or ())
    del ways[place]
    return story.with_section(section_id, decisions=ways)


def without_decision(story: Story, section_id: str, way: Decision) -> Story:
    """Remove a decision that leads to nothing."""
    places = _places(story, section_id, way)
    dangles = way.next_section_id not in story.sections
    return _without(story, section_id, places[-1]) if places and dangles else story


def without_twin(story: Story, section_id: str, way: Decision) -> Story:
    """Remove one of several decisions that say the same: that which is tried last."""
    places = _places(story, section_id, way)
    return _without(story, section_id, places[-1]) if len(places) > 1 else story


def star_last(story: Story, section_id: str) -> Story:
    """Try the decision that is always met after all others."""
    if section_id not in story.sections:
        return story
    ways = list(story.ways(section_id))
    ordered = sorted(ways, key=lambda way: way.criteria == IMMEDIATE)
    return story if ordered == ways else story.with_ways(section_id, ordered)


# -- triggers and overrides -------------------------------------------------------------------------------------------


def disconnected(story: Story, trigger_id: str) -> Story:
    trigger = story.triggers.get(trigger_id)
    if trigger is None or not trigger.destination_section or trigger.destination_section in story.sections:
        return story
    return story.with_trigger(trigger_id, destination=None)


def without_override(story: Story, section_id: str, trigger_id: str) -> Story:
    """Remove what a section says of a trigger without effect; of several overrides the first that has one stays."""
    section = story.sections.get(section_id)
    leading = [one.destination_section for one in (section and section.triggers) or () if one.trigger_id == trigger_id]
    if not leading or (trigger_id in story.triggers and all(not to or to in story.sections for to in leading)):
        return story
    kept = next((to for to in leading if to in story.sections), None) if trigger_id in story.triggers else None
    return story.overriding(section_id, trigger_id, kept)


# -- texts ------------------------------------------------------------------------------------------------------------


def _with_text(story: Story, owner: str, of_trigger: bool, old: str, new: str) -> Story:
    """Another objective of a section, or message of a trigger, where it still is the old one."""
    if of_trigger:
        trigger = story.triggers.get(owner)
        return story.with_trigger(owner, message=new) if trigger and trigger.trigger_message == old else story
    section = story.sections.get(owner)
    return story.with_section(owner, objective=new) if section and section.objective == old else story


def with_speak_closed(story: Story, owner: str, of_trigger: bool, text: str) -> Story:
    return _with_text(story, owner, of_trigger, text, text + SPEAK_END)


def with_another_key(story: Story, owner: str, of_trigger: bool, old: str, new: str) -> Story:
    """Write a template key as it was declared."""

    if of_trigger:
        trigger = story.triggers.get(owner)
        message = (trigger and trigger.trigger_message) or ""
        put = _with_key(message, old, new)
        return story if put == message else story.with_trigger(owner, message=put)
    section = story.sections.get(owner)
    if section is None:
        return story
    objective = section.objective or ""
    if _with_key(objective, old, new) != objective:
        story = story.with_section(owner, objective=_with_key(objective, old, new))
    ways = [_way_with_key(way, old, new) for way in section.decisions or ()]
    changed = any(way.criteria != before.criteria for way, before in zip(ways, section.decisions or (), strict=True))
    return story.with_section(owner, decisions=ways) if changed else story


def _with_key(text: str, old: str, new: str) -> str:
    return text.replace(f"{{{old}}}", f"{{{new}}}")


def _way_with_key(way: Decision, old: str, new: str) -> Decision:
    criteria = _with_key(way.criteria, old, new)
    same_words = criteria == way.criteria
    return way if same_words else decision(criteria, way.next_section_id, priority=way.priority, like=way)


# -- sections ---------------------------------------------------------------------------------------------------------


def ending(story: Story, section_id: str) -> Story:
    """Say that the story ends in a section that leads nowhere, where nobody has decided what comes next."""
    return story.ending(section_id) if section_id in story.sections else story


def without_section(story: Story, section_id: str, embedded: bool) -> Story:
    """Remove a section that is never reached, and what leads to it from others that are not, or never runs."""
    if section_id not in story.sections or section_id in story.graph().reachable:
        return story
    return story.led_elsewhere(section_id, None, embedded=embedded).without_section(section_id)
