"""Pictures of the question for the name of a file."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Screen
from tests.tui.sessions import demo
from tests.tui.user import NARROW, WIDE, User

SIZES = pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with the same name everywhere."""
    monkeypatch.chdir("/")


async def asked(user: User) -> None:
    await user.sees("Welcome at the door")
    await user.rests()
    await user.press("W")
    await user.sees("─ Write ─")
    await user.press(*"graph", "enter")
    await user.sees("─ Write to a file ─", "the-graph-as-text.txt")


@SIZES
def test_name(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await asked(user)

    screen(play, session=demo(), screen="narrative", size=size)


def test_name_that_cannot_be(screen: Screen) -> None:
    async def play(user: User) -> None:
        await asked(user)
        await user.press("home", *"no-such-folder/", "enter")
        await user.sees("there is no folder")

    screen(play, session=demo(), screen="narrative")
