"""The graph: order of decisions, reachability, references to nothing, records that share an id."""

from __future__ import annotations

from hypothesis import given

from chartui.core.narrative.graph import Dangling, Edge, Graph, ReferenceKind
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from tests.core.narrative.graphs import Story, section, stories, trigger


def criteria(graph: Graph, section_id: str) -> list[str]:
    return [edge.criteria for edge in graph.edges[section_id]]


def test_decisions_are_tried_by_priority_then_position_and_those_without_one_last() -> None:
    hall = section("hall", ("a", "x"), ("b", "x", 2), ("c", "x", 1), ("d", "x"), ("e", "x", 1), ("f", "x", 0))
    graph = Graph.build([hall], [], "hall")
    assert criteria(graph, "hall") == ["f", "c", "e", "b", "a", "d"]
    assert [edge.position for edge in graph.edges["hall"]] == [5, 2, 4, 1, 0, 3]


def test_what_comes_after_an_immediate_decision_never_runs() -> None:
    hall = section("hall", ("asks", "a"), ("*", "b"), ("leaves", "c"), ("*", "d"), ("first", "e", 1))
    graph = Graph.build([hall], [], "hall")
    assert graph.edges["hall"] == (
        Edge("hall", "e", "first", 4, 1, False),
        Edge("hall", "a", "asks", 0, None, False),
        Edge("hall", "b", "*", 1, None, False),
        Edge("hall", "c", "leaves", 2, None, True),
        Edge("hall", "d", "*", 3, None, True),
    )
    assert [edge.immediate for edge in graph.edges["hall"]] == [False, False, True, False, True]


def test_only_the_star_itself_is_immediate() -> None:
    hall = section("hall", ("* asks", "hall"), (" *", "hall"), ("**", "hall"), ("leaves", "hall"))
    assert not any(edge.never_runs for edge in Graph.build([hall], [], "hall").edges["hall"])


def test_a_decision_that_never_runs_reaches_nothing() -> None:
    graph = Graph.build([section("hall", ("*", "a"), ("late", "b")), section("a"), section("b")], [], "hall")
    assert graph.reachable == {"hall", "a"}
    assert graph.unreachable == ("b",)
    assert graph.parents["b"] == ("hall",)


def test_any_connected_trigger_reaches_its_destination_also_without_a_start() -> None:
    sections = [section("hall"), section("exit", ("on", "street")), section("street"), section("attic")]
    graph = Graph.build(sections, [trigger("fire", "exit"), trigger("bell")], None)
    assert graph.reachable == {"exit", "street"}
    assert [unconnected.trigger_id for unconnected in graph.unconnected] == ["bell"]


def test_an_override_reaches_only_from_a_reachable_section_and_with_a_known_trigger() -> None:
    sections = [
        section("hall", overrides={"fire": "cellar", "ghost": "attic"}),
        section("cellar"),
        section("attic", overrides={"fire": "roof"}),
        section("roof"),
    ]
    graph = Graph.build(sections, [trigger("fire")], "hall")
    assert graph.reachable == {"hall", "cellar"}


def test_references_to_nothing_are_told_with_their_owner() -> None:
    sections = [
        section("hall", ("ok", "hall"), ("gone", "x"), ("first", "y", 1), overrides={"fire": "z", "ghost": "hall"})
    ]
    graph = Graph.build(sections, [trigger("fire", "w"), trigger("bell", ""), trigger("gong", "hall")], "v")
    assert graph.dangling == (
        Dangling(ReferenceKind.START, "", 0, "v"),
        Dangling(ReferenceKind.DECISION, "hall", 2, "y"),
        Dangling(ReferenceKind.DECISION, "hall", 1, "x"),
        Dangling(ReferenceKind.OVERRIDE, "hall", 0, "z"),
        Dangling(ReferenceKind.OVERRIDDEN, "hall", 1, "ghost"),
        Dangling(ReferenceKind.TRIGGER, "fire", 0, "w"),
    )


def test_of_records_that_share_an_id_the_first_counts() -> None:
    first, second = section("hall", ("on", "a")), section("hall", ("on", "b"), name="Copy")
    one, two = trigger("fire", "hall"), trigger("fire", "a")
    graph = Graph.build([first, second, section("a"), section("b"), second], [one, two], "hall")
    assert graph.sections["hall"] is first
    assert graph.triggers["fire"] is one
    assert graph.duplicate_sections == (second, second)
    assert graph.duplicate_triggers == (two,)
    assert graph.unreachable == ("b",)


def test_names_fall_back_to_ids() -> None:
    graph = Graph.build([section("a", name="Hall"), section("b", name="")], [trigger("t", name="Fire")], "")
    assert [graph.section_name(i) for i in ("a", "b", "c")] == ["Hall", "b", "c"]
    assert [graph.trigger_name(i) for i in ("t", "u")] == ["Fire", "u"]
    assert graph.start is None


def test_null_and_empty_members_are_an_empty_graph() -> None:
    bare = build(Section, {"section_id": "a", "decisions": None, "triggers": None})
    graph = Graph.build([bare], [], None)
    assert (graph.edges, graph.parents, graph.reachable) == ({"a": ()}, {"a": ()}, frozenset())
    assert Graph.build([], [], None).unreachable == ()


def naive_reachable(story: Story) -> set[str]:
    """Reachability in another way: grow the set by one round over everything until a round adds nothing."""
    sections = {s.section_id: s for s in reversed(story.sections)}
    triggers = {t.trigger_id: t for t in reversed(story.triggers)}
    reached = {str(story.start), *(str(t.destination_section) for t in triggers.values())} & sections.keys()
    while True:
        grown = set(reached)
        for section_id in reached:
            found = sections[section_id]
            by_order = sorted(
                found.decisions or (), key=lambda d: float("inf") if d.priority is None else float(d.priority)
            )
            for decision in by_order:
                grown.add(decision.next_section_id)
                if decision.criteria == "*":
                    break
            grown |= {str(o.destination_section) for o in found.triggers or () if o.trigger_id in triggers}
        grown &= sections.keys()
        if grown == reached:
            return reached
        reached = grown


@given(stories())
def test_reachability_agrees_with_a_naive_computation(story: Story) -> None:
    graph = story.graph
    assert graph.reachable == naive_reachable(story)
    assert set(graph.unreachable) == graph.sections.keys() - graph.reachable


@given(stories())
def test_every_decision_is_an_edge_and_parents_mirror_them(story: Story) -> None:
    graph = story.graph
    for section_id, found in graph.sections.items():
        assert sorted(edge.position for edge in graph.edges[section_id]) == list(range(len(found.decisions or ())))
    pairs = {(e.source, e.target) for ways in graph.edges.values() for e in ways if e.target in graph.sections}
    assert {(parent, child) for child, parents in graph.parents.items() for parent in parents} == pairs
    missing = {edge for ways in graph.edges.values() for edge in ways if edge.target not in graph.sections}
    told = {(d.owner, d.position) for d in graph.dangling if d.kind is ReferenceKind.DECISION}
    assert told == {(edge.source, edge.position) for edge in missing}
