"""Opening profiles, switching to another one while the program runs, and leaving the open one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, ProfileError, ProfileKind
from chartui.core.session import Reach, Session, open_session, unlocking
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation
from chartui.tui.connection import LOST, STORE

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


@dataclass(eq=False)
class Opening:
    """Opens profiles for the person at ``app``.

    ``read_only``, ``theme`` and ``screen`` are flags of the command line, which go before what a profile says (the last
    at the start only); ``throwaway`` keeps demo data in a folder that goes with the session. ``welcome`` says that
    nobody has chosen a profile yet. ``clock`` and ``ids`` are for tests, ``reach`` for demos.
    """

    read_only: bool = False
    throwaway: bool = False
    theme: str | None = None
    screen: str | None = None
    welcome: bool = False
    clock: Clock = system_clock
    ids: Ids = random_ids
    reach: Reach | None = None
    app: ChartuiApp | None = None
    _questions: list[Future[str]] = field(default_factory=list)

    def throws_away(self, profile: Profile) -> bool:
        """Whether what is done on a profile goes with the program."""
        return self.throwaway and profile.kind is ProfileKind.DEMO

    def open(self, profile: Profile, *, anew: bool = False) -> Session:
        """Open ``profile``; ``anew`` puts the demo data back as they come, when the store is first used.

        Raises :class:`~chartui.core.profiles.ProfileError`.
        """
        from chartui import demos

        return open_session(
            profile,
            read_only=self.read_only,
            throwaway=self.throws_away(profile),
            fill=lambda store: (demos.refill if anew else demos.fill)(store, ids=self.ids, clock=self.clock),
            ask=self.ask,
            confirm=self.confirm,
            clock=self.clock,
            ids=self.ids,
            origin="terminal UI",
            reach=self.reach,
            unlocked_by=lambda: self.app.unlock_key if self.app is not None else unlocking(profile),
        )

    # -- questions ----------------------------------------------------------------------------------------------------

    def ask(self, what: str) -> str:
        """Ask for a key; empty when nobody gave one. Blocks, so it is called on a thread of its own."""
        answer: Future[str] = Future()
        self._questions.append(answer)
        app = self.app
        if app is None or not app.call_later(self._show_question, what, answer):
            answer.set_result("")
        try:
            return answer.result()
        finally:
            self._questions.remove(answer)

    def _show_question(self, what: str, answer: Future[str]) -> None:
        from chartui.tui.shell.api_key import KeyQuestion

        assert self.app is not None  # noqa: S101 - it has called this

        def answered(text: str | None) -> None:
            if not answer.done():
                answer.set_result(text or "")

        note = "It is kept in memory while the program runs, and written nowhere."
        self.app.push_screen(KeyQuestion(what, note), answered)

    def give_up(self) -> None:
        """Answer every question that is still open with nothing: the program ends, and waits for who asked."""
        for answer in tuple(self._questions):
            if not answer.done():
                answer.set_result("")

    async def confirm(self, operation: Operation, payload: Mapping[str, Wire]) -> bool:
        """Ask before the first change of a production profile, by having its name typed."""
        from chartui.tui.widgets.questions import TypeName

        del payload
        if self.app is None:
            return False
        name = self.app.session.profile.name
        message = (
            f"{name} is a production profile. This would be the first change of this session: {operation.summary}.\n\n"
            "Type its name to let this and the following changes through. Nothing has been sent yet."
        )
        question = TypeName("Change production?", message, name)
        answer: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()

        def answered(agreed: bool | None) -> None:
            if not answer.done():
                answer.set_result(agreed)

        self.app.push_screen(question, answered)
        try:
            return bool(await answer)
        finally:
            if question.is_current:  # whoever wanted the change has given it up
                question.dismiss(False)


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


async def may_leave(app: ChartuiApp, deed: str) -> bool:
    """Whether the open profile may be left: asked where something is not saved; ``deed`` is what agreeing is called.

    To be awaited in a worker.
    """
    from chartui.tui.widgets.questions import Confirm

    notes = [note for screen in app.work if (note := screen.leaving())]
    return not notes or await app.push_screen_wait(Confirm("Not saved yet", " ".join(notes), deed))


async def quit_program(app: ChartuiApp) -> None:
    """Leave, after asking where something is not saved."""
    if await may_leave(app, "Leave"):
        app.exit()
