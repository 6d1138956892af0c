"""Random walks that show which sections are reached and which are not.

The same seed gives the same walks on every Python version. The length of a walk is limited, so even a loop of ten
thousand sections takes hardly any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from random import Random
from typing import Final, TypeAlias, TypeVar

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.narrative.graph import Edge, Graph
from chartui.core.narrative.loops import ClosedLoop, closed_loops, loops
from chartui.core.narrative.walk.coverage import Coverage, Tally, Why, coverage_of
from chartui.core.narrative.walk.path import End, How, Step, Walk, onward, open_edges
from chartui.core.narrative.walk.reach import TriggerTargets

T = TypeVar("T")

#: Maximum number of steps of all walks together. More would take too long.
MOST_MOVES: Final = 10_000_000
#: If triggers may fire and a decision can be taken, one in this many moves fires a trigger.
_EVENT_EVERY: Final = 8


class Ended(StrEnum):
    """The ways in which a walk can end. The first three apply to sections in which no decision can be taken."""

    ENDING = "ending"  # marked as the end of the story
    DEAD_END = "dead end"
    UNREADABLE = "unreadable"  # its decisions or their targets could not be read
    LOOP = "loop"  # a closed loop
    STEP_LIMIT = "step limit"

    @property
    def words(self) -> str:
        """A phrase that says how the walk ended, such as “at a dead end”."""
        return _ENDED[self]


_ENDED: Final[Mapping[Ended, str]] = {
    Ended.ENDING: "at an ending",
    Ended.DEAD_END: "at a dead end",
    Ended.UNREADABLE: "at an unreadable section",
    Ended.LOOP: "in a closed loop",
    Ended.STEP_LIMIT: "at the step limit",
}


class RandomWalks(NamedTuple):
    """The settings of random walks, such as their number, maximum number of steps, seed, and start section.

    A start section of None means the start of the story. ``fire`` allows triggers to fire during a walk.
    """

    seed: int = 1
    walks: int = 100
    steps: int = 100
    start: str | None = None
    fire: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomCoverage:
    """The ``coverage`` of random walks, and how they ended.

    ``stops`` counts the walks that ended because no decision could be taken, by their last section. ``loops`` maps each
    closed loop to the number of walks that ended in it. ``longest`` is the largest number of steps in one walk.
    """

    coverage: Coverage
    asked: RandomWalks
    stops: Mapping[str, int]
    loops: Mapping[ClosedLoop, int]
    ended: Mapping[Ended, int]
    longest: int

    def stopped(self, how: Ended) -> tuple[tuple[str, int], ...]:
        """Return the sections where walks ended, with the number of walks, most frequent first.

        Only walks that ended for the reason ``how`` are counted.
        """
        graph = self.coverage.graph
        return _most_first({one: walks for one, walks in self.stops.items() if stop_at(graph, one) is how})

    @property
    def stuck(self) -> tuple[tuple[ClosedLoop, int], ...]:
        """The closed loops in which walks ended, with the number of walks, most frequent first."""
        return _most_first(self.loops)


def _most_first(counted: Mapping[T, int]) -> tuple[tuple[T, int], ...]:
    return tuple(sorted(counted.items(), key=lambda item: -item[1]))


def stop_at(graph: Graph, section_id: str) -> Ended:
    """Return how a walk ends in a section in which no decision can be taken."""
    end = Walk(graph, (Step(How.START, section_id),)).end
    return {End.ENDING: Ended.ENDING, End.UNREADABLE: Ended.UNREADABLE}.get(end or End.BROKEN, Ended.DEAD_END)


#: Called for every section that a random walk enters, with the number of the walk, counted from 0, the ID of the
#: section, and the ID of the trigger that led there, or an empty text.
Entered: TypeAlias = Callable[[int, str, str], None]


def random_walks(graph: Graph, asked: RandomWalks, entered: Entered | None = None) -> RandomCoverage:
    """Run random walks. Raises ``ValueError`` for a missing start section or more than :data:`MOST_MOVES` steps in
    total.
    """
    if asked.walks * asked.steps > MOST_MOVES:
        raise ValueError(f"{asked.walks} walks of {asked.steps} steps exceed the limit of {MOST_MOVES} steps in total")
    start = asked.start or graph.start
    if start is None or start not in graph.sections:
        raise ValueError("the story has no start section" if start is None else f"no section has the ID {start!r}")
    return _Walker(graph, asked, start, entered).walked()


class _Walker:
    def __init__(self, graph: Graph, asked: RandomWalks, start: str, entered: Entered | None) -> None:
        self._graph = graph
        self._asked = asked
        self._start = start
        self._entered = entered
        self._random = Random(asked.seed)  # noqa: S311 - for playing
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._events = TriggerTargets(graph)
        self._tally = Tally(graph)
        self._stops: Counter[str] = Counter()
        self._closed = {one: loop for loop in closed_loops(graph, loops(graph)) for one in loop.sections}
        self._loops: Counter[ClosedLoop] = Counter()
        self._ended: Counter[Ended] = Counter()

    def walked(self) -> RandomCoverage:
        longest = max(map(self._walk, range(self._asked.walks)), default=0)
        return RandomCoverage(
            coverage=coverage_of(self._tally, start=self._start, triggers=self._asked.fire, missed=Why.CHANCE),
            asked=self._asked,
            stops=self._stops,
            loops=self._loops,
            ended=self._ended,
            longest=longest,
        )

    def _walk(self, number: int) -> int:
        here = self._enter(number, self._start, "")
        chain = {here}  # sections passed since the last choice
        for step in range(self._asked.steps):
            by_itself = onward(self._graph, here) is not None
            fired = self._fire(here)
            trigger, target = fired or ("", "")
            if fired is None:
                edges = self._open(here)
                if not edges:
                    self._stops[here] += 1
                    return self._over(stop_at(self._graph, here), step)
                edge = edges[0] if by_itself else edges[self._below(len(edges))]
                self._tally.taken[(here, edge.position)] += 1
                target = edge.target
                if by_itself and target in chain:
                    self._loops[self._closed[here]] += 1
                    return self._over(Ended.LOOP, step + 1)
            if fired is not None or not by_itself:
                chain.clear()
            chain.add(target)
            here = self._enter(number, target, trigger)
        loop = self._closed.get(here)
        if loop is None or (self._asked.fire and loop.triggers_leave):
            return self._over(Ended.STEP_LIMIT, self._asked.steps)
        self._loops[loop] += 1
        return self._over(Ended.LOOP, self._asked.steps)

    def _enter(self, number: int, section_id: str, trigger: str) -> str:
        self._tally.visits[section_id] += 1
        if self._entered is not None:
            self._entered(number, section_id, trigger)
        return section_id

    def _over(self, how: Ended, steps: int) -> int:
        self._ended[how] += 1
        return steps

    def _open(self, section_id: str) -> tuple[Edge, ...]:
        found = self._edges.get(section_id)
        if found is None:
            found = self._edges[section_id] = open_edges(self._graph, section_id)
        return found

    def _fire(self, section_id: str) -> tuple[str, str] | None:
        """Fire a trigger now and then; returns its ID and its target."""
        if not self._asked.fire:
            return None
        events = self._events.leading(section_id)
        if not events or (self._open(section_id) and self._below(_EVENT_EVERY)):
            return None
        fired = events[self._below(len(events))]
        self._tally.fired[fired[0]] += 1
        return fired

    def _below(self, count: int) -> int:
        return int(self._random.random() * count)
