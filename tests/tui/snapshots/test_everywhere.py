"""Pictures of what is on every screen: help, palette, bars."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import remote
from tests.tui.user import User


@pytest.mark.parametrize("name", ["estimator", "characters", "narrative"])
@sizes("120x40")
def test_help(screen: Screen, size: tuple[int, int], name: str) -> None:
    async def play(user: User) -> None:
        await user.press("?")

    screen(play, screen=name, size=size)


@sizes("60x20", svg="60x20")
def test_palette(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(":", *"re", "down")

    screen(play, size=size)


@sizes("80x24", whole="80x24")
def test_remote_profile(screen: Screen, size: tuple[int, int]) -> None:
    screen(session=remote(read_only=True)[0], size=size)
