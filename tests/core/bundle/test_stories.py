"""The stories of two characters in their comparison."""

from __future__ import annotations

from dataclasses import replace

from chartui.core.bundle.stories import Told, story_verdict, with_stories
from chartui.core.characters.comparison import Comparison, Side, Verdict, compare
from chartui.core.narrative.story import Story
from chartui.core.spec.elements import Unreadable

SIDES = Side("A", {"character_id": "a"}), Side("B", {"character_id": "b"})
STORY = Story(sections={}, triggers={}).with_section("one", name="Door", objective="Say hello.")


def compared(left: Story | None, right: Story | None) -> Comparison:
    return with_stories(compare(*SIDES), Told(left), Told(right))


def test_a_story_that_was_not_read_whole_is_not_equal() -> None:
    partial = replace(STORY, unreadable=(Unreadable(kind="section", where="/1", reason="no object", raw=1),))
    assert story_verdict(compared(STORY, STORY)) is Verdict.SAME
    for comparison in (compared(STORY, partial), compared(partial, STORY), compared(STORY, None)):
        assert story_verdict(comparison) is Verdict.UNKNOWN


def test_sections_with_other_ids_are_matched_by_name() -> None:
    other = Story(sections={}, triggers={}).with_section("two", name="Door", objective="Say hello.")
    assert story_verdict(compared(STORY, other)) is Verdict.SAME
    assert story_verdict(compared(STORY, other.with_section("two", objective="Say no."))) is Verdict.DIFFERENT
