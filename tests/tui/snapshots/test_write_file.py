"""Pictures of the question for the name of a file."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import demo
from tests.tui.user import User


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
    await user.sees("─ Write to file ─", "graph-as-text.txt")


@sizes("120x40")
def test_name(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await asked(user)

    screen(play, session=demo(), screen="narrative", size=size)
