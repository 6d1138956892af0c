"""A connected piece of the map: boxes in their layers, and the lines between them, each in its cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from chartui.core.narrative.layout.channels import Route, Track
from chartui.core.narrative.layout.columns import Ports
from chartui.core.narrative.layout.painting import Canvas
from chartui.core.narrative.layout.words import Role, Said

__all__ = ["Block", "Box", "Channel", "Label", "Layer", "Point"]

#: The signs of a track by what joins it: from above, from below, from the left, from the right.
_JOINTS: Final = {
    (True, True, True, True): "┼",
    (True, True, True, False): "┤",
    (True, True, False, True): "├",
    (True, False, True, True): "┴",
    (False, True, True, True): "┬",
    (True, False, False, True): "└",
    (True, False, True, False): "┘",
    (False, True, False, True): "┌",
    (False, True, True, False): "┐",
    (True, True, False, False): "│",
    (False, False, True, True): "─",
}

_THIN: Final = "┌─┐│└┘┬┴"
_HEAVY: Final = "┏━┓┃┗┛┯┷"
_CURRENT_DOT: Final = "◆"


class Point(NamedTuple):
    """A cell of the map."""

    x: int
    y: int


class Box(NamedTuple):
    """The box of a place: its cells, what stands in it, and the columns where lines begin and end at it.

    ``doors`` are the columns, counted from ``x``, where ways come in from above, go out to above, go out below and come
    in from below; -1 where none does. A box of one cell is a dot, without a border.
    """

    place: int
    x: int
    y: int
    width: int
    height: int
    said: tuple[Said, ...]
    doors: Ports

    @property
    def is_dot(self) -> bool:
        """Whether it has no border."""
        return self.height == 1

    @property
    def middle(self) -> int:
        """The column in its middle."""
        return self.x + self.width // 2

    def paint(self, row: int, canvas: Canvas, *, current: bool) -> None:
        """Paint one of its rows, or below it the lines that go on from there."""
        if self.is_dot and row == 0:
            sign, role = (_CURRENT_DOT, Role.CURRENT) if current else self.said[0]
            canvas.put(self.x, sign, role)
        elif row >= self.height:
            for door in self.doors[2:]:
                if door >= 0:
                    canvas.put(self.x + door, "│", Role.LINE)
        elif 0 < row < self.height - 1:
            side = (_HEAVY if current else _THIN)[3]
            role = Role.CURRENT if current else Role.BORDER
            canvas.put(self.x, side, role)
            canvas.write(self.x + 2, self.said[row - 1].text, self.said[row - 1].role)
            canvas.put(self.x + self.width - 1, side, role)
        else:
            self._paint_border(canvas, top=row == 0, current=current)

    def _paint_border(self, canvas: Canvas, *, top: bool, current: bool) -> None:
        signs, role = _HEAVY if current else _THIN, Role.CURRENT if current else Role.BORDER
        canvas.fill(self.x, self.x + self.width - 1, signs[1], role)
        canvas.put(self.x, signs[0 if top else 4], role)
        canvas.put(self.x + self.width - 1, signs[2 if top else 5], role)
        going_in, going_out = (self.doors[0], self.doors[1]) if top else (self.doors[3], self.doors[2])
        if going_in >= 0:
            canvas.put(self.x + going_in, "▼" if top else "▲", Role.LINE)
        if going_out >= 0:
            canvas.put(self.x + going_out, signs[7 if top else 6], role)


class Label(NamedTuple):
    """What stands beside a line, from its column on."""

    column: int
    said: tuple[Said, ...]


class Channel(NamedTuple):
    """The routes between two ranks, on ``height`` rows from ``y`` on."""

    y: int
    height: int
    routes: Sequence[Route]

    def paint(self, row: int, canvas: Canvas) -> None:
        """Paint the row ``row`` of the block."""
        row -= self.y
        for route in self.routes:
            for track in route.tracks:
                if track.row == row:
                    _paint_track(track, canvas)
        for route in self.routes:
            for column in route.uprights(row):
                canvas.put(column, "│", Role.LINE)


def _paint_track(track: Track, canvas: Canvas) -> None:
    canvas.fill(track.left, track.right, "─", Role.LINE)
    for column in track.ups + track.downs:
        joint = (column in track.ups, column in track.downs, column > track.left, column < track.right)
        canvas.put(column, _JOINTS[joint], Role.LINE)


class Layer(NamedTuple):
    """A layer of boxes from row ``y`` on, the columns of the lines that pass it, and what is below it."""

    y: int
    height: int
    boxes: tuple[Box, ...]
    passing: tuple[int, ...]
    forks: Channel
    labels: Sequence[Label]
    joins: Channel

    def paint(self, row: int, canvas: Canvas, current: int) -> None:
        """Paint the row ``row`` of the block; the box of the place ``current`` is marked."""
        if row < self.forks.y:
            for column in self.passing:
                canvas.put(column, "│", Role.LINE)
            for box in self.boxes:
                box.paint(row - self.y, canvas, current=box.place == current)
        elif row < self.forks.y + self.forks.height:
            self.forks.paint(row, canvas)
        elif row < self.joins.y:
            self._paint_labels(row - self.forks.y - self.forks.height, canvas)
        else:
            self.joins.paint(row, canvas)

    def _paint_labels(self, row: int, canvas: Canvas) -> None:
        for column, said in self.labels:
            canvas.put(column, "│", Role.LINE)
            if row < len(said):
                canvas.write(column + 2, said[row].text, said[row].role)


class Block:
    """A connected piece of the map, from a corner of its own.

    ``drawn`` are the ways that are lines, by number, and ``path`` gives where one of them begins, turns and ends.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        width: int,
        drawn: Collection[int],
        path: Callable[[int], Sequence[Point]],
    ) -> None:
        self.layers = layers
        self.width = width
        self.height = layers[-1].y + layers[-1].height
        self.drawn = drawn
        self.path = path
        self._tops = [layer.y for layer in layers]

    def paint(self, row: int, canvas: Canvas, current: int) -> None:
        """Paint one of its rows; ``current`` is the place whose box is marked, -1 for none."""
        self.layers[bisect_right(self._tops, row) - 1].paint(row, canvas, current)
