"""Plays, records, compares and writes tours, each on a stage of its own.

The framework is imported after the stage is set, since it reads environment variables on import.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.core.numbers import number_of
from chartui.core.paths import check_output, write_output, write_private
from chartui.demos.stage import staged
from chartui.demos.tour import Tour
from chartui.demos.tour_file import written

if TYPE_CHECKING:
    from chartui.tui.tour.play import Start
    from chartui.tui.tour.record import Picture

#: Tours performed at the same time at most.
_MOST_PROCESSES: Final = 4
#: Prints a line.
Say = Callable[[str], None]


def recorded(tour: Tour, *, theme: str | None = None) -> tuple[Picture, ...]:
    """The pictures of ``tour``; raises :class:`~chartui.tui.tour.record.Broken` if a step fails."""
    with staged(tour, alone=True) as stage:
        from chartui.tui.tour.app import RestingLoop
        from chartui.tui.tour.record import record

        with asyncio.Runner(loop_factory=RestingLoop) as runner:
            return runner.run(record(tour, stage, theme=theme))


def record_pictures(tours: Iterable[Tour], folder: Path, *, theme: str | None, say: Say) -> bool:
    """Write the pictures of every tour below ``folder``; returns whether every step succeeded. Raises ``OSError``.

    A tour with a failed step keeps its earlier pictures.
    """
    well = True
    for tour, pictures, whole in _recorded(tours, theme=theme, say=say):
        well = well and whole
        if whole:
            from chartui.tui.tour.record import write_pictures

            write_pictures(tour, pictures, folder)
            say(f"{folder / tour.folder}: {number_of(len(pictures), 'picture')}")
    return well


def check_pictures(tours: Iterable[Tour], folder: Path, *, theme: str | None, say: Say) -> bool:
    """Report every failed step and every picture in ``folder`` that differs from a new recording.

    Returns whether all steps succeeded and all pictures match.
    """
    well = True
    for tour, pictures, whole in _recorded(tours, theme=theme, say=say):
        from chartui.tui.tour.record import differences

        found = list(differences(tour, pictures, folder))
        for each in found:
            say(each)
        if whole and not found:
            say(f"{tour.folder}: {_checked(tour)} checked, no differences")
        well = well and whole and not found
    return well


def _checked(tour: Tour) -> str:
    if tour.pictures:
        return number_of(len(tour.pictures), "picture")
    return number_of(sum(len(step.expect) + len(step.gone) for step in tour.steps), "text")


def _recorded(
    tours: Iterable[Tour], *, theme: str | None, say: Say
) -> Iterator[tuple[Tour, tuple[Picture, ...], bool]]:
    """The pictures of each tour, and whether every step succeeded. Failed steps are reported."""
    for tour, pictures_of in _performed(tuple(tours), theme=theme):
        whole = True
        try:
            pictures = pictures_of()
        except Exception as error:  # imported only when needed
            from chartui.tui.tour.record import Broken

            if not isinstance(error, Broken):
                raise
            say(f"{error}\n\n{error.screen}")
            whole, pictures = False, error.pictures
        yield tour, pictures, whole


def _performed(
    tours: tuple[Tour, ...], *, theme: str | None
) -> Iterator[tuple[Tour, Callable[[], tuple[Picture, ...]]]]:
    """Each tour with a function that returns its pictures, or raises what :func:`recorded` does.

    Several tours are performed at the same time, each in a process of its own, since a stage belongs to a process.
    """
    processes = min(len(tours), os.cpu_count() or 1, _MOST_PROCESSES)
    if processes == 1:
        yield from ((tour, partial(recorded, tour, theme=theme)) for tour in tours)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        started = [pool.submit(recorded, tour, theme=theme) for tour in tours]
        yield from ((tour, each.result) for tour, each in zip(tours, started, strict=True))


def play_tour(tour: Tour, *, theme: str | None, read_only: bool) -> int:
    start: Start | None = None
    while True:
        window = os.get_terminal_size(sys.__stderr__.fileno()) if sys.__stderr__ else (0, 0)
        with staged(tour, alone=False) as stage:
            from chartui.tui.run import run_app
            from chartui.tui.tour.play import PlayedApp, in_best_size

            app = PlayedApp(in_best_size(tour, window), stage, theme=theme, read_only=read_only, start=start)
            status = run_app(app)
        start = app.again
        if status or start is None:
            return status


def write_tour(path: Path, *, theme: str | None, read_only: bool, say: Say) -> int:
    """Open the program and write the pressed keys as a tour to ``path``; returns the exit code. Raises ``OSError``.

    The tour is performed once more to propose what to expect and to picture.
    """
    with staged(Tour(name=path.stem), alone=False) as stage:
        from chartui.tui.run import run_app
        from chartui.tui.tour.write import NotingApp

        app = NotingApp(path, stage, theme=theme, read_only=read_only)
        status = run_app(app)
    tour = app.noted
    if tour.steps:
        tour, problem = with_proposals(tour)
        write_private(path, written(tour).encode())
        say(f"Written: {path}. 'chartui demo {path.stem} --play' plays the tour.")
        if problem:
            say(f"The recorded keys could not be replayed to the end: {problem}.")
    return status


def with_proposals(tour: Tour) -> tuple[Tour, str]:
    """Add proposed expectations and pictures to a tour. Return the tour, and why it could not be played to its end.

    The reason is empty if the tour was played to its end.
    """
    with staged(tour, alone=True) as stage:
        from chartui.tui.tour.app import RestingLoop
        from chartui.tui.tour.write import proposed

        with asyncio.Runner(loop_factory=RestingLoop) as runner:
            return runner.run(proposed(tour, stage))


def write_film(tour: Tour, path: Path, *, animated: bool, replace: bool, theme: str | None, say: Say) -> bool:
    """Write ``tour`` to ``path`` as an asciicast, or ``animated`` as an SVG; returns whether it reached its end.

    Raises ``OSError``, and ``FileExistsError`` before the tour begins if the file exists and ``replace`` is false.
    """
    check_output(path, replace=replace)
    with staged(tour, alone=True) as stage:
        from chartui.tui.tour.animation import animation
        from chartui.tui.tour.app import RestingLoop
        from chartui.tui.tour.film import cast, film
        from chartui.tui.tour.record import Broken

        try:
            with asyncio.Runner(loop_factory=RestingLoop) as runner:
                made = runner.run(film(tour, stage, theme=theme))
        except Broken as error:
            say(f"{error}\n\n{error.screen}")
            return False
    data = animation(made) if animated else cast(made)
    write_output(path, data, replace=replace)
    say(f"{path}: {number_of(round(made.length / 1000), 'second')}, {round(len(data) / 1000)} kB")
    return True
