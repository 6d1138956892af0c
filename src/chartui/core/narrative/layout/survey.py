"""Survey a graph for a map: find the places on the map (sections and missing IDs), and the edges between them.

A survey can be reused to draw its graph several times, as a whole or around one section. A survey also determines which
edges go forward. In a loop (a strongly connected component), an edge goes forward if its target is further from the
start than its source. All edges outside loops go forward. Forward edges therefore never form a loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.narrative.graph import IMMEDIATE, Edge, Graph, edges_of, visible_name
from chartui.core.narrative.loops import components
from chartui.core.narrative.signs import ALL_TESTED, Untested

if TYPE_CHECKING:
    from chartui.core.spec.models.narrative import Override


class PlaceKind(StrEnum):
    SECTION = "section"
    MISSING = "missing"  # an ID that no section has
    DUPLICATE = "duplicate"  # a section that shares its ID with an earlier one


class Part(IntEnum):
    """The parts of a map, such as the unreachable sections. They are listed from top to bottom."""

    STORY = 0  # reachable from the start section
    TRIGGERS = 1  # reached by triggers only
    UNREACHABLE = 2  # unreachable
    DUPLICATES = 3


class Place(NamedTuple):
    """A section, duplicate section or missing ID, drawn as a box on the map.

    ``section`` is the ID, ``name`` is the section's name as stored, and ``triggers`` contains the names of the triggers
    that lead to the section. ``depth`` is the number of steps from the start of its part of the map, and ``order`` is
    the position of the box in the order of discovery within that part. ``component`` identifies the strongly connected
    component that contains the box.
    """

    section: str
    kind: PlaceKind
    name: str
    start: bool
    triggers: tuple[str, ...]
    part: Part
    depth: int
    order: int
    component: int


class Way(NamedTuple):
    """An edge of the map, which is a decision or, if ``override`` is true, a section's override of a trigger.

    ``source`` and ``target`` are the numbers of the boxes that the edge connects. ``target`` is None for an override
    without a target. ``label`` contains the criteria of the decision or the name of the trigger, as stored.
    ``position`` is the index of the decision or override in the section's stored array.
    """

    source: int
    target: int | None
    label: str
    position: int
    override: bool
    never_runs: bool

    @property
    def immediate(self) -> bool:
        return not self.override and self.label == IMMEDIATE


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """The contents of a map: its places (the sections and missing IDs of a graph), and the edges between them.

    Create a survey with :meth:`of`. ``outgoing`` and ``incoming`` contain the edge numbers of each place. Outgoing
    edges are listed in the order in which they are tried. ``numbers`` maps section IDs to place numbers. ``loose``
    lists the triggers without a place on the map, each with its problem. ``untested`` lists the sections and decisions
    that no saved walk reaches.
    """

    graph: Graph
    places: tuple[Place, ...]
    ways: tuple[Way, ...]
    outgoing: tuple[tuple[int, ...], ...]
    incoming: tuple[tuple[int, ...], ...]
    numbers: Mapping[str, int]
    loose: tuple[tuple[str, str], ...]
    untested: Untested = ALL_TESTED

    @classmethod
    def of(cls, graph: Graph, untested: Untested = ALL_TESTED) -> Survey:
        return replace(_Surveyor(graph).survey(), untested=untested.of(graph))

    def is_untested(self, way: Way) -> bool:
        return not way.override and (self.places[way.source].section, way.position) in self.untested.decisions

    def around(self, section_id: str, steps: int) -> frozenset[str]:
        """Return the IDs of all sections that are at most ``steps`` steps away from a section, in either direction.

        The result is empty if the section does not exist.
        """
        first = self.numbers.get(section_id)
        if first is None:
            return frozenset()
        found = {first}
        edge = [first]
        for _ in range(steps):
            edge = [place for place in dict.fromkeys(self._beside(edge)) if place not in found]
            found.update(edge)
        return frozenset(self.places[place].section for place in found)

    def _beside(self, places: Iterable[int]) -> Iterator[int]:
        for place in places:
            for number in self.outgoing[place]:
                target = self.ways[number].target
                if target is not None:
                    yield target
            for number in self.incoming[place]:
                source = self.ways[number].source
                if self.places[source].kind is not PlaceKind.DUPLICATE:
                    yield source

    def leads_on(self, way: Way) -> bool:
        """Return whether an edge goes forward in the story. Forward edges never form a loop."""
        if way.target is None:
            return False
        source, target = self.places[way.source], self.places[way.target]
        return source.component != target.component or target.depth > source.depth


class _Surveyor:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._sections: list[str] = list(graph.sections)
        self._kinds = [PlaceKind.SECTION] * len(self._sections)
        self._numbers = {section_id: number for number, section_id in enumerate(self._sections)}
        self._ways: list[Way] = []
        self._triggers: dict[int, list[str]] = {}
        self._loose: list[tuple[str, str]] = []

    def survey(self) -> Survey:
        graph = self._graph
        self._start = None if graph.start is None else self._place(graph.start)
        for section_id in graph.sections:
            self._lead(self._numbers[section_id], graph.edges[section_id], graph.overrides(section_id))
        for trigger in graph.triggers.values():
            name = graph.trigger_name(trigger.trigger_id)
            if trigger.destination_section:
                self._triggers.setdefault(self._place(trigger.destination_section), []).append(name)
            else:
                self._loose.append((name, "not connected"))
        self._loose += [(t.trigger_name or t.trigger_id, "duplicate ID") for t in graph.duplicate_triggers]
        for section in graph.duplicate_sections:
            self._sections.append(section.section_id)
            self._kinds.append(PlaceKind.DUPLICATE)
            self._lead(len(self._sections) - 1, edges_of(section), section.triggers or ())
        return self._finished()

    def _place(self, section_id: str) -> int:
        """Return the number of a place. For a missing ID, add a place."""
        number = self._numbers.setdefault(section_id, len(self._sections))
        if number == len(self._sections):
            self._sections.append(section_id)
            self._kinds.append(PlaceKind.MISSING)
        return number

    def _lead(self, source: int, edges: Sequence[Edge], overrides: Sequence[Override]) -> None:
        graph = self._graph
        for edge in edges:
            target = self._place(edge.target)
            self._ways.append(Way(source, target, edge.criteria, edge.position, False, edge.never_runs))
        for position, override in enumerate(overrides):
            to = self._place(override.destination_section) if override.destination_section else None
            name, known = graph.trigger_name(override.trigger_id), override.trigger_id in graph.triggers
            self._ways.append(Way(source, to, name, position, True, not known))

    def _finished(self) -> Survey:
        count = len(self._sections)
        outgoing: list[list[int]] = [[] for _ in range(count)]
        incoming: list[list[int]] = [[] for _ in range(count)]
        ahead: list[list[int]] = [[] for _ in range(count)]
        for number, way in enumerate(self._ways):
            outgoing[way.source].append(number)
            if way.target is not None:
                incoming[way.target].append(number)
                ahead[way.source].append(way.target)
        parts, depths, orders = self._counted(outgoing, ahead)
        component = components(ahead).component
        graph = self._graph
        places = tuple(
            Place(
                section_id,
                self._kinds[number],
                self._name(number),
                number == self._start,
                tuple(self._triggers.get(number, ())),
                parts[number],
                depths[number],
                orders[number],
                component[number],
            )
            for number, section_id in enumerate(self._sections)
        )
        return Survey(
            graph,
            places,
            tuple(self._ways),
            tuple(map(tuple, outgoing)),
            tuple(map(tuple, incoming)),
            self._numbers,
            tuple(self._loose),
        )

    def _name(self, number: int) -> str:
        graph, section_id = self._graph, self._sections[number]
        if self._kinds[number] is not PlaceKind.DUPLICATE:
            return graph.section_name(section_id)
        duplicate = graph.duplicate_sections[number - len(self._sections) + len(graph.duplicate_sections)]
        return visible_name(duplicate.section_name, section_id)

    def _counted(
        self, outgoing: Sequence[Sequence[int]], ahead: Sequence[Sequence[int]]
    ) -> tuple[list[Part], list[int], list[int]]:
        """Return for every place its part, its distance from the start of the part, and its position in the search."""
        walker = _Walker(len(self._sections))
        running = [[self._ways[n].target for n in ways if not self._ways[n].never_runs] for ways in outgoing]
        if self._start is not None:
            walker.walk([self._start], running, Part.STORY)
        walker.walk(self._triggers, running, Part.TRIGGERS)
        # A missing ID is placed where an edge first refers to it, even an edge that never runs.
        for part in (Part.STORY, Part.TRIGGERS):
            mentioned = [t for place in walker.found for t in ahead[place] if walker.parts[place] is part]
            walker.walk([t for t in mentioned if self._kinds[t] is PlaceKind.MISSING], running, part)
        rest = [n for n, kind in enumerate(self._kinds) if walker.depths[n] < 0 and kind is not PlaceKind.DUPLICATE]
        led_to = {target for place in rest for target in running[place] if target != place}
        walker.walk([place for place in rest if place not in led_to], running, Part.UNREACHABLE)
        for place in rest:
            walker.walk([place], running, Part.UNREACHABLE)
        walker.walk(range(len(self._sections)), running, Part.DUPLICATES)
        return walker.parts, walker.depths, walker.orders


class _Walker:
    def __init__(self, count: int) -> None:
        self.parts = [Part.DUPLICATES] * count
        self.depths = [-1] * count
        self.orders = [0] * count
        self.found: list[int] = []

    def walk(self, roots: Iterable[int], ahead: Sequence[Sequence[int | None]], part: Part) -> None:
        """Find places reachable from ``roots`` that have not been found yet."""
        waiting = deque((root, 0) for root in roots)
        while waiting:
            place, depth = waiting.popleft()
            if self.depths[place] >= 0:
                continue
            self.parts[place], self.depths[place], self.orders[place] = part, depth, len(self.found)
            self.found.append(place)
            waiting.extend((target, depth + 1) for target in ahead[place] if target is not None)
