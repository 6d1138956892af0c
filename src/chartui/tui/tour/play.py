"""A tour played in a terminal: at a readable pace, with captions below the program, until the user takes over."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Final

from textual.events import Event, Key, MouseDown, Resize
from textual.geometry import Size

from chartui.core.classes import NamedTuple
from chartui.demos.stage import Stage
from chartui.demos.tour import Action, Step, Tour
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.caption import CAPTION_LINES, INDENT, PressedKeys, caption_strips
from chartui.tui.tour.player import OffTheTour, missing, play, press_keys
from chartui.tui.tour.rhythm import LEAD, Pace, Rhythm
from chartui.tui.typeahead import Typed

#: Seconds between two looks at what the viewer has done.
_LOOK: Final = 0.1
#: Seconds until a failing step is given up; the shorter time is for a window too small for the tour.
_PATIENCE, _BRIEFLY = 20.0, 1.0
#: The first one that leaves room for the keys of the step is shown.
_HINTS: Final = (
    "space pauses · ←→ steps · +- speed · esc quits · other keys take over",
    "space pauses · ←→ steps · esc quits",
)
_PAUSED_HINTS: Final = tuple(hint.replace("pauses", "resumes") for hint in _HINTS)
#: One of these is always shown: otherwise a paused tour looks like one that hangs.
_STILL_PAUSED: Final = ("space resumes", "paused")
_SLOWEST, _FASTEST = 0.1, 100.0
_TUTOR_HINT: Final = "F1 presses the keys for you · F4 goes back a step · Ctrl+Q quits"
_LEARNED: Final = "You know the basics now. ? lists the available keys and : finds everything. Ctrl+Q quits."
_ENDED: Final = "End of the tour. Press Enter to try it yourself, or Esc to quit."
_ENDED_HINT: Final = "← goes back a step"


def in_best_size(tour: Tour, window: tuple[int, int]) -> Tour:
    """``tour`` in the largest of its sizes for which ``window`` has room, or in the smallest."""
    fitting = [size for size in tour.sizes if size[0] <= window[0] and size[1] + CAPTION_LINES <= window[1]]
    best = max(fitting) if fitting else min(tour.sizes)
    return replace(tour, size=best, more_sizes=tuple(size for size in tour.sizes if size != best))


class Start(NamedTuple):
    """Where the tour is shown from: the beginning of step ``number``, or of the tour for 0."""

    number: int
    speed: float
    paused: bool = False


class PlayedApp(StagedApp):
    """Plays its tour; the window has the tour's size as far as the terminal has room, and the full size afterwards.

    Space pauses, arrow keys and numbers go to another step, Escape quits, and every other key or click only ends the
    tour, so the program never does anything unexpected. A later step is reached by hurrying there. For an earlier one,
    the program quits, and ``again`` says from where the tour is to be played on a new stage.
    """

    def __init__(
        self, tour: Tour, stage: Stage, *, theme: str | None = None, read_only: bool = False, start: Start | None = None
    ) -> None:
        super().__init__(tour, stage, theme=theme, read_only=read_only)
        start = start or Start(0, tour.speed)
        self.pace = Pace(start.speed, paused=start.paused)
        self.again: Start | None = None
        stage.service.sleep = self.pace.wait
        self._playing: asyncio.Task[None] | None = None
        self._window: Size | None = None
        self.caption = tour.about or tour.title
        self._hint = _TUTOR_HINT if tour.tutor else ""
        self._keys = PressedKeys()
        #: The current step, and the later one to hurry to, if any; the end follows the last.
        self._number = 0
        self._goal = start.number
        #: The digits of a step to go to.
        self._digits = ""
        #: Whether the viewer wants to see the keys of this step pressed.
        self._asked = asyncio.Event()
        self._rhythm = Rhythm()

    def exit(self, *arguments: Any, **options: Any) -> None:
        """The tour ends with the program."""
        if self._playing is not None:
            self._playing.cancel()
        super().exit(*arguments, **options)

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

    def misses(self, failure: OffTheTour) -> None:
        if not self.forgives:
            raise failure

    @property
    def is_paused(self) -> bool:
        """Whether the tour waits for a key of the audience."""
        return self.pace.paused

    @property
    def size(self) -> Size:
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
        elif self.tour.tutor and isinstance(event, Key) and event.key in ("f1", "f4"):
            if event.key == "f1":
                self._asked.set()
            else:
                self._go_to(self._number - 1)
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
        key = event.key if isinstance(event, Key) else ""
        ended, pace = self._playing is None, self.pace
        digits, self._digits = self._digits, ""
        match key:
            case "backspace" if digits:
                self._digits = digits[:-1]
            case "escape" if not digits:
                self.exit()
            case "escape":
                pass  # only the number is canceled
            case "space" if not ended:
                pace.change(paused=not pace.paused)
            case "plus" | "equals_sign" if not ended:
                pace.change(speed=min(2 * pace.speed, _FASTEST))
            case "minus" if not ended:
                pace.change(speed=max(pace.speed / 2, _SLOWEST))
            case "left":
                self._go_to((self._goal or self._number) - 1)
            case "right" if not ended:
                self._go_to((self._goal or self._number) + 1)
            case "enter" if digits:
                if int(digits):
                    self._go_to(int(digits))
            case "space" | "plus" | "equals_sign" | "minus" | "right":
                pass  # the keys of the tour mean nothing else at its end
            case _ if key.isdecimal():
                self._digits = (digits + key)[-2:]
            case _:
                self._take_over()
        self._show_caption()

    def _go_to(self, number: int) -> None:
        """Show step ``number`` from its beginning; after the last step, go to the end."""
        number = max(1, min(number, len(self.tour.steps) + 1))
        if number > self._number:
            self._goal = number
            self._hurry()
        else:
            self.again = Start(number, self.pace.speed, self.pace.paused)
            self.exit()

    def _hurry(self) -> None:
        """Wait for nothing until the goal is reached, and show nothing in between."""
        if self.output is not None:
            self.output.leave()
        self.pace.change(hurries=True)

    def _arrive(self) -> None:
        self._goal = 0
        self.pace.change(hurries=False)
        self.redraw()

    def _take_over(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
        if self._goal:
            self._arrive()
        self.set_free()
        self.pace.change(hurries=True)  # answers that are late arrive now
        if self._window is not None:
            self.post_message(Resize(self._window, self._window))
        self.tell("You're in control now. All data is demo data and is deleted when you quit.", title="Demo")

    # -- the tour -----------------------------------------------------------------------------------------------------

    def on_ready(self) -> None:
        super().on_ready()
        if self._goal:
            self._hurry()
        self._playing = asyncio.get_running_loop().create_task(self._teach() if self.tour.tutor else self._play())
        self._show_caption()

    async def _play(self) -> None:
        try:
            await self.pace.wait(Step(caption=self.caption).seen_for)
            await play(self, self)
        except OffTheTour as error:
            caption, hint = f"The tour stopped: {error}. Press any key to continue from here.", ""
        else:
            self._number += 1
            caption, hint = _ENDED, _ENDED_HINT
        self._playing = None
        if self._goal:
            self._arrive()
        self._say(caption, hint)

    async def _teach(self) -> None:
        self.let_time_pass()
        for number, step in enumerate(self.tour.steps, 1):
            self._asked.clear()
            await self.begins(number, step)
            if self._goal:
                self._asked.set()
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
                    if self._goal:
                        self._arrive()
                    self._say(self.caption, "This step is not possible here. Press Esc to go back, then F1.")
                    continue
                break
            self._hint = _TUTOR_HINT
        self._number += 1
        self._say(_LEARNED, "F4 goes back a step")

    async def begins(self, number: int, step: Step) -> None:
        self.caption, self._number = step.caption or self.caption, number
        self._keys.clear()
        if number == self._goal:
            self._arrive()
        if not self._goal:
            self._show_caption()
        await self.pace.wait(LEAD if step.caption else 0)

    async def between(self, action: Action) -> None:
        self._keys.action = action
        await self.pace.wait(self._rhythm.before(action))

    async def press(self, event: Typed) -> None:
        self._show_key(event)
        await super().press(event)

    async def perform(self, command_id: str) -> None:
        self._show_key(None)
        await super().perform(command_id)

    async def passes(self, seconds: float) -> None:
        while seconds > 0:
            one = min(1.0, seconds)
            await self.pace.wait(one)
            self.stage.time.pass_by(one)
            seconds -= one

    async def ends(self, step: Step) -> None:
        await self.pace.wait(step.seen_for)

    # -- the caption --------------------------------------------------------------------------------------------------

    def _say(self, caption: str, hint: str) -> None:
        self.caption, self._hint = caption, hint
        self._show_caption()

    def _show_key(self, event: Typed | None) -> None:
        self._keys.add(self, event)
        if not self._goal:
            self._show_caption()

    def _show_caption(self) -> None:
        """Write the caption below the program, where the framework writes nothing."""
        if self._driver is None or self._window is None or not self.is_touring or self.is_headless:
            return
        width = min(self.size.width, self._window.width)
        strips = caption_strips(self, width, self.caption, *self._last_line(width))
        top = min(self.size.height, self._window.height - CAPTION_LINES)
        # Clear what a larger terminal shows beside the program. Then the caret returns to where the framework put it.
        clear = "".join(f"\x1b[{row};{width + 1}H\x1b[K" for row in range(1, top + 1) if width < self._window.width)
        text = "".join(f"\x1b[{top + n};1H{strip.render(self.console)}\x1b[K" for n, strip in enumerate(strips, 1))
        self._driver.write(f"\x1b7\x1b[m{clear}{text}\x1b[0m\x1b8")
        self._driver.flush()

    def _last_line(self, width: int) -> tuple[Line, str]:
        """A hint, or the keys of the step; and the text at the right end of the line."""
        digits = self._digits
        if self._hint or not self._performing or self._playing is None:
            hint = self._number_hint(int(digits)) if digits else self._hint
            return Line(width).gap(INDENT).add(hint, Palette.of(self.theme_variables).label), self.place
        hints, least = self._hints
        place, room = self.place, width - INDENT - 4
        if len(place) + len(least[-1]) > room:
            place = self._progress
        kept = next((hint for hint in least if len(hint) + len(place) <= room), least[-1])
        keys = self._keys.line(self, width, len(place) + (len(kept) + 2 if kept else 0))
        hint = next((hint for hint in hints if len(hint) + len(place) + 4 <= keys.left), kept)
        return keys, f"{hint}  {place}" if hint else place

    @property
    def _hints(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The hints for which the keys of the step may leave room, and those for which they must; longest first."""
        if self._goal:
            return (), (f"going to {self._named(self._goal)}…",)
        if self._digits:
            hint = self._number_hint(int(self._digits))
            return (), (f"paused · {hint}", "paused") if self.is_paused else (hint,)
        return (_PAUSED_HINTS, _STILL_PAUSED) if self.is_paused else (_HINTS, ("",))

    def _number_hint(self, number: int) -> str:
        return f"⏎ goes to {self._named(number)}" if number else "there is no step 0"

    def _named(self, number: int) -> str:
        """The step ``number`` in words; every number after the last step means the end."""
        return f"step {number}" if number <= len(self.tour.steps) else "the end"

    @property
    def place(self) -> str:
        """The number of the step, with the best window if this one is too small, and a speed that was changed."""
        best = None if self.tour.tutor else self._best_window
        return f"best at {best[0]}x{best[1]}  {self._progress}" if best else self._progress

    @property
    def _best_window(self) -> tuple[int, int] | None:
        """The window in which the tour would be shown better; None if it is shown as well as possible.

        A larger size of the tour counts if the window only lacks the lines of the caption for it.
        """
        sizes = [self.tour.size] if self.forgives else []
        if (window := self._window) is not None and not sizes:
            sizes = [
                (columns, lines)
                for columns, lines in self.tour.more_sizes
                if (columns, lines) > self.tour.size
                and columns <= window.width
                and lines <= window.height < lines + CAPTION_LINES
            ]
        if not sizes:
            return None
        columns, lines = max(sizes)
        return columns, lines + CAPTION_LINES

    @property
    def _progress(self) -> str:
        """The number of the step, with the speed if the viewer has changed it."""
        count = len(self.tour.steps)
        speed = f"{self.pace.speed:g}×  " if self.pace.speed != self.tour.speed else ""
        return f"{speed}{min(self._number, count)}/{count}" if self._number else speed
