"""Arrange the sections of a map in layers, choose which edges are drawn as lines, and order the sections in each layer.

A section (or missing ID) is below all sections that precede it in the story. If a layer is full, the remaining sections
move to a later layer, so that the map grows downwards, where it can be scrolled, rather than to the right. An edge is
not drawn as a line if the line would pass many layers, go up more than one layer, or make a row of labels wider than
the map. Instead, such an edge is named in the box where it starts.

Layers of boxes alternate with rows of lines. Both are called ranks. Rank ``2 n`` contains the boxes of layer ``n`` and
the lines that pass between them. Rank ``2 n + 1`` contains the lines below this layer, with their labels. Every edge
has a column of its own in each rank that it passes. Within a rank, connected items are moved close together to reduce
crossings (the barycenter method).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right, insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.layout.stacks import Stacks
from chartui.core.narrative.layout.survey import Survey, Way
from chartui.core.narrative.layout.words import BACK, ON, Words, Zoom

#: Maximum number of layers that a line may go down, for the first line to a place and for all other lines.
_FIRST_SPAN: Final = 4
_SPAN: Final = 2
#: Cells of a passing line, including its gap.
_PASSING: Final = 2


class Line(NamedTuple):
    """An edge drawn as a line between two stacks of boxes.

    ``upper`` and ``lower`` are the stacks, and ``top`` and ``bottom`` are their layers. ``rising`` is true if the edge
    goes from the lower stack to the upper stack.
    """

    way: int
    upper: int
    lower: int
    top: int
    bottom: int
    rising: bool


class Layers(NamedTuple):
    """The layers of a map, from top to bottom.

    A layer is a list of stacks of boxes. A stack is identified by the number of its top box. ``lines`` maps the numbers
    of drawn edges to their lines. ``named`` maps the number of each box to the edges that are named in the box instead
    of being drawn, each with a symbol for its direction.
    """

    layers: list[list[int]]
    lines: dict[int, Line]
    named: dict[int, list[tuple[int, str]]]


def layered(survey: Survey, stacks: Stacks, shown: Collection[int], words: Words, zoom: Zoom, width: int) -> Layers:
    """Arrange stacks of boxes in layers that fit ``width`` cells if possible.

    ``shown`` contains the numbers of all boxes on the map. Edges to boxes that are not on the map are left out.
    """
    heads = stacks.heads
    ways = [n for place in heads for n in survey.outgoing[place] if survey.ways[n].target in heads]
    filler = _Filler(survey, stacks, ways, words, width)
    layers = filler.layers()
    layer_of = {head: number for number, layer in enumerate(layers) for head in layer}
    possible = [line for n in ways if (line := _line(n, survey.ways[n], stacks, layer_of)) is not None]
    lines = _drawn(survey, possible, stacks, words, zoom, width)
    named: dict[int, list[tuple[int, str]]] = {}
    for place in heads:
        for number in survey.outgoing[place]:
            way = survey.ways[number]
            if number not in lines and number not in stacks.entries and (way.target is None or way.target in shown):
                named.setdefault(place, []).append((number, _sign(way, stacks, layer_of)))
    return Layers(layers, lines, named)


def _line(number: int, way: Way, stacks: Stacks, layer_of: Mapping[int, int]) -> Line | None:
    """Return the line of an edge, or None if it cannot be drawn. Only the ends of a stack have lines."""
    assert way.target is not None  # noqa: S101 - both ends are in layers
    upper, lower = stacks.heads[way.source], stacks.heads[way.target]
    rising = layer_of[upper] > layer_of[lower]
    above, below = (way.target, way.source) if rising else (way.source, way.target)
    if layer_of[upper] == layer_of[lower] or not (stacks.ends(above) and stacks.begins(below, rising=rising)):
        return None
    if rising:
        upper, lower = lower, upper
    return Line(number, upper, lower, layer_of[upper], layer_of[lower], rising)


def _sign(way: Way, stacks: Stacks, layer_of: Mapping[int, int]) -> str:
    if way.target == way.source:
        return BACK
    target = None if way.target is None else stacks.heads.get(way.target)
    if target is None:
        return ON
    source = stacks.heads[way.source]
    if source == target:
        places = stacks.of[source].places
        return BACK if places.index(way.target) < places.index(way.source) else ON
    return BACK if layer_of[target] < layer_of[source] else ON


class _Filler:
    """Fills layer after layer with the places whose predecessors have all been placed.

    Places are placed in the order in which they became ready. If too many places are ready, some wait until there is
    spare room, where they start a new part. The other places then stay close to the boxes where their lines start.
    """

    def __init__(self, survey: Survey, stacks: Stacks, ways: Sequence[int], words: Words, width: int) -> None:
        self._survey = survey
        self._cells = {
            head: max(words.box_cells(survey.places[place]) for place in stack.places)
            for head, stack in stacks.of.items()
        }
        self._width = width
        self._ahead: dict[int, list[int]] = {head: [] for head in stacks.of}
        self._missing = dict.fromkeys(stacks.of, 0)
        for number in ways:
            way = survey.ways[number]
            if way.target is not None and survey.leads_on(way):
                source, target = stacks.heads[way.source], stacks.heads[way.target]
                if source != target:
                    self._ahead[source].append(target)
                    self._missing[target] += 1
        self._led_to = dict(self._missing)
        self._waiting: list[tuple[int, int, int]] = []
        self._later: list[tuple[int, int, int]] = []
        self._cells_waiting = 0

    def layers(self) -> list[list[int]]:
        missing, led_to = self._missing, self._led_to
        for place, count in missing.items():
            if not count:
                self._wait(place, 0)
        layers: list[list[int]] = []
        passing = 0
        while self._waiting or self._later:
            layer = self._next(passing)
            layers.append(layer)
            for place in layer:
                passing += len(self._ahead[place]) - led_to[place]
                for target in self._ahead[place]:
                    missing[target] -= 1
                    if not missing[target]:
                        self._wait(target, len(layers))
        return layers

    def _wait(self, place: int, layer: int) -> None:
        """Queue a place that can be in ``layer`` or any later one."""
        order = self._survey.places[place].order
        if self._cells_waiting + self._cells[place] <= self._width * (_FIRST_SPAN - 1):
            self._cells_waiting += self._cells[place]
            heapq.heappush(self._waiting, (layer, order, place))
        else:
            heapq.heappush(self._later, (-layer, order, place))

    def _next(self, passing: int) -> list[int]:
        """Return the next layer. ``passing`` edges come from above; those that do not end in the layer pass it."""
        layer: list[int] = []
        taken = -_PASSING  # no gap after the last
        while self._waiting or self._later:
            queue = self._waiting or self._later
            cells = self._cells[queue[0][-1]]
            passing -= self._led_to[queue[0][-1]]
            # Most edges that pass a layer are never drawn.
            if layer and taken + cells + max(0, min(passing * _PASSING, self._width // 8)) > self._width:
                break
            layer.append(heapq.heappop(queue)[-1])
            taken += cells
            if queue is self._waiting:
                self._cells_waiting -= cells
        return layer


def _drawn(
    survey: Survey, possible: Sequence[Line], stacks: Stacks, words: Words, zoom: Zoom, width: int
) -> dict[int, Line]:
    """Return the edges that become lines: first the shortest downward edge to each place, then other edges that fit."""
    first: dict[int, Line] = {}
    for line in possible:
        best = first.get(line.lower)
        if not line.rising and (best is None or line.bottom - line.top < best.bottom - best.top):
            first[line.lower] = line
    leading = [line for line in first.values() if line.bottom - line.top <= _FIRST_SPAN]
    drawn: dict[int, Line] = {}
    taken: dict[int, int] = {}

    def label_cells(line: Line) -> int:
        return _PASSING if line.way in stacks.entries else words.label_cells(survey.ways[line.way])

    def draw(line: Line) -> None:
        drawn[line.way] = line
        for layer in range(line.top, line.bottom - 1):
            taken[layer] = taken.get(layer, 0) + _PASSING
        taken[line.bottom - 1] = taken.get(line.bottom - 1, 0) + label_cells(line)

    def has_room(line: Line) -> bool:
        if any(taken.get(layer, 0) + _PASSING > width for layer in range(line.top, line.bottom - 1)):
            return False
        return taken.get(line.bottom - 1, 0) + label_cells(line) <= width

    for line in leading:
        draw(line)
    # If there is no room for arrows, all lines go down.
    longest = {False: _SPAN, True: 1 if zoom is Zoom.FULL else 0}
    others = [line for line in possible if line.bottom - line.top <= longest[line.rising] and line.way not in drawn]
    for line in sorted(others, key=lambda line: (line.rising, line.bottom - line.top)):
        if has_room(line):
            draw(line)
    return dict(sorted(drawn.items()))


# -- ranks ------------------------------------------------------------------------------------------------------------


#: Maximum sweeps for the best order. A small drawing stops when nothing improves; a large one gets only a few.
_SWEEPS: Final = 12
_FEW_SWEEPS: Final = 2
_LARGE: Final = 1500


class Joint(NamedTuple):
    """An item that occupies a column in a row of the map: either a box or a piece of a line.

    For a box, ``place`` is the number of the box and ``way`` is -1. For a piece of a line, ``way`` is the number of its
    edge and ``place`` is -1. ``labelled`` is true for the lowest piece of a line, beside which the label is shown.
    """

    place: int
    way: int
    labelled: bool


class Link(NamedTuple):
    """A connection between two items in adjacent rows of the map.

    ``upper`` and ``lower`` are the numbers of these items. ``rising`` is true if the connection is part of an edge that
    goes upwards.
    """

    upper: int
    lower: int
    rising: bool


class Ranks:
    """The rows of a map, with the items (boxes or pieces of lines) in each row and the connections between these items.

    For each item, ``above`` and ``below`` list the numbers of its connections to the row above and to the row below.
    ``chains`` maps the number of each edge to the numbers of its connections, from top to bottom.
    """

    def __init__(self, layers: Sequence[Sequence[int]], lines: Iterable[Line]) -> None:
        self.joints: list[Joint] = []
        self.links: list[Link] = []
        self.above: list[list[int]] = []
        self.below: list[list[int]] = []
        self.ranks: list[list[int]] = [[] for _ in range(2 * len(layers) - 1)]
        self.chains: dict[int, list[int]] = {}
        boxes = {
            place: self._add(2 * number, Joint(place, -1, False))
            for number, layer in enumerate(layers)
            for place in layer
        }
        for line in lines:
            self._lead(line, boxes[line.upper], boxes[line.lower])
        self._begin()
        self._sweep()

    def _add(self, rank: int, joint: Joint) -> int:
        self.joints.append(joint)
        self.above.append([])
        self.below.append([])
        self.ranks[rank].append(len(self.joints) - 1)
        return len(self.joints) - 1

    def _lead(self, line: Line, upper: int, lower: int) -> None:
        chain: list[int] = []
        last = upper
        end = 2 * line.bottom
        for rank in range(2 * line.top + 1, end + 1):
            joint = lower if rank == end else self._add(rank, Joint(-1, line.way, rank == end - 1))
            chain.append(len(self.links))
            self.below[last].append(len(self.links))
            self.above[joint].append(len(self.links))
            self.links.append(Link(last, joint, line.rising))
            last = joint
        self.chains[line.way] = chain

    # -- the order within the ranks -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        for rank, below in zip(self.ranks, self.ranks[1:], strict=False):
            led_to = dict.fromkeys(self.links[n].lower for joint in rank for n in self.below[joint])
            below[:] = [*led_to, *(joint for joint in below if joint not in led_to)]

    def _sweep(self) -> None:
        """Move connected joints closer together, alternating downwards and upwards."""
        large = len(self.joints) > _LARGE
        best, fewest = [list(rank) for rank in self.ranks], 0 if large else self.crossings()
        without_success = 0
        for sweep in range(_FEW_SWEEPS if large else _SWEEPS):
            if not large and (fewest == 0 or without_success > 3):
                break
            self._bring_together(down=sweep % 2 == 0)
            if large:
                best = [list(rank) for rank in self.ranks]
                continue
            crossings = self.crossings()
            without_success += 1
            if crossings < fewest:
                best, fewest, without_success = [list(rank) for rank in self.ranks], crossings, 0
        self.ranks = best

    def _bring_together(self, *, down: bool) -> None:
        links, ranks = self.links, self.ranks if down else self.ranks[::-1]
        place = [0.0] * len(self.joints)
        for number, joint in enumerate(ranks[0]):
            place[joint] = number
        for rank in ranks[1:]:
            wish: dict[int, float] = {}
            for number, joint in enumerate(rank):
                above, below = self.above[joint], self.below[joint]
                beside = [links[n].upper for n in above] if down else [links[n].lower for n in below]
                wish[joint] = sum(place[other] for other in beside) / len(beside) if beside else number
            rank.sort(key=wish.__getitem__)
            for number, joint in enumerate(rank):
                place[joint] = number

    def crossings(self) -> int:
        total = 0
        for rank, below in zip(self.ranks, self.ranks[1:], strict=False):
            place = {joint: number for number, joint in enumerate(below)}
            seen: list[int] = []
            for joint in rank:
                ends = sorted(place[self.links[n].lower] for n in self.below[joint])
                total += sum(len(seen) - bisect_right(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return total
