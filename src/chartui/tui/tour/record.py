"""Records the pictures of a tour without a terminal, and compares them with earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from chartui.core.paths import write_output
from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Step, Tour
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.player import OffTheTour, Onlooker, play, screen_text


class Broken(Exception):
    """A tour did not reach its end; the message says where, ``screen`` what was visible."""

    def __init__(self, message: str, screen: str) -> None:
        super().__init__(message)
        self.screen = screen


class Picture(NamedTuple):
    """What a step shows: as an SVG image and as text."""

    name: str
    svg: str
    text: str


class _Recorder:
    """Watches without pausing, and keeps the pictures to record."""

    patience = 30.0
    forgives = False

    def __init__(self, app: StagedApp) -> None:
        self._app = app
        self.pictures: list[Picture] = []

    async def begins(self, number: int, step: Step) -> None:
        """Nothing to wait for."""

    async def between(self, action: Action) -> None:
        """Nothing to wait for."""

    async def passes(self, seconds: float) -> None:
        self._app.stage.time.pass_by(seconds)

    async def ends(self, step: Step) -> None:
        if step.picture:
            svg = self._app.export_screenshot(simplify=True)
            self.pictures.append(Picture(step.picture, svg, screen_text(self._app)))


async def record(tour: Tour, stage: Stage, *, theme: str | None = None) -> tuple[Picture, ...]:
    """The pictures of ``tour``, played on ``stage`` in a window of the tour's own size; raises :class:`Broken`."""
    app = StagedApp(tour, stage, theme=theme)
    recorder = _Recorder(app)
    await play_alone(app, recorder)
    return tuple(recorder.pictures)


async def play_alone(app: StagedApp, onlooker: Onlooker) -> None:
    """Play the tour of ``app`` without a terminal, in a window of the tour's own size; raises :class:`Broken`."""
    # Even if the environment enables animations: pictures have none.
    app.animation_level = "none"
    broken: Broken | None = None
    async with app.run_test(size=app.tour.size):
        try:
            await play(app, onlooker)
        except OffTheTour as error:
            broken = Broken(f"{app.tour.name}: {error}", screen_text(app))
        app.exit()
    if app.crash is not None:
        raise app.crash
    if broken is not None:
        raise broken


# -- files ------------------------------------------------------------------------------------------------------------


def write_pictures(tour: Tour, pictures: Iterable[Picture], folder: Path) -> None:
    """Write the pictures of a tour into its folder below ``folder``, and remove those it no longer has.

    Raises ``OSError``.
    """
    place = folder / tour.name
    place.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        write_output(place / f"{picture.name}.svg", picture.svg.encode(), replace=True)
        write_output(place / f"{picture.name}.txt", picture.text.encode(), replace=True)
    for path in _left_over(tour, place):
        path.unlink()


def differences(tour: Tour, pictures: Iterable[Picture], folder: Path) -> Iterator[str]:
    """The differences between ``folder`` and the new recording: a sentence for each picture, with its name."""
    place = folder / tour.name
    for picture in pictures:
        before = _read(place / f"{picture.name}.txt"), _read(place / f"{picture.name}.svg")
        name = f"{tour.name}/{picture.name}"
        if None in before:
            yield f"{name} was never recorded"
        elif before[0] != picture.text:
            yield f"{name} differs on line {_first_difference(before[0] or '', picture.text)}"
        elif before[1] != picture.svg:
            yield f"{name} differs only in colours or styles"
    for path in _left_over(tour, place):
        yield f"{tour.name}/{path.name} does not belong to any step"


def _left_over(tour: Tour, place: Path) -> list[Path]:
    return [p for p in sorted(place.glob("*.*")) if p.suffix in (".svg", ".txt") and p.stem not in tour.pictures]


def _read(path: Path) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_bytes().decode()
    return None


def _first_difference(before: str, after: str) -> str:
    """The first line that differs, in both versions."""
    lines = zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    for number, (old, new) in enumerate(lines, 1):
        if old != new:
            return f"{number}: “{old.strip()}” became “{new.strip()}”"
    return "1"
