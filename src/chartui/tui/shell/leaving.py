"""Leaving the program, or the profile that is open, while something is begun and not saved: asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.tui.widgets.confirm import Confirm

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["may_leave", "quit_program"]


async def may_leave(app: ChartuiApp, deed: str) -> bool:
    """Whether the open profile may be left: asked where something is not saved; ``deed`` is what agreeing is called.

    To be awaited in a worker.
    """
    notes = [note for screen in app.work if (note := screen.leaving())]
    return not notes or await app.push_screen_wait(Confirm("Not saved yet", " ".join(notes), deed))


async def quit_program(app: ChartuiApp) -> None:
    """Leave, after asking where something is not saved."""
    if await may_leave(app, "Leave"):
        app.exit()
