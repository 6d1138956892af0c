"""Which sections lead back to themselves, and in which order a story is read.

A *circle* is a set of sections each of which can be reached from each other one by decisions that run: a strongly
connected component of more than one section, or one section that leads to itself. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

__all__ = ["Circles", "circles"]


class Circles(NamedTuple):
    """``order`` tells the place of every section in a story read depth first: from its start, then from where triggers
    lead, then from all others. ``found`` are the circles in that order, each with its sections in it.
    """

    order: Mapping[str, int]
    found: tuple[tuple[str, ...], ...]


def circles(graph: Graph) -> Circles:
    """The circles of a graph, found in one walk along every decision that runs (Tarjan's algorithm)."""
    ways = {
        section_id: [e.target for e in edges if not e.never_runs and e.target in graph.sections]
        for section_id, edges in graph.edges.items()
    }
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []  # those whose component is not known yet
    is_open: set[str] = set()
    found: list[tuple[str, ...]] = []
    for root in _roots(graph):
        if root in order:
            continue
        path: list[tuple[str, Iterator[str]]] = []
        arriving: str | None = root
        while arriving is not None or path:
            if arriving is not None:
                order[arriving] = lowest[arriving] = len(order)
                open_.append(arriving)
                is_open.add(arriving)
                path.append((arriving, iter(ways[arriving])))
                arriving = None
            here, ahead = path[-1]
            for target in ahead:
                if target not in order:
                    arriving = target
                    break
                if target in is_open:
                    lowest[here] = min(lowest[here], order[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[here])
                if lowest[here] == order[here]:
                    members = _closed(open_, here)
                    is_open.difference_update(members)
                    if len(members) > 1 or here in ways[here]:
                        found.append(members)
    found.sort(key=lambda members: order[members[0]])
    return Circles(order, tuple(found))


def _roots(graph: Graph) -> Iterator[str]:
    """Every section, beginning with those that a reader comes to first."""
    first = (graph.start, *(trigger.destination_section for trigger in graph.triggers.values()))
    yield from (section_id for section_id in first if section_id and section_id in graph.sections)
    yield from graph.sections


def _closed(open_: list[str], first: str) -> tuple[str, ...]:
    """Take the sections of a component off, the one that was reached first included; in the order they were reached."""
    members: list[str] = []
    while True:
        members.append(open_.pop())
        if members[-1] == first:
            return tuple(reversed(members))
