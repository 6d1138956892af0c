"""Random walks: the same seed walks the same, and what they count is so."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.walk.coverage import (
    MOST_MOVES,
    Coverage,
    Ended,
    RandomWalks,
    Why,
    random_walks,
    within_reach,
)
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from tests.core.narrative import graphs
from tests.core.narrative.graphs import section, trigger

HOUSE = Graph.build(
    [
        section("hall", ("up", "attic"), ("down", "cellar"), ("out", "gone")),
        section("attic", ("*", "hall"), ("jump", "garden")),
        section("cellar", ("waits", "cellar"), ("sleeps", "bed"), overrides={"bell": "hall"}),
        section("bed"),
        section("garden"),
        section("well", ("*", "well")),
    ],
    [trigger("bell", "garden"), trigger("wind"), trigger("fall", "well")],
    "hall",
)


def covered(**asked: int | bool | str) -> Coverage:
    return random_walks(HOUSE, RandomWalks(**asked))  # type: ignore[arg-type]


def test_a_seed_walks_the_same_on_every_version_of_the_interpreter() -> None:
    coverage = covered(seed=7, walks=20, steps=30)
    assert coverage.visits == {"hall": 40, "attic": 20, "cellar": 48, "bed": 20}
    assert (coverage.longest, dict(coverage.ended)) == (15, {Ended.ENDING: 20})


def test_what_nobody_comes_to() -> None:
    coverage = covered(walks=50)
    assert coverage.reasons == {"garden": Why.EVENT, "well": Why.EVENT}
    assert covered(walks=1, steps=1).reasons["bed"] is Why.CHANCE
    assert covered(start="cellar").reasons["hall"] is Why.ELSEWHERE
    assert random_walks(Graph.build([section("a"), section("b")], [], "a"), RandomWalks()).reasons == {
        "b": Why.UNREACHABLE
    }
    assert tuple(coverage.reasons) == ("garden", "well")
    assert coverage.percent == Decimal("66.7")
    assert within_reach(HOUSE, RandomWalks()) == {"hall", "attic", "cellar", "bed"}
    assert [(edge.source, edge.criteria) for edge in coverage.untaken] == [
        ("hall", "out"),
        ("attic", "jump"),
        ("well", "*"),
    ]
    assert coverage.stopped(Ended.ENDING) == (("bed", 50),)
    assert coverage.unfired == ("bell", "wind", "fall")


def test_triggers_happen_where_that_is_wanted() -> None:
    coverage = covered(walks=200, fire=True)
    assert not coverage.reasons
    assert coverage.unfired == ("wind",)
    assert {loop.sections for loop, _ in coverage.stuck} == {("well",)}
    assert within_reach(HOUSE, RandomWalks(fire=True)) == set(HOUSE.sections)
    # In the cellar the bell leads back to the hall, and nobody is stuck where a trigger still leads on.
    assert coverage.stops == {}


MAZE = [
    section("gate", ("left", "north"), ("right", "exit"), ("back", "wall"), ("jump", "pit")),
    section("north", ("on", "east")),
    section("east", ("on", "south"), ("never", "north")),
    section("south", ("round", "north"), ("across", "east")),
    section("exit"),
    build(Section, {"section_id": "wall", "section_name": "Wall", "decisions": None}),
    section("pit", ("*", "pit")),
]


def test_a_closed_loop_is_named_and_an_ending_is_not_a_dead_end() -> None:
    coverage = random_walks(Graph.build(MAZE, [], "gate"), RandomWalks(walks=80, steps=20))
    walks = {loop.sections: (loop.automatic, loop.exit, walks) for loop, walks in coverage.stuck}
    assert set(walks) == {("north", "east", "south"), ("pit",)}
    assert walks["north", "east", "south"][:2] == (False, "")
    assert walks["pit",][:2] == (True, "")
    ended = coverage.ended
    assert ended[Ended.LOOP] == sum(number for *_, number in walks.values()) > 20
    assert coverage.stopped(Ended.ENDING) == (("exit", ended[Ended.ENDING]),)
    assert coverage.stopped(Ended.DEAD_END) == (("wall", ended[Ended.DEAD_END]),)
    assert ended[Ended.STEP_LIMIT] == 0


def test_a_loop_that_a_trigger_leaves_holds_a_walk_only_while_none_is_fired() -> None:
    graph = Graph.build(MAZE, [trigger("bell", "exit")], "gate")
    stuck = random_walks(graph, RandomWalks(walks=80)).stuck
    assert {loop.exit for loop, _ in stuck} == {"only a trigger leaves it"}
    fired = random_walks(graph, RandomWalks(walks=80, steps=200, fire=True))
    assert fired.ended[Ended.LOOP] == sum(number for _, number in fired.stuck)
    assert not [loop for loop, _ in fired.stuck if not loop.automatic]


def test_where_a_story_may_go_on_unread_no_loop_is_closed() -> None:
    odd = {"section_id": "east", "decisions": [{"criteria": "on", "next_section_id": "south"}, 7]}
    unread = build(Section, odd)
    graph = Graph.build([*MAZE[:2], unread, *MAZE[3:]], [], "gate")
    coverage = random_walks(graph, RandomWalks(walks=80))
    assert {loop.sections for loop, _ in coverage.stuck} == {("pit",)}
    assert coverage.ended[Ended.STEP_LIMIT] > 0


def test_walks_are_bounded_and_begin_where_one_likes() -> None:
    coverage = covered(walks=30, steps=3, start="cellar")
    assert coverage.longest <= 3
    assert sum(coverage.ended.values()) == 30
    assert coverage.ended[Ended.STEP_LIMIT] > 0
    assert "hall" not in coverage.visits


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (RandomWalks(walks=MOST_MOVES, steps=2), "exceed the limit"),
        (RandomWalks(start="gone"), "no section has the ID 'gone'"),
    ],
)
def test_what_cannot_be_walked(asked: RandomWalks, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        random_walks(HOUSE, asked)
    with pytest.raises(ValueError, match="no start section"):
        random_walks(Graph.build([], [], None), RandomWalks())


@given(graphs.stories(), st.integers(0, 99), st.booleans())
def test_whatever_the_story_the_figures_agree(story: graphs.Story, seed: int, fire: bool) -> None:
    graph = story.graph
    asked = RandomWalks(seed=seed, walks=8, steps=40, fire=fire)
    if graph.start not in graph.sections:
        return
    coverage = random_walks(graph, asked)
    assert coverage == random_walks(graph, asked)
    assert set(coverage.visits) | set(coverage.reasons) == set(graph.sections)
    assert set(coverage.visits) <= within_reach(graph, asked) <= graph.reachable
    assert sum(coverage.ended.values()) == 8
    assert coverage.longest <= 40
    moves = sum(coverage.taken.values()) + sum(coverage.fired.values())
    # A move that closes a loop of automatic sections comes to nothing new.
    closing = sum(walks for loop, walks in coverage.stuck if loop.automatic)
    assert 8 + moves - closing <= sum(coverage.visits.values()) <= 8 + moves
    assert sum(coverage.stops.values()) + sum(coverage.loops.values()) + coverage.ended[Ended.STEP_LIMIT] == 8
    # From a closed loop, no walk comes to an end.
    for loop, _ in coverage.stuck:
        assert within_reach(graph, RandomWalks(start=loop.sections[0])) == set(loop.sections)
    assert len(coverage.untaken) + len(coverage.taken) == coverage.decisions
    edges = [edge for edges in graph.edges.values() for edge in edges]
    assert not any(edge.never_runs and (edge.source, edge.position) in coverage.taken for edge in edges)
