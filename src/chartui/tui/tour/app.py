"""The program on the stage of a tour, on an event loop that reports when it is idle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from selectors import DefaultSelector, SelectorKey
from typing import Any, Final, TypeVar, TypeVarTuple

from textual.app import App
from textual.events import Event, Paste
from textual.screen import Screen
from textual.widgets import Input, TextArea

from chartui.commands import Command, commands_for
from chartui.demos.stage import Stage
from chartui.demos.tour import Service, Tour
from chartui.tui.app import ChartuiApp
from chartui.tui.shell.open_profile import Opening
from chartui.tui.typeahead import Typed
from chartui.tui.widgets.line_view import LineView

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class _Selector(DefaultSelector):
    """Asks for more work whenever the loop is about to sleep, and then how long it should sleep."""

    def __init__(self, idle: Callable[[], bool], sleep: Callable[[float | None], float | None]) -> None:
        super().__init__()
        self._idle = idle
        self._sleep = sleep

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """The files that are ready; waits for them only if the loop has nothing else to do."""
        if timeout is not None and timeout <= 0:
            return super().select(timeout)
        return super().select(0) or ([] if self._idle() else super().select(self._sleep(timeout)))


class RestingLoop(asyncio.SelectorEventLoop):
    """An event loop that can be awaited until it is at rest: no callback is ready to run, and no thread is at work.

    Comparing processor time with the clock, as the framework does, reports rest too early on a busy machine, where a
    process may wait for its turn, and takes 20 ms on an idle one. Timers and sockets do not count: waiting for those
    needs to say for what.

    :meth:`skipping` makes timers fire without waiting for them.
    """

    def __init__(self) -> None:
        self._threads: set[asyncio.Future[Any]] = set()
        self._resting: list[asyncio.Future[None]] = []
        self._idle: list[asyncio.Future[None]] = []
        self._skips = False
        self._skipped = 0.0
        super().__init__(_Selector(self._wake, self._slept))

    def time(self) -> float:
        return super().time() + self._skipped

    @contextmanager
    def skipping(self) -> Iterator[None]:
        """Whenever the loop is at rest, move its clock to the next timer instead of waiting for it."""
        before, self._skips = self._skips, True
        try:
            yield
        finally:
            self._skips = before

    def _slept(self, seconds: float | None) -> float | None:
        """The seconds to sleep, of the ``seconds`` until the next timer."""
        if not self._skips or self._threads or seconds is None:
            return seconds
        self._skipped += seconds
        return 0

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Arguments], Result], *args: *Arguments
    ) -> asyncio.Future[Result]:
        """As in any loop; the loop is not at rest until the result arrives."""
        future = super().run_in_executor(executor, func, *args)
        self._threads.add(future)
        future.add_done_callback(self._threads.discard)
        return future

    async def rest(self) -> None:
        await self._among(self._resting)

    async def idle(self) -> None:
        """Wait until no callback is ready to run, even if threads are still at work."""
        await self._among(self._idle)

    async def _among(self, waiting: list[asyncio.Future[None]]) -> None:
        future: asyncio.Future[None] = self.create_future()
        waiting.append(future)
        await future

    def _wake(self) -> bool:
        """Resume the tasks waiting for this moment; returns whether there were any."""
        woken = [*self._idle, *(() if self._threads else self._resting)]
        self._idle.clear()
        if not self._threads:
            self._resting.clear()
        for future in woken:
            if not future.done():
                future.set_result(None)
        return bool(woken)


async def drawn_at_rest(app: App[Any], *, threads: bool = True) -> None:
    """Wait until the loop of ``app`` is at rest, or without ``threads`` idle, and the screens in sight are drawn.

    The loop must be a :class:`RestingLoop`.
    """
    loop = asyncio.get_running_loop()
    assert isinstance(loop, RestingLoop)  # noqa: S101 - chosen where the app is started
    while True:
        await (loop.rest() if threads else loop.idle())
        # A dialog leaves the screen behind it in sight, which is laid out by a timer of its own.
        due = [screen for screen in (*app._background_screens, app.screen) if _is_due(screen)] if app.is_running else []
        if not due:
            break
        for screen in due:
            screen._on_timer_update()


def _is_due(screen: Screen[Any]) -> bool:
    """Whether a screen waits for its timer, which draws it at most 60 times a second.

    A screen behind a dialog always asks to be repainted, and is repainted with the one in front.
    """
    drawing = screen._layout_required or screen._scroll_required or screen._recompose_required
    if screen is screen.app.screen:
        drawing = drawing or screen._repaint_required or bool(screen._dirty_widgets)
    return bool(screen._callbacks or (drawing and screen.is_current and not screen.app._batch_count))


#: Seconds between two checks of what is not reported.
_LOOK: Final = 0.005
#: Longer than any tour, in seconds: a message stays until the next step.
_STAYS: Final = 86_400.0
_A_SECOND: Final = 1.0


class StagedApp(ChartuiApp):
    """The workbench as ``tour`` begins it on ``stage``; ``theme`` goes before the tour's own."""

    def __init__(self, tour: Tour, stage: Stage, *, theme: str | None = None, read_only: bool = False) -> None:
        opening = Opening(
            read_only=read_only or tour.read_only,
            lasting=False,
            theme=theme or tour.theme_name,
            reach=stage.service.reach,
        )
        super().__init__(opening.open(stage.profile), screen_name=tour.screen, opening=opening)
        self.tour = tour
        self.stage = stage
        self.connection.ticks, self.connection.later = stage.time.ticks, stage.time.later
        # The tour waits for the effect of its key.
        self.typeahead.patience = 2.0
        self._by_hand: list[Typed] = []
        #: How many keys have had no effect so far.
        self.lost = 0
        self._free = False
        self.message_seconds = _STAYS

    def run(self, *arguments: Any, **options: Any) -> Any:
        with asyncio.Runner(loop_factory=RestingLoop) as runner:
            return super().run(*arguments, loop=runner.get_loop(), **options)

    # -- the hand -----------------------------------------------------------------------------------------------------

    def is_by_hand(self, event: Event) -> bool:
        """Whether the tour pressed this key rather than the user."""
        return any(event is pressed for pressed in self._by_hand)

    async def press(self, event: Typed) -> None:
        self._by_hand.append(event)
        taken = asyncio.Event()
        self.post_message(event)
        self.call_later(taken.set)
        await taken.wait()
        while self.typeahead.busy and self.is_running:
            await asyncio.sleep(_LOOK)
        self._by_hand.remove(event)

    async def perform(self, command_id: str) -> None:
        """Perform a command as the palette does, and wait until it is done."""
        done = asyncio.Event()
        self.call_later(self.action_command, command_id)
        self.call_later(done.set)
        await done.wait()

    def command_here(self, command_id: str) -> Command | None:
        """The command with this id on the screen in front or of the whole program; None if there is none."""
        return next((c for c in (*commands_for(self.scope), *commands_for("app")) if c.id == command_id), None)

    # -- keys without an effect ---------------------------------------------------------------------------------------

    def loses_key(self) -> None:
        """Note that nothing on the screen took the last key, or that it came too early."""
        self.lost += 1

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        taken = await super()._check_bindings(key, priority)
        # The bindings without priority come last, after every widget has had the key.
        if not taken and not priority:
            self.loses_key()
        return taken

    async def on_event(self, event: Event) -> None:
        # A text area passes on what it has inserted.
        if isinstance(event, Paste) and event.is_forwarded and not isinstance(self.focused, TextArea):
            self.loses_key()
        await super().on_event(event)

    def refuse_typed_ahead(self, *, secret: bool = False) -> bool:
        refused = super().refuse_typed_ahead(secret=secret)
        if refused:
            self.loses_key()
        return refused

    # -- waiting ------------------------------------------------------------------------------------------------------

    @property
    def is_waiting(self) -> bool:
        """Whether a visible change is pending: a cursor that comes to rest, an answer of the service."""
        views = (view for screen in self.screen_stack for view in screen.query(LineView))
        if not all(view.at_rest for view in views):
            return True
        if self.stage.service.behaves is Service.SILENT:
            return False
        # The estimator marks old figures, other screens that they are reading; the requests screen waits for nothing.
        state: Any = getattr(self.work.present, "state", None)
        return bool(getattr(state, "stale", False) or getattr(state, "loading", False))

    async def settle(self) -> None:
        """Wait until everything under way has arrived and is drawn."""
        while self.is_running:
            await drawn_at_rest(self)
            if not self.is_waiting and not self.typeahead.busy:
                break
            await asyncio.sleep(_LOOK)
        self._stop_blinking()

    def _stop_blinking(self) -> None:
        """Show every caret: a picture must not depend on timing."""
        for box in self.screen.query(Input):
            box.cursor_blink = False
        for area in self.screen.query(TextArea):
            area.cursor_blink = False

    # -- the end of a tour --------------------------------------------------------------------------------------------

    def set_free(self) -> None:
        """Continue without the tour: messages expire, time passes, and the service answers."""
        self._free = True
        self.clear_notifications()
        self.stage.service.behaves = Service.HERE
        self.stage.service.latency = 0.0
        self.let_time_pass()

    def let_time_pass(self) -> None:
        """Let messages expire, and time pass as it does."""
        self.message_seconds = self.NOTIFICATION_TIMEOUT
        self.set_interval(_A_SECOND, lambda: self.stage.time.pass_by(_A_SECOND))
