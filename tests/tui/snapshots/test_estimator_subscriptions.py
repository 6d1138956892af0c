"""Pictures of subscriptions and volume."""

from __future__ import annotations

from dataclasses import replace

from chartui.core.estimation.card import load_card
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.tui.screens.estimator.study import Pinned
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import WIDE, User


async def turn_to(user: User) -> None:
    """Press the key of the view, and wait until it is there and has the keys."""
    await user.finds("view-subscriptions")
    await user.until(lambda: user.top.query_one("#usage").has_focus)
    await user.until(lambda: user.pane("#subscriptions").strip())


@sizes("60x20", svg="60x20")
def test_the_usual_use(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await turn_to(user)

    screen(play, size=size)


@sizes("80x24")
def test_one_plan_in_words(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await turn_to(user)
        await user.press("down", "down", *"12.5", "tab", "home", "down")

    screen(play, size=size)


def test_the_whole_window(screen: Screen) -> None:
    async def play(user: User) -> None:
        await turn_to(user)
        await user.press("v")

    screen(play, size=WIDE)


def test_a_number_that_cannot_be(screen: Screen) -> None:
    async def play(user: User) -> None:
        await turn_to(user)
        await user.press("up", "down", "down", "down")
        await user.write("400")

    screen(play)


def test_a_thousand_million_tokens(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * 6, *"1000000000")
        await turn_to(user)
        await user.ready()

    screen(play)


def test_interactions_without_a_second(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * 8, "0", "down", "0")
        await turn_to(user)
        await user.press("down", "down", "5")
        await user.ready()

    screen(play)


@sizes("80x24", "120x40")
def test_pinned_ones_beside_it(screen: Screen, size: tuple[int, int]) -> None:
    card = load_card()
    plain, usual = Configuration.default(card), Quantities.default(card)

    async def play(user: User) -> None:
        pinned = (Pinned("large", plain._replace(llm="mdla_4o"), usual), Pinned("odd", plain._replace(llm="x"), usual))
        user.estimator.show(replace(user.estimator.now, pinned=pinned))
        await turn_to(user)
        await user.press(*"30000", "down", *"12", "down", "down", "right")
        await user.ready()

    screen(play, size=size)
