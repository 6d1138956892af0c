"""The read-only lock: set, explained, unlocked if possible, and set again after idle minutes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from chartui.core.clock import Monotonic, monotonic
from chartui.core.lock import LockedBy

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.loading import Stoppable

#: The group of the workers that apply plans.
PLANS: Final = "plans"
_A_MINUTE: Final = 60.0
#: Minimum seconds between two checks, while a running plan delays the lock.
_LEAST: Final = 1.0


class Relock:
    """Locks the open production profile after ``minutes`` without a key or a click; never with 0.

    Staged changes are kept, and a running plan is not interrupted: the lock follows when it ends. ``later(seconds,
    do)`` starts a timer. ``later`` and ``ticks`` can be replaced in tests.
    """

    def __init__(
        self,
        app: ChartuiApp,
        minutes: float,
        *,
        later: Callable[[float, Callable[[], None]], Stoppable],
    ) -> None:
        self.later = later
        self.ticks: Monotonic = monotonic
        self._app = app
        self._minutes = minutes
        self._touched = 0.0
        self._timer: Stoppable | None = None
        self._unread = ""

    def touch(self) -> None:
        """A key or mouse button was pressed. A user who is back sees that the profile was locked."""
        self._touched = self.ticks()
        if self._timer is None:
            self.watch()
        if self._unread:
            self._app.tell(self._unread, title="Read-only", severity="warning")
            self._unread = ""

    def watch(self) -> None:
        """Check again when the time is over, as long as something can be locked."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._minutes and self._unlocked:
            self._timer = self.later(max(_LEAST, self._left), self._look)

    @property
    def ends(self) -> tuple[str, ...]:
        """When the open profile locks again, in words; empty if it does not."""
        profile = self._app.session.profile
        idle = (f"chartui has been idle for {self._idle_time}",) if self._minutes and profile.production else ()
        return (*idle, *(("you quit",) if profile.read_only else ()))

    @property
    def _idle_time(self) -> str:
        return f"{self._minutes:g} {'minute' if self._minutes == 1 else 'minutes'}"

    @property
    def _unlocked(self) -> bool:
        session = self._app.session
        return session.profile.production and not session.read_only

    @property
    def _left(self) -> float:
        return self._minutes * _A_MINUTE - (self.ticks() - self._touched)

    def _look(self) -> None:
        self._timer = None
        app = self._app
        applying = any(worker.group == PLANS and not worker.is_finished for worker in app.workers)
        if self._left > 0 or applying or not self._unlocked:
            self.watch()
            return
        app.session.relock()
        app.work.refresh_bars()
        name, key = app.session.profile.name, app.keymap.name("lock")
        self._unread = (
            f"'{name}' was locked after {self._idle_time} of inactivity. Staged changes are kept. "
            f"Use {key} to unlock it."
        )
        app.tell(self._unread, title="Read-only", severity="warning")


async def turn_lock(app: ChartuiApp) -> None:
    """Lock, or unlock where that is possible, or name the lock in force. Awaited in a worker."""
    from chartui.tui.widgets.questions import TypeName

    session = app.session
    name = session.profile.name
    if not session.read_only:
        session.relock()
        app.work.refresh_bars()
        app.tell(
            f"'{name}' is read-only now. Use {app.keymap.name('lock')} to unlock it.", title="Read-only", topic="lock"
        )
    elif session.locked_by is not LockedBy.PROFILE:
        app.tell(session.lock.refusal("unlocking"), title="Read-only")
    elif await app.push_screen_wait(TypeName("Unlock?", _question(app), name)) and session.unlock(name):
        app.work.refresh_bars()
        app.relock.watch()
        until = f" until {' or '.join(ends)}" if (ends := app.relock.ends) else ""
        app.tell(
            f"'{name}' is unlocked{until}. {app.keymap.name('lock')} locks it again.",
            title="Unlocked",
            topic="lock",
        )


def _question(app: ChartuiApp) -> str:
    """What set the lock, and how long unlocking lasts."""
    profile = app.session.profile
    name = f"profile '{profile.name}'"
    why = f"The {name} is set to read-only." if profile.read_only else f"You locked the {name} in this session."
    if ends := app.relock.ends:
        why += f" Once unlocked, the profile stays unlocked until {' or '.join(ends)}. The profile file is not changed."
    return f"{why}\n\nType the profile's name to unlock it."
