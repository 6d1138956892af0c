"""A connected part of the map. It consists of layers of boxes and the lines between them, and is painted row by row."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from operator import attrgetter
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.narrative.layout.channels import Route
from chartui.core.narrative.layout.words import Role, Said
from chartui.core.text import cell_width

_NO_CELL: Final = ("Mn", "Me", "Cf")


class Run(NamedTuple):
    text: str
    role: Role
    cells: int


class Canvas:
    """A row of cells to paint on. The row is ``width`` cells wide and starts at column ``left``."""

    __slots__ = ("_cells", "_roles", "left", "width")

    def __init__(self, left: int, width: int) -> None:
        self.left = left
        self.width = width
        self._cells = [" "] * width
        self._roles = [Role.BLANK] * width

    def put(self, column: int, sign: str, role: Role) -> None:
        place = column - self.left
        if 0 <= place < self.width:
            self._cells[place] = sign
            self._roles[place] = role

    def fill(self, left: int, right: int, sign: str, role: Role) -> None:
        """Fill all cells from ``left`` to ``right``, inclusive, with a character."""
        begin, end = max(0, left - self.left), min(self.width, right + 1 - self.left)
        if begin < end:
            self._cells[begin:end] = [sign] * (end - begin)
            self._roles[begin:end] = [role] * (end - begin)

    def write(self, column: int, text: str, role: Role) -> None:
        """Write text at a column. If only half of a wide character fits, a space is written instead."""
        place = column - self.left
        if place >= self.width or place + 2 * len(text) <= 0:
            return
        if text.isascii():
            begin, end = max(0, place), min(self.width, place + len(text))
            if begin < end:
                self._cells[begin:end] = text[begin - place : end - place]
                self._roles[begin:end] = [role] * (end - begin)
            return
        for character in text:
            place += self._character(place, character, role)

    def _character(self, place: int, character: str, role: Role) -> int:
        if unicodedata.category(character) in _NO_CELL:
            if 0 < place <= self.width:
                before = place - 1 if self._cells[place - 1] or place == 1 else place - 2
                self._cells[before] += character
            return 0
        cells = cell_width(character)
        inside = [column for column in range(place, place + cells) if 0 <= column < self.width]
        for column in inside:
            self._cells[column] = " " if len(inside) < cells else character if column == place else ""
            self._roles[column] = role
        return cells

    def light(self, left: int, right: int) -> None:
        """Highlight the lines in columns ``left`` to ``right``, except vertical lines that cross a horizontal one."""
        for place in range(max(0, left - self.left), min(self.width, right + 1 - self.left)):
            if self._roles[place] is Role.LINE and (left == right or self._cells[place] != "│"):
                self._roles[place] = Role.LIT

    def runs(self) -> tuple[Run, ...]:
        runs: list[Run] = []
        begin = 0
        for place in range(1, self.width + 1):
            if place == self.width or self._roles[place] is not self._roles[begin]:
                runs.append(Run("".join(self._cells[begin:place]), self._roles[begin], place - begin))
                begin = place
        return tuple(runs)


#: Distances in cells from the left end of a joint to its four kinds of lines: entering from above, leaving upwards,
#: leaving downwards, entering from below.
Ports = tuple[int, int, int, int]
#: The characters of a track, by the directions from which lines join it: above, below, left, right.
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
_SHARED: Final = ("├", "┤")
_CURRENT_DOT: Final = "◆"


class Point(NamedTuple):
    x: int
    y: int


class Box(NamedTuple):
    """The box of a section, or of an ID that no section has.

    A box has a position, a text, and the columns where lines start and end. ``doors`` contains four columns relative to
    ``x``: where lines enter from above, leave upwards, leave downwards, and enter from below. A column of -1 means that
    there is no such line. A box that is only one row high has no border, only a symbol and a name. Boxes in a stack
    share the border between them, which belongs to the lower box. ``under`` is true if another box of the stack is
    above this one, and ``over`` is true if another box is below it.
    """

    place: int
    x: int
    y: int
    width: int
    height: int
    said: tuple[Said, ...]
    doors: Ports
    under: bool = False
    over: bool = False

    @property
    def middle(self) -> int:
        return self.x + self.width // 2

    def paint(self, row: int, canvas: Canvas, *, current: bool) -> None:
        """Paint one row of the box, or the lines that continue below it."""
        side, role = (_HEAVY[3], Role.CURRENT) if current else (_THIN[3], Role.BORDER)
        if self.height == 1 and row == 0:
            canvas.put(self.x, *((_CURRENT_DOT, Role.CURRENT) if current else self.said[0]))
            for name in self.said[1:]:
                canvas.write(self.x + 2, name.text, Role.CURRENT if current else name.role)
        elif row == 0 or (row == self.height - 1 and not self.over) or (row == self.height > 1 and self.over):
            self._paint_border(canvas, top=row == 0, current=current)
        elif row < self.height:
            canvas.put(self.x, side, role)
            canvas.write(self.x + 2, self.said[row - 1].text, self.said[row - 1].role)
            canvas.put(self.x + self.width - 1, side, role)
        elif not self.over:
            for door in self.doors[2:]:
                if door >= 0:
                    canvas.put(self.x + door, "│", Role.LINE)

    def _paint_border(self, canvas: Canvas, *, top: bool, current: bool) -> None:
        signs, role = _HEAVY if current else _THIN, Role.CURRENT if current else Role.BORDER
        left, right = (signs[0], signs[2]) if top else (signs[4], signs[5])
        if top and self.under and not current:
            left, right = _SHARED
        canvas.fill(self.x, self.x + self.width - 1, signs[1], role)
        canvas.put(self.x, left, role)
        canvas.put(self.x + self.width - 1, right, role)
        going_in, going_out = (self.doors[0], self.doors[1]) if top else (self.doors[3], self.doors[2])
        if self.over and not top:  # the border of the box below, where the line of a chain ends
            going_in, going_out, top = going_out, -1, True
        if going_in >= 0:
            canvas.put(self.x + going_in, "▼" if top else "▲", Role.LINE)
        if going_out >= 0:
            canvas.put(self.x + going_out, signs[7 if top else 6], role)


class Label(NamedTuple):
    """The label of a line, and the column where the label starts."""

    column: int
    said: tuple[Said, ...]


class Channel(NamedTuple):
    """The routes of lines between two rows of boxes. They take up ``height`` rows, starting at row ``y``."""

    y: int
    height: int
    routes: Sequence[Route]

    def paint(self, row: int, canvas: Canvas) -> None:
        row -= self.y
        for route in self.routes:
            for track in route.tracks:
                if track.row == row:
                    canvas.fill(track.left, track.right, "─", Role.LINE)
                    for column in track.ups + track.downs:
                        joint = (column in track.ups, column in track.downs, column > track.left, column < track.right)
                        canvas.put(column, _JOINTS[joint], Role.LINE)
        for route in self.routes:
            for column in route.uprights(row):
                canvas.put(column, "│", Role.LINE)


class Layer(NamedTuple):
    """A row of boxes on the map, starting at row ``y``.

    ``passing`` contains the columns of lines that pass between the boxes. ``forks`` and ``joins`` contain the routes of
    the lines below the boxes.
    """

    y: int
    height: int
    boxes: tuple[Box, ...]
    passing: tuple[int, ...]
    forks: Channel
    labels: Sequence[Label]
    joins: Channel

    def paint(self, row: int, canvas: Canvas, current: int) -> None:
        if row < self.forks.y:
            for column in self.passing:
                canvas.put(column, "│", Role.LINE)
            # The current box comes last, since its border covers those of its neighbours in a stack.
            for box in sorted(self._at(row), key=lambda box: box.place == current):
                box.paint(row - box.y, canvas, current=box.place == current)
        elif row < self.forks.y + self.forks.height:
            self.forks.paint(row, canvas)
        elif row < self.joins.y:
            below = row - self.forks.y - self.forks.height
            for column, said in self.labels:
                canvas.put(column, "│", Role.LINE)
                if below < len(said):
                    canvas.write(column + 2, said[below].text, said[below].role)
        else:
            self.joins.paint(row, canvas)

    def _at(self, row: int) -> Iterator[Box]:
        """Yield the boxes that cover a row, or have lines that continue there."""
        return (box for box in self.boxes if box.y <= row and (row <= box.y + box.height or not box.over))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A connected part of the map, with coordinates relative to this part.

    ``drawn`` contains the numbers of the edges that are drawn as lines. ``path`` is a function that returns the points
    where the line of an edge starts, turns and ends.
    """

    layers: Sequence[Layer]
    width: int
    drawn: Collection[int]
    path: Callable[[int], Sequence[Point]]

    @property
    def height(self) -> int:
        return self.layers[-1].y + self.layers[-1].height

    def paint(self, row: int, canvas: Canvas, current: int) -> None:
        """Paint one row of this part of the map.

        ``current`` is the number of the highlighted box, or -1 if none is highlighted.
        """
        self.layers[bisect_right(self.layers, row, key=attrgetter("y")) - 1].paint(row, canvas, current)
