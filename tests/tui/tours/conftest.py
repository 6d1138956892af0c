"""Tours are looked at where they take a picture, and not at every picture in between."""

from __future__ import annotations

import pytest

from tests.tui.drawing import draw_when_looked_at


@pytest.fixture(autouse=True)
def _drawn_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_when_looked_at(monkeypatch)
