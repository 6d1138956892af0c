"""A row of a map as cells: what is put there stays inside the window, whatever it is."""

from __future__ import annotations

import unicodedata
from typing import Final, NamedTuple

from chartui.core.narrative.layout.words import Role
from chartui.core.text import cell_width

__all__ = ["Canvas", "Run"]

_NO_CELL: Final = ("Mn", "Me", "Cf")


class Run(NamedTuple):
    """Some text of one role, ``cells`` wide."""

    text: str
    role: Role
    cells: int


class Canvas:
    """The cells from column ``left`` on, ``width`` of them."""

    __slots__ = ("_cells", "_roles", "left", "width")

    def __init__(self, left: int, width: int) -> None:
        self.left = left
        self.width = width
        self._cells = [" "] * width
        self._roles = [Role.BLANK] * width

    def put(self, column: int, sign: str, role: Role) -> None:
        """Put a sign of one cell somewhere."""
        place = column - self.left
        if 0 <= place < self.width:
            self._cells[place] = sign
            self._roles[place] = role

    def fill(self, left: int, right: int, sign: str, role: Role) -> None:
        """Put a sign into all cells from ``left`` to ``right``, both included."""
        begin, end = max(0, left - self.left), min(self.width, right + 1 - self.left)
        if begin < end:
            self._cells[begin:end] = [sign] * (end - begin)
            self._roles[begin:end] = [role] * (end - begin)

    def write(self, column: int, text: str, role: Role) -> None:
        """Write text; a wide character that has only one cell left is a blank."""
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
        """Mark the lines from ``left`` to ``right`` as lit, but for upright ones that a level one passes behind."""
        for place in range(max(0, left - self.left), min(self.width, right + 1 - self.left)):
            if self._roles[place] is Role.LINE and (left == right or self._cells[place] != "│"):
                self._roles[place] = Role.LIT

    def runs(self) -> tuple[Run, ...]:
        """The row, in pieces of one role."""
        runs: list[Run] = []
        begin = 0
        for place in range(1, self.width + 1):
            if place == self.width or self._roles[place] is not self._roles[begin]:
                runs.append(Run("".join(self._cells[begin:place]), self._roles[begin], place - begin))
                begin = place
        return tuple(runs)
