"""What a key makes the program draw: frames, rows and layouts, counted inside the process.

.venv/bin/python benchmarks/drawing.py --size 80x24
.venv/bin/python benchmarks/drawing.py --idle 60
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, TypeVar

from lists import filled
from probe import size_of
from rich.cells import cell_len
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual._styles_cache import StylesCache
from textual.strip import Strip

from chartui.commands import SCREENS
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session
from chartui.tui.app import ChartuiApp
from chartui.tui.tour.player import key_event

T = TypeVar("T")

#: Seconds without a frame after which a key has had its effect: longer than a cursor needs to come to rest.
QUIET: Final = 0.8
#: The steps of the walk over 10 000 characters, and their keys. A step without a name is not counted.
WALK: Final = (
    ("cursor step", "down"),
    ("", "down " * 40),
    ("scrolling step", "down"),
    ("page", "pagedown"),
    ("home", "home"),
    ("/", "slash"),
    ("first letter", "c"),
    ("another letter", "a"),
    ("", "s t"),
    ("filter left", "escape"),
    ("record opened", "enter"),
    ("record left", "escape"),
    ("estimator, new", "E"),
    ("characters, seen", "C"),
    ("narrative, new", "N"),
    ("requests, new", "Q"),
    ("requests, step", "down"),
    ("actions, new", "A"),
    ("estimator, seen", "E"),
    ("a digit", "down down down down down down 7"),
    ("", "C"),
    ("help opened", "question_mark"),
    ("help, step", "down"),
    ("help closed", "escape"),
    ("dialog opened", "y"),
    ("dialog, step", "down"),
    ("dialog closed", "escape"),
    ("palette opened", "colon"),
    ("palette closed", "escape"),
)


@dataclass(slots=True)
class Drawn:
    """What was drawn since the last key; the times are in ms from the key."""

    frames: int = 0
    empty: int = 0
    rows: int = 0
    sent: int = 0
    layouts: int = 0
    first: float = 0.0
    change: float = 0.0
    last: float = 0.0
    cpu: float = 0.0


class Cell(NamedTuple):
    """A cell as it is seen: the color of a blank's text does not matter."""

    text: str
    style: Style | None


@dataclass
class Watch:
    """Counts what is drawn. ``spent`` is the time that this takes, which is not the program's."""

    drawn: Drawn = field(default_factory=Drawn)
    begun: float = 0.0
    spent: float = 0.0
    at: float = 0.0
    screen: dict[tuple[int, int], Cell] = field(default_factory=dict)

    def begin(self) -> None:
        """A key is about to be pressed."""
        self.drawn, self.spent, self.begun = Drawn(cpu=-time.process_time()), 0.0, time.perf_counter()

    def end(self) -> Drawn:
        """What was drawn since."""
        self.drawn.cpu = (self.drawn.cpu + time.process_time()) * 1000
        return self.drawn

    def frame(self, update: object) -> None:
        """A frame was drawn."""
        self.at, cpu = time.perf_counter(), time.process_time()
        took = (self.at - self.begun - self.spent) * 1000
        drawn = self.drawn
        drawn.frames += 1
        drawn.first, drawn.last = drawn.first or took, took
        if self._put(update):
            drawn.change = took
        else:
            drawn.empty += 1
        self.spent += time.perf_counter() - self.at
        drawn.cpu -= time.process_time() - cpu

    def _put(self, update: object) -> bool:
        """Change the picture; returns whether any cell differs."""
        changed = False
        for x, y, strip in _placed(update):
            self.drawn.sent += strip.cell_length
            for segment in strip:
                style = _ground(segment.style) if segment.text.isspace() else segment.style
                for sign in segment.text:
                    cell = Cell(sign, style)
                    if self.screen.get((x, y)) != cell:
                        self.screen[x, y] = cell
                        changed = True
                    x += cell_len(sign)
        return changed


def _ground(style: Style | None) -> Style | None:
    return None if style is None else Style(bgcolor=style.bgcolor, underline=style.underline, reverse=style.reverse)


