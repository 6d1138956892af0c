"""Position the boxes and lines of one connected part of the map.

The columns in each row of boxes or lines are chosen together. Their order and minimum distances are kept, and the total
distance from the preferred columns is minimized (isotonic regression in the absolute norm, by pooling adjacent
violators). The last pass goes upwards. If possible, it places a box with one line below it directly above the target of
that line, and a box with several such lines above the middle of their targets.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.layout.block import Block, Box, Channel, Label, Layer, Point, Ports
from chartui.core.narrative.layout.channels import Net, Route, routed
from chartui.core.narrative.layout.layers import Link, Ranks
from chartui.core.narrative.layout.stacks import Join, Stacks
from chartui.core.narrative.layout.words import Said

_PASSES: Final = 4
_FEW_PASSES: Final = 2
_LARGE: Final = 1500


def columns(
    ranks: Ranks, widths: Sequence[int], ports: Sequence[Ports], gap: Callable[[int, int], int], most: int
) -> list[int]:
    """Return the column of every box or line in every row of the map.

    Columns are counted from 0. ``gap`` is a function that returns the number of cells between two neighboring boxes or
    lines. ``most`` is the maximum width of a row, which is exceeded only if the row needs more.
    """
    x = [0] * len(widths)
    starts = [_starts(rank, widths, gap) for rank in ranks.ranks]
    ends = [start[-1] + widths[rank[-1]] if rank else 0 for rank, start in zip(ranks.ranks, starts, strict=True)]
    room = [max(0, most - end) for end in ends]
    for rank, start in zip(ranks.ranks, starts, strict=True):
        for joint, column in zip(rank, start, strict=True):
            x[joint] = column
    links = ranks.links

    def wishes(joint: int, down: bool) -> list[int]:
        own, found = ports[joint], [links[n] for n in (ranks.above if down else ranks.below)[joint]]
        if down:
            return [x[link.upper] + ports[link.upper][2 + link.rising] - own[link.rising] for link in found]
        return [x[link.lower] + ports[link.lower][link.rising] - own[2 + link.rising] for link in found]

    passes = _PASSES if len(widths) <= _LARGE else _FEW_PASSES
    for number in range(passes):
        down = number % 2 == 0
        order = range(1, len(starts)) if down else range(len(starts) - 2, -1, -1)
        for r in order:
            rank = ranks.ranks[r]
            # A joint without lines on that side prefers its current column, with half the weight of a line.
            wanted = [(_middle(found), 2) if (found := wishes(joint, down)) else (x[joint], 1) for joint in rank]
            for joint, column in zip(rank, settled(wanted, starts[r], room[r]), strict=True):
                x[joint] = column
    for rank, start, spare in zip(ranks.ranks, starts, room, strict=True):
        for number, joint in enumerate(rank):
            if ranks.below[joint] or not (above := wishes(joint, True)):
                continue
            before, after = rank[number - 1], rank[min(number + 1, len(rank) - 1)]
            least = x[before] + widths[before] + gap(before, joint) if number > 0 else 0
            greatest = x[after] - gap(joint, after) - widths[joint] if after != joint else start[-1] + spare
            x[joint] = min(max(_middle(above), least), greatest)
    left = min(x, default=0)
    return [column - left for column in x]


def _starts(rank: Sequence[int], widths: Sequence[int], gap: Callable[[int, int], int]) -> list[int]:
    starts = [0] * len(rank)
    for number in range(1, len(rank)):
        before, joint = rank[number - 1], rank[number]
        starts[number] = starts[number - 1] + widths[before] + gap(before, joint)
    return starts


def _middle(places: list[int]) -> int:
    places.sort()
    return (places[(len(places) - 1) // 2] + places[len(places) // 2]) // 2


def settled(wanted: Sequence[tuple[int, int]], starts: Sequence[int], room: int) -> list[int]:
    """Return columns as close as possible to the preferred columns.

    ``wanted`` contains pairs of a preferred column and its weight. Each returned column is at least the corresponding
    column in ``starts``, and at most ``room`` cells to the right of it. Neighboring columns are at least as far apart
    as in ``starts``.
    """
    # offset from the start, number of members, and their preferred columns
    blocks: list[tuple[int, int, list[int]]] = []
    for (want, weight), start in zip(wanted, starts, strict=True):
        place, size, members = want - start, 1, [want - start] * weight
        while blocks and blocks[-1][0] > place:
            _, more, before = blocks.pop()
            size += more
            if len(before) < len(members):
                before, members = members, before
            for member in members:
                insort(before, member)
            members = before
            place = (members[(len(members) - 1) // 2] + members[len(members) // 2]) // 2
        blocks.append((place, size, members))
    places = [min(max(place, 0), room) for place, size, _ in blocks for _ in range(size)]
    return [place + start for place, start in zip(places, starts, strict=True)]


#: Spaces around the text of a box, including the border, and spaces between two joints.
_FRAME: Final = 4
_GAP: Final = 2
_LEAST: Final = 7


class Texts(NamedTuple):
    """The texts in the boxes, keyed by box number, and the labels of the lines, keyed by edge number."""

    boxes: Mapping[int, tuple[Said, ...]]
    labels: Mapping[int, tuple[Said, ...]]
    dots: bool


def composed(ranks: Ranks, stacks: Stacks, texts: Texts, width: int) -> Block:
    """Arrange boxes and lines as a connected part of a map, within ``width`` cells if possible."""
    return _Composer(ranks, stacks, texts, width).block()


class _Composer:
    def __init__(self, ranks: Ranks, stacks: Stacks, texts: Texts, width: int) -> None:
        self._ranks = ranks
        self._stacks = stacks
        self._texts = texts
        count = range(len(ranks.joints))
        self._label = [texts.labels.get(joint.way, ()) if joint.labelled else () for joint in ranks.joints]
        self._width = [self._width_of(joint) for joint in count]
        self._doors = [self._doors_of(joint) for joint in count]
        self._x = columns(ranks, self._width, self._doors, self._gap, width)
        self._doors = [self._moved_doors(joint) for joint in count]
        #: The boxes of every stack, from top to bottom, and the lines between them.
        self._boxes: dict[int, tuple[Box, ...]] = {}
        self._inner: dict[int, tuple[Point, Point]] = {}
        self._routes: dict[int, tuple[Channel, Route]] = {}

    def _width_of(self, joint: int) -> int:
        place = self._ranks.joints[joint].place
        if place < 0:
            label = self._label[joint]
            return 2 + max(said.cells for said in label) if label else 1
        said = [said for place in self._stacks.of[place].places for said in self._texts.boxes[place]]
        if self._texts.dots:
            return max(2 + name.cells for name in said)
        return max(_LEAST, _FRAME + max(line.cells for line in said))

    def _gap(self, joint: int, after: int) -> int:
        if self._label[joint] or (self._ranks.joints[joint].place >= 0 and self._ranks.joints[after].place >= 0):
            return _GAP
        return 1

    def _doors_of(self, joint: int) -> Ports:
        """Return where lines start and end: at a dot, in the middle of a side, or beside the middle if two kinds of
        lines share the side.
        """
        ranks = self._ranks
        if ranks.joints[joint].place < 0:
            return (0, 0, 0, 0)
        above = {ranks.links[number].rising for number in ranks.above[joint]}
        below = {ranks.links[number].rising for number in ranks.below[joint]}
        first, second = self._beside(joint, above)
        third, fourth = self._beside(joint, below)
        return (first, second, third, fourth)

    def _beside(self, joint: int, kinds: set[bool]) -> tuple[int, int]:
        middle, third = self._middle(joint), self._width[joint] // 3
        if len(kinds) == 2:
            return third, self._width[joint] - 1 - third
        return (middle if False in kinds else -1), (middle if True in kinds else -1)

    def _middle(self, joint: int) -> int:
        return 0 if self._texts.dots else self._width[joint] // 2

    def _moved_doors(self, joint: int) -> Ports:
        """Return the doors of a box, moved to where their lines continue straight if that column is within the box."""
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

    def block(self) -> Block:
        layers: list[Layer] = []
        y = 0
        for number in range(0, len(self._ranks.ranks), 2):
            layer = self._layer(number, y)
            layers.append(layer)
            y = layer.joins.y + layer.joins.height
        ends = [self._x[joint] + width for joint, width in enumerate(self._width)]
        tracks = (track.right + 1 for _, route in self._routes.values() for track in route.tracks)
        return Block(layers, max([*ends, *tracks]), [*self._ranks.chains, *self._inner], self._path)

    def _layer(self, rank: int, y: int) -> Layer:
        ranks = self._ranks
        stacks = [self._stack(joint, y) for joint in ranks.ranks[rank] if ranks.joints[joint].place >= 0]
        boxes = tuple(box for stack in stacks for box in stack)
        passing = tuple(self._x[joint] for joint in ranks.ranks[rank] if ranks.joints[joint].place < 0)
        height = max(box.y + box.height for box in boxes) - y
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
            joins = joins._replace(height=1)  # boxes never touch vertically
        return Layer(y, height, boxes, passing, forks, labels, joins)

    def _stack(self, joint: int, y: int) -> tuple[Box, ...]:
        stack = self._stacks.of[self._ranks.joints[joint].place]
        x, width, doors = self._x[joint], self._width[joint], self._doors[joint]
        inner = self._middle(joint) if stack.join is Join.CHAIN else -1
        boxes: list[Box] = []
        for number, place in enumerate(stack.places):
            first, last = number == 0, number == len(stack.places) - 1
            said = self._texts.boxes[place]
            height = 1 if self._texts.dots else 1 + len(said) + last
            ports = (*(doors[:2] if first else (inner, -1)), *(doors[2:] if last else (inner, -1)))
            boxes.append(Box(place, x, y, width, height, said, ports, not first, not last))
            way = stack.entries[number]
            if stack.join is Join.CHAIN and way is not None:
                self._inner[way] = (Point(x + inner, y - 1), Point(x + inner, y))
            y += height
        self._boxes[joint] = tuple(boxes)
        return self._boxes[joint]

    def _channel(self, y: int, links: Sequence[int], *, fork: bool) -> Channel:
        """Return the routes of links from one rank to the next.

        Links that start or end at the same door share a net.
        """
        nets: dict[tuple[int, bool], list[int]] = {}
        for number in links:
            link = self._ranks.links[number]
            nets.setdefault((link.upper if fork else link.lower, link.rising), []).append(number)
        ends = [[self._ranks.links[number] for number in numbers] for numbers in nets.values()]
        made = [Net(_unique(map(self._top, links)), _unique(map(self._bottom, links))) for links in ends]
        routes, height = routed(made)
        channel = Channel(y, height, routes)
        for numbers, route in zip(nets.values(), routes, strict=True):
            self._routes.update((number, (channel, route)) for number in numbers)
        return channel

    def _top(self, link: Link) -> int:
        return self._x[link.upper] + self._doors[link.upper][2 + link.rising]

    def _bottom(self, link: Link) -> int:
        return self._x[link.lower] + self._doors[link.lower][link.rising]

    def _path(self, way: int) -> tuple[Point, ...]:
        if way in self._inner:
            return self._inner[way]
        chain = self._ranks.chains[way]
        first, last = self._ranks.links[chain[0]], self._ranks.links[chain[-1]]
        upper, lower = self._boxes[first.upper][-1], self._boxes[last.lower][0]
        points = [Point(self._top(first), upper.y + upper.height - 1)]
        for number in chain:
            channel, route = self._routes[number]
            link = self._ranks.links[number]
            corners = route.corners(self._top(link), self._bottom(link))
            points += (Point(column, channel.y + row) for column, row in corners)
        points.append(Point(self._bottom(last), lower.y))
        return tuple(reversed(points) if first.rising else points)


def _unique(columns: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(columns))
