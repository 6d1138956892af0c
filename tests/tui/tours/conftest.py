"""Tours are looked at where they take a picture, and not at every picture in between."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor


@pytest.fixture(autouse=True)
def _drawn_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not draw what nobody looks at, as in the tests by keyboard; those with a real terminal see all of it drawn."""
    draw = Compositor.render_update

    def render_update(
        self: Compositor, full: bool = False, screen_stack: list[Any] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        if full:  # somebody takes a picture
            return draw(self, full, screen_stack, simplify)
        if not self._dirty_regions:
            return None
        self._dirty_regions.clear()
        return ""

    monkeypatch.setattr(Compositor, "render_update", render_update)
