"""The read-only lock: set, named, and lifted where that can be done here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.lock import LockedBy
from chartui.tui.shell.naming import TypeName

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["turn_lock"]


async def turn_lock(app: ChartuiApp) -> None:
    """Set the lock, or name what holds it and lift it where that can be done here. Awaited in a worker."""
    session = app.session
    name = session.profile.name
    if not session.read_only:
        session.relock()
        app.work.refresh_bars()
        app.tell(f"'{name}' is read-only now. {app.unlock_key} unlocks it.", title="Read-only")
    elif session.locked_by is not LockedBy.PROFILE:
        app.tell(session.lock.refusal("unlocking"), title="Read-only")
    elif await app.push_screen_wait(TypeName("Unlock?", _question(app), name)) and session.unlock(name):
        app.work.refresh_bars()
        app.relock.watch()
        ends = ", ".join(app.relock.ends)
        app.tell(f"'{name}' can be changed until {ends} or {app.unlock_key} locks it again.", title="Unlocked")


def _question(app: ChartuiApp) -> str:
    """What set the lock, and how far lifting it goes."""
    profile = app.session.profile
    who = "Its profile says read_only" if profile.read_only else "It was locked here"
    return (
        f"'{profile.name}' is read-only. {who}. Unlocked, it can be changed until {' or '.join(app.relock.ends)}; "
        "the profile itself stays as it is.\n\nType its name to unlock it."
    )
