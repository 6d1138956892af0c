"""Pictures of what is wrong with a story."""

from __future__ import annotations

from chartui.tui.widgets.chooser import Chooser
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User


async def avery(user: User) -> None:
    """Turn to the character whose graph is broken."""
    await user.press("c")
    await user.until(lambda: isinstance(user.app.screen, Chooser))
    await user.press(*"avery", "enter")
    await user.ready()


@sizes("120x40", svg="120x40")
def test_findings(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await avery(user)
        await user.press("l", "down")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_errors_that_are_sought_in_the_whole_window(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await avery(user)
        await user.press("l", "f", "slash", *"account", "enter", "end")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_what_is_left_when_all_that_is_safe_is_done(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await avery(user)
        await user.press("l", "X")
        await user.is_told("Fixed ")
        await user.press("down", "down")

    screen(play, screen="narrative", size=size)
