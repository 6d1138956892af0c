"""Pictures of the search of all configurations: the front as a plot and a table, and what is asked of them."""

from __future__ import annotations

from dataclasses import replace

from chartui.core.estimation.card import RateCard, load_card
from chartui.core.estimation.rates import Rates, RateSource
from chartui.core.profiles import BUILT_IN
from chartui.core.session import RatesInUse, Session
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import demo
from tests.tui.user import User

#: From the first of the constraints to the limits.
TO_CREDITS = ["down"] * 8


class _Told(RatesInUse):
    """Rates that are what a test says."""

    def __init__(self, rates: Rates) -> None:
        super().__init__(BUILT_IN["demo"])
        self._rates = rates

    def forget(self) -> None:
        """They stay."""


def learned(card: RateCard) -> Session:
    return replace(demo(), rates=_Told(Rates(card, RateSource.LEARNED, "Rates learned on 2026-11-20.")))


@sizes("80x24")
def test_first_look(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")

    screen(play, size=size)


@sizes("120x40", svg="120x40")
def test_whole_window(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("v")
        await user.press("end", "left", "left")

    screen(play, size=size)


@sizes("80x24")
def test_constraints(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("f", "down", "right", *TO_CREDITS, "up", *"9")
        await user.settle()

    screen(play, size=size)


@sizes("80x24")
def test_limits_and_families(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("f", *TO_CREDITS, *"12", "down", *"1700", "down", "space", "down", "space", "escape")
        await user.settle()
        # From the top: else how far the table is scrolled comes of all the heights that it had on the way.
        await user.press("home", "down", "down", "down")

    screen(play, size=size)


@sizes("120x40")
def test_what_is_billed_elsewhere(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("home")

    screen(play, size=size)


def test_odd_ones(screen: Screen) -> None:
    async def play(user: User) -> None:
        # Odd ones only, with a face, and mute: the face moves without a word.
        await user.finds("view-explore")
        await user.press("f", "R", *["down"] * 3, "left", "down", "right", *["down"] * 3, "left", "escape", "v")
        await user.settle()
        await user.press("home")

    screen(play)


@sizes("80x24")
def test_nothing_fits(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("f", *TO_CREDITS, "down", *"500", "enter", "escape")

    screen(play, size=size)


@sizes("120x40")
def test_rates_without_latencies(screen: Screen, size: tuple[int, int]) -> None:
    card = load_card()
    options = {kind: {k: o._replace(latency=None) for k, o in of.items()} for kind, of in card.options.items()}

    async def play(user: User) -> None:
        await user.finds("view-explore")

    screen(play, session=learned(card._replace(options=options, timed=False)), size=size)


def test_prices_that_are_unknown(screen: Screen) -> None:
    card = load_card()
    options = {kind: dict(entries) for kind, entries in card.options.items()}
    del options["llm"]["mdlc_2_5_flash"]  # the default

    async def play(user: User) -> None:
        await user.finds("view-explore")

    screen(play, session=learned(card._replace(options=options)))


@sizes("120x40")
def test_a_thousand_million_tokens(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("escape", *["down"] * 6)
        await user.paste("1000000000")
        await user.ready()

    screen(play, size=size)


def test_zero_quantities(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.finds("view-explore")
        await user.press("escape", *["down"] * 6, *["0", "down"] * 3, "0")
        await user.until(lambda: user.estimator.now.typed.get("tts_seconds") == "0")
        await user.ready()

    screen(play)


@sizes("120x40", svg="120x40")
def test_with_pinned_ones(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("p", "enter")
        await user.press("down", "down", "enter", "down", "right", "home")
        await user.finds("view-explore")
        await user.rests()
        await user.press("right")

    screen(play, size=size)
