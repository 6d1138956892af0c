"""Another key for the open profile, without a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.credentials import Key
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.connection import KEY
from chartui.tui.shell.secret import KeyQuestion

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["enter_key"]


async def enter_key(app: ChartuiApp) -> None:
    """Ask for a key, try it with a read that every account may do, and say what came of it. Awaited in a worker."""
    session = app.session
    if session.keyed is None:
        app.tell(f"Profile '{session.profile.name}' is a store on this machine: it needs no key.")
        return
    source = session.profile.key.describe() if session.profile.key else "the environment variable CHARTUI_API_KEY"
    note = f"For {session.where}. It is used until the program ends, and written nowhere; the next start asks {source}."
    found: list[str] = []

    async def attempt(text: str) -> str | None:
        problem, said = await _try(session, text)
        found[:] = [said]
        return problem

    question = KeyQuestion(f"Another key for {session.profile.name}", note, attempt=attempt)
    if await app.push_screen_wait(question) is None:
        return
    app.tell(*found, title="Key")
    for screen in app.work:
        screen.data_changed()


async def _try(session: Session, text: str) -> tuple[str | None, str]:
    """What is wrong with a key, None when it may be used, and what there is to say about it then."""
    try:
        session.set_key(Key(text))
        await session.service.asking_as("key").summaries()
    except ServiceError as error:
        if error.kind in KEY:
            session.forget_key()
            return error.message, ""
        if error.kind is ErrorKind.TIER:
            return None, f"The key is accepted. {error.message}"
        return None, f"The key is used from now on, but it could not be tried. {error.message}"
    return None, "The key works."
