"""Rates on the estimator that are not known to be the service's: drifted ones, and the reference rates."""

from __future__ import annotations

from decimal import Decimal
from typing import cast

import pytest

from chartui.core.estimation.card import Origin, RateCard, load_card, write_card
from chartui.core.estimation.rates import RateSource, learned_path, rates_for
from chartui.tui.screens.estimator.rates import Learning, RatesQuestion
from chartui.tui.screens.estimator.screen import EstimatorScreen
from tests.core.estimation.services import random_card
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.learning import Charging, service_with
from tests.tui.sessions import REMOTE, Double
from tests.tui.user import NARROW, SMALL, WIDE, User, opened, words

SIZES = pytest.mark.parametrize("size", sampled([SMALL, NARROW, WIDE], NARROW), ids=str)
VIEWS = ("compare", "rank", "explore", "what-if", "subscriptions", "trail")


def dearer(card: RateCard, more: str) -> RateCard:
    platform = card.components["platform"]
    rates = {"flat": platform.rates["flat"] + Decimal(more)}
    return card._replace(components={**card.components, "platform": platform._replace(rates=rates)})


def learn(card: RateCard) -> RateCard:
    """The card as if it had been learned from the service."""
    origin = Origin(REMOTE.name, REMOTE.base_url or "", "2026-11-02T03:04:05+00:00", 79, 20, Decimal(0))
    learned = card._replace(origin=origin)
    write_card(learned, learned_path(REMOTE))
    return learned


async def charges(user: User, double: Double, card: RateCard) -> None:
    """Let the service charge by another card, and ask it again."""
    cast("Charging", double.backend).card = card
    await user.press("f5")
    await user.settle()


@SIZES
async def test_drift_is_marked_on_every_tab_until_the_rates_are_learned_again(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    card = learn(random_card(1))
    session, double = service_with(card, monkeypatch)
    async with opened(session, size=size) as user:
        await user.misses("drifted")
        asked = double.count("estimate")
        await charges(user, double, dearer(card, "1"))
        await user.until(lambda: "Learned rates have drifted" in words(user.pane("#result")))
        said = words(user.pane("#result"))
        assert "platform" in said
        assert "+1.000). l learns rates." in said
        for view in VIEWS:
            await user.finds(f"view-{view}")
            await user.settle()
            assert "▲ rates have drif" in user.pane(f"#view-{view}"), view
        assert double.count("estimate") == asked + 1
        await charges(user, double, card)
        assert "drifted" not in user.screen
        await charges(user, double, dearer(card, "2.5"))
        assert "▲ rates have drif" in user.pane("#view-trail")
        await user.finds("view-estimate")
        await user.until(lambda: "(+2.500" in words(user.pane("#result")))
        await user.press("l")
        await user.at(Learning)
        await user.press("enter")
        await user.sees("From 79 responses.")
        await user.settle()
        assert "1 value in the rate card" in words(user.screen)
        await user.press("escape")
        await user.at(EstimatorScreen)
        await user.misses("drifted")
        assert rates_for(REMOTE).drift is None


@covers("learn-rates")
@SIZES
async def test_a_tab_asks_once_which_rates_to_use(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = service_with(random_card(1), monkeypatch)
    async with opened(session, size=size) as user:
        await user.finds("view-rank")
        await user.at(RatesQuestion)
        await user.sees("about 80")
        await user.press("escape")
        await user.at(EstimatorScreen)
        await user.settle()
        assert user.estimator.now.view == "estimate"
        await user.finds("view-explore")
        await user.at(RatesQuestion)
        await user.press("y")
        await user.at(EstimatorScreen)
        await user.settle()
        assert "reference rates" in user.pane("#view-explore")
        assert user.estimator.now.view == "explore"
    again, _ = service_with(random_card(1), monkeypatch)
    async with opened(again, size=size) as user:
        await user.finds("view-rank")
        await user.settle()
        assert "reference rates" in user.pane("#view-rank")


async def test_a_tab_offers_to_learn_the_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = service_with(random_card(1), monkeypatch)
    async with opened(session) as user:
        await user.finds("view-rank")
        await user.at(RatesQuestion)
        await user.press("l")
        await user.at(Learning)
        await user.press("enter")
        await user.sees("From 79 responses.")
        await user.settle()
        await user.press("escape")
        await user.at(EstimatorScreen)
        await user.settle()
        assert user.estimator.now.view == "rank"
        assert session.rates.get().source is RateSource.LEARNED
    assert load_card(learned_path(REMOTE)).version == random_card(1).version
