"""The read-only lock: why it is there, how it is lifted, and how it is put on again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.lock import LockedBy
from chartui.core.session import READ_ONLY_VARIABLE
from chartui.tui.shell.naming import TypeName

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["turn_lock"]


async def turn_lock(app: ChartuiApp) -> None:
    """Put the lock on, or say who set it and lift it where that can be done here. Awaited in a worker."""
    session = app.session
    name = session.profile.name
    match session.locked_by:
        case None:
            session.relock()
            app.work.refresh_bars()
            app.tell(f"'{name}' is locked: nothing can be changed until the lock is lifted.", title="Read-only")
        case LockedBy.FLAG:
            app.tell(
                "Locked by --read-only on the command line. It cannot be lifted here: start the program without it.",
                title="Read-only",
            )
        case LockedBy.ENVIRONMENT:
            app.tell(
                f"Locked by the environment variable {READ_ONLY_VARIABLE}. It cannot be lifted here: start the program "
                "without it.",
                title="Read-only",
            )
        case LockedBy.PROFILE:
            if await app.push_screen_wait(TypeName("Lift the lock?", _question(app), name)) and session.unlock(name):
                app.work.refresh_bars()
                app.tell(
                    f"'{name}' can be changed until the program ends, or the lock is put on again.", title="Unlocked"
                )


def _question(app: ChartuiApp) -> str:
    """Who set the lock, and how far lifting it goes."""
    profile = app.session.profile
    who = "Its profile says read_only" if profile.read_only else "It was locked here"
    return (
        f"'{profile.name}' is read-only. {who}. Lifted, it can be changed until the program ends; "
        "the file of profiles stays as it is.\n\nType its name to lift the lock."
    )
