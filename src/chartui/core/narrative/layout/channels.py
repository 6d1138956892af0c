"""Find routes for the lines between two rows of boxes on a map.

A line runs down, along a horizontal track, and down again. Lines that start or end at the same box share a track. Two
tracks can share a row if they do not touch. If one line leaves a column and another line enters the same column, the
first line must leave in a higher row. If such constraints form a cycle, one line takes a detour through a free column.
Where two lines cross, only the vertical line is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from chartui.core.classes import NamedTuple


class Net(NamedTuple):
    """Lines that share a horizontal track.

    ``tops`` and ``bottoms`` contain the columns where the lines enter and leave the track.
    """

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]


class Track(NamedTuple):
    """A horizontal segment in row ``row``, from column ``left`` to column ``right``.

    ``ups`` and ``downs`` contain the columns of the vertical segments above and below it.
    """

    row: int
    left: int
    right: int
    ups: tuple[int, ...]
    downs: tuple[int, ...]


class Route(NamedTuple):
    """The route of a group of lines.

    If there are no tracks, the lines go straight down. If there are two tracks, ``bend`` is the column of the vertical
    segment between them.
    """

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]
    tracks: tuple[Track, ...] = ()
    bend: int = -1

    def uprights(self, row: int) -> Iterator[int]:
        """Yield the columns of the route's vertical segments that pass through a row."""
        if not self.tracks:
            yield from self.tops
            return
        if row < self.tracks[0].row:
            yield from self.tops
        elif row > self.tracks[-1].row:
            yield from self.bottoms
        elif self.tracks[0].row < row < self.tracks[-1].row:
            yield self.bend

    def corners(self, top: int, bottom: int) -> list[tuple[int, int]]:
        """Return the column and row of each bend in the line from column ``top`` down to column ``bottom``."""
        if not self.tracks:
            return []
        first, last = self.tracks[0], self.tracks[-1]
        if first is last:
            return [(top, first.row), (bottom, first.row)]
        return [(top, first.row), (self.bend, first.row), (self.bend, last.row), (bottom, last.row)]


def routed(nets: Sequence[Net]) -> tuple[list[Route], int]:
    """Return the routes for groups of lines between two rows of boxes, and the number of rows that the routes need."""
    channel = _Channel(nets)
    channel.assign()
    return [channel.route(number, net) for number, net in enumerate(nets)], channel.rows


class _Channel:
    """Assigns rows to nets.

    If a net is split, the lower half keeps its number, and the upper half gets a new number.
    """

    def __init__(self, nets: Sequence[Net]) -> None:
        self._nets = nets
        self._tops: dict[int, tuple[int, ...]] = {}
        self._bottoms: dict[int, tuple[int, ...]] = {}
        self._below: dict[int, list[int]] = {}
        self._waits: dict[int, int] = {}
        self._extents: dict[int, tuple[int, int]] = {}
        self._upper: dict[int, int] = {}
        self._bends: dict[int, int] = {}
        self._row: dict[int, int] = {}
        self._taken: set[int] = {column for net in nets for column in (*net.tops, *net.bottoms)}
        self.rows = 0
        for number, net in enumerate(nets):
            if net.tops != net.bottoms or len(net.tops) > 1:
                self._add(number, net)
                self._below[number], self._waits[number] = [], 0
        ends = {column: number for number, tops in self._tops.items() for column in tops}
        for number, bottoms in self._bottoms.items():
            for column in bottoms:
                other = ends.get(column, number)
                if other != number:
                    self._below[other].append(number)
                    self._waits[number] += 1

    def _add(self, number: int, net: Net) -> None:
        self._tops[number], self._bottoms[number] = net
        columns = net.tops + net.bottoms
        self._extents[number] = min(columns), max(columns)

    def assign(self) -> None:
        """Fill row by row, from the left, with the nets that are ready."""
        extent = self._extents.__getitem__
        ready = sorted((number for number, count in self._waits.items() if not count), key=extent)
        while len(self._row) < len(self._waits):
            if not ready:
                ready = [self._divide()]
            placed: list[int] = []
            rest: list[int] = []
            end = -2
            for number in ready:
                left, right = extent(number)
                if left > end + 1:
                    placed.append(number)
                    end = right
                else:
                    rest.append(number)
            for number in placed:
                self._row[number] = self.rows
                for other in self._below[number]:
                    self._waits[other] -= 1
                    if not self._waits[other]:
                        rest.append(other)
            ready = sorted(rest, key=extent)
            self.rows += 1

    def _divide(self) -> int:
        """Split a net that is part of a cycle into two halves joined at a free column, so that the upper half need not
        wait for another net.
        """
        waiting = [number for number in self._waits if number not in self._row and number not in self._upper]
        number = min(waiting, key=lambda number: (self._waits[number], number))
        column = self._free_column(*self._extents[number])
        self._taken.add(column)
        upper = len(self._nets) + len(self._upper)
        self._upper[number], self._bends[number] = upper, column
        self._add(upper, Net(self._tops[number], (column,)))
        self._add(number, Net((column,), self._bottoms[number]))
        self._below[upper], self._below[number] = [*self._below[number], number], []
        self._waits[upper] = 0
        self._waits[number] += 1
        return upper

    def _free_column(self, left: int, right: int) -> int:
        """Return a free column near the middle, preferably with free columns on both sides."""
        middle = (left + right) // 2
        nearest = [middle + step // 2 * (1 if step % 2 else -1) for step in range(1, 2 * (right - left) + 8)]
        for column in nearest:
            if column > 0 and not self._taken & {column - 1, column, column + 1}:
                return column
        free = (column for column in itertools.chain(nearest, itertools.count(right)) if column >= 0)
        return next(column for column in free if column not in self._taken)

    def route(self, number: int, net: Net) -> Route:
        if number not in self._row:
            return Route(net.tops, net.bottoms)
        parts = [part for part in (self._upper.get(number), number) if part is not None]
        tracks = (Track(self._row[n], *self._extents[n], self._tops[n], self._bottoms[n]) for n in parts)
        return Route(net.tops, net.bottoms, tuple(tracks), self._bends.get(number, -1))
