"""Tests by keyboard look at the screen when they want to know something, and not at every picture in between."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor

from chartui.tui.app import ChartuiApp
from tests.tui.serving import VARIABLE, Service, serving


@pytest.fixture(autouse=True)
def _drawn_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not draw what nobody looks at, which was a third of the time: a test looks at the screen as it is then, and
    those with a real terminal (``tests/pty``) see every picture drawn.
    """
    draw = Compositor.render_update

    def render_update(
        self: Compositor, full: bool = False, screen_stack: list[Any] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        if screen_stack is None:  # somebody takes a picture
            return draw(self, full, screen_stack, simplify)
        if not self._dirty_regions:
            return None
        self._dirty_regions.clear()
        return ""

    monkeypatch.setattr(Compositor, "render_update", render_update)


@pytest.fixture
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lets the program step aside without a terminal; the editor does what stands in the file."""

    @contextmanager
    def suspend(_: ChartuiApp) -> Iterator[None]:
        yield

    monkeypatch.setattr(ChartuiApp, "suspend", suspend)
    script = tmp_path / "editor.py"
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    return script


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(tmp_path) as running:
        monkeypatch.setenv(VARIABLE, running.key)
        yield running
