"""An event loop that reports when it is at rest, so that a picture is never taken halfway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from selectors import DefaultSelector, SelectorKey
from typing import Any, TypeVar, TypeVarTuple

from textual.app import App
from textual.screen import Screen

__all__ = ["RestingLoop", "drawn_at_rest"]

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class _Selector(DefaultSelector):
    """Asks for more work whenever the loop is about to sleep."""

    def __init__(self, idle: Callable[[], bool]) -> None:
        super().__init__()
        self._idle = idle

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """The files that are ready; waits for them only if the loop has nothing else to do."""
        if timeout is not None and timeout <= 0:
            return super().select(timeout)
        return super().select(0) or ([] if self._idle() else super().select(timeout))


class RestingLoop(asyncio.SelectorEventLoop):
    """An event loop that can be awaited until it is at rest: no callback is ready to run, no thread works for it.

    Comparing processor time with the clock, as the framework does, reports rest too early on a busy machine, where a
    process may wait for its turn, and takes 20 ms on an idle one. Timers and sockets do not count: waiting for those
    needs to say for what.
    """

    def __init__(self) -> None:
        self._threads: set[asyncio.Future[Any]] = set()
        self._resting: list[asyncio.Future[None]] = []
        self._idle: list[asyncio.Future[None]] = []
        super().__init__(_Selector(self._wake))

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Arguments], Result], *args: *Arguments
    ) -> asyncio.Future[Result]:
        """As in any loop; until the result is there the loop is not at rest."""
        future = super().run_in_executor(executor, func, *args)
        self._threads.add(future)
        future.add_done_callback(self._threads.discard)
        return future

    async def rest(self) -> None:
        """Wait until the loop is at rest."""
        await self._among(self._resting)

    async def idle(self) -> None:
        """Wait until no callback is ready to run, whether or not threads are still at work."""
        await self._among(self._idle)

    async def _among(self, waiting: list[asyncio.Future[None]]) -> None:
        future: asyncio.Future[None] = self.create_future()
        waiting.append(future)
        await future

    def _wake(self) -> bool:
        """Resume what waits for this moment; returns whether anything did."""
        woken = [*self._idle, *(() if self._threads else self._resting)]
        self._idle.clear()
        if not self._threads:
            self._resting.clear()
        for future in woken:
            if not future.done():
                future.set_result(None)
        return bool(woken)


async def drawn_at_rest(app: App[Any], *, threads: bool = True) -> None:
    """Wait until the loop of ``app`` is at rest, or without ``threads`` idle, and the screen in front is drawn.

    The loop must be a :class:`RestingLoop`.
    """
    loop = asyncio.get_running_loop()
    assert isinstance(loop, RestingLoop)  # noqa: S101 - chosen where the app is started
    while True:
        await (loop.rest() if threads else loop.idle())
        if not app.is_running or not _is_due(app.screen):
            break
        app.screen._on_timer_update()


def _is_due(screen: Screen[Any]) -> bool:
    """Whether a screen waits for its timer, which draws it at most 60 times a second."""
    drawing = (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
    )
    return bool(screen._callbacks or (drawing and screen.is_current and not screen.app._batch_count))
