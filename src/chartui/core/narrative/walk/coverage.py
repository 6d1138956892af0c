"""Random walks that show which sections are reached and which never are.

The same seed gives the same walks on every Python version, because only ``random()`` is used, whose results Python
guarantees to be reproducible. The length of a walk is limited, so even a loop of ten thousand sections takes hardly any
time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from random import Random
from typing import Final, NamedTuple, TypeAlias, TypeVar

from chartui.core.narrative.graph import Edge, Graph
from chartui.core.narrative.loops import ClosedLoop, closed_loops, loops
from chartui.core.narrative.story import overrides_of
from chartui.core.narrative.walk.path import End, How, Step, Walk, onward, open_edges

T = TypeVar("T")

#: Pairs of the ID of a trigger and the ID of its target section.
Events: TypeAlias = tuple[tuple[str, str], ...]

#: Maximum number of steps of all walks together. More would take too long.
MOST_MOVES: Final = 10_000_000
#: If triggers may fire and a decision can be taken, one in this many moves fires a trigger.
_EVENT_EVERY: Final = 8


class Ended(StrEnum):
    """The ways in which a walk can end. The first three are sections in which no decision can be taken."""

    ENDING = "ending"  # marked as the end of the story
    DEAD_END = "dead end"
    UNREADABLE = "unreadable"  # its decisions or their targets could not be read
    LOOP = "loop"  # a closed loop
    STEP_LIMIT = "step limit"

    @property
    def words(self) -> str:
        """The end in words, such as “at a dead end”."""
        return _ENDED[self]


_ENDED: Final[Mapping[Ended, str]] = {
    Ended.ENDING: "at an ending",
    Ended.DEAD_END: "at a dead end",
    Ended.UNREADABLE: "at an unreadable section",
    Ended.LOOP: "in a closed loop",
    Ended.STEP_LIMIT: "at the step limit",
}


class Why(StrEnum):
    """The reason why no random walk reached a section."""

    UNREACHABLE = "no incoming links"
    EVENT = "only after a trigger"  # triggers were not fired
    ELSEWHERE = "unreachable from the walks' start"
    CHANCE = "missed by the random walks"  # more walks would reach it


class RandomWalks(NamedTuple):
    """The settings of random walks: their number, maximum steps, seed, and start section (None for the story's start).

    ``fire`` allows triggers to fire during a walk.
    """

    seed: int = 1
    walks: int = 100
    steps: int = 100
    start: str | None = None
    fire: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The coverage of ``graph`` by random walks.

    ``visits`` counts the visits by section ID, ``taken`` counts the decisions taken by section and position, and
    ``fired`` counts the triggers fired by ID. ``stops`` counts the walks that ended because no decision could be taken,
    by their last section. ``loops`` counts the walks that ended in a closed loop, by loop. ``longest`` is the largest
    number of steps in one walk. ``reasons`` says, in story order, why each missed section was never reached.
    ``untaken`` lists the decisions that no walk took, in evaluation order, including those that can never run.
    ``decisions`` is the total number of decisions.
    """

    graph: Graph
    asked: RandomWalks
    visits: Mapping[str, int]
    taken: Mapping[tuple[str, int], int]
    reasons: Mapping[str, Why]
    untaken: tuple[Edge, ...]
    decisions: int
    fired: Mapping[str, int]
    stops: Mapping[str, int]
    loops: Mapping[ClosedLoop, int]
    ended: Mapping[Ended, int]
    longest: int

    @property
    def unfired(self) -> tuple[str, ...]:
        return tuple(trigger_id for trigger_id in self.graph.triggers if trigger_id not in self.fired)

    def stopped(self, how: Ended) -> tuple[tuple[str, int], ...]:
        """Return the sections where walks ended in the way ``how``, with the number of walks, most frequent first."""
        return _most_first({one: walks for one, walks in self.stops.items() if stop_at(self.graph, one) is how})

    @property
    def stuck(self) -> tuple[tuple[ClosedLoop, int], ...]:
        """The closed loops in which walks ended, with the number of walks, most frequent first."""
        return _most_first(self.loops)

    @property
    def percent(self) -> Decimal:
        """The percentage of sections visited, to one decimal place. It is 100 for an empty story."""
        total = len(self.graph.sections)
        return (Decimal(100 * len(self.visits)) / total if total else Decimal(100)).quantize(Decimal("0.1"))


def _most_first(counted: Mapping[T, int]) -> tuple[tuple[T, int], ...]:
    return tuple(sorted(counted.items(), key=lambda item: -item[1]))


def stop_at(graph: Graph, section_id: str) -> Ended:
    """Return how a walk ends in a section in which no decision can be taken."""
    end = Walk(graph, (Step(How.START, section_id),)).end
    return {End.ENDING: Ended.ENDING, End.UNREADABLE: Ended.UNREADABLE}.get(end or End.BROKEN, Ended.DEAD_END)


def random_walks(graph: Graph, asked: RandomWalks) -> Coverage:
    """Run random walks. Raises ``ValueError`` for a missing start section or more than :data:`MOST_MOVES` steps in
    total.
    """
    if asked.walks * asked.steps > MOST_MOVES:
        raise ValueError(f"{asked.walks} walks of {asked.steps} steps exceed the limit of {MOST_MOVES} steps in total")
    start = asked.start or graph.start
    if start is None or start not in graph.sections:
        raise ValueError("the story has no start section" if start is None else f"no section has the ID {start!r}")
    return _Walker(graph, asked, start).walked()


class _Events:
    """The targets of triggers, cached for sections without overrides."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.common: Events | None = None

    def leading(self, section_id: str) -> Events:
        overrides = overrides_of(self._graph.sections[section_id])
        if overrides:
            return self._led(overrides)
        if self.common is None:
            self.common = self._led({})
        return self.common

    def _led(self, overrides: Mapping[str, str]) -> Events:
        leads = (
            (trigger_id, overrides.get(trigger_id) or trigger.destination_section or "")
            for trigger_id, trigger in self._graph.triggers.items()
        )
        return tuple((trigger_id, target) for trigger_id, target in leads if target in self._graph.sections)


def within_reach(graph: Graph, asked: RandomWalks) -> frozenset[str]:
    """Return all sections that random walks with these settings can reach in any number of steps."""
    waiting = [asked.start or graph.start or ""]
    found: set[str] = set()
    events = _Events(graph)
    common: Events | None = None
    while waiting:
        section_id = waiting.pop()
        if section_id in found or section_id not in graph.sections:
            continue
        found.add(section_id)
        waiting += [edge.target for edge in open_edges(graph, section_id)]
        if asked.fire:
            leading = events.leading(section_id)
            # Thousands of sections may override thousands of triggers with the same targets.
            waiting += [] if leading is common else [target for _, target in leading]
            common = events.common
    return frozenset(found)


def _reasons(graph: Graph, asked: RandomWalks, visits: Container[str]) -> dict[str, Why]:
    within = within_reach(graph, asked)
    from_the_start = (asked.start or graph.start) == graph.start
    otherwise = Why.EVENT if from_the_start and not asked.fire else Why.ELSEWHERE
    return {
        one: Why.UNREACHABLE if one not in graph.reachable else Why.CHANCE if one in within else otherwise
        for one in graph.sections
        if one not in visits
    }


class _Walker:
    def __init__(self, graph: Graph, asked: RandomWalks, start: str) -> None:
        self._graph = graph
        self._asked = asked
        self._start = start
        self._random = Random(asked.seed)  # noqa: S311 - for playing
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._events = _Events(graph)
        self._visits: Counter[str] = Counter()
        self._taken: Counter[tuple[str, int]] = Counter()
        self._fired: Counter[str] = Counter()
        self._stops: Counter[str] = Counter()
        self._closed = {one: loop for loop in closed_loops(graph, loops(graph)) for one in loop.sections}
        self._loops: Counter[ClosedLoop] = Counter()
        self._ended: Counter[Ended] = Counter()

    def walked(self) -> Coverage:
        longest = max((self._walk() for _ in range(self._asked.walks)), default=0)
        edges = [edge for edges in self._graph.edges.values() for edge in edges]
        return Coverage(
            graph=self._graph,
            asked=self._asked,
            visits=self._visits,
            taken=self._taken,
            reasons=_reasons(self._graph, self._asked, self._visits),
            untaken=tuple(edge for edge in edges if (edge.source, edge.position) not in self._taken),
            decisions=len(edges),
            fired=self._fired,
            stops=self._stops,
            loops=self._loops,
            ended=self._ended,
            longest=longest,
        )

    def _walk(self) -> int:
        here = self._start
        self._visits[here] += 1
        chain = {here}  # sections passed since the last choice
        for step in range(self._asked.steps):
            by_itself = onward(self._graph, here) is not None
            target = self._fire(here)
            fired = target is not None
            if target is None:
                edges = self._open(here)
                if not edges:
                    self._stops[here] += 1
                    return self._over(stop_at(self._graph, here), step)
                edge = edges[0] if by_itself else edges[self._below(len(edges))]
                self._taken[(here, edge.position)] += 1
                target = edge.target
                if by_itself and target in chain:
                    self._loops[self._closed[here]] += 1
                    return self._over(Ended.LOOP, step + 1)
            if fired or not by_itself:
                chain.clear()
            chain.add(target)
            here = target
            self._visits[here] += 1
        loop = self._closed.get(here)
        if loop is None or (self._asked.fire and loop.triggers_leave):
            return self._over(Ended.STEP_LIMIT, self._asked.steps)
        self._loops[loop] += 1
        return self._over(Ended.LOOP, self._asked.steps)

    def _over(self, how: Ended, steps: int) -> int:
        self._ended[how] += 1
        return steps

    def _open(self, section_id: str) -> tuple[Edge, ...]:
        found = self._edges.get(section_id)
        if found is None:
            found = self._edges[section_id] = open_edges(self._graph, section_id)
        return found

    def _fire(self, section_id: str) -> str | None:
        if not self._asked.fire:
            return None
        events = self._events.leading(section_id)
        if not events or (self._open(section_id) and self._below(_EVENT_EVERY)):
            return None
        trigger_id, target = events[self._below(len(events))]
        self._fired[trigger_id] += 1
        return target

    def _below(self, count: int) -> int:
        return int(self._random.random() * count)
