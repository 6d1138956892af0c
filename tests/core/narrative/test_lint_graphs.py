"""What lint says of reachability and of loops is what a library of graphs says, which shares no line with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx  # type: ignore[import-untyped]
from hypothesis import given

from chartui.core.narrative.lint import lint
from chartui.core.narrative.loops import loops
from chartui.core.narrative.story import Story as Written
from tests.core.narrative.graphs import Story, section, stories
from tests.core.narrative.test_lint import as_story, character


class Plain:
    """A story as the library sees it, worked out from the records as they came: of those that share an id the first.

    ``decided`` is the graph of the decisions that run, ``reached`` what can be reached from outside: from the start, by
    triggers, and by overrides where one is. ``loops`` are the strongly connected components that lead round.
    """

    def __init__(self, story: Story) -> None:
        self.sections: Mapping[str, Any] = {one.section_id: one.raw for one in reversed(story.sections)}
        self.triggers: Mapping[str, Any] = {one.trigger_id: one.raw for one in reversed(story.triggers)}
        self.decided: Any = nx.MultiDiGraph()
        self.decided.add_nodes_from(self.sections)
        self.decided.add_edges_from(self._running())
        self.reached = self._reached(story.start)
        components = map(frozenset, nx.strongly_connected_components(self.decided))
        self.loops = {c for c in components if len(c) > 1 or any(self.decided.has_edge(s, s) for s in c)}

    def tried(self, section_id: str) -> list[Any]:
        """The decisions of a section in the order they are tried."""
        ways = self.sections[section_id].get("decisions") or []
        return sorted(ways, key=lambda way: (way.get("priority") is None, way.get("priority") or 0))

    def _running(self) -> Iterator[tuple[str, str]]:
        for section_id in self.sections:
            for way in self.tried(section_id):
                if way["next_section_id"] in self.sections:
                    yield section_id, way["next_section_id"]
                if way["criteria"] == "*":
                    break

    def _reached(self, start: str | None) -> set[str]:
        graph = nx.DiGraph(self.decided)
        for section_id, record in self.sections.items():
            for override in record.get("triggers") or []:
                if override["trigger_id"] in self.triggers:
                    graph.add_edge(section_id, override["destination_section"] or "nowhere")
        graph.add_edge("outside", start or "nowhere")
        for trigger in self.triggers.values():
            graph.add_edge("outside", trigger["destination_section"] or "nowhere")
        return set(nx.descendants(graph, "outside")) & set(self.sections)

    def fired_in(self, section_id: str) -> Iterator[str]:
        """Where the triggers lead while a section runs, as far as that exists."""
        overrides = self.sections[section_id].get("triggers") or []
        for trigger_id, trigger in self.triggers.items():
            leading = [one["destination_section"] for one in overrides if one["trigger_id"] == trigger_id]
            target = next(filter(None, leading), trigger["destination_section"])
            if target in self.sections:
                yield target


def told(story: Story, *rules: str) -> dict[str, str]:
    return {f.place.owner: f.rule.id for f in lint(as_story(story)) if f.rule.id in rules}


@given(stories())
def test_what_is_never_reached(story: Story) -> None:
    plain = Plain(story)
    assert told(story, "unreachable").keys() == set(plain.sections) - plain.reached


@given(stories())
def test_what_leads_round_and_round(story: Story) -> None:
    graph = as_story(story).graph()
    found = loops(graph)
    assert {frozenset(members) for members in found.found} == Plain(story).loops
    assert sorted(found.order) == sorted(graph.sections)
    assert sorted(found.order.values()) == list(range(len(graph.sections)))


@given(stories(largest=100))
def test_who_gets_out(story: Story) -> None:
    """A loop is told of when it is reached and no decision leads out of it; a trigger may."""
    plain, found = Plain(story), told(story, "loop", "trigger-only", "automatic-loop")
    closed = set()
    for loop in plain.loops:
        leaves = any(target not in loop for s in loop for target in plain.decided.successors(s))
        [owner] = found.keys() & loop or [""]
        if not loop & plain.reached or (leaves and found.get(owner) != "automatic-loop"):
            assert owner == ""
            continue
        closed.add(owner)
        exits = {target for section_id in loop for target in plain.fired_in(section_id)} - loop
        assert found[owner] in ("automatic-loop", "trigger-only" if exits else "loop")
    assert found.keys() == closed


@given(stories(largest=100))
def test_who_never_waits(story: Story) -> None:
    """Where the first decision of every section of a loop moves on at once."""
    plain = Plain(story)
    hasty = nx.DiGraph()
    for section_id in plain.sections:
        for way in plain.tried(section_id)[:1]:
            if way["criteria"] == "*" and way["next_section_id"] in plain.sections:
                hasty.add_edge(section_id, way["next_section_id"])
    rounds = [set(cycle) for cycle in nx.simple_cycles(hasty) if set(cycle) <= plain.reached]
    owners = told(story, "automatic-loop").keys()
    assert all(any(owner in cycle for cycle in rounds) for owner in owners)
    assert len(owners) == len([loop for loop in plain.loops if any(cycle <= loop for cycle in rounds)])


def test_depth_is_no_matter() -> None:
    """Ten thousand sections in a row, the last of which leads back to the first; and nothing at all."""
    ids = [f"s{number}" for number in range(10_000)]
    row = [section(a, ("on", b)) for a, b in zip(ids, [*ids[1:], ids[0]], strict=True)]
    chain = Written.of(character(start="s0"), row, [])
    assert [f.place.owner for f in lint(chain) if f.rule.id == "loop"] == ["s0"]
    assert lint(Written.of(None, [], [])) == ()
