"""Pictures of the map of a story."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import NARROW, User


@sizes("120x40", svg="120x40")
def test_whole(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("M", "down", "right")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_around(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("M", "f", "minus")

    screen(play, screen="narrative", size=size)


@pytest.mark.parametrize("level", [1, 2], ids=["short", "dots"])
def test_overview(screen: Screen, level: int) -> None:
    async def play(user: User) -> None:
        await user.press("M", *["minus"] * level, "down", "down")

    screen(play, screen="narrative", size=NARROW)