def _placed(update: object) -> Iterator[tuple[int, int, Strip]]:
    """What a frame writes, and where."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield x, y, strip
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, left, right in update.spans:
            for end, (x, part) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if part is not None and x <= right and end > left:
                    yield x, y, part.crop(0, min(end, right) - x)


class Counted(ChartuiApp):
    """The program, whose frames are counted."""

    counted: Watch

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        if renderable is not None and screen is self.screen and not self._batch_count:
            self.counted.frame(renderable)


@contextmanager
def counting(watch: Watch) -> Iterator[None]:
    """Count the rows that are rendered and the layouts that are made."""
    render, reflow = StylesCache.render_line, Compositor.reflow

    def rendered(*arguments: Any, **options: Any) -> Strip:
        watch.drawn.rows += 1
        return render(*arguments, **options)

    def laid_out(*arguments: Any, **options: Any) -> Any:
        watch.drawn.layouts += 1
        return reflow(*arguments, **options)

    StylesCache.render_line, Compositor.reflow = rendered, laid_out  # type: ignore[method-assign]
    try:
        yield
    finally:
        StylesCache.render_line, Compositor.reflow = render, reflow  # type: ignore[method-assign]


async def _quiet(watch: Watch) -> None:
    """Wait until nothing was drawn for a while."""
    watch.at = max(watch.at, time.perf_counter())
    while (rest := watch.at + QUIET - time.perf_counter()) > 0:
        await asyncio.sleep(rest)


async def walk(size: tuple[int, int], do: Callable[[Counted, Watch], Awaitable[T]], screen: str = "characters") -> T:
    """Open the program on the store and ``do`` something with it."""
    watch = Watch()
    with counting(watch):
        app = Counted(open_session(BUILT_IN["local"]), screen_name=screen)
        app.counted = watch
        async with app.run_test(size=size):
            while not getattr(app.screen, "_painted", False):
                await asyncio.sleep(0.01)
            for _ in range(3):  # what the screen reads first is shown by then
                watch.at = 0.0
                await _quiet(watch)
            return await do(app, watch)


async def steps(app: Counted, watch: Watch) -> dict[str, Drawn]:
    """Press the keys of the walk."""
    found = {}
    for name, keys in WALK:
        for key in keys.split():
            watch.begin()
            app.post_message(key_event(key))
            if name:
                await _quiet(watch)
        if name:
            found[name] = watch.end()
        else:
            await _quiet(watch)
    return found


def idle(seconds: float) -> Callable[[Counted, Watch], Awaitable[Drawn]]:
    """Press no key for so long."""

    async def left(_app: Counted, watch: Watch) -> Drawn:
        watch.begin()
        await asyncio.sleep(seconds)
        return watch.end()

    return left


def show(title: str, runs: Sequence[dict[str, Drawn]]) -> None:
    """Write a table: the median of all runs."""
    columns = {
        "frames": "frames",
        "empty": "empty",
        "rows": "rows",
        "sent": "cells",
        "layouts": "layouts",
        "first": "first ms",
        "change": "change ms",
        "last": "last ms",
        "cpu": "CPU ms",
    }
    print(f"\n{title}\n  {'':<18}" + "".join(f"{name:>10}" for name in columns.values()))
    for step in runs[0]:
        values = (statistics.median(getattr(run[step], name) for run in runs) for name in columns)
        print(f"  {step:<18}" + "".join(f"{value:>10.0f}" for value in values))


def main() -> None:
    """Fill a store in a scratch folder and count on it."""
    parser = argparse.ArgumentParser(description="Counts what is drawn for each key of a script.")
    parser.add_argument("--rounds", type=int, default=3, help="runs (default: 3)")
    parser.add_argument("--characters", type=int, default=10_000, metavar="N", help="how many (default: 10000)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="time without a key on every screen")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        environ = filled(folder, arguments.characters)
        os.environ.update({name: environ[name] for name in ("CHARTUI_DATA_DIR", "CHARTUI_CONFIG_DIR")})
        for columns, lines in arguments.size or [(80, 24), (120, 40)]:
            size = (columns, lines)
            if arguments.idle:
                left = {}
                for name in (command.id.removeprefix("show-") for command in SCREENS):
                    left[name] = asyncio.run(walk(size, idle(arguments.idle), name))
                show(f"nothing pressed for {arguments.idle:g} s at {columns}x{lines}", [left])
                continue
            runs = [asyncio.run(walk(size, steps)) for _ in range(arguments.rounds)]
            show(f"{arguments.characters} characters at {columns}x{lines}", runs)


if __name__ == "__main__":
    main()
