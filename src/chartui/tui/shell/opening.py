"""How profiles are opened in this run of the program, and the two questions that an open one may have."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.session import Reach, Session, open_session, unlocking
from chartui.core.spec.operation import Operation

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["Opening"]


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
        from chartui.tui.shell.secret import KeyQuestion

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
        from chartui.tui.shell.naming import TypeName

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
