"""A tour as a film, and as an asciicast: what the window shows, by the tour's own clock, so the same on every run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from rich.color import ColorSystem
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from chartui.core.classes import NamedTuple
from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Step, Text, Tour
from chartui.tui.output.cells import Cells
from chartui.tui.output.encoder import Abilities, Pictures, Place, encode
from chartui.tui.output.grid import Look, Row
from chartui.tui.tour.app import StagedApp, drawn_at_rest
from chartui.tui.tour.caption import CAPTION_LINES, PressedKeys, caption_strips
from chartui.tui.tour.player import OffTheTour, drawn
from chartui.tui.tour.record import Failures, play_alone
from chartui.tui.tour.rhythm import LEAD, Rhythm
from chartui.tui.typeahead import Typed

#: Seconds for which a key is shown before it takes effect, and how long the end stays.
_PRESSED, _END = 0.2, 1.5


class Shot(NamedTuple):
    """What the window shows from a time on, in milliseconds: the program, and the caption below it."""

    at: int
    rows: tuple[Strip, ...]


class Film(NamedTuple):
    """A tour from its beginning to its end.

    ``size`` is in columns and lines, the caption included; ``length`` is in milliseconds. ``chapters`` are the captions
    with the times at which they appear.
    """

    title: str
    size: tuple[int, int]
    length: int
    shots: tuple[Shot, ...]
    chapters: tuple[tuple[int, str], ...]


class FilmedApp(StagedApp):
    """Plays its tour as :class:`~chartui.tui.tour.play.PlayedApp` does, but without waiting: only its clock moves."""

    patience = 30.0

    def __init__(self, tour: Tour, stage: Stage, *, theme: str | None = None) -> None:
        super().__init__(tour, stage, theme=theme)
        stage.service.sleep = self._answer_late
        self.failures = Failures(self)
        self._clock = 0
        #: How many requests wait for the time that their answer takes, and how many have waited.
        self._late = self._answered = 0
        self._rhythm = Rhythm()
        self._caption = tour.about or tour.title
        self._place = ""
        self._keys = PressedKeys()
        self._shots: list[Shot] = []
        self._chapters: list[tuple[int, str]] = []

    @property
    def film(self) -> Film:
        columns, lines = self.tour.size
        title = self.tour.title or self.tour.name
        return Film(title, (columns, lines + CAPTION_LINES), self._clock, tuple(self._shots), tuple(self._chapters))

    # -- the audience -------------------------------------------------------------------------------------------------

    def misses(self, failure: OffTheTour) -> None:
        self.failures.note(failure)

    async def begins(self, number: int, step: Step) -> None:
        if number == 1:
            await self._shoot()
            self._pass(Step(caption=self._caption).seen_for)
        self._keys.clear()
        self._place = f"{number}/{len(self.tour.steps)}"
        if step.caption:
            self._caption = step.caption
            self._chapters.append((self._clock, step.caption))
        await self._shoot()
        self._pass(LEAD if step.caption else 0)

    async def between(self, action: Action) -> None:
        self._keys.action = action
        self._pass(self._rhythm.before(action))

    async def press(self, event: Typed) -> None:
        await self._show_key(event)
        await super().press(event)
        await self._shoot()

    async def perform(self, command_id: str) -> None:
        await self._show_key(None)
        await super().perform(command_id)
        await self._shoot()

    async def passes(self, seconds: float) -> None:
        while seconds > 0:
            one = min(1.0, seconds)
            self._pass(one)
            self.stage.time.pass_by(one)
            await self._shoot()
            seconds -= one

    async def ends(self, step: Step) -> None:
        await self._shoot()
        self._pass(step.seen_for)
        if step is self.tour.steps[-1]:
            self._pass(_END)

    # -- the camera ---------------------------------------------------------------------------------------------------

    def _pass(self, seconds: float) -> None:
        self._clock += round(1000 * seconds / self.tour.speed)

    async def _answer_late(self, seconds: float) -> None:
        """What is shown while the service takes its time; requests at the same time take it together."""
        due = self._clock + round(1000 * seconds / self.tour.speed)
        self._late += 1
        await drawn_at_rest(self)
        self._late -= 1
        self._answered += 1
        self._take()
        self._clock = max(self._clock, due)

    async def settle(self) -> None:
        """As for any tour; an answer that is late does not arrive behind the camera."""
        answered = -1
        while (self._late or self._answered != answered) and self.is_running:
            answered = self._answered
            await super().settle()

    async def _show_key(self, event: Typed | None) -> None:
        self._keys.add(self, event)
        if not isinstance(self._keys.action, Text):
            self._take()
            self._pass(_PRESSED)

    async def _shoot(self) -> None:
        await self.settle()
        self._take()

    def _take(self) -> None:
        if not self.is_running:
            return
        width = self.tour.size[0]
        keys = self._keys.line(self, width, len(self._place))
        strips = caption_strips(self, width, self._caption, keys, self._place)
        rows = (*drawn(self), *strips)
        if self._shots and self._shots[-1].at == self._clock:
            self._shots.pop()
        if not self._shots or self._shots[-1].rows != rows:
            self._shots.append(Shot(self._clock, rows))


async def film(tour: Tour, stage: Stage, *, theme: str | None = None) -> Film:
    """Film ``tour`` on ``stage``; raises :class:`~chartui.tui.tour.record.Broken`."""
    app = FilmedApp(tour, stage, theme=theme)
    await play_alone(app, app)
    app.failures.report()
    return app.film


# -- an asciicast -----------------------------------------------------------------------------------------------------


#: Hides the caret and does not wrap lines; :data:`_RESTORE` undoes both.
_BEGIN: Final = "\x1b[?25l\x1b[?7l\x1b[m\x1b[2J"
_RESTORE: Final = "\x1b[m\x1b[{};1H\x1b[?7h\x1b[?25h"
#: What every player can do: it neither scrolls nor erases, so that it looks alike in all of them.
_ABILITIES: Final = Abilities(whole=False)


def cast(film: Film) -> bytes:
    """``film`` as an asciicast, version 2, which players of terminal recordings play; captions become its chapters."""
    columns, lines = film.size
    header = {"version": 2, "width": columns, "height": lines, "title": film.title}
    events = [(at, 0, "m", caption) for at, caption in film.chapters]
    events += [(at, 1, "o", text) for at, text in _outputs(film)]
    events.append((film.length, 1, "o", _RESTORE.format(lines)))
    events.sort(key=lambda event: event[:2])
    written = (header, *([at / 1000, *rest] for at, _, *rest in events))
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in written).encode()


def _outputs(film: Film) -> Iterator[tuple[int, str]]:
    columns, lines = film.size
    cells = Cells(ColorSystem.TRUECOLOR)
    cells.resize(columns, lines)
    shown: list[Row] | None = None
    pen: Look | None = None
    place: Place = None
    for at, rows in film.shots:
        cells.take(LayoutUpdate([[row] for row in rows], Region(0, 0, columns, lines)))
        text, pen, place = encode(Pictures(shown, cells.rows, cells.looks, cells.compounds), pen, place, _ABILITIES)
        text = _BEGIN + text if shown is None else text
        shown = cells.rows.copy()
        if text:
            yield at, text
