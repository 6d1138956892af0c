"""A story from a file beside one that is there, or in its place."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from chartui.core.narrative.export import Form, export
from chartui.core.narrative.graph_json import read as read_json
from chartui.core.narrative.story import Story, differing_members, overrides_of
from chartui.core.narrative.story_import import Incoming, Joining, joined
from chartui.core.narrative.twee import read
from tests.core.narrative import graphs
from tests.core.narrative.graphs import section, stories, trigger

PRESENT = replace(
    Story.of(
        None,
        [section("h", ("on", "v"), ("gone", "x"), name="Hall", overrides={"f": "v"}), section("v", name="Vault")],
        [trigger("f", "v", name="Fire")],
    ),
    start="h",
    enabled=True,
)
TWEE = read(":: Start\n[[Hall]]\n:: Hall\nGreet.\n[[back->Start]]\n:: Bell [chartui-trigger]\nIt rings.\n[[x->Hall]]\n")


def names(story: Story) -> list[str]:
    return [str(one.section_name) for one in story.sections.values()]


def ways(story: Story, section_id: str) -> list[tuple[str, str]]:
    return [(way.criteria, way.next_section_id) for way in story.sections[section_id].decisions or ()]


def test_what_is_added_changes_nothing_that_is_there() -> None:
    found = joined(PRESENT, TWEE, Joining.ADD)
    assert names(found.story) == ["Hall", "Vault", "Start", "Hall"]
    assert all(found.story.sections[key] is one for key, one in PRESENT.sections.items())
    assert (found.story.start, found.story.enabled) == ("h", True)
    start, hall = list(found.story.sections)[2:]
    assert ways(found.story, start) == [("Hall", hall)]
    assert ways(found.story, hall) == [("back", start)]
    assert [one.destination_section for one in found.story.triggers.values()] == ["v", hall]


def test_names_of_triggers_that_are_taken_get_a_number() -> None:
    again = joined(joined(PRESENT, TWEE, Joining.ADD).story, TWEE, Joining.ADD)
    assert [one.trigger_name for one in again.story.triggers.values()] == ["Fire", "Bell", "Bell (2)"]


def test_what_is_added_to_nothing_begins_where_it_says() -> None:
    found = joined(Story(sections={}, triggers={}), TWEE, Joining.ADD)
    assert found.story.graph().section_name(str(found.story.start)) == "Start"
    assert found.remarks == ()


def test_a_replacement_keeps_the_ids_of_what_is_called_the_same() -> None:
    found = joined(PRESENT, TWEE, Joining.REPLACE).story
    assert names(found) == ["Start", "Hall"]
    assert found.sections["h"].objective == "Greet."
    # Twee knows no overrides, and need not have a trigger: what there is stays.
    assert found.sections["h"].raw["triggers"] == PRESENT.sections["h"].raw["triggers"]
    assert [one.trigger_name for one in found.triggers.values()] == ["Fire", "Bell"]
    assert found.start != "h"
    assert found.enabled is True


def test_an_exported_graph_speaks_for_triggers_as_well() -> None:
    _, story = read_json(export(PRESENT, Form.JSON, "t"))
    fewer = story.without_trigger("f").without_section("v")
    found = joined(PRESENT, Incoming(title="t", story=fewer, whole=True), Joining.REPLACE)
    assert found.story.triggers == {}
    assert list(found.story.sections) == ["h"]
    # What led to nothing before may go on doing so; what would do so only now is told.
    assert ways(found.story, "h") == [("on", "v"), ("gone", "x")]


def test_what_would_lead_to_nothing_is_left_out_and_told() -> None:
    broken = Story.of(
        None,
        [section("a", ("ok", "a"), ("lost", "nope"), name="A", overrides={"t": "nope", "ghost": "a"})],
        [trigger("t", "nope", name="T")],
    ).starting_at("nope")
    found = joined(PRESENT, Incoming(title="", story=broken, whole=True), Joining.REPLACE)
    assert not found.story.graph().dangling
    assert {remark.said for remark in found.remarks} == {
        "The decision “lost” has no target and is left out.",
        "Left out 2 overrides without a target.",
        "The trigger has no target, so it is not connected.",
        "The start section is missing, so the story has no start.",
    }
    assert all(remark.lost for remark in found.remarks)


@given(stories(largest=20))
@settings(deadline=None)
def test_a_graph_that_replaces_itself_stays_as_it_is(drawn: graphs.Story) -> None:
    story = Story.of(None, drawn.sections, drawn.triggers).starting_at(drawn.start)
    named = replace(story, other_sections=(), other_triggers=())
    for section_id in named.sections:
        named = named.with_section(section_id, name=section_id)
    _, again = read_json(export(named, Form.JSON, "t"))
    found = joined(named, Incoming(title="t", story=again, whole=True), Joining.REPLACE)
    assert list(found.story.sections) == list(named.sections)
    before, after = named.graph(), found.story.graph()
    assert (after.edges, after.start, after.dangling) == (before.edges, before.start, before.dangling)
    assert not any(differing_members(named.triggers[key], one) for key, one in found.story.triggers.items())
    assert all(
        overrides_of(named.sections[key]) == overrides_of(one) and named.sections[key].objective == one.objective
        for key, one in found.story.sections.items()
    )
    assert found.remarks == ()
