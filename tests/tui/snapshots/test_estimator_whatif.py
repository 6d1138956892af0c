"""Pictures of the what-if view."""

from __future__ import annotations

from dataclasses import replace

from chartui.core.estimation.card import load_card
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.tui.screens.estimator.study import Pinned
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import WIDE, User

PLAIN = Configuration.default(load_card())


async def turn_to(user: User) -> None:
    """Press the key of the view, and wait until it is there and has the keys."""
    await user.finds("view-what-if")
    await user.until(lambda: user.top.query_one("#what-if-facts").has_focus)
    await user.until(lambda: "Credits now, at " in user.pane("#what-if-facts"))


def pin(user: User, **models: str) -> None:
    """Have the present configuration pinned with other models."""
    usual = Quantities.default(load_card())
    pinned = tuple(Pinned(name, PLAIN._replace(llm=model), usual) for name, model in models.items())
    user.estimator.show(replace(user.estimator.now, pinned=pinned))


@sizes("120x40")
def test_nothing_is_pinned(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await turn_to(user)

    screen(play, size=size)


@sizes("120x40", svg="120x40")
def test_three_lines_and_their_crossings(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        pin(user, baseline="mdla_4o", live="mdla_realtime_mini")
        await turn_to(user)
        await user.press("t", "t", "t", *["down"] * 3)

    screen(play, size=size)


def test_the_whole_window(screen: Screen) -> None:
    async def play(user: User) -> None:
        pin(user, baseline="mdla_4o", live="mdla_realtime_mini", strange="somebody_else")
        await turn_to(user)
        await user.press("v", "down")

    screen(play, size=WIDE)


def test_a_thousand_million_tokens(screen: Screen) -> None:
    async def play(user: User) -> None:
        pin(user, baseline="mdla_4o")
        await user.press(*["down"] * 6, *"1000000000")
        await turn_to(user)
        await user.ready()

    screen(play)


def test_no_quantity_at_all(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * 6, "0", "down", "0", "down", "0", "down", "0")
        await turn_to(user)
        await user.ready()

    screen(play)


def test_no_price_is_known(screen: Screen) -> None:
    async def play(user: User) -> None:
        await turn_to(user)
        user.estimator.show(user.estimator.now.put({"llm": "somebody_else"}))

    screen(play)


def test_a_model_billed_elsewhere(screen: Screen) -> None:
    async def play(user: User) -> None:
        pin(user, baseline="mdlc_2_5_flash")
        await user.press("enter", *"endpoint", "enter")
        await turn_to(user)
        await user.ready()

    screen(play)


@sizes("80x24", "120x40")
def test_a_conversation(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        pin(user, baseline="mdla_4o")
        await turn_to(user)
        await user.press("e")
        await user.until(lambda: user.focus == "what-if-conversation")
        await user.press("down", "down", "down", "8")
        await user.press("tab", "down")
        await user.ready()

    screen(play, size=size)
