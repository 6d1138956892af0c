"""Pictures of every screen in larger windows, in other themes, and in ASCII."""

from __future__ import annotations

import pytest

from chartui.tui.shell.open_profile import Opening
from chartui.tui.terminal import Terminal
from tests.tui.afternoon import calls, on_a_service
from tests.tui.characters import shows_record
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User

SCREENS = pytest.mark.parametrize("name", ["estimator", "characters", "narrative", "actions"])


async def asked(user: User) -> None:
    await calls(user.app.session)
    await user.sees("list-sections")
    await user.rests()


@SCREENS
@sizes("100x30", "160x45", "200x55")
def test_larger(screen: Screen, size: tuple[int, int], name: str) -> None:
    screen(shows_record if name == "characters" else None, screen=name, size=size)


@sizes("100x30", "160x45", "200x55")
def test_larger_with_requests(screen: Screen, size: tuple[int, int]) -> None:
    screen(asked, session=on_a_service()[0], screen="requests", size=size)


@pytest.mark.parametrize(
    ("theme", "name"),
    [("daylight", "estimator"), ("daylight", "characters"), ("colorblind", "narrative"), ("terminal", "characters")],
)
@pytest.mark.svg
def test_other_themes(screen: Screen, theme: str, name: str) -> None:
    screen(shows_record if name == "characters" else None, screen=name, opening=Opening(theme=theme))


def test_without_colors(screen: Screen) -> None:
    screen(terminal=Terminal(colorless=True))


@SCREENS
def test_in_ascii(screen: Screen, name: str) -> None:
    screen(shows_record if name == "characters" else None, screen=name, terminal=Terminal(ascii=True))


def test_requests_in_ascii(screen: Screen) -> None:
    screen(asked, session=on_a_service()[0], screen="requests", terminal=Terminal(ascii=True))
