"""The outline: everything shown exactly once, whatever the graph, and ids a view can keep."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from random import Random
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.narrative.graph import Graph, edges_of
from chartui.core.narrative.nodes import Kind, Link, Node, section_node
from chartui.core.narrative.outline import MAX_LEVELS, Outline, links_sheet, outline, render
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.text import is_plain
from tests.core.narrative.graphs import Story, section, stories, trigger


def shown(story: Story) -> Outline:
    return outline(story.graph)


TOUR = Story(
    [
        section(
            "hall",
            ("asks", "vault"),
            ("*", "exit"),
            ("late", "attic"),
            overrides={"fire": "cellar", "ghost": "exit", "bell": None},
        ),
        section("vault", ("back", "hall"), ("stays", "vault"), ("gone", "nope")),
        section("exit"),
        section("cellar", ("up", "hall"), ("down", "well")),
        section("well"),
        section("attic", ("looks", "roof")),
        section("roof", ("back", "attic")),
        section("yard"),
    ],
    [trigger("fire", "exit"), trigger("bell"), trigger("rain", "yard"), trigger("thief", "nope")],
    "hall",
)


def test_the_outline_of_a_story_reads_as_text() -> None:
    assert render(shown(TOUR)) == (
        "▶ Hall\n"
        "├─ [asks] → Vault\n"
        "│  ├─ [back] → ↩ ▶ Hall\n"
        "│  ├─ [stays] → ↩ Vault\n"
        "│  └─ [gone] → ∅ nope\n"
        "├─ [*] → ∎ Exit\n"
        "├─ [late] → ↩ ↛ Attic (never runs)\n"
        "├─ ϟ [Fire] → Cellar\n"
        "│  ├─ [up] → ↩ ▶ Hall\n"
        "│  └─ [down] → ∎ Well\n"
        "├─ ϟ [ghost] → ↩ ∎ Exit (never runs)\n"
        "└─ ϟ [Bell] → nowhere\n"
        "Triggers\n"
        "├─ ϟ Fire → ↩ ∎ Exit\n"
        "├─ ϟ Rain\n"
        "│  └─ → ∎ Yard\n"
        "└─ ϟ Thief → ∅ nope\n"
        "Unconnected triggers\n"
        "└─ ϟ Bell (not connected)\n"
        "Unreachable\n"
        "└─ ↛ Attic\n"
        "   ↳ [looks] → ↛ Roof\n"
        "   ↳ [back] → ↩ ↛ Attic\n"
        "Dangling references\n"
        "├─ Hall: override of ghost → ∅ ghost\n"
        "├─ Vault: gone → ∅ nope\n"
        "└─ trigger Thief → ∅ nope\n"
    )


def test_the_start_has_a_place_when_there_is_none() -> None:
    nowhere = shown(Story([section("hall")], [], None)).nodes[0]
    assert (nowhere.kind, nowhere.id, nowhere.title) == (Kind.GROUP, "group/no-start", "No start section is set")
    gone = shown(Story([section("hall")], [], "nope")).nodes[0]
    assert (gone.kind, gone.id, gone.link, gone.title) == (Kind.MISSING, "start", Link.START, "nope")
    assert render(shown(Story([], [], None))) == "No start section is set\n"


def test_a_section_keeps_its_node_id_when_it_moves() -> None:
    before = shown(Story([section("a", ("x", "b")), section("b", ("y", "c")), section("c")], [], "a"))
    after = shown(Story([section("a", ("x", "b"), ("z", "c")), section("b", ("y", "c")), section("c")], [], "a"))
    moved = (before.find(section_node("c")), after.find(section_node("c")))
    assert [node.depth for node in moved if node] == [2, 1]
    reference = after.find("decision/0/section/b")
    assert reference is not None
    assert (reference.kind, reference.section) == (Kind.REFERENCE, "c")
    assert after.find("section/never") is None


def test_ids_do_not_collide_whatever_the_sections_are_called() -> None:
    hostile = ["a", "decision/0/section/a", "0/section/a", "/", "", "group/triggers", "a/decision/0"]
    sections = [section(i, *((f"to {t}", t) for t in hostile)) for i in hostile]
    nodes = outline(Graph.build([*sections, *sections], [trigger(i, "a") for i in hostile * 2], "a")).nodes
    assert len({node.id for node in nodes}) == len(nodes)


def test_folding_hides_what_is_below_and_nothing_else() -> None:
    tree = shown(TOUR)
    collapsed = {section_node("vault"), "group/triggers", section_node("exit"), "not/there"}
    rows = tree.rows(collapsed)
    assert [row.node.id for row in rows if row.folded] == [section_node("vault"), "group/triggers"]
    hidden = {node.id for node in tree.nodes} - {row.node.id for row in rows}
    assert hidden == {
        node.id
        for node in tree.nodes
        if {above.id for above in tree.ancestors(node)} & {section_node("vault"), "group/triggers"}
    }


def test_a_mention_of_what_dangles_leads_to_where_it_stands() -> None:
    tree = shown(TOUR)
    group = tree.find("group/dangling")
    assert group is not None
    origins = [tree.origin(node) for node in tree.children(group)]
    assert [node.id for node in origins if node] == [
        "override/1/section/hall",
        "decision/2/section/vault",
        "trigger/thief",
    ]
    assert tree.origin(tree.nodes[0]) is None
    lost = shown(Story([section("hall")], [], "nope"))
    assert lost.origin(lost.nodes[-1]) == lost.find("start")


def test_what_leads_somewhere_is_found_wherever_it_stands() -> None:
    tree = shown(TOUR)

    def leading(node_id: str) -> list[str]:
        node = tree.find(node_id)
        assert node is not None
        return [" · ".join(str(cell) for cell in row if cell) for row in links_sheet(tree, tree.leading_to(node)).rows]

    assert leading("section/hall") == ["start", "Vault · back · decision", "Cellar · up · decision"]
    assert leading("decision/0/section/vault") == leading("section/hall")
    assert leading("section/exit") == ["Hall · * · decision", "Hall · ghost · never runs", "Fire · trigger"]
    assert leading("section/cellar") == ["Hall · Fire · override"]
    assert leading("trigger/bell") == ["Hall · Bell · override"]
    assert leading("section/yard") == ["Rain · trigger"]
    assert leading("decision/2/section/vault") == ["Vault · gone · decision", "Thief · trigger"]
    assert leading("dangling/overridden/1/hall") == ["Hall · ghost · never runs"]
    assert leading("group/triggers") == []


def test_the_filter_looks_into_all_that_is_said_and_finds_ids() -> None:
    hall = build(Section, {"section_id": "1f", "section_name": "Hall", "objective": "Greet {Visitor}\nSMILE"})
    bell = build(Trigger, {"trigger_id": "t9", "trigger_name": "Bell", "trigger_message": "Somebody is at the door"})
    tree = outline(Graph.build([hall, section("2f", ("Straße", "1f"))], [bell], "2f"))

    def found(query: str) -> list[str]:
        return [node.id for node in tree.matching(query)]

    assert found("smile visitor") == ["section/1f"]
    assert found("STRASSE") == found("sträße") == ["section/1f"]
    assert found("door bell") == ["trigger/t9"]
    assert found("1f") == ["section/1f"]
    assert found(" t9 ") == ["trigger/t9"]
    assert found("smile door") == found("  ") == found("") == []


def test_guides_tell_which_lines_go_on() -> None:
    tree = shown(TOUR)
    gone = tree.find("decision/2/section/vault")
    assert gone is not None
    assert tree.guides(gone) == (True, False)
    assert tree.guides(gone, 1) == (False,)
    assert tree.guides(gone, 2) == ()
    assert tree.guides(tree.nodes[0]) == ()


def test_text_shows_what_a_terminal_would_obey_and_keeps_every_name_on_one_line() -> None:
    hall = section(
        "hall", ("says\n\x1b]0;owned\x07", "hall"), ("x", "gone\u202e"), name="Hall\x1b[2J\nnext " + "x" * 999
    )
    text = render(outline(Graph.build([hall], [trigger("t", name="T\x9b")], "hall")))
    lines = text.splitlines()
    assert len(lines) == 7
    assert all(is_plain(line) for line in lines)
    assert "␛]0;owned␇" in text
    assert max(map(len, lines)) < 430


def chain(size: int) -> Story:
    """A story as deep as it is long, every section also leading back to the middle."""
    return Story(
        [section(f"s{n}", ("goes on", f"s{(n + 1) % size}"), ("goes back", f"s{n // 2}")) for n in range(size)],
        [],
        "s0",
    )


def calls(graph: Graph) -> int:
    """How many functions are called to lay out a graph."""
    count = 0

    def called(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        outline(graph)
    finally:
        sys.setprofile(None)
    return count


def test_ten_times_the_sections_are_ten_times_the_work() -> None:
    assert calls(chain(2000).graph) < 11 * calls(chain(200).graph)


def test_ten_thousand_sections_in_a_row_need_no_recursion() -> None:
    tree = outline(chain(10_000).graph)
    assert max(node.depth for node in tree.nodes) == 10_000
    assert len(tree.nodes) == 20_001
    text = render(tree)
    assert len(text) < 300 * len(tree.nodes)
    lines = text.splitlines()
    assert max(line.count("│  ") + line.count("   ") for line in lines) < MAX_LEVELS
    continued = [line for line in lines if line.endswith("(continued below)")]
    assert len(continued) == sum(line.startswith("… › ") for line in lines) > 0
    assert len([line for line in lines if line and not line.startswith("… › ")]) == len(tree.nodes) + len(continued)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_cycles_end(size: int) -> None:
    assert Counter(node.kind for node in shown(chain(size)).nodes)[Kind.SECTION] == size


@given(stories())
def test_every_section_is_expanded_once_and_every_decision_shown_once(story: Story) -> None:
    tree = shown(story)
    graph = tree.graph
    expanded = Counter(node.section for node in tree.nodes if node.kind is Kind.SECTION)
    assert expanded == Counter(graph.sections.keys())
    copies = [node for node in tree.nodes if node.kind is Kind.DUPLICATE]
    assert len(copies) == len(graph.duplicate_sections) + len(graph.duplicate_triggers)
    decisions = Counter(owner(tree, node) for node in tree.nodes if node.link is Link.DECISION)
    assert decisions == Counter(
        [
            *(("section", s.section_id, n) for s in graph.sections.values() for n in range(len(s.decisions or ()))),
            *(
                ("copy", str(number), n)
                for number, s in enumerate(graph.duplicate_sections)
                for n in range(len(s.decisions or ()))
            ),
        ]
    )


def owner(tree: Outline, node: Node) -> tuple[str, str | None, int | None]:
    """What a decision belongs to: the section, or the number of the copy, above it; and its place there."""
    above = tree.nodes[node.parent]
    if above.kind is Kind.DUPLICATE:
        return "copy", str(above.position), node.position
    return "section", above.section, node.position


@given(stories())
def test_triggers_overrides_and_dangling_references_are_all_shown(story: Story) -> None:
    tree = shown(story)
    graph = tree.graph
    triggers = [node for node in tree.nodes if node.kind is Kind.TRIGGER]
    assert Counter(node.trigger for node in triggers) == Counter(graph.triggers.keys())
    heading = tree.find("group/unconnected")
    apart = () if heading is None else tree.children(heading)
    assert [node.trigger for node in apart] == [trigger.trigger_id for trigger in graph.unconnected]
    overrides = Counter(tree.nodes[node.parent].section for node in tree.nodes if node.link is Link.OVERRIDE)
    assert overrides == Counter({s: len(graph.overrides(s)) for s in graph.sections if graph.overrides(s)})
    assert sum(node.kind is Kind.DANGLING for node in tree.nodes) == len(graph.dangling)


@given(stories())
def test_what_is_reachable_is_above_the_unreachable_heading(story: Story) -> None:
    tree = shown(story)
    heading = tree.find("group/unreachable")
    below = set() if heading is None else {n.section for n in tree.nodes[heading.place : heading.end] if is_section(n)}
    assert below == set(tree.graph.unreachable)


def is_section(node: Node) -> bool:
    return node.kind is Kind.SECTION


@given(stories())
def test_a_child_shows_where_its_way_leads(story: Story) -> None:
    tree = shown(story)
    for node in tree.nodes:
        if node.link is Link.DECISION and tree.nodes[node.parent].kind is Kind.SECTION:
            edges = tree.graph.edges[str(tree.nodes[node.parent].section)]
            edge = next(edge for edge in edges if edge.position == node.position)
            assert (node.label, node.section, node.never_runs) == (edge.criteria, edge.target, edge.never_runs)
            assert (node.kind is Kind.MISSING) == (edge.target not in tree.graph.sections)


@given(stories(largest=60))
def test_the_tree_holds_together(story: Story) -> None:
    tree = shown(story)
    assert tree.nodes == shown(story).nodes
    assert len({node.id for node in tree.nodes}) == len(tree.nodes)
    walked: list[Node] = []
    roots = [node for node in tree.nodes if node.depth == 0]
    waiting = roots[::-1]
    while waiting:
        node = waiting.pop()
        walked.append(node)
        children = tree.children(node)
        assert bool(children) == node.foldable
        for child in children:
            assert (child.parent, child.depth) == (node.place, node.depth + 1)
            assert child.last == (child is children[-1])
            assert child.chain == (child.link is Link.DECISION and len(children) == 1)
            level = tree.guides(node)[:-1] if child.chain and node.chain else tree.guides(node)
            assert tree.guides(child) == (*level, not child.last)
            assert child.level == len(level) + 1
        waiting.extend(reversed(children))
    assert tuple(walked) == tree.nodes
    assert [row.node for row in tree.rows()] == walked
    assert len(tree.rows({node.id for node in tree.nodes})) == len(roots)


@given(stories(largest=60), st.randoms(use_true_random=False))
def test_a_fold_hides_what_is_below_it_and_nothing_else(story: Story, random: Random) -> None:
    tree = shown(story)
    collapsed = {node.id for node in tree.nodes if random.random() < 0.3}
    rows = tree.rows(collapsed)
    assert [row.node for row in rows] == [
        node for node in tree.nodes if not any(above.id in collapsed for above in tree.ancestors(node))
    ]
    assert all(row.folded == (row.node.foldable and row.node.id in collapsed) for row in rows)
    assert [row.node.size for row in rows if row.folded] == [
        sum(row.node in tree.ancestors(node) for node in tree.nodes) for row in rows if row.folded
    ]


@given(stories(largest=60), st.lists(st.sampled_from(["s1", "S2", "yes", "*", "Key", "t", "gone1", "x"]), max_size=2))
def test_the_filter_leaves_every_hit_with_all_that_is_above_it(story: Story, words: list[str]) -> None:
    tree = shown(story)
    found = tree.matching(" ".join(words))
    assert found == tuple(
        node
        for node in tree.nodes
        if words
        and (
            all(word.casefold() in f"{node.label} {node.title}".casefold() for word in words)
            or node.id in (section_node(" ".join(words)), f"trigger/{' '.join(words)}")
        )
    )
    rows = tree.rows_to(node.place for node in found)
    assert [row.node for row in rows] == [
        node for node in tree.nodes if node in found or any(node in tree.ancestors(hit) for hit in found)
    ]
    assert len(render(tree, rows).splitlines()) == len(rows)


@given(stories())
def test_a_node_is_never_lost_in_the_text(story: Story) -> None:
    tree = shown(story)
    lines = render(tree).splitlines()
    assert len(lines) == len(tree.nodes)
    for node, line in zip(tree.nodes, lines, strict=True):
        assert node.label in line
        assert node.title in line or (node.kind is Kind.TRIGGER and node.destination is Kind.SECTION)


@given(stories(largest=60))
def test_everything_that_leads_somewhere_is_named_once(story: Story) -> None:
    tree = shown(story)
    graph = tree.graph
    ways = Counter(edge.target for edges in graph.edges.values() for edge in edges)
    ways.update(edge.target for copy in graph.duplicate_sections for edge in edges_of(copy))
    ways.update(t.destination_section for t in graph.triggers.values() if t.destination_section)
    ways.update(o.destination_section for s in graph.sections for o in graph.overrides(s) if o.destination_section)
    ways.update([graph.start] if graph.start else [])
    for target in {*ways, *graph.sections}:
        leading = tree.leading_to_section(str(target))
        assert len(leading) == ways[target]
        assert len(set(leading)) == len(leading)


# -- places -----------------------------------------------------------------------------------------------------------


def parents(tree: Outline) -> dict[str, str]:
    """The node above each expanded section."""
    nodes = (node for node in tree.nodes if is_section(node) and node.parent >= 0)
    return {str(node.section): tree.nodes[node.parent].id for node in nodes}


def distances(story: Story) -> dict[str, int]:
    """The fewest decisions from the start to each section, computed without the outline."""
    graph = story.graph
    found = {graph.start: 0} if graph.start in graph.sections else {}
    layer = list(found)
    while layer:
        layer = [
            edge.target
            for key in layer
            for edge in graph.edges[str(key)]
            if edge.target in graph.sections
            and not edge.never_runs
            and found.setdefault(edge.target, 1 << 30) == 1 << 30
            if not found.update({edge.target: found[key] + 1})
        ]
    return {str(key): number for key, number in found.items()}


@given(stories(largest=60))
def test_sections_stand_at_the_end_of_a_shortest_path_from_the_start(story: Story) -> None:
    tree = shown(story)
    depths = {node.section: node.depth for node in tree.nodes if is_section(node)}
    for key, number in distances(story).items():
        assert depths[key] == number


@given(stories(largest=40), st.randoms(use_true_random=False))
def test_an_edit_moves_only_what_lost_its_place_and_undoing_it_restores_the_tree(story: Story, random: Random) -> None:
    before = shown(story)
    if not story.sections:
        return
    place = random.randrange(len(story.sections))
    edited = story.sections[place]
    ways = [(way.criteria, way.next_section_id) for way in edited.decisions or ()]
    change = random.choice(("add", "drop", "remove"))
    if change == "add":
        ways.append(("new", random.choice(story.sections).section_id))
    elif ways:
        ways.pop(random.randrange(len(ways)))
    now = [section(edited.section_id, *ways, name=edited.section_name)] if change != "remove" else []
    after = Story([*story.sections[:place], *now, *story.sections[place + 1 :]], story.triggers, story.start)
    tree = outline(after.graph, before)
    assert Counter(node.section for node in tree.nodes if is_section(node)) == Counter(tree.graph.sections.keys())
    if change == "add":
        reached = before.graph.reachable
        places = parents(tree)
        moved = {key for key, above in parents(before).items() if key in reached and places.get(key) != above}
        assert not moved
    assert parents(outline(story.graph, tree)) == parents(before)


@given(stories(largest=40), st.randoms(use_true_random=False))
def test_an_edit_of_a_text_is_shown_and_moves_nothing(story: Story, random: Random) -> None:
    if not story.sections:
        return
    place = random.randrange(len(story.sections))
    old = story.sections[place]
    ways = [replace(way, criteria=way.criteria if way.criteria == "*" else "new") for way in old.decisions or ()]
    now = replace(old, section_name="Renamed", decisions=tuple(ways))
    after = Story([*story.sections[:place], now, *story.sections[place + 1 :]], story.triggers, story.start)
    assert outline(after.graph, shown(story)).nodes == shown(after).nodes


def test_a_section_that_lost_its_place_takes_what_is_below_along() -> None:
    middle = (
        section("b", ("on", "c")),
        section("c", ("on", "d")),
        section("d"),
        section("e", ("aside", "b"), ("x", "d")),
    )
    before = shown(Story([section("a", ("on", "b"), ("off", "e")), *middle], [], "a"))
    assert parents(before) == {"b": "section/a", "c": "section/b", "d": "section/e", "e": "section/a"}
    story = Story([section("a", ("off", "e")), *middle], [], "a")
    after = outline(story.graph, before)
    assert parents(after) == {"b": "section/e", "c": "section/b", "d": "section/e", "e": "section/a"}


def test_a_chain_of_single_decisions_does_not_indent() -> None:
    row = Story([*(section(f"s{n}", ("*", f"s{n + 1}")) for n in range(60)), section("s60")], [], "s0")
    tree = shown(row)
    assert (tree.deepest, max(node.depth for node in tree.nodes)) == (1, 60)
    assert render(tree).splitlines()[:3] == ["▶ S0", "↳ [*] → S1", "↳ [*] → S2"]


@given(stories(largest=60), st.integers(1, 5))
def test_no_row_is_deeper_than_there_is_room_and_every_node_has_a_root_to_be_seen_from(
    story: Story, levels: int
) -> None:
    tree = shown(story)
    for node in tree.nodes:
        root = tree.root_for(node, levels)
        rows = tree.rows(root=root, levels=levels)
        assert any(row.node is node for row in rows)
        assert all(0 <= row.node.level - row.base <= levels for row in rows)
    rows = tree.rows_to((node.place for node in tree.nodes), levels=levels)
    assert [row.node for row in rows] == list(tree.nodes)
    assert all(0 <= row.node.level - row.base <= levels for row in rows)
