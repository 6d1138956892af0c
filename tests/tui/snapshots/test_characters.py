"""Pictures of the characters."""

from __future__ import annotations

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.tui.characters import shows_record
from tests.tui.conftest import Screen
from tests.tui.sessions import demo, doubled
from tests.tui.user import NARROW, SMALL, WIDE, User

SIZES = pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])


@pytest.mark.parametrize("size", [NARROW, WIDE, SMALL], ids=["80x24", "120x40", "60x20"])
def test_list(screen: Screen, size: tuple[int, int]) -> None:
    screen(shows_record, screen="characters", size=size)


@SIZES
def test_filtered(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("slash", *"mdla", "enter", "down")
        await shows_record(user)

    screen(play, screen="characters", size=size)


@SIZES
def test_nothing_matches(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await shows_record(user)
        await user.press("slash", *"zzz")

    screen(play, screen="characters", size=size)


@pytest.mark.parametrize("size", [NARROW, WIDE, SMALL], ids=["80x24", "120x40", "60x20"])
def test_record(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter")
        await shows_record(user)
        await user.press(*["down"] * 4)

    screen(play, screen="characters", size=size)


@pytest.mark.parametrize(("name", "rows"), [("japanese", 5), ("arabic", 6), ("hindi", 8)])
@SIZES
def test_other_scripts(screen: Screen, size: tuple[int, int], name: str, rows: int) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * rows, "enter")
        await shows_record(user)

    screen(play, screen="characters", size=size)


def test_empty_account(screen: Screen) -> None:
    screen(session=demo(fill_store=lambda store: None), screen="characters")


def test_not_read_again(screen: Screen) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        double.failures["summarize-characters"] = ServiceError(ErrorKind.BUSY, "Another program is writing the store.")
        await user.press("f5")
        await user.is_told("Another program is writing the store.")

    screen(play, session=session, screen="characters")


@SIZES
def test_sorted(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*["s"] * 7, "O")
        await shows_record(user)

    screen(play, screen="characters", size=size)


@SIZES
def test_fuzzy(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("f", "slash", *"mrsh")
        found = "Elena Marsh"
        await user.until(lambda: user.characters.current and user.characters.current.character_name == found, "for her")
        await shows_record(user)

    screen(play, screen="characters", size=size)
