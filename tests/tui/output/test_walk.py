"""Every frame of a walk over all screens and dialogs, as the output layer and as the framework draws it."""

from __future__ import annotations

from typing import Any, Final

import pytest
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.screen import Screen

from tests.long import sampled
from tests.tui.dialogs import MADE, OPENED
from tests.tui.output.terminals import KINDS, Shown
from tests.tui.user import User, opened

SIZES: Final = {"60x20": (60, 20), "80x24": (80, 24), "120x40": (120, 40), "200x50": (200, 50)}
#: The keys pressed on each screen, which lead back to where they began.
SCREENS: Final = {
    "estimator": "] ] ] [ down right down left p escape",
    "characters": "down down pagedown end home / m a r escape enter ] ] ] escape e down right z escape",
    "narrative": "down down space right M down escape / i d escape ] ] escape",
    "actions": "down tab down escape",
    "requests": "down down enter escape",
}
KEYS: Final = {"estimator": "E", "characters": "C", "narrative": "N", "actions": "A", "requests": "Q"}


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


async def walk(user: User) -> None:
    """All screens with their tabs and fields, and all dialogs, one over the other."""
    for name, keys in SCREENS.items():
        await user.press(KEYS[name])
        await user.settle()
        for key in keys.split():
            await user.press(key)
            await user.settle()
    for kind, make in MADE.items():
        dialog = make(user)
        user.app.push_screen(dialog)
        await user.at(kind)
        await user.settle()
        dialog.dismiss()
        await user.back()
    for screen, opening in OPENED.values():
        await user.press(KEYS[screen])
        for key in opening:
            await user.press(key)
            await user.settle()
        while not user.at_work:
            await user.press("escape")
            await user.settle()
    for size in ((59, 19), *SIZES.values()):
        await user.resize(*size)


@pytest.mark.parametrize(
    "compared", sampled([(kind, size) for kind in KINDS for size in SIZES], ("margins", "120x40")), indirect=True
)
async def test_every_frame_is_the_same(compared: Compared) -> None:
    async with opened(size=compared.shown.size) as user:
        await walk(user)
    assert compared.frames > 200
