"""Pictures of the narrative graph."""

from __future__ import annotations

from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.review import Review
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User


async def pick(user: User, name: str) -> None:
    await user.press("c")
    await user.until(lambda: isinstance(user.app.screen, Chooser))
    await user.press(*name, "enter")
    await user.ready()


@sizes("60x20", "80x24", "120x40", svg="60x20 80x24 120x40", whole="80x24")
def test_tree(screen: Screen, size: tuple[int, int]) -> None:
    screen(screen="narrative", size=size)


@sizes("80x24")
def test_folded(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("down", "space", "down", "space")

    screen(play, screen="narrative", size=size)


@sizes("120x40")
def test_filtered(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("slash", *"witness")

    screen(play, screen="narrative", size=size)


@sizes("120x40")
def test_back_reference_and_overrides(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await pick(user, "bran")
        await user.press("down", "down")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_broken_graph(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await pick(user, "avery")
        await user.press("end")

    screen(play, screen="narrative", size=size)


def test_no_graph(screen: Screen) -> None:
    async def play(user: User) -> None:
        await pick(user, "camille")

    screen(play, screen="narrative")


@sizes("80x24")
def test_confirmation(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("T")
        await user.until(lambda: isinstance(user.app.screen, Review))

    screen(play, screen="narrative", size=size)
