"""Random walks: the same seed walks the same, and what they count is so."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.walk.cover import READABLE, covering_walks
from chartui.core.narrative.walk.coverage import Why, walks_coverage
from chartui.core.narrative.walk.path import How, Walk
from chartui.core.narrative.walk.random_walks import MOST_MOVES, Ended, RandomCoverage, RandomWalks, random_walks
from chartui.core.narrative.walk.reach import reach
from chartui.core.narrative.walk.replay import replay, script_of
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


def covered(**asked: int | bool | str) -> RandomCoverage:
    return random_walks(HOUSE, RandomWalks(**asked))  # type: ignore[arg-type]


def test_a_seed_walks_the_same_on_every_version_of_the_interpreter() -> None:
    coverage = covered(seed=7, walks=20, steps=30)
    assert coverage.coverage.visits == {"hall": 40, "attic": 20, "cellar": 48, "bed": 20}
    assert (coverage.longest, dict(coverage.ended)) == (15, {Ended.ENDING: 20})


def test_sections_and_decisions_never_reached() -> None:
    found = covered(walks=50)
    coverage = found.coverage
    assert coverage.reasons == {"garden": Why.EVENT, "well": Why.EVENT}
    assert covered(walks=1, steps=1).coverage.reasons["bed"] is Why.CHANCE
    assert covered(start="cellar").coverage.reasons["hall"] is Why.ELSEWHERE
    apart = random_walks(Graph.build([section("a"), section("b")], [], "a"), RandomWalks())
    assert apart.coverage.reasons == {"b": Why.UNREACHABLE}
    assert tuple(coverage.reasons) == ("garden", "well")
    assert coverage.percent == Decimal("66.7")
    assert reach(HOUSE, "hall", triggers=False).keys() == {"hall", "attic", "cellar", "bed"}
    assert [(edge.source, edge.criteria) for edge in coverage.untaken] == [
        ("hall", "out"),
        ("attic", "jump"),
        ("well", "*"),
    ]
    assert found.stopped(Ended.ENDING) == (("bed", 50),)
    assert coverage.unfired == ("bell", "wind", "fall")


def test_triggers_happen_where_that_is_wanted() -> None:
    found = covered(walks=200, fire=True)
    assert not found.coverage.reasons
    assert found.coverage.unfired == ("wind",)
    assert {loop.sections for loop, _ in found.stuck} == {("well",)}
    assert reach(HOUSE, "hall", triggers=True).keys() == HOUSE.sections.keys()
    # In the cellar the bell leads back to the hall, and nobody is stuck where a trigger still leads on.
    assert found.stops == {}


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
    assert {loop.exit for loop, _ in stuck} == {"only a trigger leaves the loop"}
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
    assert "hall" not in coverage.coverage.visits


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
    found = random_walks(graph, asked)
    coverage = found.coverage
    assert found == random_walks(graph, asked)
    assert set(coverage.visits) | set(coverage.reasons) == set(graph.sections)
    assert coverage.visits.keys() <= reach(graph, graph.start, triggers=fire).keys() <= graph.reachable
    assert sum(found.ended.values()) == 8
    assert found.longest <= 40
    moves = sum(coverage.taken.values()) + sum(coverage.fired.values())
    # A move that closes a loop of automatic sections comes to nothing new.
    closing = sum(walks for loop, walks in found.stuck if loop.automatic)
    assert 8 + moves - closing <= sum(coverage.visits.values()) <= 8 + moves
    assert sum(found.stops.values()) + sum(found.loops.values()) + found.ended[Ended.STEP_LIMIT] == 8
    # From a closed loop, no walk comes to an end.
    for loop, _ in found.stuck:
        assert reach(graph, loop.sections[0], triggers=False).keys() == set(loop.sections)
    assert len(coverage.untaken) + len(coverage.taken) == coverage.decisions
    edges = [edge for edges in graph.edges.values() for edge in edges]
    assert not any(edge.never_runs and (edge.source, edge.position) in coverage.taken for edge in edges)


# -- saved walks, and walks that cover a story ------------------------------------------------------------------------


def _reachable(graph: Graph) -> tuple[set[str], set[tuple[str, str, str]]]:
    """The sections that walks can reach, and the decisions there, by the rules of the service and step by step.

    This repeats the rules in the plainest way, to compare with: until nothing changes.
    """
    sections, decisions = set({graph.start or ""} & graph.sections.keys()), set[tuple[str, str, str]]()
    grew = True
    while grew:
        before = len(sections)
        for one in sorted(sections):
            record = graph.sections[one]
            ways = sorted(
                enumerate(record.decisions or ()),
                key=lambda way: (way[1].priority is None, way[1].priority or 0, way[0]),
            )
            for _, way in ways:
                if way.next_section_id in graph.sections:
                    decisions.add((one, way.criteria, way.next_section_id))
                    sections.add(way.next_section_id)
                if way.criteria == "*":
                    break
            targets = {key: each.destination_section for key, each in graph.triggers.items()}
            for override in reversed(record.triggers or ()):  # the first one is effective
                if override.destination_section and override.trigger_id in targets:
                    targets[override.trigger_id] = override.destination_section
            sections |= {target for target in targets.values() if target is not None and target in graph.sections}
        grew = len(sections) > before
    return sections, decisions


def _passed(walks: tuple[Walk, ...]) -> tuple[set[str], set[tuple[str, str, str]]]:
    """The sections and decisions of walks, found by following each of their steps in the stored records."""
    sections, decisions = set[str](), set[tuple[str, str, str]]()
    for walk in walks:
        here = ""
        for step in walk.steps:
            if step.how is How.DECISION:
                decisions.add((here, step.words, step.section))
            elif step.how is How.AUTOMATIC:
                decisions.add((here, "*", step.section))
            sections.add(step.section)
            here = step.section
        decisions |= {(one, "*", _automatic(walk.graph, one)) for one in sections if _automatic(walk.graph, one)}
    return sections, decisions


def _automatic(graph: Graph, section_id: str) -> str:
    """The target of a section that moves on automatically, which every walk that enters it takes."""
    record = graph.sections[section_id]
    ways = sorted(
        enumerate(record.decisions or ()), key=lambda way: (way[1].priority is None, way[1].priority or 0, way[0])
    )
    moves_on = bool(ways) and ways[0][1].criteria == "*" and ways[0][1].next_section_id in graph.sections
    return ways[0][1].next_section_id if moves_on else ""


@settings(max_examples=300)
@given(graphs.stories(largest=60))
def test_coverage_is_that_of_an_independent_count_and_covering_walks_reach_everything(story: graphs.Story) -> None:
    graph = story.graph
    if graph.start not in graph.sections:
        with pytest.raises(ValueError, match=r"no start section|no section has the ID"):
            covering_walks(graph)
        return
    walks = tuple(covering_walks(graph))
    for some in (walks[:1], walks):
        coverage = walks_coverage(graph, some)
        sections, decisions = _passed(some)
        assert coverage.visits.keys() == sections
        taken = {
            (edge.source, edge.criteria, edge.target)
            for edges in graph.edges.values()
            for edge in edges
            if (edge.source, edge.position) in coverage.taken
        }
        assert taken == decisions
    assert _passed(walks) == _reachable(graph)
    # They can be saved, and a replay of each passes and covers the same.
    replayed = [replay(script_of(walk, {}), graph) for walk in walks]
    assert all(one.holds for one in replayed)
    assert walks_coverage(graph, [one.retraced.walk for one in replayed]) == coverage
    # Each is as short as the way to its goal allows.
    far = max(len(list(_way(graph, one))) for one in reach(graph, graph.start, triggers=True))
    assert max(len(walk.choices) for walk in walks) <= max(READABLE, far + 1)


def _way(graph: Graph, section_id: str) -> Iterator[str]:
    reached = reach(graph, graph.start, triggers=True)
    move = reached[section_id]
    while move is not None:
        yield move.source
        move = reached[move.source]


def test_a_trigger_is_fired_only_where_decisions_do_not_lead() -> None:
    walks = tuple(covering_walks(HOUSE))
    fired = [choice.id for walk in walks for choice in walk.choices if choice.how is How.TRIGGER]
    assert sorted(fired) == ["bell", "fall"]
    assert walks_coverage(HOUSE, walks).percent == 100


def test_a_trigger_with_another_target_in_a_passed_section_can_be_fired() -> None:
    graph = Graph.build(
        [section("a", ("*", "b")), section("b", overrides={"bell": "c"}), section("c"), section("d")],
        [trigger("bell", "d")],
        "a",
    )
    events = [(event.target, event.within) for event in Walk.begin(graph).events]
    assert events == [("c", "b"), ("d", "a")]
    assert {one.here for one in covering_walks(graph)} >= {"c", "d"}


def test_the_coverage_of_a_walk_that_breaks_counts_as_far_as_it_goes() -> None:
    walk = Walk.begin(HOUSE)
    script = script_of(walk.take(walk.ways[1]), {})
    changed = Graph.build([section("hall", ("up", "attic")), section("attic")], [], "hall")
    coverage = walks_coverage(changed, [replay(script, changed).retraced.walk])
    assert coverage.visits == {"hall": 1}
    assert coverage.reasons == {"attic": Why.UNTESTED}
    assert (coverage.percent, coverage.percent_taken) == (Decimal("50.0"), Decimal("0.0"))
