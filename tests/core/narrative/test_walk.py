"""A story played: what leads on, what is said, and going it again in a story that has changed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.walk.path import Choice, End, How, Place, Walk, titled_transcript, transcript
from chartui.core.narrative.walk.replay import Retraced, go_on, retrace
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from tests.core.narrative import graphs
from tests.core.narrative.graphs import section, trigger

FORGE = Graph.build(
    [
        section("door", ("buys", "wares"), ("brings a broken blade", "gone"), ("steals", "watch", 1)),
        section("wares", ("pays", "farewell"), ("looks again", "wares"), overrides={"horn": "watch", "rain": None}),
        section("watch", ("*", "cell"), ("begs", "door")),
        section("cell", ("*", "street"), name="The cell"),
        section("street", ("waits", "door"), ("*", "cell")),
        section("farewell"),
        section("ping", ("*", "pong")),
        section("pong", ("*", "ping")),
        section("stuck", ("knocks", "gone"), ("*", "gone")),
    ],
    [trigger("horn"), trigger("rain", "door"), trigger("storm", "gone")],
    "door",
)


def gone(graph: Graph, *moves: str | int, start: str | None = None) -> Walk:
    """A walk: a number takes a decision, a text fires a trigger."""
    walk = Walk.begin(graph, start)
    for move in moves:
        if isinstance(move, int):
            walk = walk.take(walk.ways[move - 1])
        else:
            walk = walk.fire(next(event for event in walk.events if event.trigger == move))
    return walk


def been(walk: Walk) -> list[tuple[str, str]]:
    return [(step.how.value, step.section) for step in walk.steps]


# -- where one stands -------------------------------------------------------------------------------------------------


def test_decisions_are_offered_in_the_order_they_are_tried() -> None:
    ways = Walk.begin(FORGE).ways
    assert [(way.number, way.edge.criteria, way.exists) for way in ways] == [
        (1, "steals", True),
        (2, "buys", True),
        (3, "brings a broken blade", False),
    ]


def test_what_is_behind_an_immediate_decision_is_not_offered() -> None:
    assert [way.edge.criteria for way in gone(FORGE, start="street").ways] == ["waits", "*"]
    assert Walk.begin(FORGE, "stuck").ways[-1].edge.criteria == "*"


def test_an_immediate_decision_is_taken_by_itself_where_nothing_goes_before_it() -> None:
    walk = gone(FORGE, 1)
    assert been(walk) == [("start", "door"), ("decision", "watch"), ("automatic", "cell"), ("automatic", "street")]
    assert [step.section for step in walk.latest] == ["watch", "cell", "street"]
    assert walk.back() == Walk.begin(FORGE)
    assert been(gone(FORGE, 1, 2))[-2:] == [("decision", "cell"), ("automatic", "street")]


def test_an_endless_chain_stops_and_says_which_sections_it_goes_through() -> None:
    walk = Walk.begin(FORGE, "ping")
    assert (been(walk), walk.end, walk.loop) == (
        [("start", "ping"), ("automatic", "pong")],
        End.LOOP,
        ("pong", "ping"),
    )
    assert [event.trigger for event in walk.events if event.exists] == ["horn", "rain"]


def test_a_section_that_leads_to_itself_at_once_is_a_loop_of_one() -> None:
    walk = Walk.begin(Graph.build([section("a", ("*", "a"))], [], "a"))
    assert (walk.loop, len(walk.steps)) == (("a",), 1)


def test_why_nothing_leads_on() -> None:
    ends = {start: Walk.begin(FORGE, start).end for start in ("door", "farewell", "stuck", "ping")}
    assert ends == {"door": None, "farewell": End.ENDING, "stuck": End.BROKEN, "ping": End.LOOP}
    assert Walk.begin(FORGE, "nowhere").end is End.NO_START
    assert Walk.begin(Graph.build([], [], None)).ways == ()


def test_what_dangles_is_shown_and_never_followed() -> None:
    walk = Walk.begin(FORGE)
    with pytest.raises(ValueError, match="gone"):
        walk.take(walk.ways[2])
    with pytest.raises(ValueError, match="gone"):
        gone(FORGE, "storm")
    with pytest.raises(KeyError):
        walk.jump("gone")


def test_a_trigger_leads_where_the_section_says() -> None:
    at_wares = gone(FORGE, 2)
    found = {event.trigger: (event.target, event.exists, event.overridden) for event in at_wares.events}
    assert found == {"horn": ("watch", True, True), "rain": ("door", True, False), "storm": ("gone", False, False)}
    assert been(gone(FORGE, 2, "horn"))[2:] == [("trigger", "watch"), ("automatic", "cell"), ("automatic", "street")]


def test_an_event_may_happen_in_a_section_that_is_only_passed() -> None:
    graph = Graph.build(
        [section("a", ("*", "b"), overrides={"t": "c", "gone": "c"}), section("b"), section("c")], [trigger("t")], "a"
    )
    walk = Walk.begin(graph)
    assert [(event.target, event.within) for event in walk.events] == [(None, "b"), ("c", "a")]
    fired = walk.fire(walk.events[1])
    assert (fired.here, again(fired, graph).walk) == ("c", fired)


def test_a_trigger_that_leads_nowhere_happens_and_one_stays() -> None:
    walk = gone(FORGE, "horn")
    assert walk.steps[-1].stays
    assert (walk.here, walk.back()) == ("door", Walk.begin(FORGE))


def test_a_jump_is_a_choice_and_is_taken_back_like_one() -> None:
    walk = gone(FORGE, 2).jump("farewell")
    assert been(walk)[-1] == ("jump", "farewell")
    assert walk.back() == gone(FORGE, 2)
    assert walk.again() == Walk.begin(FORGE)
    assert Walk(FORGE).jump("wares") == Walk.begin(FORGE, "wares")


def test_nobody_steps_back_beyond_the_beginning() -> None:
    walk = Walk.begin(FORGE, "watch")
    assert walk.back() is walk


def test_what_is_said_on_the_way() -> None:
    story = Story.of(None, [], []).with_section("a", name="A", objective="Greet. <speak>Hello {Name}</speak>")
    story = story.with_trigger("t", name="T", message="It is {Time}.", destination="a")
    walk = Walk.begin(story.graph(), "a")
    walk = walk.fire(walk.events[0])
    assert [
        [passage.text for part in (said.message, said.objective) if part for passage in part.passages]
        for said in walk.said(walk.steps, {"Name": "Ada"})
    ] == [["Greet.", "Hello Ada"], ["It is {Time}.", "Greet.", "Hello Ada"]]


# -- going it again ---------------------------------------------------------------------------------------------------


def again(walk: Walk, graph: Graph) -> Retraced:
    return retrace(graph, walk.beginning, walk.choices)


def test_a_walk_is_known_again_by_names_where_the_ids_are_others() -> None:
    walk = gone(FORGE, 2, "rain", 1).jump("farewell")
    story = Story.of(None, tuple(FORGE.sections.values()), tuple(FORGE.triggers.values()))
    other = story.renamed({key: f"x-{key}" for key in (*FORGE.sections, *FORGE.triggers)}).graph()
    retraced = again(walk, other)
    assert (retraced.broken, retraced.remarks) == (None, ())
    assert been(retraced.walk) == [(how, f"x-{where}") for how, where in been(walk)]


def test_an_id_goes_before_a_name() -> None:
    graph = Graph.build([section("a", ("on", "b"), name="Old"), section("b", name="A")], [], None)
    assert retrace(graph, Place("Old", "b"), ()).walk.here == "b"
    assert retrace(graph, Place("o-l-d"), ()).walk.here == "a"


def test_names_that_are_only_alike_must_not_be_ambiguous() -> None:
    graph = Graph.build([section("a", name="The Forge"), section("b", name="the forge")], [], None)
    assert retrace(graph, Place("the forge"), ()).walk.here == "b"
    broken = retrace(graph, Place("THE FORGE"), ()).broken
    assert broken is not None
    assert str(broken) == "start: expected the section “THE FORGE”; found no such section"


def edited(walk: Walk, *decisions: tuple[str, str]) -> Retraced:
    """The walk gone again, the wares having other decisions."""
    changed = [section("wares", *decisions) if s.section_id == "wares" else s for s in FORGE.sections.values()]
    return again(walk, Graph.build(changed, list(FORGE.triggers.values()), "door"))


def test_other_words_for_the_same_way_are_followed_and_remarked_upon() -> None:
    retraced = edited(gone(FORGE, 2, 1), ("hands over the silver", "farewell"))
    assert retraced.walk.here == "farewell"
    assert [str(remark) for remark in retraced.remarks] == [
        "step 2: the decision “pays” is now “hands over the silver”"
    ]
    assert edited(gone(FORGE, 2, 1), ("Pays!", "farewell")).remarks == ()


@pytest.mark.parametrize(
    ("decisions", "there"),
    [
        ([], "nothing"),
        ([("pays", "door"), ("steals", "farewell")], "“pays” to “Door”, “steals” to “Farewell”"),
        ([("runs", "farewell"), ("limps", "farewell")], "“runs” to “Farewell”, “limps” to “Farewell”"),
        ([("*", "gone"), ("pays", "farewell")], "* to “gone”, which does not exist"),
        ([("pays", "gone")], "“pays” to “gone”, which does not exist"),
    ],
)
def test_where_the_path_does_not_exist_any_more(decisions: list[tuple[str, str]], there: str) -> None:
    retraced = edited(gone(FORGE, 2, 1), *decisions)
    assert retraced.walk.here == "wares"
    assert str(retraced.broken) == f"step 2: expected the decision “pays” to “Farewell”; found {there}"


def test_a_trigger_that_leads_elsewhere_now_breaks_the_path() -> None:
    walk = gone(FORGE, 2, "horn")
    retraced = edited(walk, ("pays", "farewell"))
    assert retraced.broken is not None
    assert retraced.broken.expected == "the trigger “Horn” to “Watch”"
    assert retraced.broken.there[0] == "“Horn” without a target"


def test_what_cannot_be_found_is_told_with_what_was_meant() -> None:
    jump = Choice(how=How.JUMP, to=Place("Attic"))
    nowhere = Choice(how=How.TRIGGER, words="rain", to=Place(""))
    flight = Choice(how=How.DECISION, words="flies")
    for choice, sentence in (
        (jump, "step 1: expected the section “Attic”; found no section with that name"),
        (nowhere, "step 1: expected the trigger “rain” without a target; found "),
        (flight, "step 1: expected the decision “flies”; found “steals” to “Watch”"),
    ):
        assert str(go_on(Walk.begin(FORGE), [choice]).broken).startswith(sentence)
    assert str(retrace(Graph.build([], [], None), None, ()).broken).startswith("start: expected a start section")


def test_where_many_ways_lead_on_some_are_told() -> None:
    many = Graph.build([section("hub", *((f"way {n}", "hub") for n in range(30)))], [], "hub")
    broken = go_on(Walk.begin(many), [Choice(how=How.DECISION, words="home")]).broken
    assert str(broken).endswith("“way 7” to “Hub”, 22 more")


# -- any story --------------------------------------------------------------------------------------------------------


@given(graphs.stories(largest=60), st.integers(0, 10**6))
def test_any_story_can_be_walked_back_and_again(story: graphs.Story, seed: int) -> None:
    graph, chance = story.graph, random.Random(seed)
    walk = Walk.begin(graph, chance.choice([None, *graph.sections]))
    visited = [walk]
    for _ in range(25):
        open_ways = [way for way in walk.ways if way.exists and walk.end is None]
        events = [event for event in walk.events if event.exists]
        moves = [*(walk.take(way) for way in open_ways), *(walk.fire(event) for event in events)]
        if not moves:
            break
        walk = chance.choice(moves)
        visited.append(walk)
        assert not any(way.edge.never_runs for way in walk.ways)
        assert (walk.end is None) == any(way.exists for way in walk.ways if not walk.loop)
    assert all(step.section in graph.sections for step in walk.steps)
    if walk.steps:
        assert len(walk.choices) == len(visited) - 1
        retraced = retrace(graph, walk.beginning, walk.choices)
        assert retraced == Retraced(walk)
    for earlier in reversed(visited[:-1]):
        walk = walk.back()
        assert walk == earlier


def test_a_chain_of_ten_thousand_sections_is_passed_at_once() -> None:
    sections = [
        build(Section, {"section_id": f"s{n}", "decisions": [{"criteria": "*", "next_section_id": f"s{n + 1}"}]})
        for n in range(10_000)
    ]
    walk = Walk.begin(Graph.build(sections, [], "s0"))
    assert (len(walk.steps), walk.end) == (10_000, End.BROKEN)


def test_a_walk_as_text() -> None:
    story = Story.of(None, [], []).with_section(
        "a", name="A", objective="Do this,\nthen that. <speak>Hi {Name}\x1b[0m</speak>"
    )
    story = story.with_section("a", decisions=[decision("asks {Name}", "b")]).with_section("b", name="B\nb")
    story = story.with_trigger("t", name="T", message="It rains.")
    walk = gone(story.graph(), "t", 1, start="a").jump("a")
    assert transcript(walk, {"Name": "Ada"}) == (
        "▶ A\n"
        "    is to  Do this,\n"
        "           then that.\n"
        "    says   Hi Ada␛[0m\n"
        "ϟ T (no target)\n"
        "    is to  It rains.\n"
        "asks Ada → B b\n"
        "    says nothing\n"
        "… A\n"
        "    is to  Do this,\n"
        "           then that.\n"
        "    says   Hi Ada␛[0m\n"
    )
    assert transcript(Walk(FORGE)) == ""


def test_a_walk_as_text_for_people_has_the_name_and_the_verdict() -> None:
    story = Story.of(None, [], []).with_section("a", name="A", objective="Begin.", decisions=[decision("asks", "b")])
    story = story.with_section("b", name="B").with_section("b", decisions=None)
    walk = gone(story.graph(), start="a")
    assert titled_transcript(walk, {}, "Ada\nLee") == "Ada Lee\n\n▶ A\n    is to  Begin.\n"
    lines = titled_transcript(gone(story.graph(), 1, start="a"), {}, "").splitlines()
    assert lines[0] == "▶ A"
    assert lines[-2:] == ["", "A dead end: the section has no decisions but is not marked as an ending."]
