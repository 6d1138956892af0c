"""Pictures of the characters."""

from __future__ import annotations

import pytest

from tests.tui.characters import shows_record
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User


@sizes("60x20", "80x24", svg="60x20 80x24")
def test_list(screen: Screen, size: tuple[int, int]) -> None:
    screen(shows_record, screen="characters", size=size)


@sizes("120x40")
def test_filtered(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("slash", *"mdla", "enter", "down")
        await shows_record(user)

    screen(play, screen="characters", size=size)


@sizes("120x40", svg="120x40")
def test_record(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter")
        await shows_record(user)
        await user.press(*["down"] * 4)

    screen(play, screen="characters", size=size)


@pytest.mark.parametrize(("name", "rows"), [("japanese", 5), ("arabic", 6), ("hindi", 8)])
@sizes("120x40")
def test_other_scripts(screen: Screen, size: tuple[int, int], name: str, rows: int) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * rows, "enter")
        await shows_record(user)

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_sorted(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*["s"] * 7, "O")
        await shows_record(user)

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_fuzzy(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("f", "slash", *"mrsh")
        found = "Elena Marsh"
        await user.until(lambda: user.characters.current and user.characters.current.character_name == found, "for her")
        await shows_record(user)

    screen(play, screen="characters", size=size)
