"""Which sections lead back to themselves, and in which order a story is read.

A *circle* is a set of sections each of which can be reached from each other one by decisions that run: a strongly
connected component of more than one section, or one section that leads to itself. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

__all__ = ["Circles", "Knots", "circles", "knots"]


class Knots(NamedTuple):
    """Of every place, by its number: in which turn it is come to depth first, and which of the strongly connected
    components it is in.
    """

    order: Sequence[int]
    knot: Sequence[int]


def knots(ahead: Sequence[Sequence[int]], first: Iterable[int] = ()) -> Knots:
    """The strongly connected components of a graph (Tarjan's way, without recursion).

    ``ahead`` are the places that every place leads to. The walk begins at those in ``first``, then at all others.
    """
    count = len(ahead)
    order, low, knot = [-1] * count, [0] * count, [-1] * count
    held: list[int] = []
    moment = found = 0
    for root in (*first, *range(count)):
        path = [] if order[root] >= 0 else [(root, iter(ahead[root]))]
        while path:
            place, rest = path[-1]
            if order[place] < 0:
                order[place] = low[place] = moment
                moment += 1
                held.append(place)
            for other in rest:
                if order[other] < 0:
                    path.append((other, iter(ahead[other])))
                    break
                if knot[other] < 0:
                    low[place] = min(low[place], low[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[place])
                if low[place] == order[place]:
                    while knot[place] < 0:
                        knot[held.pop()] = found
                    found += 1
    return Knots(order, knot)


class Circles(NamedTuple):
    """``order`` tells the place of every section in a story read depth first: from its start, then from where triggers
    lead, then from all others. ``found`` are the circles in that order, each with its sections in it.
    """

    order: Mapping[str, int]
    found: tuple[tuple[str, ...], ...]


def circles(graph: Graph) -> Circles:
    """The circles of a graph, found in one walk along every decision that runs."""
    numbers = {section_id: number for number, section_id in enumerate(graph.sections)}
    ahead = [
        [numbers[edge.target] for edge in edges if not edge.never_runs and edge.target in numbers]
        for edges in (graph.edges[section_id] for section_id in graph.sections)
    ]
    order, knot = knots(ahead, (numbers[section_id] for section_id in _begins(graph)))
    members: dict[int, list[str]] = {}
    reading = sorted(graph.sections, key=lambda section_id: order[numbers[section_id]])
    for section_id in reading:
        members.setdefault(knot[numbers[section_id]], []).append(section_id)
    return Circles(
        {section_id: place for place, section_id in enumerate(reading)},
        tuple(tuple(one) for one in members.values() if len(one) > 1 or numbers[one[0]] in ahead[numbers[one[0]]]),
    )


def _begins(graph: Graph) -> Iterator[str]:
    """Where a reader comes to a story first: its start, and where triggers lead."""
    first = (graph.start, *(trigger.destination_section for trigger in graph.triggers.values()))
    return (section_id for section_id in first if section_id and section_id in graph.sections)
