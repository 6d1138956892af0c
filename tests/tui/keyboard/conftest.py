"""Tests by keyboard look at the screen when they want to know something, and not at every picture in between."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chartui.tui.app import ChartuiApp
from tests.tui.drawing import draw_when_looked_at
from tests.tui.serving import VARIABLE, Service, serving


@pytest.fixture(autouse=True)
def _drawn_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_when_looked_at(monkeypatch)


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
