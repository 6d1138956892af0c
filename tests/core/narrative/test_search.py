"""Ways through a story are the shortest ones, can be played, and lead to everything that can be reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.narrative.replacement import BadReplacement, occurrences_of, replaced, replaced_in
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.texts import texts_of
from chartui.core.narrative.walk.path import How
from chartui.core.narrative.walk.reach import distances, shortest_walk
from chartui.core.narrative.walk.replay import replay, script_of

from . import graphs
from .graphs import section, trigger


@given(graphs.stories(largest=40))
def test_every_way_replays_and_is_as_long_as_its_distance(drawn: graphs.Story) -> None:
    graph = drawn.graph
    start = graph.start
    if start is None or start not in graph.sections:
        return
    found = {one.section: one for one in distances(graph, start)}
    for goal in graph.sections:
        walk = shortest_walk(graph, start, goal)
        assert (walk is not None) == (goal in found or goal == start)
        if walk is None:
            continue
        assert walk.here == goal
        assert replay(script_of(walk, {}), graph).holds
        if goal in found:
            assert sum(step.how is How.TRIGGER for step in walk.steps) == found[goal].triggers


def test_decisions_are_preferred_to_a_shorter_way_with_a_trigger() -> None:
    story = graphs.Story(
        [section("a", ("go", "b")), section("b", ("go", "c")), section("c"), section("d")],
        [trigger("t", "c"), trigger("u", "d")],
        "a",
    )
    walk = shortest_walk(story.graph, "a", "c")
    assert walk is not None
    assert [step.section for step in walk.steps] == ["a", "b", "c"]
    assert [(one.section, one.steps, one.triggers) for one in distances(story.graph, "a")] == [
        ("b", 1, 0),
        ("c", 2, 0),
        ("d", 1, 1),
    ]
    assert shortest_walk(story.graph, "c", "a") is None


def test_a_way_ends_at_its_goal_and_goes_on_automatically_from_there() -> None:
    story = graphs.Story(
        [section("a", ("go", "b")), section("b", ("*", "c")), section("c", ("*", "d")), section("d")], [], "a"
    )
    walk = shortest_walk(story.graph, "a", "b")
    assert walk is not None
    assert [step.section for step in walk.steps] == ["a", "b"]
    assert (walk.stops_short, walk.end) == (True, None)
    further = walk.take(walk.ways[0])
    assert [(step.how, step.section) for step in further.steps[2:]] == [(How.AUTOMATIC, "c"), (How.AUTOMATIC, "d")]
    assert not further.stops_short
    assert further.back().here == "a"  # what was passed automatically was never chosen
    passed = shortest_walk(story.graph, "a", "c")
    assert passed is not None
    assert [step.section for step in passed.steps] == ["a", "b", "c"]
    saved = script_of(passed, {})
    assert saved.ends is not None
    assert (saved.ends.id, replay(saved, story.graph).holds) == ("d", True)


def told() -> Story:
    story = Story(sections={}, triggers={})
    story = story.with_section("a", name="The old door", objective="Open the door. The door creaks.")
    story = story.with_section("b", name="Hall", decisions=[decision("*", "a")])
    story = story.with_section("a", decisions=[decision("asks for the door", "b"), decision("*", "b")])
    story = story.with_trigger("t", name="Door bell", message="Somebody is at the door", destination="a")
    return story.with_trigger("u", name="Bell", message="")


def test_every_text_is_replaced_and_nothing_else() -> None:
    made = replaced(told(), "door", "gate")
    assert made.counted == "5 occurrences in 4 texts"
    section = made.story.sections["a"]
    assert (section.section_name, section.objective) == ("The old gate", "Open the gate. The gate creaks.")
    assert [way.criteria for way in section.decisions or ()] == ["asks for the gate", "*"]
    assert made.story.triggers["t"].trigger_name == "Door bell"
    assert made.story.sections["b"] == told().sections["b"]
    assert replaced(told(), "door", "gate", ignore_case=True).story.triggers["t"].trigger_name == "gate bell"
    assert replaced(made.story, "gate", "door").story == told()


def test_signs_of_patterns_are_plain_text() -> None:
    assert replaced(told(), "d..r", "x").changes == []
    assert replaced(told(), "The door", r"\1").story.sections["a"].objective == r"Open the door. \1 creaks."
    assert replaced(told(), "*", "x").changes == []  # a catch-all decision has no text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Hall", " ", "section name “Hall” would be empty"),
        ("asks for the door", "*", "would become a catch-all"),
        ("asks for the door", "", "would be empty"),
        ("Door bell", "Bell", "Two triggers would have the name “Bell”"),
    ],
)
def test_what_would_break_the_story_is_refused(old: str, new: str, reason: str) -> None:
    with pytest.raises(BadReplacement, match=reason):
        replaced(told(), old, new)


def test_what_cannot_be_read_now_stays() -> None:
    story = told()
    unread = Story(sections=story.sections, triggers=story.triggers, unread=frozenset({"a"}))
    made = replaced(unread, "door", "gate")
    assert [row.owner for row, _ in made.changes] == ["t"]
    assert {row.text for row in texts_of(made.story) if row.owner == "a"} == {
        row.text for row in texts_of(story) if row.owner == "a"
    }


def saying(text: str) -> Story:
    return Story(sections={}, triggers={}).with_section("a", name="#", objective=text)


@pytest.mark.parametrize(
    ("text", "old", "words"),
    [
        ("The lock, at six o’clock.", "lock", ["o’clock"]),
        ("locks locked (lock) 'lock' “lock” lock", "lock", ["locks", "locked"]),
        ("lock's lock’ lock-pick", "lock", ["lock's"]),
        ("o’clock", "’clock", ["o’clock"]),
        ("o’clock", "o’", ["o’clock"]),
        ("lock2 2lock lock 2", "lock", ["lock2", "2lock"]),
        ("{lock_name} _lock_", "lock", ["lock_name"]),
        ("six locks", "six lock", ["six locks"]),
        ("a,b.c", ",", []),
        ("über überall", "über", ["überall"]),
        ("cafe\u0301 cafe", "cafe", ["cafe\u0301"]),
        ("Η αυλή αυλής", "αυλή", ["αυλής"]),
        ("हिन्दी हिन्द", "हिन्द", ["हिन्दी"]),
        ("lock lock locks locks", "lock", ["locks"]),
        ("no", "no such words", []),
    ],
)
def test_longer_words_are_told_from_whole_ones(text: str, old: str, words: list[str]) -> None:
    assert list(occurrences_of(saying(text), old).words) == words


def test_only_whole_words_are_replaced_if_asked_for() -> None:
    story = saying("The lock, at six o’clock. Lock it.")
    found = occurrences_of(story, "lock")
    assert (found.whole, found.inside, found.named) == (1, 1, "“o’clock”")
    assert found.counted_inside == "1 occurrence inside a longer word"
    made = replaced(story, "lock", "padlock", whole_words=True)
    assert made.story.sections["a"].objective == "The padlock, at six o’clock. Lock it."
    assert made.counted == "1 occurrence in 1 text"
    every = replaced(story, "lock", "padlock", ignore_case=True, whole_words=True)
    assert every.story.sections["a"].objective == "The padlock, at six o’clock. padlock it."
    many = occurrences_of(saying("locker locked locks clocks"), "lock")
    assert many.named == "“locker”, “locked”, “locks”, …"
    assert many.counted_inside == "4 occurrences inside longer words"


@given(st.text("ab’_ é\u0301.", max_size=40), st.text("ab’ é", min_size=1, max_size=3), st.booleans())
def test_all_occurrences_are_whole_or_inside_longer_words(text: str, old: str, ignore_case: bool) -> None:
    found = occurrences_of(saying(text), old, ignore_case=ignore_case)
    _, every = replaced_in(text, old, "X", ignore_case=ignore_case)
    left, whole = replaced_in(text, old, "-", ignore_case=ignore_case, whole_words=True)
    assert (every, whole) == (found.whole + found.inside, found.whole)
    assert left.count("-") == found.whole
    assert (len(found.words) > 0) == (found.inside > 0)
    assert all(len(word) > len(old) and word in text for word in found.words)
