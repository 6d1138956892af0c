"""Kinds of terminals, and the output layer in front of one that is an emulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal, cast

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from chartui.tui.driver import TerminalDriver
from chartui.tui.output import output
from chartui.tui.output.output import MARGINS, SYNCHRONIZED, Output
from tests.emulator import Cell, Emulator, Kind, Look

__all__ = ["KINDS", "SIZE", "Line", "Shown", "Variety", "as_framework", "page"]

#: The window of most tests.
SIZE: Final = (80, 24)

Update = LayoutUpdate | ChopsUpdate
Colors = Literal["standard", "256", "truecolor"]


@dataclass(frozen=True)
class Variety:
    """A kind of terminal, the colors it has, and the columns and lines of its window beside the program."""

    kind: Kind
    colors: Colors
    beside: tuple[int, int] = (0, 0)


#: What strips and styles look like on the terminal that they were written to first.
CACHES: Final = ("_render_cache", "_ansi")
_MODERN: Final = {SYNCHRONIZED: 2}
KINDS: Final = {
    "xterm": Variety(Kind(modes=_MODERN), "256"),
    "margins": Variety(Kind(margins=True, modes={**_MODERN, MARGINS: 2}), "truecolor"),
    "screen": Variety(Kind(erases=False), "standard"),
    "tmux": Variety(Kind(erases=False, modes={SYNCHRONIZED: 0}), "256"),
    "part of a window": Variety(Kind(modes=_MODERN), "truecolor", beside=(3, 4)),
}


class Line:
    """What the output layer knows of a driver: everything arrives at once, unless it is ``busy``."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.window_size = (emulator.columns, emulator.lines)
        self.busy = False
        self.written: list[str] = []

    def is_free(self) -> bool:
        return not self.busy

    def write(self, text: str) -> None:
        self.written.append(text)
        self.emulator.feed(text)


class Shown:
    """The same updates on two terminals of a kind: by the output layer, and in the framework's own way."""

    def __init__(self, variety: Variety, size: tuple[int, int]) -> None:
        self.variety = variety
        self.size = size
        self.console = Console(color_system=variety.colors, force_terminal=True)
        columns, lines = self._window
        self.emulator = Emulator(columns, lines, variety.kind, answer=self._answer)
        self.reference = Emulator(columns, lines, variety.kind)
        for each in (self.emulator, self.reference):
            each.feed("\x1b[?1049h\x1b[?7l")
        self.line = Line(self.emulator)
        self._answers: list[tuple[int, int]] = []
        with _erasing(variety.kind.erases):
            self.output = Output(cast("TerminalDriver", self.line), self.console)
        # The framework has asked when it took the terminal over.
        self.emulator.feed(f"\x1b[?{SYNCHRONIZED}$p")
        self.answer()

    @property
    def _window(self) -> tuple[int, int]:
        return self.size[0] + self.variety.beside[0], self.size[1] + self.variety.beside[1]

    def resize(self, size: tuple[int, int]) -> None:
        self.size = size
        for each in (self.emulator, self.reference):
            each.resize(*self._window)
            if self.variety.beside != (0, 0):  # as a tour does
                each.feed("\x1b[m\x1b[2J")
        self.line.window_size = self._window

    def draw(self, update: Update, caret: tuple[int, int] | None = None) -> None:
        self.reference.feed(as_framework(update, self.console))
        self.output.draw(update, self.size, caret)
        self.answer()

    def answer(self) -> None:
        """Let the terminal's answers arrive."""
        while self._answers:
            self.output.answer(*self._answers.pop(0))

    def _answer(self, text: str) -> None:
        mode, value = text.removeprefix("\x1b[?").removesuffix("$y").split(";")
        self._answers.append((int(mode), int(value)))

    def assert_same(self, note: object = "") -> None:
        """Both terminals show the same, cell by cell."""
        columns, lines = self.size
        for y in range(lines):
            ours, theirs = (each.cells[y][:columns] for each in (self.emulator, self.reference))
            if ours != theirs:
                wrong = [
                    (x, a.seen, b.seen) for x, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a.seen != b.seen
                ]
                assert not wrong, f"{note} row {y}: {wrong[:3]}, wrote {self.line.written[-1]!r}"
        beside = [row[columns:] for row in self.emulator.cells[:lines]] + self.emulator.cells[lines:]
        changed = {cell for row in beside for cell in row} - {Cell(" ", Look())}
        assert not changed, f"{note} wrote {changed} beside the program by {self.line.written[-1]!r}"


def page(*rows: str, style: Style | None = None) -> LayoutUpdate:
    """Some rows at the top of a window, in ``style``."""
    columns, lines = SIZE
    texts = [*rows, *[""] * (lines - len(rows))]
    # Made anew, since styles keep what they look like on one terminal.
    ground = Style(bgcolor="#101418")
    style = ground + style if style else ground
    strips: list[Iterable[Strip]] = [
        [Strip([Segment(text, style), Segment(" " * (columns - len(text)), ground)])] for text in texts
    ]
    return LayoutUpdate(strips, Region(0, 0, columns, lines))


def as_framework(update: Update, console: Console) -> str:
    """The update as the framework writes it, with the line ends that the system makes, and the move behind it."""
    rows = update.strips if isinstance(update, LayoutUpdate) else [row.values() for row in update.chops]
    for strip in filter(None, chain.from_iterable(rows)):
        for kept in (strip, *(segment.style for segment in strip)):
            for name in CACHES:
                if hasattr(kept, name):
                    setattr(kept, name, None)
    # Segments that were cut for another terminal would bring its styles back.
    cast("Any", Segment)._split_cells.cache_clear()
    return update.render_segments(console).replace("\n", "\r\n") + "\x1b[H"


@contextmanager
def _erasing(erases: bool) -> Iterator[None]:
    before = output._erases
    cast("Any", output)._erases = lambda: erases
    try:
        yield
    finally:
        cast("Any", output)._erases = before
