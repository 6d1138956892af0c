"""Every frame of a walk over all screens and dialogs, as the output layer and as the framework draws it."""

from __future__ import annotations

from typing import Any, Final

import pytest
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.screen import Screen

from tests.long import every, sampled
from tests.tui.output.terminals import KINDS, Shown
from tests.tui.user import opened
from tests.tui.walk import walk

SIZES: Final = {"60x20": (60, 20), "80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50)}


class Compared:
    """A program whose frames go to two terminals of a kind."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.frames = 0

    def display(self, app: App[Any], screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate) and not app._batch_count:
            if tuple(app.size) != self.shown.size:
                self.shown.resize((app.size.width, app.size.height))
            self.shown.draw(renderable)
            self.frames += 1
            if self.shown.line.written:
                self.shown.assert_same(f"frame {self.frames}, {type(screen).__name__}:")


@pytest.fixture
def compared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Compared:
    kind, size = request.param
    made = Compared(Shown(KINDS[kind], SIZES[size]))
    monkeypatch.setattr(App, "_display", lambda *arguments: made.display(*arguments))
    return made


@pytest.mark.parametrize(
    "compared", sampled([(kind, size) for kind in KINDS for size in SIZES], ("margins", "120x40")), indirect=True
)
async def test_every_frame_is_the_same(compared: Compared) -> None:
    async with opened(size=compared.shown.size) as user:
        await walk(user)
        for size in ((59, 19), *SIZES.values()):
            await user.resize(*size)
    assert compared.frames > 200 // every(2)
