"""The terminal UI under test: nothing moves by itself, and a screen is compared as text before its colours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.app import App
from textual.pilot import Pilot


class TextScreen(SingleFileSnapshotExtension):
    """A screen as plain text, beside the picture of it."""

    _file_extension = "txt"
    _write_mode = WriteMode.TEXT


class Screen(Protocol):
    """Compares the screen of an app with its snapshots."""

    def __call__(
        self,
        app: App[Any],
        *,
        size: tuple[int, int] = (80, 24),
        press: Iterable[str] = (),
        run_before: Callable[[Pilot[Any]], Awaitable[None]] | None = None,
    ) -> None:
        """Run ``app`` in a window of ``size`` (columns, lines), then ``run_before``, then the keys ``press``."""
        ...


def screen_text(app: App[Any]) -> str:
    """What the screen of ``app`` shows, as text: a line per line, without blanks at the ends."""
    # The same private renderer that the framework's own export_screenshot uses; its exact pin covers this.
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips).rstrip() + "\n"


@pytest.fixture(autouse=True)
def _frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No animation and no blinking cursor: both make a picture depend on the moment it is taken."""
    from textual.widgets import Input, TextArea

    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)


@pytest.fixture
def screen(snap_compare: Callable[..., bool], snapshot: SnapshotAssertion) -> Screen:
    """Compare a screen with its two snapshots: the text first, since a difference in it can be read in a log.

    For plain test functions; ``snap_compare`` runs an event loop of its own.
    """
    text_snapshot = snapshot.use_extension(TextScreen)

    def check(
        app: App[Any],
        *,
        size: tuple[int, int] = (80, 24),
        press: Iterable[str] = (),
        run_before: Callable[[Pilot[Any]], Awaitable[None]] | None = None,
    ) -> None:
        texts: list[str] = []

        async def prepare(pilot: Pilot[Any]) -> None:
            if run_before is not None:
                await run_before(pilot)
            await pilot.press(*press)
            await pilot.pause()
            await pilot.wait_for_scheduled_animations()
            await pilot.pause()
            texts.append(screen_text(pilot.app))

        same_picture = snap_compare(app, terminal_size=size, run_before=prepare)
        assert texts[0] == text_snapshot
        assert same_picture, "The text is the same, colours or styles differ: see snapshot_report.html."

    return check
