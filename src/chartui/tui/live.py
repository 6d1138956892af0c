"""Live refresh: reads what is in sight again every few seconds, for a profile that asks for it.

It stays out of the way: while a dialog is open, text is typed, or a read runs, nothing is read. Trouble with the
connection stops it: the next try belongs to :class:`chartui.tui.connection.Watch`.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from textual.widgets import Input, TextArea

from chartui.tui.widgets.bars import TROUBLE
from chartui.tui.widgets.screen import WorkScreen

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.loading import Stoppable

#: Seconds without a key or click after which refreshing slows down, and by how much.
IDLE: Final = 300.0
SLOWER: Final = 4
#: How much a wait varies, so that the programs of a team do not all ask at the same moment.
JITTER: Final = 0.1
#: The longest wait after failed reads, as a power of two.
_MOST_FAILED: Final = 3


class LiveRefresh:
    """Refreshes the screen in sight every ``refresh`` seconds of the open profile, until :meth:`stop`.

    After each failed read the wait doubles, up to eight times.
    """

    def __init__(self, app: ChartuiApp) -> None:
        self._app = app
        self._timer: Stoppable | None = None
        self._failed = 0
        self.touch()
        self._wait()

    def touch(self) -> None:
        """A key or mouse button was pressed."""
        self._touched = self._app.connection.ticks()

    @property
    def hindrance(self) -> str:
        """What stops or slows down refreshing now, apart from a dialog; empty if nothing does."""
        trouble, present = self._app.connection.state.trouble, self._app.work.present
        if trouble is not None:
            return f"stopped: {TROUBLE[trouble]}"
        if present is None or not present.LIVE:
            return "not on this screen"
        return f"{2**self._failed} times slower after failed reads" if self._failed else ""

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    def _wait(self) -> None:
        connection, seconds = self._app.connection, self._app.session.profile.refresh
        idle = connection.ticks() - self._touched > IDLE
        seconds *= random.uniform(1 - JITTER, 1 + JITTER) * 2**self._failed * (SLOWER if idle else 1)  # noqa: S311
        self._timer = connection.later(seconds, self._look)

    def _look(self) -> None:
        app, screen = self._app, self._app.screen
        if isinstance(screen, WorkScreen) and screen.LIVE and self._undisturbed(screen):
            failed = screen.SCOPE in app.connection.state.late
            self._failed = min(self._failed + 1, _MOST_FAILED) if failed else 0
            app.connection.unasked = True
            screen.refresh_data()
        self._wait()

    def _undisturbed(self, screen: WorkScreen) -> bool:
        app = self._app
        typing = isinstance(app.focused, (Input, TextArea))
        return not (app.connection.state.trouble or typing or app.typeahead.busy or screen.under_way("read"))
