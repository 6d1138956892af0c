"""Learning a service's rates on the estimator: begun, watched, stopped, gone on with, and taken at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest

from chartui.core.estimation.card import load_card
from chartui.core.estimation.learned.answers import Kept, kept_path
from chartui.core.estimation.rates import RateSource, learned_path
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.estimator.rates import Learning
from chartui.tui.screens.estimator.screen import EstimatorScreen
from tests.core.estimation.services import random_card
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.learning import Charging, Halting, service_with
from tests.tui.sessions import REMOTE, Double, demo
from tests.tui.user import NARROW, WIDE, User, opened

SIZES = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])


def a_fee(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
    body["totals"]["credits"] += Decimal("0.1")


def late(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
    body["latency_ms"]["max"] += 1000


async def ended(user: User, *texts: str) -> None:
    """Wait until the dialogue says how learning ended."""
    await user.sees(*texts)
    await user.settle()


@asynccontextmanager
async def halted(at: int, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[User, Double, Halting]]:
    """The program while it learns and waits before the call of this number, with the service and what halts it."""
    halting = Halting(at=at)
    session, double = service_with(random_card(1), monkeypatch, sleep=halting)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.until(lambda: halting.halted)
        yield user, double, halting


@covers("learn-rates")
@SIZES
async def test_a_card_is_learned_and_taken_at_once(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    card = random_card(1)
    session, _ = service_with(card, monkeypatch)
    async with opened(session, size=size) as user:
        assert session.rates.get().source is RateSource.REFERENCE
        await user.finds("learn-rates")
        await user.sees("Learn rates from characters.example:8443", "about 80 estimates", "⏎ start")
        assert not learned_path(REMOTE).exists()
        await user.press("enter")
        await ended(user, "From 79 responses.", f"Version {card.version}, effective {card.effective_date}")
        assert load_card(learned_path(REMOTE))._replace(origin=None) == card
        # The screen behind the dialogue has it already.
        await user.until(lambda: session.rates.get().source is RateSource.LEARNED)
        await user.press("escape")
        await user.until(lambda: user.estimator.now.rates is not None)
        await user.until(lambda: user.estimator.now.rates and user.estimator.now.rates.card.version == card.version)


async def test_nothing_is_asked_before_one_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    session, double = service_with(random_card(1), monkeypatch)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.sees("⏎ start", "esc close")
        await user.press("escape")
        await user.misses("⏎ start")
        assert double.count("get-estimate") == 0
        assert not kept_path(REMOTE).exists()


async def test_how_far_it_is_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    async with halted(70, monkeypatch) as (user, _, halting):
        await user.sees("69 of 79 responses, checking configurations", "Worst error 0 credits so far", "esc stop")
        halting.go_on()
        await ended(user, "From 79 responses.")


async def test_it_is_stopped_with_a_key_and_goes_on_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    async with halted(30, monkeypatch) as (user, double, _):
        await user.press("escape")
        await user.sees("Kept 29 responses. Learning resumes from there.", "⏎ continue", "esc close")
        assert user.is_at(Learning)
        asked = double.count("get-estimate")
        await user.press("enter")
        await ended(user, "From 79 responses.")
        assert double.count("get-estimate") == 79
        assert asked == 29


async def test_it_goes_on_another_day(monkeypatch: pytest.MonkeyPatch) -> None:
    async with halted(30, monkeypatch):
        pass  # the program is left in the middle
    assert Kept(kept_path(REMOTE)).count == 29
    session, double = service_with(random_card(1), monkeypatch)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.sees("29 responses from an earlier attempt. Learning resumes from")
        await user.press("enter")
        await ended(user, "From 79 responses.")
        assert double.count("get-estimate") == 50


async def test_a_service_that_is_not_additive_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = service_with(random_card(1), monkeypatch, change=a_fee)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.press("enter")
        await ended(user, "Nothing was written.", "but its lines add")
        await user.press("end")
        await user.sees("further differences")
        assert not learned_path(REMOTE).exists()
        await user.press("enter")  # there is nothing to go on with
        await user.sees("Nothing was written.", "esc close")
        await user.press("escape")
        assert user.is_at(EstimatorScreen)
        assert session.rates.get().source is RateSource.REFERENCE


async def test_latencies_that_are_left_out_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = service_with(random_card(1, without={"tts": {"tts_1"}}), monkeypatch, change=late)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.press("enter")
        await ended(user, "Not learned: the service says", "No price: tts_1.")
        assert not load_card(learned_path(REMOTE)).timed


async def test_a_service_that_goes_away_is_waited_for_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with halted(30, monkeypatch) as (user, double, halting):
        double.failures["get-estimate"] = ServiceError(ErrorKind.UNREACHABLE, "No answer.", sent="no")
        halting.at = halting.naps + 1
        halting.go_on()
        await user.sees("2 s: No answer.")
        halting.at = None
        halting.go_on()
        await user.sees("✗ No answer. 29 responses are kept, so the next run can", "⏎ continue")
        double.failures.clear()
        await user.press("enter")
        await ended(user, "From 79 responses.")


async def test_another_card_meanwhile_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with halted(30, monkeypatch) as (user, double, halting):
        assert isinstance(double.backend, Charging)
        double.backend.card = random_card(2)
        halting.at = halting.naps + 20
        halting.go_on()
        await user.sees("Restarted: the service's rate card was ")
        halting.go_on()
        await ended(user, f"Version {random_card(2).version}")


async def test_a_file_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = learned_path(REMOTE).parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where the folder should be")
    session, _ = service_with(random_card(1), monkeypatch)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.sees("used: Not a directory.")


async def test_a_store_has_nothing_to_learn() -> None:
    async with opened(demo()) as user:
        await user.finds("learn-rates")
        await user.is_told("Profile 'demo' is a local store. Its rate card is exact, so there is nothing to learn.")
        assert user.is_at(EstimatorScreen)


async def test_it_is_allowed_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = service_with(random_card(1), monkeypatch)
    session.relock()
    assert session.read_only
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.press("enter")
        await ended(user, "From 79 responses.")


async def test_text_of_a_service_is_never_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "[/nope]\x1b]52;c;x\x07 [bold]"

    def odd(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        body["rate_card"]["effective_date"] = hostile
        body["lines"].append({"key": hostile, "credits": 1, "label": hostile, "detail": ""})

    session, _ = service_with(random_card(1), monkeypatch, change=odd)
    async with opened(session) as user:
        await user.finds("learn-rates")
        await user.press("enter")
        await user.sees("Nothing was written.", "[/nope]")
        assert "\x1b" not in user.screen
