"""Plays, records, compares and writes tours, each on a stage of its own.

The framework is imported after the stage is set, since it reads environment variables on import.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from chartui.core.numbers import number_of
from chartui.core.paths import write_output
from chartui.demos.stage import staged
from chartui.demos.tour import Tour

if TYPE_CHECKING:
    from chartui.tui.tour.record import Picture

#: Prints a line.
Say = Callable[[str], None]


def recorded(tour: Tour, *, theme: str | None = None) -> tuple[Picture, ...]:
    """The pictures of ``tour``; raises :class:`~chartui.tui.tour.record.Broken` if it does not reach its end."""
    with staged(tour, alone=True) as stage:
        from chartui.tui.tour.app import RestingLoop
        from chartui.tui.tour.record import record

        with asyncio.Runner(loop_factory=RestingLoop) as runner:
            return runner.run(record(tour, stage, theme=theme))


def record_pictures(tours: Iterable[Tour], folder: Path, *, theme: str | None, say: Say) -> bool:
    """Write the pictures of every tour below ``folder``; returns whether each reached its end. Raises ``OSError``."""

    def written(tour: Tour, pictures: tuple[Picture, ...]) -> bool:
        from chartui.tui.tour.record import write_pictures

        write_pictures(tour, pictures, folder)
        say(f"{folder / tour.name}: {number_of(len(pictures), 'picture')}")
        return True

    return _each(tours, written, theme=theme, say=say)


def check_pictures(tours: Iterable[Tour], folder: Path, *, theme: str | None, say: Say) -> bool:
    """Report which pictures in ``folder`` differ from a new recording; returns whether all match."""

    def compared(tour: Tour, pictures: tuple[Picture, ...]) -> bool:
        from chartui.tui.tour.record import differences

        found = list(differences(tour, pictures, folder))
        for line in found or [f"{tour.name}: {len(pictures)} of {len(pictures)} pictures match"]:
            say(line)
        return not found

    return _each(tours, compared, theme=theme, say=say)


def _each(
    tours: Iterable[Tour], take: Callable[[Tour, tuple[Picture, ...]], bool], *, theme: str | None, say: Say
) -> bool:
    well = True
    for tour in tours:
        pictures: tuple[Picture, ...] = ()
        try:
            pictures = recorded(tour, theme=theme)
        except Exception as error:  # imported only when needed
            from chartui.tui.tour.record import Broken

            if not isinstance(error, Broken):
                raise
            say(f"{error}\n\n{error.screen}")
            well = False
        else:
            well = take(tour, pictures) and well
    return well


def play_tour(tour: Tour, *, theme: str | None, read_only: bool) -> int:
    """Play ``tour`` in this terminal; returns the exit status."""
    with staged(tour, alone=False) as stage:
        from chartui.tui.run import run_app
        from chartui.tui.tour.play import PlayedApp

        return run_app(PlayedApp(tour, stage, theme=theme, read_only=read_only))


def write_tour(path: Path, *, theme: str | None, read_only: bool, say: Say) -> int:
    """Open the program and write the pressed keys as a tour to ``path``; returns the exit code. Raises ``OSError``."""
    with staged(Tour(name=path.stem), alone=False) as stage:
        from chartui.tui.run import run_app
        from chartui.tui.tour.write import NotingApp

        app = NotingApp(path, stage, theme=theme, read_only=read_only)
        status = run_app(app)
        if app.write():
            say(f"Written: {path}. 'chartui demo {path.stem} --play' plays the tour.")
        return status


def write_film(tour: Tour, path: Path, *, animated: bool, theme: str | None, say: Say) -> bool:
    """Write ``tour`` to ``path`` as an asciicast, or ``animated`` as an SVG; returns whether it reached its end.

    Raises ``OSError``.
    """
    with staged(tour, alone=True) as stage:
        from chartui.tui.tour.animation import animation
        from chartui.tui.tour.app import RestingLoop
        from chartui.tui.tour.cast import cast
        from chartui.tui.tour.film import film
        from chartui.tui.tour.record import Broken

        try:
            with asyncio.Runner(loop_factory=RestingLoop) as runner:
                made = runner.run(film(tour, stage, theme=theme))
        except Broken as error:
            say(f"{error}\n\n{error.screen}")
            return False
    data = animation(made) if animated else cast(made)
    write_output(path, data, replace=True)
    say(f"{path}: {number_of(round(made.length / 1000), 'second')}, {round(len(data) / 1000)} kB")
    return True
