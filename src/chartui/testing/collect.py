"""Tours collected as tests: every file called ``NAME.tour.toml``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chartui.demos.tour import Tour
from chartui.demos.tour_file import BadTour, read_tour
from chartui.testing.verdict import PICTURES, judge, note


class TourFile(pytest.File):
    """A file with one tour."""

    def collect(self) -> Iterator[TourItem]:
        try:
            tour = read_tour(self.path)
        except BadTour as error:
            raise self.CollectError(str(error)) from None
        for each, (columns, lines) in zip(tour.in_each_size(), tour.sizes, strict=True):
            name = f"{tour.name}[{columns}x{lines}]" if tour.more_sizes else tour.name
            yield TourItem.from_parent(self, name=name, tour=each)


class TourItem(pytest.Item):
    """Plays a tour and compares its pictures with those in the ``pictures`` folder next to its file."""

    def __init__(self, *, tour: Tour, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.tour = tour

    def runtest(self) -> None:
        from chartui.tui.tour.run import recorded

        failures: tuple[str, ...] = ()
        screen = ""
        try:
            pictures = recorded(self.tour)
        except BadTour as error:
            failures, pictures = (str(error),), ()
        except Exception as error:  # imported only when needed
            from chartui.tui.tour.record import Broken

            if not isinstance(error, Broken):
                raise
            failures, screen, pictures = tuple(str(error).splitlines()), error.screen, error.pictures
        folder, update = self.path.parent / PICTURES, self.config.option.chartui_update
        note(self, judge(self.tour, pictures, folder, update=update, failures=failures, screen=screen))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"tour {self.name}"
