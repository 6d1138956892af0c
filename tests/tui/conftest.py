"""The terminal UI under test: nothing moves by itself, and a screen is compared as text before its colours."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual._styles_cache import StylesCache
from textual.pilot import Pilot

from chartui.core.config import Config
from chartui.core.session import Session
from chartui.tui.shell.opening import Opening
from chartui.tui.terminal import Terminal
from tests.tui.sessions import demo
from tests.tui.user import NARROW, User, Watched, run_app


class TextScreen(SingleFileSnapshotExtension):
    """A screen as plain text, beside the picture of it."""

    _file_extension = "txt"
    _write_mode = WriteMode.TEXT


class Screen(Protocol):
    """Compares what a user sees with its snapshots."""

    def __call__(
        self,
        play: Callable[[User], Awaitable[None]] | None = None,
        *,
        session: Session | None = None,
        size: tuple[int, int] = NARROW,
        screen: str = "estimator",
        character: str | None = None,
        opening: Opening | None = None,
        config: Config | None = None,
        terminal: Terminal | None = None,
    ) -> None:
        """Open the program in a window of ``size`` (columns, lines), let ``play`` use it, and compare."""
        ...


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the tests that are coroutines, each in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    run_app(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture(autouse=True)
def _frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No animation and no blinking cursor: both make a picture depend on the moment it is taken."""
    from textual.widgets import Input, TextArea

    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """Let go of what the program has painted: a cache of the framework holds on to the widgets that asked it."""
    yield
    StylesCache.get_inner_outer.cache_clear()


@pytest.fixture
def screen(snap_compare: Callable[..., bool], snapshot: SnapshotAssertion) -> Screen:
    """Compare a screen with its two snapshots: the text first, since a difference in it can be read in a log.

    For plain test functions; ``snap_compare`` runs an event loop of its own.
    """
    text_snapshot = snapshot.use_extension(TextScreen)

    def check(
        play: Callable[[User], Awaitable[None]] | None = None,
        *,
        session: Session | None = None,
        size: tuple[int, int] = NARROW,
        screen: str = "estimator",
        character: str | None = None,
        opening: Opening | None = None,
        config: Config | None = None,
        terminal: Terminal | None = None,
    ) -> None:
        app = Watched(
            session or demo(),
            screen_name=screen,
            character=character,
            opening=opening,
            config=config,
            terminal=terminal,
        )
        texts: list[str] = []

        async def prepare(pilot: Pilot[int]) -> None:
            user = User(app, pilot)
            await user.ready()
            if play is not None:
                await play(user)
            await user.rests()
            texts.append(user.screen)

        same_picture = snap_compare(app, terminal_size=size, run_before=prepare)
        assert texts[0] == text_snapshot
        assert same_picture, "The text is the same, colours or styles differ: see snapshot_report.html."

    return check
