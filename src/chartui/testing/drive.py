"""The program on the stage of a tour, driven step by step from the code of a test."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from chartui.core.naming import unknown
from chartui.demos.stage import Stage, staged
from chartui.demos.tour import Service, Step, Tour
from chartui.demos.tour_file import actions, read_tour
from chartui.testing.verdict import PICTURES, Verdict, judge, note

if TYPE_CHECKING:
    from chartui.tui.tour.player import OffTheTour
    from chartui.tui.tour.record import Picture

#: What a test can give instead of a tour's file: the arguments of a tour but for those that name it or make its steps.
_MEMBERS: Final = frozenset(field.name for field in fields(Tour)) - {"name", "file", "steps", "more_sizes"}


class OpenTour:
    """Opens a tour for a test: ``with chartui_tour(size=(80, 24)) as tour: …``.

    ``start`` is the file of a tour whose beginning is used, with its profile, size and screen, and whose steps
    :meth:`TourDriver.play` plays. Other arguments are members of a tour's file. At the end of the block, the pictures
    are compared with those in ``pictures/NAME`` next to the test's file; the default of ``name`` is the test's name.

    Within the block, the environment variables and the working directory are those of the tour.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    @contextmanager
    def __call__(self, start: Path | str | None = None, *, name: str = "", **members: Any) -> Iterator[TourDriver]:
        __tracebackhide__ = True
        folder = self._item.path.parent
        for member in members.keys() - _MEMBERS:
            raise TypeError(unknown("argument", member, sorted(_MEMBERS)))
        tour = Tour(name="", file=self._item.path) if start is None else read_tour(folder / start)
        if tour.profile == "demo" and (members.get("bundles") or members.get("store")):
            members.setdefault("profile", "local")
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in members.items()
        }
        tour = replace(tour, name=name or _name_of(self._item), more_sizes=(), **given)
        with staged(tour, alone=True) as stage:
            from chartui.tui.tour.app import RestingLoop

            with (
                asyncio.Runner(loop_factory=RestingLoop) as runner,
                TourDriver(self._item, tour, stage, runner) as driver,
            ):
                yield driver
        taken = replace(tour, steps=tuple(Step(picture=picture.name) for picture in driver.pictures))
        update = self._item.config.option.chartui_update
        note(self._item, judge(taken, driver.pictures, folder / PICTURES, update=update))


class TourDriver:
    """The program of a tour, which stands still between two calls."""

    def __init__(self, item: pytest.Item, tour: Tour, stage: Stage, runner: asyncio.Runner) -> None:
        from chartui.tui.tour.app import StagedApp
        from chartui.tui.tour.record import Recorder

        class Strict(Recorder):
            def misses(self, failure: OffTheTour) -> None:
                raise failure

        self._item = item
        self._tour = tour
        self._runner = runner
        self._app = StagedApp(tour, stage)
        self._app.animation_level = "none"
        self._recorder = Strict(self._app)
        self._running = self._app.run_test(size=tour.size)
        self._number = 0

    def __enter__(self) -> TourDriver:
        self._runner.run(self._running.__aenter__())
        self._runner.run(self._app.settle())
        return self

    def __exit__(self, *_error: object) -> None:
        self._app.exit()
        self._runner.run(self._running.__aexit__(None, None, None))
        if self._app.crash is not None:
            raise self._app.crash

    @property
    def screen(self) -> str:
        """The text on the screen, line by line, without trailing spaces."""
        from chartui.tui.tour.player import screen_text

        return screen_text(self._app)

    @property
    def messages(self) -> list[str]:
        """The visible messages, each in one line."""
        from chartui.tui.tour.player import messages

        return messages(self._app)

    @property
    def pictures(self) -> list[Picture]:
        return self._recorder.pictures

    def step(
        self,
        *,
        keys: Iterable[Any] = (),
        expect: str | Iterable[str] = (),
        gone: str | Iterable[str] = (),
        wait: float = 0,
        service: str | None = None,
        latency: float | None = None,
        picture: str = "",
    ) -> None:
        """Do what a step of a tour's file does; the members are the same.

        Fails the test if a text of ``expect`` is missing or one of ``gone`` is left. Raises ``ValueError`` for a key or
        a command that does not exist.
        """
        __tracebackhide__ = True
        if picture in (taken.name for taken in self.pictures):
            raise ValueError(f"another step already uses the picture name '{picture}'")
        step = Step(
            actions=actions(list(keys), "keys"),
            expect=_texts(expect),
            gone=_texts(gone),
            wait=wait,
            service=None if service is None else Service(service),
            latency=latency,
            picture=picture,
        )
        self._play(step)

    def play(self) -> None:
        """Play the steps of the tour's file."""
        __tracebackhide__ = True
        for step in self._tour.steps:
            self._play(step)

    def _play(self, step: Step) -> None:
        from chartui.tui.tour.player import OffTheTour, play_step

        __tracebackhide__ = True
        self._number += 1
        try:
            self._runner.run(play_step(self._app, self._number, step, self._recorder))
        except OffTheTour as error:
            problem = f"{self._tour.name}: {error}"
            kept = self._item.config.option.chartui_update
            verdict = Verdict(tour=self._tour.name, problems=(problem,), screen=self.screen, kept=kept)
        else:
            return
        note(self._item, verdict, pytrace=True)


def _texts(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _name_of(item: pytest.Item) -> str:
    """A folder name for a test: ``models-cheapest`` for ``test_cheapest`` in ``test_models.py``."""
    parts = [item.path.stem, item.name]
    plain = "-".join(part.removeprefix("test_") for part in parts)
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
