"""A connected piece of the map is put together: ranks, columns, rows, routes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chartui.core.narrative.layout.block import Block, Box, Channel, Label, Layer, Point
from chartui.core.narrative.layout.channels import Net, Route, routed
from chartui.core.narrative.layout.columns import Ports, columns
from chartui.core.narrative.layout.layers import Layers
from chartui.core.narrative.layout.ranks import Link, Ranks
from chartui.core.narrative.layout.words import Said

__all__ = ["Texts", "composed"]

#: Blanks around what stands in a box, with the border; blanks between two joints.
_FRAME: Final = 4
_GAP: Final = 2
_LEAST: Final = 7


class Texts(NamedTuple):
    """What stands in every box, by place, and beside every line, by way."""

    boxes: Mapping[int, tuple[Said, ...]]
    labels: Mapping[int, tuple[Said, ...]]
    dots: bool


def composed(layers: Layers, texts: Texts) -> Block:
    """The drawing of layers."""
    return _Composer(Ranks(layers.layers, layers.lines.values()), texts, layers.width).block()


class _Composer:
    def __init__(self, ranks: Ranks, texts: Texts, width: int) -> None:
        self._ranks = ranks
        self._texts = texts
        count = range(len(ranks.joints))
        self._label = [self._label_of(joint) for joint in count]
        self._width = [self._width_of(joint) for joint in count]
        self._doors = [self._doors_of(joint) for joint in count]
        self._x = columns(ranks, self._width, self._doors, self._gap, width)
        self._doors = [self._moved_doors(joint) for joint in count]
        self._boxes: dict[int, Box] = {}
        self._routes: dict[int, tuple[Channel, Route]] = {}

    # -- measures -----------------------------------------------------------------------------------------------------

    def _label_of(self, joint: int) -> tuple[Said, ...]:
        made = self._ranks.joints[joint]
        return self._texts.labels.get(made.way, ()) if made.labelled else ()

    def _width_of(self, joint: int) -> int:
        place = self._ranks.joints[joint].place
        if place < 0:
            label = self._label[joint]
            return 2 + max(said.cells for said in label) if label else 1
        if self._texts.dots:
            return 1
        return max(_LEAST, _FRAME + max(said.cells for said in self._texts.boxes[place]))

    def _gap(self, joint: int, after: int) -> int:
        if self._label[joint] or (self._ranks.joints[joint].place >= 0 and self._ranks.joints[after].place >= 0):
            return _GAP
        return 1

    def _doors_of(self, joint: int) -> Ports:
        """Where lines begin and end; at a box in the middle, or where there are two kinds at one side beside it."""
        ranks = self._ranks
        if ranks.joints[joint].place < 0:
            return (0, 0, 0, 0)
        above = {ranks.links[number].rising for number in ranks.above[joint]}
        below = {ranks.links[number].rising for number in ranks.below[joint]}
        first, second = self._beside(joint, above)
        third, fourth = self._beside(joint, below)
        return (first, second, third, fourth)

    def _beside(self, joint: int, kinds: set[bool]) -> tuple[int, int]:
        middle, third = self._width[joint] // 2, self._width[joint] // 3
        if len(kinds) == 2:
            return third, self._width[joint] - 1 - third
        return (middle if False in kinds else -1), (middle if True in kinds else -1)

    def _moved_doors(self, joint: int) -> Ports:
        """The doors of a box, each where its line goes on straight, if that is at the box at all."""
        ranks, doors = self._ranks, self._doors[joint]
        if ranks.joints[joint].place < 0 or self._texts.dots:
            return doors
        above = [(ranks.links[number].upper, ranks.links[number].rising) for number in ranks.above[joint]]
        below = [(ranks.links[number].lower, ranks.links[number].rising) for number in ranks.below[joint]]
        return (*self._moved(joint, doors[:2], above), *self._moved(joint, doors[2:], below))

    def _moved(self, joint: int, doors: tuple[int, int], links: Sequence[tuple[int, bool]]) -> tuple[int, int]:
        moved = list(doors)
        for kind in (False, True):
            ends = [other for other, rising in links if rising is kind]
            door = self._x[ends[0]] - self._x[joint] if len(ends) == 1 else 0
            if 0 < door < self._width[joint] - 1:
                moved[kind] = door
        apart = -1 in moved or abs(moved[0] - moved[1]) > 1
        return (moved[0], moved[1]) if apart else doors

    # -- rows ---------------------------------------------------------------------------------------------------------

    def block(self) -> Block:
        """Layer below layer."""
        layers: list[Layer] = []
        y = 0
        for number in range(0, len(self._ranks.ranks), 2):
            layer = self._layer(number, y)
            layers.append(layer)
            y = layer.joins.y + layer.joins.height
        ends = [self._x[joint] + width for joint, width in enumerate(self._width)]
        tracks = (track.right + 1 for _, route in self._routes.values() for track in route.tracks)
        return Block(layers, max([*ends, *tracks]), self._ranks.chains.keys(), self._path)

    def _layer(self, rank: int, y: int) -> Layer:
        ranks = self._ranks
        boxes = tuple(self._box(joint, y) for joint in ranks.ranks[rank] if ranks.joints[joint].place >= 0)
        passing = tuple(self._x[joint] for joint in ranks.ranks[rank] if ranks.joints[joint].place < 0)
        height = max(box.height for box in boxes)
        if rank + 1 == len(ranks.ranks):
            nothing = Channel(y + height, 0, ())
            return Layer(y, height, boxes, passing, nothing, (), nothing)
        between = ranks.ranks[rank + 1]
        forks = self._channel(y + height, [n for joint in ranks.ranks[rank] for n in ranks.below[joint]], fork=True)
        labels = [Label(self._x[joint], self._label[joint]) for joint in between]
        rows = max((len(label.said) for label in labels), default=0)
        joins = self._channel(
            forks.y + forks.height + rows, [n for joint in between for n in ranks.below[joint]], fork=False
        )
        if not (forks.height or rows or joins.height):
            joins = joins._replace(height=1)  # no box sits on another
        return Layer(y, height, boxes, passing, forks, labels, joins)

    def _box(self, joint: int, y: int) -> Box:
        place = self._ranks.joints[joint].place
        said = self._texts.boxes[place]
        height = 1 if self._texts.dots else 2 + len(said)
        self._boxes[joint] = Box(place, self._x[joint], y, self._width[joint], height, said, self._doors[joint])
        return self._boxes[joint]

    def _channel(self, y: int, links: Sequence[int], *, fork: bool) -> Channel:
        """The way of links from one rank to the next; those that begin, or end, at one door go together."""
        nets: dict[tuple[int, bool], list[int]] = {}
        for number in links:
            link = self._ranks.links[number]
            nets.setdefault((link.upper if fork else link.lower, link.rising), []).append(number)
        routes, height = routed([self._net([self._ranks.links[n] for n in numbers]) for numbers in nets.values()])
        channel = Channel(y, height, routes)
        for numbers, route in zip(nets.values(), routes, strict=True):
            self._routes.update((number, (channel, route)) for number in numbers)
        return channel

    def _net(self, links: Sequence[Link]) -> Net:
        tops = tuple(dict.fromkeys(self._top(link) for link in links))
        return Net(tops, tuple(dict.fromkeys(self._bottom(link) for link in links)))

    def _top(self, link: Link) -> int:
        return self._x[link.upper] + self._doors[link.upper][2 + link.rising]

    def _bottom(self, link: Link) -> int:
        return self._x[link.lower] + self._doors[link.lower][link.rising]

    def _path(self, way: int) -> tuple[Point, ...]:
        """Where the line of a way begins, turns and ends."""
        chain = self._ranks.chains[way]
        first, last = self._ranks.links[chain[0]], self._ranks.links[chain[-1]]
        upper, lower = self._boxes[first.upper], self._boxes[last.lower]
        points = [Point(self._top(first), upper.y + upper.height - 1)]
        for number in chain:
            channel, route = self._routes[number]
            link = self._ranks.links[number]
            corners = route.corners(self._top(link), self._bottom(link))
            points += (Point(column, channel.y + row) for column, row in corners)
        points.append(Point(self._bottom(last), lower.y))
        return tuple(reversed(points) if first.rising else points)
