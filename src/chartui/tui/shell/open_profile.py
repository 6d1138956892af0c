"""Opening profiles, switching to another one while the program runs, and leaving the open one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from chartui.commands import command
from chartui.core.bookmark import Bookmark, load_bookmark, remembers
from chartui.core.classes import dataclass
from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.credentials import Key
from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, ProfileError, ProfileKind, check_profile
from chartui.core.session import Reach, Session, open_session, unlocking
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation
from chartui.tui.connection import LOST, STORE

if TYPE_CHECKING:
    from textual.worker import Worker

    from chartui.core.backends.recorder import Call
    from chartui.tui.app import ChartuiApp


@dataclass(eq=False)
class Opening:
    """Opens profiles for the user of ``app``.

    ``read_only``, ``theme`` and ``screen`` are command-line flags that override the profile (the last one at the start
    only); ``remember`` keeps bookmarks as far as profiles and settings allow; ``throwaway`` keeps demo data in a
    temporary folder. Without ``lasting``, drafts are deleted when the program ends, as in a tour. ``welcome`` says that
    no profile has been chosen yet.
    ``clock`` and ``ids`` are for tests, ``reach`` for demos. ``keys`` holds the API keys typed since the start, in
    memory only: each replaces the profile's source. ``kept`` is the bookmark of the open profile as it was read.
    """

    read_only: bool = False
    throwaway: bool = False
    lasting: bool = True
    theme: str | None = None
    screen: str | None = None
    remember: bool = False
    welcome: bool = False
    clock: Clock = system_clock
    ids: Ids = random_ids
    reach: Reach | None = None
    app: ChartuiApp | None = None
    keys: dict[Profile, Key] = field(default_factory=dict)
    kept: Bookmark = field(default_factory=Bookmark)
    _folders: ExitStack = field(default_factory=ExitStack)
    _folder: Path | None = None
    _questions: list[Future[str]] = field(default_factory=list)

    def throws_away(self, profile: Profile) -> bool:
        """Whether changes on a profile are deleted when the program ends."""
        return self.throwaway and profile.kind is ProfileKind.DEMO

    def keeps(self, session: Session) -> bool:
        """Whether what is changed or staged in ``session`` outlives the program."""
        return self.lasting and not session.throwaway

    def remembers(self, profile: Profile, setting: bool | None) -> bool:
        """Whether the bookmark of a profile is kept; ``setting`` is that of ``config.toml``."""
        return self.remember and remembers(profile, setting)

    def bookmark(self, profile: Profile, setting: bool | None) -> Bookmark:
        """The bookmark kept for a profile; an empty one without."""
        self.kept = load_bookmark(profile.place) if self.remembers(profile, setting) else Bookmark()
        return self.kept

    def open(self, profile: Profile, *, reset: bool = False) -> Session:
        """Open ``profile``; ``reset`` resets the demo data when the store is first used.

        Raises :class:`~chartui.core.profiles.ProfileError`.
        """
        profile = check_profile(profile)
        session = open_session(
            profile,
            read_only=self.read_only,
            throwaway=self.throws_away(profile) and self._kept(reset),
            fill=lambda store: (
                _demos().refill(store, ids=self.ids, clock=self.clock)
                if reset
                else _demos().fill(store, clock=self.clock)
            ),
            ask=partial(self.ask, profile),
            confirm=self.confirm,
            clock=self.clock,
            ids=self.ids,
            origin="terminal UI",
            reach=self.reach,
            unlocked_by=lambda: self.app.keymap.name("lock") if self.app is not None else unlocking(profile),
        )
        if key := self.keys.get(profile):
            session.set_key(key)
        if not profile.embedded:
            session.recorder.listen(partial(self._heard, profile))
        return session

    def _heard(self, profile: Profile, call: Call) -> None:
        """Forget a key that the service refuses."""
        if call.error is not None and call.error.kind is ErrorKind.BAD_KEY:
            self.keys.pop(profile, None)

    def _kept(self, reset: bool) -> Path:
        """The folder of the demo data: the same until the program ends, unless the data is reset."""
        if self._folder is None or reset:
            from tempfile import TemporaryDirectory  # not at every start

            folder = TemporaryDirectory(prefix="chartui-", ignore_cleanup_errors=True)
            self._folder = Path(self._folders.enter_context(folder))
        return self._folder

    def close(self) -> None:
        """Delete the temporary data."""
        self._folders.close()

    # -- questions ----------------------------------------------------------------------------------------------------

    def ask(self, profile: Profile, what: str) -> str:
        """Ask for the API key of ``profile``, and keep it in memory; empty if none was given. Blocks, so it is called
        on its own thread.
        """
        answer: Future[str] = Future()
        self._questions.append(answer)
        app = self.app
        if app is None or not app.call_later(self._show_question, what, answer):
            answer.set_result("")
        try:
            text = answer.result()
        finally:
            self._questions.remove(answer)
        with suppress(ServiceError):  # of a text that is no key, which the caller reports
            self.keys[profile] = Key(text)
        return text

    def _show_question(self, what: str, answer: Future[str]) -> None:
        from chartui.tui.shell.api_key import KeyQuestion

        assert self.app is not None  # noqa: S101 - it has called this

        def answered(text: str | None) -> None:
            if not answer.done():
                answer.set_result(text or "")

        note = "The API key is kept in memory until you quit and is never saved."
        self.app.push_screen(KeyQuestion(what, note), answered)

    def give_up(self) -> None:
        """Cancel every open question: the program is ending, and callers stop waiting."""
        for answer in tuple(self._questions):
            if not answer.done():
                answer.set_result("")

    async def confirm(self, operation: Operation, payload: Mapping[str, Wire]) -> bool:
        """Ask before the first change of a production profile by having its name typed."""
        from chartui.tui.widgets.questions import TypeName

        del payload
        if self.app is None:
            return False
        name = self.app.session.profile.name
        message = (
            f"{name} is a production profile. This is the first change of this session: {operation.summary}.\n\n"
            "Nothing has been sent yet. Type the profile's name to allow changes."
        )
        question = TypeName("Change production?", message, name)
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def answered(typed: str | None) -> None:
            if not answer.done():
                answer.set_result(typed)

        self.app.push_screen(question, answered)
        try:
            return bool(await answer)
        finally:
            if question.is_current:  # the change was canceled meanwhile
                question.dismiss()


def _demos() -> ModuleType:
    """The demo data, which is imported when its store is opened."""
    from chartui import demos

    return demos


#: Seconds that a service has to give its first answer.
_PATIENCE: Final = 10.0


class NotOpened(Exception):
    """A profile cannot be opened; the message says why."""


async def open_checked(app: ChartuiApp, profile: Profile, *, reset: bool = False) -> Session:
    """Open ``profile`` and check that it answers; raises :class:`NotOpened`. API keys are not tried: they can be
    entered.
    """
    try:
        session = app.opening.open(profile, reset=reset)
    except (ProfileError, OSError) as error:
        raise NotOpened(str(error)) from None
    try:
        if profile.embedded:
            await session.service.summaries()
        else:
            await session.service.call(operation("options"), {}, refresh=True)
    except ServiceError as error:
        if error.kind in LOST | STORE | {ErrorKind.READ_ONLY}:  # the last one for a store that would be created
            await session.aclose()
            raise NotOpened(error.message) from None
    except BaseException:  # also when the switch is canceled: nothing else would close it
        await session.aclose()
        raise
    return session


async def switch(app: ChartuiApp, session: Session, *, screen: str | None = None) -> None:
    """Work on ``session`` from now on.

    All screens are created again at the places kept for this profile, so that nothing of the old one stays visible or
    pending; data of no profile, such as the estimator's inputs, is kept. The profile's theme and screen are applied,
    unless ``screen`` says where to start. The old session is closed last.
    """
    before, profile = app.session, session.profile
    app.bookmarks.stop()
    bookmark = app.opening.bookmark(profile, app.config.remember)
    app.return_to(bookmark.character)
    app.session = session
    app.connection.begin(session.recorder)
    app.relock.touch()
    app.go_live()
    await app.work.remake(screen or profile.screen or app.scope, bookmark.places)
    app.looks.apply()
    await before.aclose()
    if session.new_store is not None:
        from chartui.tui.shell.history import tell_lost_store

        with suppress(ServiceError):  # of the journal, which says so itself where it is needed
            tell_lost_store(app, await session.lost_store())


async def may_leave(app: ChartuiApp, action: str, notes: Sequence[str] | None = None) -> bool:
    """Whether the open profile may be left; ``action`` labels the button to agree.

    Asks if there are ``notes`` on what would be lost (default: those on staged changes). To be awaited in a worker.
    """
    from chartui.tui.widgets.questions import Confirm

    if notes is None:
        notes = [note for screen in app.work if (note := screen.leaving())]
    return not notes or await app.push_screen_wait(Confirm(f"{action}?", "\n\n".join(notes), action))


def quit_program(app: ChartuiApp) -> None:
    """Quit; ask first, and only once, if something could be lost."""
    if not _lost_by_quitting(app):
        app.exit()
    elif not _asks_to_quit(app):
        # Not in the group of the shell, whose dialog may be the one in front.
        _: Worker[None] = app.run_worker(partial(_ask_to_quit, app), group="quit", description="quit")


async def _ask_to_quit(app: ChartuiApp) -> None:
    if await may_leave(app, "Quit", _lost_by_quitting(app)):
        app.exit()


def _lost_by_quitting(app: ChartuiApp) -> list[str]:
    """Sentences on staged changes, and on text typed into open dialogs and those before them."""
    from chartui.tui.widgets.dialog import Dialog

    dialogs = (screen for screen in app.screen_stack if isinstance(screen, Dialog))
    return [note for holder in (*app.work, *dialogs, app.answers) if (note := holder.leaving())]


def _asks_to_quit(app: ChartuiApp) -> bool:
    return any(worker.group == "quit" and worker.is_running for worker in app.workers)


def quit_note(app: ChartuiApp) -> str:
    """A sentence on what the key that quits does in a window that is too small; empty if no key quits."""
    if _asks_to_quit(app):
        return "A question waits: enlarge the window to answer it."
    key = app.keymap.label("quit")
    return key and f"{key} {'asks before quitting' if _lost_by_quitting(app) else 'quits'}."


def say_how_to_quit(app: ChartuiApp) -> None:
    """Name the key that quits, unless the focused field takes it as text."""
    focused = app.focused
    keys = [
        key
        for key in app.keymap.keys(command("quit"))
        if focused is None or not focused.check_consume_key(key, key if len(key) == 1 else None)
    ]
    if keys:
        kept = app.opening.keeps(app.session)
        what = "Staged changes are kept as a draft" if kept else "The demo data will be deleted"
        app.tell(f"Press {app.keymap.sign(keys[0])} to quit. {what}.", topic="quit")
