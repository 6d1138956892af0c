"""From one profile to another, while the program runs."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from chartui.core.profiles import Profile, ProfileError
from chartui.core.session import Session
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operations import operation
from chartui.tui.connection import LOST, STORE

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["NotOpened", "open_checked", "switch"]

#: Seconds that a service has to give its first answer.
_PATIENCE: Final = 10.0


class NotOpened(Exception):
    """A profile cannot be opened; the message says why."""


async def open_checked(app: ChartuiApp, profile: Profile, *, anew: bool = False) -> Session:
    """``profile``, opened and found to answer; raises :class:`NotOpened`. Keys are not tried: they can be entered."""
    try:
        session = app.opening.open(profile, anew=anew)
    except (ProfileError, OSError) as error:
        raise NotOpened(str(error)) from None
    try:
        if profile.embedded:
            await session.service.summaries()
        else:
            await session.service.call(operation("options"), {}, refresh=True)
    except ServiceError as error:
        if error.kind in LOST | STORE:
            await session.aclose()
            raise NotOpened(error.message) from None
    except BaseException:  # also when the switch is canceled: nobody else would close it
        await session.aclose()
        raise
    return session


async def switch(app: ChartuiApp, session: Session, *, screen: str | None = None) -> None:
    """Work on ``session`` from now on.

    Every screen is made anew, so nothing of the profile before stays in sight or is still awaited; what belongs to no
    profile, such as the estimator's inputs, goes along. The profile's theme and screen are applied, unless ``screen``
    says where to start. The old one is closed last.
    """
    before, profile = app.session, session.profile
    app.character = None
    app.session = session
    app.connection.begin(session.recorder)
    app.relock.touch()
    await app.work.remake(screen or profile.screen or app.scope)
    app.looks.apply()
    await before.aclose()
    if session.new_store is not None:
        from chartui.tui.shell.history import tell_lost_store

        with suppress(ServiceError):  # of the journal, which says so itself where it is needed
            tell_lost_store(app, await session.lost_store())
