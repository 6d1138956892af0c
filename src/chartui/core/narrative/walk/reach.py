"""Find the sections that can be reached from a section, and the best path to each of them.

The best path fires as few triggers as possible. Of the paths with equally few triggers, it has the fewest steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Edge, Graph
from chartui.core.narrative.story import overrides_of
from chartui.core.narrative.walk.path import Event, Walk, Way, onward, open_edges
from chartui.core.sheet import Column, Kind, Sheet

#: Pairs of the ID of a trigger and the ID of its target section.
Events: TypeAlias = tuple[tuple[str, str], ...]


class Move(NamedTuple):
    """A move from section ``source`` to section ``target``.

    It either follows the decision ``edge``, or fires the trigger whose ID is ``trigger``.
    """

    source: str
    target: str
    edge: Edge | None = None
    trigger: str = ""


class TriggerTargets:
    """Looks up the targets of triggers in a section. The result for sections without overrides is cached."""

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


def reach(graph: Graph, start: str | None, *, triggers: bool) -> dict[str, Move | None]:
    """Return every section that can be reached from ``start``, with the last move of the best path to it.

    The best path fires as few triggers as possible. Of the paths with equally few triggers, it has the fewest steps.
    Sections with a better path come first. The move for ``start`` itself is None. If ``triggers`` is false, no triggers
    are fired.
    """
    found: dict[str, Move | None] = {}
    targets, common_passed = TriggerTargets(graph), False
    ahead: list[Move] = []
    waiting = deque([start] if start is not None and start in graph.sections else [])
    found.update(dict.fromkeys(waiting))
    while waiting:
        here = waiting.popleft()
        for edge in open_edges(graph, here):
            if edge.target not in found:
                found[edge.target] = Move(here, edge.target, edge)
                waiting.append(edge.target)
        if triggers:
            leading = targets.leading(here)
            # Thousands of sections may share thousands of triggers with the same targets.
            if leading is not targets.common or not common_passed:
                common_passed = common_passed or leading is targets.common
                ahead += (Move(here, target, trigger=trigger_id) for trigger_id, target in leading)
        if not waiting:
            for move in ahead:
                if move.target not in found:
                    found[move.target] = move
                    waiting.append(move.target)
            ahead = []
    return found


def way_to(reached: Mapping[str, Move | None], section_id: str) -> tuple[Move, ...]:
    """Return the moves of the best path to a section. ``reached`` is the result of :func:`reach`."""
    moves: list[Move] = []
    move = reached[section_id]
    while move is not None:
        moves.append(move)
        move = reached[move.source]
    return tuple(reversed(moves))


def follow(walk: Walk, move: Move) -> Walk:
    """Return the walk extended by a move.

    The move begins at the current section, or at a section that the walk has just passed through.
    """
    if move.edge is None:
        name = walk.graph.trigger_name(move.trigger)
        return walk.fire(Event(move.trigger, name, move.target, True, False, move.source))
    # Otherwise the walk has moved on already.
    return walk.take(Way(0, move.edge, True)) if onward(walk.graph, move.source) is None else walk


def shortest_walk(graph: Graph, start: str, goal: str) -> Walk | None:
    """Return the best path between two sections as a walk, or None if there is no path.

    :func:`reach` defines the best path. The walk ends at ``goal``, even if the story moves on from there automatically.
    """
    reached = reach(graph, start, triggers=True)
    if goal not in reached:
        return None
    walk = Walk.begin(graph, start)
    for move in way_to(reached, goal):
        walk = follow(walk, move)
    return walk.stopping_at(goal)


class Distance(NamedTuple):
    """A section that can be reached.

    ``steps`` is the number of steps on the best path to it, and ``triggers`` is the number of triggers among these
    steps.
    """

    section: str
    steps: int
    triggers: int


def distances(graph: Graph, start: str) -> tuple[Distance, ...]:
    """Return the other sections that can be reached from ``start``, in the order of :func:`reach`."""
    found: dict[str, Distance] = {}
    for section_id, move in reach(graph, start, triggers=True).items():
        before = found[move.source] if move is not None else None
        fired = move is not None and bool(move.trigger)
        found[section_id] = (
            Distance(section_id, 0, 0)
            if before is None
            else Distance(section_id, before.steps + 1, before.triggers + fired)
        )
    return tuple(one for one in found.values() if one.steps)


_COLUMNS = (
    Column("section", title="Section", kind=Kind.TEXT, least=20, best=40),
    Column("steps", title="Steps", kind=Kind.COUNT),
    Column("triggers", title="Triggers", kind=Kind.COUNT),
)


def distances_sheet(graph: Graph, title: str, found: Iterable[Distance]) -> Sheet:
    """Build a table of the sections returned by :func:`distances`, keyed by section ID."""
    shown = tuple(found)
    rows = tuple((graph.section_name(one.section), one.steps, one.triggers) for one in shown)
    return Sheet(title, _COLUMNS, rows, keys=tuple(one.section for one in shown))
