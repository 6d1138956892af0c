"""Pictures of learning a service's rates."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from chartui.core.estimation.card import CardOption, Origin, load_card, write_card
from chartui.core.estimation.rates import learned_path
from chartui.core.jsontext import Wire
from tests.core.estimation.services import random_card
from tests.tui.conftest import Screen
from tests.tui.learning import Halting, service_with
from tests.tui.pictures import sizes
from tests.tui.sessions import REMOTE
from tests.tui.user import User


def a_fee(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
    body["totals"]["credits"] += Decimal("0.1")


def late(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
    body["latency_ms"]["max"] += 1000


@sizes("60x20", "80x24")
def test_question(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    """Which rates a tab should use if those of the service are unknown."""

    async def play(user: User) -> None:
        await user.finds("view-explore")

    screen(play, session=service_with(random_card(1), monkeypatch)[0], size=size)


@sizes("80x24", "120x40")
def test_drifted(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    """The service has another card than the learned one."""
    card = load_card()
    origin = Origin(REMOTE.name, REMOTE.base_url or "", "2026-11-02T03:04:05+00:00", 79, 20, Decimal(0))
    write_card(card._replace(origin=origin), learned_path(REMOTE))
    platform = CardOption("platform", "Platform", {"flat": Decimal("1.75")}, None)
    dearer = card._replace(components={**card.components, "platform": platform})

    async def play(user: User) -> None:
        await user.sees("have drifted")
        if size[0] == 80:
            await user.finds("view-rank")

    screen(play, session=service_with(dearer, monkeypatch)[0], size=size)


@sizes("80x24")
def test_before(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("learn-rates")

    screen(play, session=service_with(random_card(1), monkeypatch)[0], size=size)


@sizes("60x20")
def test_trying(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    halting = Halting(at=70)

    async def play(user: User) -> None:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.until(lambda: halting.halted)

    screen(play, session=service_with(random_card(1), monkeypatch, sleep=halting)[0], size=size)


@sizes("120x40")
def test_stopped(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    halting = Halting(at=30)

    async def play(user: User) -> None:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.until(lambda: halting.halted)
        await user.press("escape")

    screen(play, session=service_with(random_card(1), monkeypatch, sleep=halting)[0], size=size)


@sizes("120x40", svg="120x40")
def test_learned(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    card = random_card(1, without={"tts": {"tts_1"}})

    async def play(user: User) -> None:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.sees("From 79 responses")
        await user.sees("─ Rates learned on")  # behind the dialog
        await user.settle()

    screen(play, session=service_with(card, monkeypatch, change=late)[0], size=size)


@sizes("120x40")
def test_not_additive(screen: Screen, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.sees("No rate card")

    screen(play, session=service_with(random_card(1), monkeypatch, change=a_fee)[0], size=size)
