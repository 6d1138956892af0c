"""The terminal UI under test: nothing moves by itself, and a screen is compared with its pictures."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

import pytest
from syrupy.assertion import SnapshotAssertion
from textual._styles_cache import StylesCache

from chartui.core.config import Config
from chartui.core.session import Session
from chartui.tui.shell.open_profile import Opening
from chartui.tui.terminal import Terminal
from tests.tui.pictures import Drawing, TextScreen, WholeDrawing, drawing, picture
from tests.tui.serving import Time
from tests.tui.user import NARROW, User, opened, run_app


class Screen(Protocol):
    """Compares what a user sees with its pictures."""

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
def screen(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Screen:
    """Compare a screen with its snapshot: its lines with their styles, and the drawing of a test marked ``svg``.

    The top line and the footer are masked unless the test is marked ``whole``. For plain test functions: it runs an
    event loop of its own.
    """
    whole = request.node.get_closest_marker("whole") is not None
    svg = request.node.get_closest_marker("svg") is not None

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
        async def take() -> tuple[str, str]:
            async with opened(
                session,
                screen=screen,
                character=character,
                size=size,
                opening=opening,
                config=config,
                terminal=terminal,
                time=Time(),  # however busy the machine is, nothing takes long enough to say so
            ) as user:
                if play is not None:
                    await play(user)
                await user.rests()
                return picture(user.app, whole=whole), drawing(user.app) if svg else ""

        seen, drawn = run_app(take())
        assert seen == snapshot.use_extension(TextScreen)
        if svg:
            # An update brings the masked lines of drawings up to date as well, because documents show them.
            same = drawn == snapshot.use_extension(WholeDrawing if whole or snapshot.update_snapshots else Drawing)
            assert same, "The lines and their styles are the same, the drawing differs."

    return check
