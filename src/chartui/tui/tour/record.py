"""Records the pictures of a tour without a terminal, and compares them with earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from chartui.core.classes import NamedTuple
from chartui.core.paths import write_output
from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Step, Tour
from chartui.demos.tour_file import tour_mistakes
from chartui.tui.svg import drawn_lines
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.player import OffTheTour, Onlooker, play, screen_text


class Picture(NamedTuple):
    """What a step shows: as an SVG image and as text."""

    name: str
    svg: str
    text: str


class Broken(Exception):
    """Steps of a tour failed. The message has a line for each, ``screen`` is what was visible at the first.

    ``pictures`` are those of the steps that were performed.
    """

    def __init__(self, message: str, screen: str, pictures: tuple[Picture, ...] = ()) -> None:
        super().__init__(message)
        self.screen = screen
        self.pictures = pictures

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process may have performed the tour."""
        return type(self), (str(self), self.screen, self.pictures)


class Failures:
    """The failed steps of a tour that goes on after each, and what was visible at the first."""

    def __init__(self, app: StagedApp) -> None:
        self._app = app
        self.noted: list[OffTheTour] = []
        self._screen = ""

    def note(self, failure: OffTheTour) -> None:
        self._screen = self._screen or screen_text(self._app)
        self.noted.append(failure)

    def report(self, pictures: tuple[Picture, ...] = ()) -> None:
        """Raise :class:`Broken` if a step failed, with a line for each failure that names its place in the file."""
        if self.noted:
            mistakes = tour_mistakes(self._app.tour)
            for failure in self.noted:
                mistakes.add(str(failure), at=failure.at)
            raise Broken("\n".join(mistakes.problems), self._screen, pictures)


class Recorder:
    """Watches without pausing, and keeps the pictures to record."""

    #: Of the loop's own clock, which skips what nobody waits for.
    patience = 30.0

    def __init__(self, app: StagedApp) -> None:
        self._app = app
        self.pictures: list[Picture] = []
        self.failures = Failures(app)

    def misses(self, failure: OffTheTour) -> None:
        """Note the failure; later steps may fail as well, and all of them are reported."""
        self.failures.note(failure)

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
    recorder = Recorder(app)
    await play_alone(app, recorder)
    pictures = tuple(recorder.pictures)
    recorder.failures.report(pictures)
    return pictures


async def play_alone(app: StagedApp, onlooker: Onlooker) -> None:
    """Play the tour of ``app`` without a terminal, in a window of the tour's own size."""
    # Even if the environment enables animations: pictures have none.
    app.animation_level = "none"
    async with app.run_test(size=app.tour.size):
        try:
            await play(app, onlooker)
        except OffTheTour as error:
            onlooker.misses(error)
        app.exit()
    if app.crash is not None:
        raise app.crash


# -- files ------------------------------------------------------------------------------------------------------------


def write_pictures(tour: Tour, pictures: Iterable[Picture], folder: Path) -> None:
    """Write the pictures of a tour into its folder below ``folder``, and remove those it no longer has.

    Raises ``OSError``.
    """
    place = folder / tour.folder
    if tour.pictures:
        place.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        write_output(place / f"{picture.name}.svg", picture.svg.encode(), replace=True)
        write_output(place / f"{picture.name}.txt", picture.text.encode(), replace=True)
    for path in _left_over(tour, place):
        path.unlink()


def differences(tour: Tour, pictures: Iterable[Picture], folder: Path) -> Iterator[str]:
    """The differences between ``folder`` and the new recording: for each picture, its name and all differing lines."""
    place = folder / tour.folder
    for picture in pictures:
        before = _read(place / f"{picture.name}.txt"), _read(place / f"{picture.name}.svg")
        name = f"{tour.folder}/{picture.name}"
        if None in before:
            yield f"{name} was never recorded"
        elif before[0] != picture.text:
            yield "\n".join((f"{name} differs:", *_changed_lines(before[0] or "", picture.text)))
        elif before[1] != picture.svg:
            yield f"{name} differs only in colors or styles{_restyled(before[1] or '', picture.svg)}"
    for path in _left_over(tour, place):
        yield f"{tour.folder}/{path.name} does not belong to any step"


def _left_over(tour: Tour, place: Path) -> list[Path]:
    return [p for p in sorted(place.glob("*.*")) if p.suffix in (".svg", ".txt") and p.stem not in tour.pictures]


def _read(path: Path) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_bytes().decode()
    return None


def _changed_lines(before: str, after: str) -> Iterator[str]:
    """Every line that differs, with its number: removed lines after ``-``, added ones after ``+``."""
    old, new = before.splitlines(), after.splitlines()
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"{number:>4} - {line}" for number, line in enumerate(old[a:b], a + 1))
            yield from (f"{number:>4} + {line}" for number, line in enumerate(new[c:d], c + 1))


def _restyled(before: str, after: str) -> str:
    """The numbers of the lines that are drawn differently, as the end of a sentence; empty if these are all lines."""
    old, new = map(drawn_lines, (before, after))
    numbers = sorted(number for number in new if old.get(number) != new[number])
    if not 0 < len(numbers) < len(new):
        return ""
    return f", on {'lines' if len(numbers) > 1 else 'line'} {', '.join(map(str, numbers))}"
