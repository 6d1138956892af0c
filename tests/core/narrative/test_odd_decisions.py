"""Stories of which some decisions could not be read: they are kept, and nothing is claimed of them (decision 69)."""

from __future__ import annotations

from typing import Any

import pytest

from chartui.core.narrative.lint import lint
from chartui.core.narrative.story import Story, decision
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build

ON = {"criteria": "on", "next_section_id": "s2"}


def story_with(decisions: Any) -> Story:
    sections = [{"section_id": "s1", "decisions": decisions}, {"section_id": "s2", "decisions": [ON]}]
    return Story(sections={one["section_id"]: build(Section, one) for one in sections}, triggers={}, start="s1")


def stored(story: Story) -> Any:
    return story.sections["s1"].raw["decisions"]


def test_every_change_of_the_decisions_keeps_the_others_in_their_places() -> None:
    story = story_with([5, ON, {}, ON])
    assert stored(story.with_ways("s1", [decision("off", "s2")])) == [5, {**ON, "criteria": "off"}, {}]
    assert stored(story.led_elsewhere("s2", "s3", embedded=False)) == [
        5,
        {**ON, "next_section_id": "s3"},
        {},
        {**ON, "next_section_id": "s3"},
    ]
    assert stored(story.led_elsewhere("s2", None, embedded=False)) == [5, {}]
    renamed = story.renamed({"s1": "new", "s2": "other"})
    assert renamed.sections["new"].raw["decisions"][1] == {**ON, "next_section_id": "other"}
    assert renamed.sections["new"].raw["decisions"][::2] == [5, {}]


@pytest.mark.parametrize("decisions", [[5], 7, "see below"])
def test_a_section_whose_decisions_cannot_be_read_is_neither_an_ending_nor_a_dead_end(decisions: Any) -> None:
    story = story_with(decisions)
    assert story.sections["s1"].decisions is None
    rules = {one.rule.id for one in lint(story) if one.place.owner == "s1"}
    assert rules.isdisjoint({"ending", "dead-end"})


def test_a_decision_without_a_target_leads_to_nothing() -> None:
    [finding] = [one for one in lint(story_with([{**ON, "next_section_id": ""}])) if one.rule.id == "dangling-decision"]
    assert finding.message == "leads to nothing"
