"""Pictures of what is on every screen: help, palette, bars."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Screen
from tests.tui.sessions import demo, remote
from tests.tui.user import NARROW, SMALL, WIDE, User

SIZES = pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])


@pytest.mark.parametrize("name", ["estimator", "characters", "narrative"])
@SIZES
def test_help(screen: Screen, size: tuple[int, int], name: str) -> None:
    async def play(user: User) -> None:
        await user.press("?")

    screen(play, screen=name, size=size)


@pytest.mark.parametrize("size", [NARROW, WIDE, SMALL], ids=["80x24", "120x40", "60x20"])
def test_palette(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(":", *"re", "down")

    screen(play, size=size)


@SIZES
def test_read_only(screen: Screen, size: tuple[int, int]) -> None:
    screen(session=demo(read_only=True), screen="narrative", size=size)


@pytest.mark.parametrize("read_only", [False, True], ids=["writable", "read-only"])
@SIZES
def test_remote_profile(screen: Screen, size: tuple[int, int], read_only: bool) -> None:
    session, _ = remote(read_only=read_only)
    screen(session=session, size=size)
