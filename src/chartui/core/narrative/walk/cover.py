"""Generate walks that together visit every section and take every decision that can be reached.

A walk begins at the start of the story. It goes to the farthest section that no walk has visited yet, and then to
unvisited sections and untaken decisions nearby, until it is :data:`READABLE` choices long. A walk is longer only if
reaching the farthest section takes more choices. A trigger is fired only to reach sections that decisions alone do not
reach.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from chartui.core.narrative.graph import Edge, Graph
from chartui.core.narrative.walk.coverage import Tally
from chartui.core.narrative.walk.path import How, Step, Walk, onward, open_edges
from chartui.core.narrative.walk.reach import Move, follow, reach, way_to

#: The number of choices after which a walk goes no further.
READABLE: Final = 20
#: Sections to search for the next decision before a walk ends. In a large story, many more would take too long.
_SEARCHED: Final = 500


def covering_walks(graph: Graph, start: str | None = None) -> Iterator[Walk]:
    """Yield the walks, each with up to :data:`READABLE` choices if possible.

    The walks begin at ``start``, which defaults to the start of the story. Raises ``ValueError`` if the start section
    is missing.
    """
    start = start or graph.start
    if start is None or start not in graph.sections:
        raise ValueError("the story has no start section" if start is None else f"no section has the ID {start!r}")
    return _Cover(graph, start).walks()


class _Cover:
    """``left`` holds the decisions still to take, by section and position, and ``unseen`` the sections to visit."""

    def __init__(self, graph: Graph, start: str) -> None:
        self._graph = graph
        self._start = start
        self._reached = reach(graph, start, triggers=True)
        self._unseen = set(self._reached)
        self._tally = Tally(graph)
        self._left = {
            section_id: {edge.position: edge for edge in edges}
            for section_id in self._reached
            if (edges := open_edges(graph, section_id))
        }

    def walks(self) -> Iterator[Walk]:
        for section_id in reversed(self._reached):
            while section_id in self._unseen or section_id in self._left:
                yield self._walk(section_id)

    def _walk(self, goal: str) -> Walk:
        """Return a walk that reaches ``goal`` and takes a decision there that is left, and others after it."""
        walk = self._seen(Walk.begin(self._graph, self._start), 0)
        walk = self._follow(walk, way_to(self._reached, goal))
        choices = len(walk.choices)
        first = True
        while walk.here is not None and (first or choices < READABLE):
            moves = self._to_next(walk.here, READABLE - choices)
            if moves is None:
                break
            before = len(walk.steps)
            walk = self._follow(walk, moves)
            choices += sum(step.how is not How.AUTOMATIC for step in walk.steps[before:])
            first = False
        return walk

    def _to_next(self, here: str, most: int) -> tuple[Move, ...] | None:
        """Return the decisions to the nearest one that is left, and that one; None if it is not near enough."""
        found: dict[str, Move | None] = {here: None}
        waiting = deque([(here, 0)])
        while waiting and len(found) < _SEARCHED:
            section_id, steps = waiting.popleft()
            if section_id in self._left:
                edge = next(iter(self._left[section_id].values()))
                return (*way_to(found, section_id), Move(section_id, edge.target, edge))
            waits = onward(self._graph, section_id) is None
            if steps + waits >= most:
                continue
            for edge in open_edges(self._graph, section_id):
                if edge.target not in found:
                    found[edge.target] = Move(section_id, edge.target, edge)
                    waiting.append((edge.target, steps + waits))
        return None

    def _follow(self, walk: Walk, moves: Iterable[Move]) -> Walk:
        for move in moves:
            before = len(walk.steps) - 1
            walk = follow(walk, move)
            self._seen(walk, before)
        return walk

    def _seen(self, walk: Walk, since: int) -> Walk:
        """Mark what the steps after step ``since`` reach."""
        steps: tuple[Step, ...] = walk.steps[since:]
        self._unseen.difference_update(step.section for step in steps)
        for edge in self._tally.edges_taken(steps):
            self._took(edge)
        return walk

    def _took(self, edge: Edge) -> None:
        left = self._left.get(edge.source)
        if left is not None:
            left.pop(edge.position, None)
            if not left:
                del self._left[edge.source]
