"""Pictures of the ranking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chartui.core.session import RatesInUse
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import doubled, remote
from tests.tui.user import WIDE, User


@sizes("80x24")
def test_models(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-rank")

    screen(play, size=size)


def test_models_in_the_whole_window(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.finds("view-rank")
        await user.press("v")  # how far the table scrolls for its cursor depends on its height at that moment
        await user.press("s")

    screen(play, size=WIDE)


@pytest.mark.svg
def test_voices_by_latency(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.finds("view-rank")
        await user.press("t", "t", "s", "down")

    screen(play)


@sizes("80x24")
def test_a_milliard_tokens(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * 6)
        await user.paste("1000000000")
        await user.ready()
        await user.finds("view-rank")

    screen(play, size=size)


def test_without_a_price(screen: Screen) -> None:
    session, double = doubled()
    double.answers["options"] = {
        "options": {"llm": [{"key": "mdla_4o"}, {"key": "mdlx_9", "label": "Ours [/nope]\x1b"}]}
    }

    async def play(user: User) -> None:
        await user.finds("view-rank")
        await user.press("end")

    screen(play, session=session)


def test_of_a_service(screen: Screen) -> None:
    session, _ = remote()

    async def play(user: User) -> None:
        await user.finds("view-rank")
        await user.press("y")  # use the reference rates
        await user.press("t")

    screen(play, session=replace(session, rates=RatesInUse(session.profile)))
