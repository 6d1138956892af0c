"""What the records say that belongs to no single decision or text: ids, parents, and the character itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chartui.core.narrative.lint import fixes
from chartui.core.narrative.lint.finding import Finding, Fix, Place, PlaceKind, quoted
from chartui.core.narrative.lint.looking import Look, Seen, found

__all__ = ["RECORDS"]


def _duplicate_ids(seen: Seen) -> Iterator[Finding]:
    message = "has the id of an earlier one"
    for number, section in enumerate(seen.graph.duplicate_sections):
        yield found("duplicate-id", Place(PlaceKind.SAME_SECTION, section.section_id, number), message)
    for number, trigger in enumerate(seen.graph.duplicate_triggers):
        yield found("duplicate-id", Place(PlaceKind.SAME_TRIGGER, trigger.trigger_id, number), message)


def _moderation(seen: Seen) -> Iterator[Finding]:
    prompt = seen.record.personalised_prompt_config if seen.record is not None else None
    if seen.story.enabled and prompt is not None and prompt.moderation_enabled is False:
        fix = Fix("switch the graph off until it is moderated", fixes.switched_off, safe=False)
        yield found(
            "no-moderation", Place(PlaceKind.STORY, seen.graph.start or ""), "is followed while moderation is off", fix
        )


def _parents(seen: Seen) -> Iterator[Finding]:
    """Sections whose stored parents are not those that lead there; null says nothing (decision 33).

    Parents are computed from the decisions when they are read, so that those of a story that is being written are not
    yet what they will be: only the story as it was read is looked at.
    """
    sections = seen.stored.sections
    if not any(section.parents for section in sections.values()):
        return
    leading: dict[str, set[str]] = {}
    for section in sections.values():
        for way in section.decisions or ():
            leading.setdefault(way.next_section_id, set()).add(section.section_id)
    for section_id, section in sections.items():
        if section.parents is None or section_id not in seen.graph.sections:
            continue
        stored, real = set(section.parents), leading.get(section_id, set())
        if stored != real:
            other = next(iter(sorted(stored ^ real)))
            what = "lacks" if other in real else "has"
            message = f"says otherwise who leads here: it {what} {quoted(seen.graph.section_name(other))}"
            yield found("stored-parents", Place(PlaceKind.SECTION, section_id), message)


RECORDS: Final[tuple[Look, ...]] = (_duplicate_ids, _moderation, _parents)
