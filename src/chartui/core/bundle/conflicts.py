"""What a push would overwrite although somebody changed it since the file was last pulled or pushed (decision 37)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from chartui.core.bundle.making import seen_character
from chartui.core.bundle.model import MEMBERS, seen_section, seen_trigger
from chartui.core.narrative.story import differing_sections, differing_triggers
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle, Identity
    from chartui.core.bundle.present import Present
    from chartui.core.bundle.wanting import Wanted

__all__ = ["OPERATION_OF", "conflicts"]

#: Which operation changes a member of the character itself; those that are not here are settings.
OPERATION_OF: Final[Mapping[str, str]] = {
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
        operation = OPERATION_OF.get(name, "update-character")
        if name in changing and held.seen.get(name, now) != now and operation not in touched:
            yield _sentence(_CALLED.get(name, f"The {name}"))
    for slug, item_id in aim.ids.sections.items():
        section, wanted = present.story.sections.get(item_id), aim.story.sections[item_id]
        now = seen_section(section) if section is not None else ""
        if differing_sections(section, wanted) and _stale(held.sections.get(slug), now, touched):
            yield _sentence(f"Section “{single_line(wanted.section_name or slug, limit=60)}”", gone=section is None)
    for slug, item_id in aim.ids.triggers.items():
        trigger, event = present.story.triggers.get(item_id), aim.story.triggers[item_id]
        now = seen_trigger(trigger) if trigger is not None else ""
        if differing_triggers(trigger, event) and _stale(held.triggers.get(slug), now, touched):
            yield _sentence(f"Trigger “{single_line(event.trigger_name or slug, limit=60)}”", gone=trigger is None)


def _stale(known: Identity | None, now: str, touched: Collection[str]) -> bool:
    """Whether something is not what it was; what is gone is not what it was either."""
    return known is not None and known.seen not in ("", now) and known.id not in touched


def _sentence(what: str, *, gone: bool = False) -> str:
    return f"{what} was {'removed' if gone else 'changed'} there since the file was last pulled or pushed."
