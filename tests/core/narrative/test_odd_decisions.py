"""Stories of which some decisions could not be read: they are kept, and nothing is claimed of them (decision 69)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chartui.core.lint import Severity
from chartui.core.narrative.export import Form, export
from chartui.core.narrative.graph_json import facts as graph_facts
from chartui.core.narrative.lint import fix_all, lint
from chartui.core.narrative.outline import outline, render
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.walk.path import End, Walk
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.models.narrative import Section, Trigger
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
    assert finding.message == "goes to a missing section"


# -- sections and triggers that could not be read ----------------------------------------------------------------------


def incomplete(*kinds: str) -> Story:
    """A story whose decision, override and trigger lead to ids of which nothing readable has one."""
    sections = [
        {
            "section_id": "s1",
            "section_name": "Gate",
            "decisions": [{"criteria": "on", "next_section_id": "lost"}],
            "triggers": [{"trigger_id": "t9", "destination_section": "s1"}],
        },
        {"section_id": "s2", "section_name": "Hall", "decisions": []},
    ]
    triggers = [{"trigger_id": "t1", "trigger_name": "Rain", "destination_section": "5"}]
    odd = [Unreadable(kind=kind, where=f"/{n}", reason="section_id: missing", raw={}) for n, kind in enumerate(kinds)]
    return replace(
        Story.of(None, [build(Section, one) for one in sections], [build(Trigger, one) for one in triggers]),
        start="s1",
        unreadable=tuple(odd),
    )


def test_what_may_be_an_unreadable_section_is_no_error_and_nothing_is_fixed() -> None:
    story = incomplete("section", "section")
    findings = lint(story)
    assert {one.rule.id for one in findings if one.rule.severity is Severity.ERROR} == {"unknown-trigger"}
    told = [one.message for one in findings if one.rule.id == "unreadable-target"]
    assert told == [
        "goes to lost, which may be one of the 2 unreadable sections",
        "goes to 5, which may be one of the 2 unreadable sections",
    ]
    assert "unreachable" not in {one.rule.id for one in findings}
    fixed, _ = fix_all(story, lint)
    assert fixed.ways("s1") == story.ways("s1")
    assert fixed.triggers == story.triggers


def test_an_override_of_what_may_be_an_unreadable_trigger_is_no_error() -> None:
    findings = lint(incomplete("trigger"))
    [told] = [one for one in findings if one.rule.id == "unreadable-target"]
    assert (told.message, told.fix) == ("refers to trigger t9, which may be the unreadable trigger", None)
    assert {one.rule.id for one in findings if one.rule.severity is Severity.ERROR} == {
        "dangling-decision",
        "dangling-trigger",
    }


def test_a_complete_story_still_has_its_errors_and_their_fixes() -> None:
    fixed, done = fix_all(incomplete(), lint)
    assert fixed.ways("s1") == ()
    assert fixed.triggers["t1"].destination_section is None
    assert len(done) == 3


def test_every_picture_of_an_incomplete_story_says_what_is_not_known() -> None:
    story = incomplete("section")
    drawn = outline(story.graph())
    assert "? lost (may be the unreadable section)" in render(drawn)
    assert "Not reached from readable sections" in render(drawn)
    assert "∅ lost" not in render(drawn)
    for text in (export(story, form, "x") for form in (Form.MERMAID, Form.DOT, Form.MARKDOWN)):
        assert "may be the unreadable section" in text
        assert "not there" not in text
        assert "Unreachable" not in text
    facts: Any = graph_facts(story, "x")
    assert facts["sections"][0]["decisions"][0]["exists"] is None
    assert (facts["dangling"], facts["unreachable"]) == (
        [{"kind": "overridden", "id": "s1", "position": 0, "target": "t9"}],
        [],
    )
    walk = Walk.begin(story.graph())
    assert walk.end is End.UNREADABLE


def test_a_destination_that_could_not_be_read_is_neither_disconnected_nor_missed() -> None:
    trigger = build(Trigger, {"trigger_id": "t1", "trigger_name": "Rain", "destination_section": {"a": 1}})
    assert [one.where for one in trigger.unreadable] == ["/destination_section"]
    story = Story.of(None, [build(Section, {"section_id": "s1", "decisions": []})], [trigger])
    assert "unconnected-trigger" not in {one.rule.id for one in lint(story)}
    assert story.with_trigger("t1", name="Storm").triggers["t1"].raw["destination_section"] == {"a": 1}
