"""Add the stories of two compared characters to their comparison.

Sections and triggers are matched by ID and then by name, as in the comparison of a bundle file with a profile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Final

from chartui.core.bundle.difference import Difference, Verdict, differences
from chartui.core.bundle.present import Present
from chartui.core.character import Reading
from chartui.core.characters.comparison import Compared, Comparison, Held, Part, Side
from chartui.core.characters.comparison import Verdict as Result
from chartui.core.classes import NamedTuple
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.service import Service

TITLE: Final = "Story"
#: The same for both characters, so that the sections of one character on two profiles are matched by ID.
_KEY: Final = "compared"


class Told(NamedTuple):
    """The story of a character, or a sentence saying why it is unknown."""

    story: Story | None
    why: str = ""


LOADING: Final = Told(None, "loading…")


async def story_of(service: Service, record: Mapping[str, Wire]) -> Told:
    """Read the story of the character with the given record. If this fails, the result gives the reason."""
    character = build(Character, record)
    try:
        sections = await service.sections(character.character_id)
        triggers = await service.triggers(character.character_id)
    except ServiceError as error:
        return Told(None, f"not read: {single_line(error.message)}")
    return Told(Story.of(character, sections, triggers))


def with_stories(comparison: Comparison, left: Told, right: Told) -> Comparison:
    """Return a copy of the comparison with a part for the stories. An existing part for the stories is replaced."""
    parts = tuple(part for part in comparison.parts if part.title != TITLE)
    return replace(comparison, parts=(*parts, Part(TITLE, _members(comparison, left, right))))


def story_verdict(comparison: Comparison) -> Result:
    """Return whether the stories differ. The result is unknown if a story could not be read."""
    verdicts = {member.verdict for part in comparison.parts if part.title == TITLE for member in part.members}
    return next((one for one in (Result.DIFFERENT, Result.UNKNOWN, Result.SAME) if one in verdicts), Result.UNKNOWN)


def diff_commands(left: tuple[str, str], right: tuple[str, str]) -> str:
    """Return the shell commands that list the differences between the stories.

    Each argument contains the profile name and the ID of a character.
    """
    (one, mine), (other, there) = (tuple(map(quote, side)) for side in (left, right))
    pull = f"chartui --profile {one} pull {mine} story.toml"
    return f"{pull}\nchartui --profile {other} diff story.toml {there}\n"


def _members(comparison: Comparison, left: Told, right: Told) -> tuple[Compared, ...]:
    if left.story is None or right.story is None:
        mine, theirs = (Held("read" if one.story is not None else one.why, known=False) for one in (left, right))
        return (Compared("Story", "story", mine, theirs, Result.UNKNOWN),)
    one, other = left.story, right.story
    found = _differences(_present(comparison.left, one), _present(comparison.right, other))
    partial = bool(one.unreadable or other.unreadable)

    def counted(label: str, counts: tuple[int, int], part: str, members: set[str]) -> Compared:
        mine = [difference for difference in found if difference.part == part]
        changed = len({difference.slug for difference in mine if difference.member in members})
        whole = [difference.verdict for difference in mine if not difference.member and "name" in members]
        only = (whole.count(Verdict.IN_FILE), whole.count(Verdict.THERE))
        here, there = (_held(count, number, changed) for count, number in zip(counts, only, strict=True))
        differs = changed or any(only) or counts[0] != counts[1]
        return Compared(label, f"story.{label.lower()}", here, there, _verdict(bool(differs), partial))

    start, other_start = (Held(_start(story) or "none", _start(story)) for story in (one, other))
    moved = any(difference.member == "start" for difference in found if difference.part == "character")
    return (
        counted("Sections", (_sections(one), _sections(other)), "section", {"name", "objective", "overrides"}),
        counted("Decisions", (_decisions(one), _decisions(other)), "section", {"decisions"}),
        counted("Triggers", (_triggers(one), _triggers(other)), "trigger", {"name", "message", "to"}),
        Compared("Start section", "story.start", start, other_start, _verdict(moved, partial)),
    )


def _verdict(differs: bool, partial: bool) -> Result:
    return Result.DIFFERENT if differs else Result.UNKNOWN if partial else Result.SAME


def _present(side: Side, story: Story) -> Present:
    return Present(key=_KEY, reading=Reading(side.record, None, {}, {}), story=story)


def _differences(left: Present, right: Present) -> tuple[Difference, ...]:
    mine = left.bundle()
    return differences(mine, right.bundle(mine), _KEY)


def _held(count: int, only_here: int, changed: int) -> Held:
    said = [f"{only_here} only here"] * bool(only_here) + [f"{changed} different"] * bool(changed)
    value: dict[str, Wire] = {"count": count, "only_here": only_here, "different": changed}
    return Held(f"{count} ({', '.join(said)})" if said else str(count), value)


def _sections(story: Story) -> int:
    return len(story.sections) + len(story.other_sections)


def _triggers(story: Story) -> int:
    return len(story.triggers) + len(story.other_triggers)


def _decisions(story: Story) -> int:
    return sum(len(section.decisions or ()) for section in story.sections.values())


def _start(story: Story) -> str | None:
    if story.start is None:
        return None
    section = story.sections.get(story.start)
    return story.start if section is None else section.section_name or story.start
