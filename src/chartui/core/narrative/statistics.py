"""Statistics about the size and structure of a story, such as words, endings, distances to endings, and branching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.loops import components
from chartui.core.narrative.speech import speech
from chartui.core.narrative.walk.path import onward, open_edges
from chartui.core.narrative.walk.reach import reach


class Words(NamedTuple):
    """The number of words that are spoken verbatim, and the number of words in instructions."""

    spoken: int
    instructions: int

    @property
    def all(self) -> int:
        return self.spoken + self.instructions


class Statistics(NamedTuple):
    """Statistics of a story.

    A value is None if it cannot be computed. ``endings`` is the number of sections marked as endings. ``dead_ends`` is
    the number of other sections in which no decision can be taken. ``shortest_way`` is the distance from the start to
    the nearest ending, and ``farthest_ending`` is the distance to the farthest ending. ``longest_way`` is the length of
    the longest path to an ending. All three are measured in steps, and only decisions count as steps. They are None if
    no ending can be reached by decisions. ``longest_way`` is also None if a path to an ending can repeat a loop without
    limit (``loop_on_the_way``). ``decisions_per_choice`` is the mean number of decisions in sections that offer a
    choice, to two decimal places, or None if no section offers a choice. ``most_decisions`` is the maximum number of
    decisions in these sections.
    """

    sections: int
    reachable: int
    decisions: int
    triggers: int
    words: Words
    endings: int
    dead_ends: int
    shortest_way: int | None
    farthest_ending: int | None
    longest_way: int | None
    loop_on_the_way: bool
    decisions_per_choice: Decimal | None
    most_decisions: int


def statistics(graph: Graph) -> Statistics:
    options = [len(open_edges(graph, one)) for one in graph.sections if onward(graph, one) is None]
    choices = [number for number in options if number]
    far = _distances(graph)
    endings = [one for one in graph.sections if graph.ends_at(one)]
    ways = [far[one] for one in endings if one in far]
    longest, loop = _longest(graph)
    return Statistics(
        sections=len(graph.sections),
        reachable=len(reach(graph, graph.start, triggers=True)),
        decisions=sum(map(len, graph.edges.values())),
        triggers=len(graph.triggers),
        words=_words(graph),
        endings=len(endings),
        dead_ends=options.count(0) - len(endings),
        shortest_way=min(ways, default=None),
        farthest_ending=max(ways, default=None),
        longest_way=longest,
        loop_on_the_way=loop,
        decisions_per_choice=(Decimal(sum(choices)) / len(choices)).quantize(Decimal("0.01")) if choices else None,
        most_decisions=max(choices, default=0),
    )


def _words(graph: Graph) -> Words:
    texts = (
        *(section.objective for section in graph.sections.values()),
        *(trigger.trigger_message for trigger in graph.triggers.values()),
    )
    passages = [passage for text in texts if text for passage in speech(text).passages]
    number = dict.fromkeys((True, False), 0)
    for passage in passages:
        number[passage.exactly] += len(passage.text.split())
    return Words(number[True], number[False])


def _distances(graph: Graph) -> dict[str, int]:
    """The number of steps from the start to each section that decisions lead to."""
    steps: dict[str, int] = {}
    for section_id, move in reach(graph, graph.start, triggers=False).items():
        steps[section_id] = 0 if move is None else steps[move.source] + 1
    return steps


def _longest(graph: Graph) -> tuple[int | None, bool]:
    """The steps of the longest way from the start to an ending, and whether a way to an ending passes a loop."""
    within = list(reach(graph, graph.start, triggers=False))
    numbers = {section_id: number for number, section_id in enumerate(within)}
    ahead = [[numbers[edge.target] for edge in open_edges(graph, one)] for one in within]
    component = components(ahead).component
    size = [0] * (max(component, default=-1) + 1)
    for one in component:
        size[one] += 1
    steps: dict[int, int] = {}
    loop = False
    # Components are numbered from the last to the first, so the targets of a section come before it.
    for place in sorted(range(len(within)), key=lambda number: component[number]):
        ends = [steps[target] + 1 for target in ahead[place] if target != place and target in steps]
        if graph.ends_at(within[place]):
            ends.append(0)
        if ends:
            steps[place] = max(ends)
    reaching = {component[place] for place in steps}
    for place, targets in enumerate(ahead):
        if component[place] in reaching and (size[component[place]] > 1 or place in targets):
            loop = True
    longest = steps.get(numbers.get(graph.start or "", -1))
    return (None if loop else longest), loop


def figures(found: Statistics) -> Iterator[tuple[str, str]]:
    """Yield the name of each statistic, and a phrase that gives its value."""
    from chartui.core.numbers import count, number_of

    unreachable = found.sections - found.reachable
    yield "sections", f"{count(found.sections)}{f', {count(unreachable)} unreachable' if unreachable else ''}"
    yield "decisions", count(found.decisions)
    yield "triggers", count(found.triggers)
    words = found.words
    yield "words", f"{count(words.all)}: {count(words.spoken)} spoken, {count(words.instructions)} in instructions"
    dead_ends = f", {number_of(found.dead_ends, 'dead end')}" if found.dead_ends else ""
    yield "endings", f"{count(found.endings)}{dead_ends}"
    if found.shortest_way is None or found.farthest_ending is None:
        yield "paths", "no ending can be reached by decisions"
    else:
        yield "shortest path", f"{number_of(found.shortest_way, 'step')} to the nearest ending"
        yield "farthest ending", f"{number_of(found.farthest_ending, 'step')} by the shortest path"
        limit = "unlimited, because of loops" if found.longest_way is None else number_of(found.longest_way, "step")
        yield "longest path", limit
    if found.decisions_per_choice is not None:
        yield "branching", f"{found.decisions_per_choice} decisions per choice, at most {count(found.most_decisions)}"


def statistics_wire(found: Statistics) -> dict[str, Wire]:
    facts: Mapping[str, Wire] = {**found._asdict(), "words": {**found.words._asdict(), "all": found.words.all}}
    return dict(facts)
