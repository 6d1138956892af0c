"""Pictures of the list of options."""

from __future__ import annotations

from chartui.tui.widgets.chooser import Chooser
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import doubled
from tests.tui.user import WIDE, User


@sizes("120x40")
def test_models(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter")
        await user.until(lambda: isinstance(user.app.screen, Chooser))

    screen(play, size=size)


@sizes("80x24")
def test_a_name_that_begins_others(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter", *"mdlc_2_5_flash")

    screen(play, size=size)


@sizes("80x24")
def test_realtime_models_are_marked(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter", *"realtime", "down")

    screen(play, size=size)


def test_voices(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * 4, "enter", "end")

    screen(play)


def test_without_a_price(screen: Screen) -> None:
    session, double = doubled()
    double.answers["options"] = {
        "options": {"llm": [{"key": "mdla_4o"}, {"key": "mdlx_9", "label": "Ours [/nope]\x1b"}]}
    }

    async def play(user: User) -> None:
        await user.press("enter", *"ours")

    screen(play, session=session, size=WIDE)
