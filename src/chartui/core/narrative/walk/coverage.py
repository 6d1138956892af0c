"""Determine which sections, decisions and triggers of a story are reached by walks, and which are not.

Saved walks and random walks are counted in the same way (:class:`Tally`), so their coverage can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum

from chartui.core.classes import dataclass
from chartui.core.narrative.graph import Edge, Graph
from chartui.core.narrative.signs import Untested
from chartui.core.narrative.walk.path import How, Step, Walk, onward, open_edges
from chartui.core.narrative.walk.reach import reach


class Why(StrEnum):
    """The reason why no walk reached a section."""

    UNREACHABLE = "no incoming links"
    EVENT = "only after a trigger"  # decisions alone never lead there
    ELSEWHERE = "unreachable from the walks' start"
    CHANCE = "missed by the random walks"  # more walks would reach it
    UNTESTED = "in no saved walk"


class Tally:
    """Counts the sections, decisions and triggers that walks reach.

    ``visits`` counts the visits to each section by ID. ``taken`` contains decisions by section and position, and
    ``fired`` contains triggers by ID.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.visits: Counter[str] = Counter()
        self.taken: Counter[tuple[str, int]] = Counter()
        self.fired: Counter[str] = Counter()
        self._alike: dict[str, dict[tuple[str, str], list[Edge]]] = {}

    def add(self, walk: Walk) -> None:
        """Add a walk to the counts. The walk must use the same graph as this tally."""
        self.visits.update(step.section for step in walk.steps if not step.stays)
        self.fired.update(step.trigger for step in walk.steps if step.trigger)
        self.taken.update((edge.source, edge.position) for edge in self.edges_taken(walk.steps))

    def edges_taken(self, steps: Sequence[Step]) -> Iterator[Edge]:
        """Yield the decisions that a walk takes in ``steps``.

        If the last step leads to a section with an automatic decision, this decision is included. If a section has
        several decisions with the same criteria and target, a walk does not record which one was taken, so all of them
        are yielded.
        """
        for step, after in zip(steps, (*steps[1:], None), strict=True):
            if onward(self.graph, step.section) is not None:
                if not step.stays:
                    yield self.graph.edges[step.section][0]  # also the decision that closes an infinite loop
            elif after is not None and after.how is How.DECISION:
                yield from self._edges(step.section).get((after.section, after.words), ())

    def _edges(self, section_id: str) -> Mapping[tuple[str, str], Sequence[Edge]]:
        """The decisions of a section that can run, by target and criteria."""
        found = self._alike.get(section_id)
        if found is None:
            found = self._alike[section_id] = {}
            for edge in open_edges(self.graph, section_id):
                found.setdefault((edge.target, edge.criteria), []).append(edge)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The coverage of ``graph``.

    Create it with :func:`coverage_of` or :func:`walks_coverage`.

    ``visits``, ``taken`` and ``fired`` are described in :class:`Tally`. ``reasons`` maps each section that was never
    reached to the reason why, in story order. ``untaken`` lists the decisions that no walk took, in the order in which
    decisions are tried. It includes decisions that can never be taken. ``decisions`` is the total number of decisions.
    """

    graph: Graph
    visits: Mapping[str, int]
    taken: Mapping[tuple[str, int], int]
    fired: Mapping[str, int]
    reasons: Mapping[str, Why]
    untaken: tuple[Edge, ...]
    decisions: int

    @property
    def unfired(self) -> tuple[str, ...]:
        return tuple(trigger_id for trigger_id in self.graph.triggers if trigger_id not in self.fired)

    @property
    def untested(self) -> Untested:
        """The sections, decisions and triggers that no walk reached, to be marked in the story."""
        decisions = frozenset((edge.source, edge.position) for edge in self.untaken)
        return Untested(self.graph, frozenset(self.reasons), decisions, frozenset(self.unfired))

    @property
    def percent(self) -> Decimal:
        """The percentage of sections visited, to one decimal place. It is 100 for an empty story."""
        return _percent(len(self.visits), len(self.graph.sections))

    @property
    def percent_taken(self) -> Decimal:
        """The percentage of decisions taken, to one decimal place. It is 100 for a story without decisions."""
        return _percent(len(self.taken), self.decisions)


def _percent(some: int, total: int) -> Decimal:
    return (Decimal(100 * some) / total if total else Decimal(100)).quantize(Decimal("0.1"))


def coverage_of(tally: Tally, *, start: str | None, triggers: bool, missed: Why) -> Coverage:
    """Return the coverage of the walks counted in ``tally``.

    ``start`` is the section where they began, and ``triggers`` is true if they fired triggers. ``missed`` is the reason
    to give for sections that such walks could have reached but did not.
    """
    graph = tally.graph
    within = reach(graph, start, triggers=triggers)
    otherwise = Why.EVENT if start == graph.start and not triggers else Why.ELSEWHERE
    edges = [edge for edges in graph.edges.values() for edge in edges]
    return Coverage(
        graph=graph,
        visits=tally.visits,
        taken=tally.taken,
        fired=tally.fired,
        reasons={
            one: Why.UNREACHABLE if one not in graph.reachable else missed if one in within else otherwise
            for one in graph.sections
            if one not in tally.visits
        },
        untaken=tuple(edge for edge in edges if (edge.source, edge.position) not in tally.taken),
        decisions=len(edges),
    )


def walks_coverage(graph: Graph, walks: Iterable[Walk]) -> Coverage:
    """Return the coverage of ``graph`` by saved walks. If a walk stops early, its steps up to that point count."""
    tally = Tally(graph)
    for walk in walks:
        tally.add(walk)
    return coverage_of(tally, start=graph.start, triggers=False, missed=Why.UNTESTED)
