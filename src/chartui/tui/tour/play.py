"""A tour played in a terminal: at a readable pace, with captions below the program, until the user takes over."""

from __future__ import annotations

import asyncio
from typing import Final

from textual.events import Event, Key, MouseDown, Resize
from textual.geometry import Size

from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Step, Tour
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.caption import CAPTION_LINES, INDENT, caption_strips
from chartui.tui.tour.player import OffTheTour, missing, play, press_keys
from chartui.tui.tour.rhythm import LEAD, Rhythm
from chartui.tui.typeahead import Typed

#: Seconds between two looks at what the viewer has done.
_LOOK: Final = 0.1
#: Seconds until a failing step is given up; the shorter time is for a window too small for the tour.
_PATIENCE, _BRIEFLY = 20.0, 1.0
_HINT: Final = "space pauses · esc leaves · any other key takes over"
_TUTOR_HINT: Final = "F1 presses the keys for you · Ctrl+Q leaves"
_LEARNED: Final = "You know the basics now. ? lists the available keys and : finds everything. Ctrl+Q quits."
_ENDED: Final = "End of the tour. Press any key to continue from here, or Esc to quit."


class PlayedApp(StagedApp):
    """Plays its tour; the window has the tour's size as far as the terminal has room, and the full size afterwards.

    Space pauses, Escape quits, and every other key or click only ends the tour, so the program never does anything
    unexpected.
    """

    def __init__(self, tour: Tour, stage: Stage, *, theme: str | None = None, read_only: bool = False) -> None:
        super().__init__(tour, stage, theme=theme, read_only=read_only)
        stage.service.sleep = self._breathe
        self._playing: asyncio.Task[None] | None = None
        self._window: Size | None = None
        self._going = asyncio.Event()
        self._going.set()
        self.caption = tour.about or tour.title
        self._hint = _TUTOR_HINT if tour.tutor else _HINT
        #: Whether the viewer wants to see the keys of this step pressed.
        self._asked = asyncio.Event()
        self._place = ""
        self._rhythm = Rhythm()

    # -- the window ---------------------------------------------------------------------------------------------------

    @property
    def is_touring(self) -> bool:
        return not self._free

    @property
    def forgives(self) -> bool:
        """Whether the window is too small for the tour, so that not all of its subjects are visible."""
        return self.size != self.tour.size

    @property
    def patience(self) -> float:
        return _BRIEFLY if self.forgives else _PATIENCE

    @property
    def is_paused(self) -> bool:
        """Whether the tour waits for a key of the audience."""
        return not self._going.is_set()

    @property
    def size(self) -> Size:
        """The program's part of the terminal."""
        if self._size is not None:
            return super().size
        # The framework asks before the terminal has reported its size, and reports what it gets here itself.
        self._window = super().size
        return self._part_of(self._window)

    def _part_of(self, window: Size) -> Size:
        if not self.is_touring:
            return window
        columns, lines = self.tour.size
        return Size(min(columns, window.width), max(1, min(lines, window.height - CAPTION_LINES)))

    async def on_event(self, event: Event) -> None:
        """Keep the program in its part of the window, and handle the audience's keys."""
        if isinstance(event, Resize) and self._size is not None:
            self._window = event.size
            part = self._part_of(event.size)
            await super().on_event(Resize(part, part))
            self._show_caption()
        elif self.tour.tutor and isinstance(event, Key) and event.key == "f1":
            self._asked.set()
        elif self._performing and isinstance(event, (Typed, MouseDown)) and not self._from_the_tour(event):
            self._interrupted(event)
        else:
            await super().on_event(event)

    def _from_the_tour(self, event: Event) -> bool:
        # A key that a widget passes on arrives a second time.
        return self.is_by_hand(event) or (isinstance(event, Key) and event.is_forwarded)

    @property
    def _performing(self) -> bool:
        return self.is_touring and not self.tour.tutor

    # -- whoever looks on ---------------------------------------------------------------------------------------------

    def _interrupted(self, event: Event) -> None:
        if isinstance(event, Key) and event.key == "escape":
            self.exit()
        elif isinstance(event, Key) and event.key == "space" and self._playing is not None:
            if self.is_paused:
                self._going.set()
            else:
                self._going.clear()
            self._hint = _HINT.replace("pauses", "resumes") if self.is_paused else _HINT
            self._show_caption()
        else:
            self._take_over()

    def _take_over(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
        self.set_free()
        if self._window is not None:
            self.post_message(Resize(self._window, self._window))
        self.tell("You're in control now. All data is demo data and is deleted when you quit.", title="Demo")

    # -- the tour -----------------------------------------------------------------------------------------------------

    def on_ready(self) -> None:
        """Begin the tour once the first picture is there."""
        super().on_ready()
        self._show_caption()
        self._playing = asyncio.get_running_loop().create_task(self._teach() if self.tour.tutor else self._play())

    async def _play(self) -> None:
        try:
            await self._breathe(Step(caption=self.caption).seen_for)
            await play(self, self)
        except OffTheTour as error:
            self._say(f"The tour stopped: {error}. Press any key to continue from here.", "")
        else:
            self._say(_ENDED, "")
        self._playing = None

    async def _teach(self) -> None:
        """Explain each step, and wait until the viewer has done it."""
        self.let_time_pass()
        for number, step in enumerate(self.tour.steps, 1):
            self._asked.clear()
            await self.begins(number, step)
            while missing(self, step):
                try:
                    async with asyncio.timeout(_LOOK):
                        await self._asked.wait()
                except TimeoutError:
                    continue
                self._asked.clear()
                await self.settle()  # keys pressed before F1 may lead to another screen
                try:
                    await press_keys(self, number, step, self)
                except OffTheTour:
                    self._say(self.caption, "This step is not possible here. Press Esc to go back, then F1.")
                    continue
                break
            self._hint = _TUTOR_HINT
        self._say(_LEARNED, "")

    async def begins(self, number: int, step: Step) -> None:
        """Show the caption, and wait a moment before the first key."""
        self.caption = step.caption or self.caption
        columns, lines = self.tour.size
        better = f"best at {columns}x{lines + CAPTION_LINES}  " if self.forgives and not self.tour.tutor else ""
        self._place = f"{better}{number}/{len(self.tour.steps)}"
        self._show_caption()
        await self._breathe(LEAD if step.caption else 0)

    async def between(self, action: Action) -> None:
        await self._breathe(self._rhythm.before(action))

    async def passes(self, seconds: float) -> None:
        """Sleep second by second, drawing each."""
        while seconds > 0:
            one = min(1.0, seconds)
            await self._breathe(one)
            self.stage.time.pass_by(one)
            seconds -= one

    async def ends(self, step: Step) -> None:
        await self._breathe(step.seen_for)

    async def _breathe(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.tour.speed)
        await self._going.wait()

    # -- the caption --------------------------------------------------------------------------------------------------

    def _say(self, caption: str, hint: str) -> None:
        self.caption, self._hint = caption, hint
        self._show_caption()

    def _show_caption(self) -> None:
        """Write the caption below the program, where the framework writes nothing."""
        if self._driver is None or self._window is None or not self.is_touring or self.is_headless:
            return
        width = min(self.size.width, self._window.width)
        hint = Line(width).gap(INDENT).add(self._hint, Palette.of(self.theme_variables).label)
        strips = caption_strips(self, width, self.caption, hint, self._place)
        top = min(self.size.height, self._window.height - CAPTION_LINES)
        # Clear what a larger terminal shows beside the program. Then the caret returns to where the framework put it.
        clear = "".join(f"\x1b[{row};{width + 1}H\x1b[K" for row in range(1, top + 1) if width < self._window.width)
        text = "".join(f"\x1b[{top + n};1H{strip.render(self.console)}\x1b[K" for n, strip in enumerate(strips, 1))
        self._driver.write(f"\x1b7\x1b[m{clear}{text}\x1b[0m\x1b8")
        self._driver.flush()
