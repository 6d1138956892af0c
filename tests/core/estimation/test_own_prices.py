"""Options that their provider bills, at a price of one's own: in totals, lists and searches, and marked as that."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.config import config_path
from chartui.core.estimation.card import QUANTITIES, RateCard, load_card, write_card
from chartui.core.estimation.constraints import Constraints, Need, default_constraints
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.exploration import explore
from chartui.core.estimation.own_prices import estimate_with_own_prices, with_own_prices
from chartui.core.estimation.prices import Configuration, Pricing, Quantities, remarks_on
from chartui.core.estimation.rank import Ranked, rank
from chartui.core.own_prices import own_price
from chartui.core.spec.models.estimation import Estimate, Selections
from chartui.core.spec.shape import build
from chartui.core.tables import BadTable
from tests.tui.sessions import demo

MODEL, VOICE = "byo_mdla_compatible_endpoint", "external_tts_via_api_key"
PRICES: Mapping[str, Mapping[str, Decimal]] = {
    MODEL: {"prompt_per_1k": Decimal("0.8"), "output_per_1k": Decimal("3.2")},
    VOICE: {"per_second": Decimal("0.15")},
}
ASKED = Quantities(3721, Decimal("151.5"), Decimal("7.77"), 11)
SETTINGS = (
    'format = "chartui-config"\nversion = 1\n'
    f"[prices.{MODEL}]\nprompt_per_1k = 0.8\noutput_per_1k = 3.2\n[prices.{VOICE}]\nper_second = 0.15\n"
)


@pytest.fixture(scope="module")
def own() -> RateCard:
    return with_own_prices(load_card(), PRICES)


def answer(card: RateCard, configuration: Configuration) -> Estimate:
    payload: Any = {
        "selections": configuration._asdict(),
        "assumptions": dict(zip(QUANTITIES, ASKED, strict=True)),
    }
    return build(Estimate, Estimator(card).estimate(payload))


@pytest.mark.parametrize("realtime", [False, True])
@pytest.mark.parametrize("model", [MODEL, "mdla_4o"])
@pytest.mark.parametrize("voice", [VOICE, "tts_1", "no_tts"])
def test_the_answer_of_a_service_and_the_card_here_say_the_same(
    own: RateCard, model: str, voice: str, *, realtime: bool
) -> None:
    chosen = Configuration.default(own)._replace(llm="mdla_realtime_mini" if realtime else model, tts=voice)
    bare = answer(load_card(), chosen)
    amended = estimate_with_own_prices(bare, PRICES)
    assert amended.credits == Pricing(own, ASKED).credits(chosen)
    assert amended.credits == sum(line.credits for line in amended.lines)
    assert amended.raw["totals"]["credits"] == amended.credits
    marked = [line.key for line in amended.lines if line.detail.endswith("your own price")]
    prices = ["ai_response", "prompt"] * (chosen.llm == MODEL) + ["voice_output"] * (voice == VOICE and not realtime)
    assert marked == prices
    assert (amended is bare) is not bool(prices)


def test_what_the_service_bills_itself_is_left_alone() -> None:
    body = answer(load_card(), Configuration.default(load_card())._replace(llm=MODEL)).raw
    lines = [{**line, "credits": Decimal(1)} if line["key"] == "prompt" else line for line in body["lines"]]
    found = estimate_with_own_prices(build(Estimate, {**body, "lines": lines}), PRICES)
    assert {line.key: line.credits for line in found.lines}["prompt"] == 1


def entry_of(card: RateCard, key: str, **options: Any) -> tuple[Ranked, int]:
    ranked = rank(Pricing(card, ASKED), Configuration.default(card), "llm", **options)
    place = next(number for number, entry in enumerate(ranked) if entry.key == key)
    return ranked[place], len(ranked) - place


def test_in_a_ranking_it_has_its_place_and_its_mark_and_without_a_price_is_never_the_cheapest(own: RateCard) -> None:
    bare, from_the_end = entry_of(load_card(), MODEL)
    assert (bare.billed_elsewhere, bare.own_price, bare.difference, from_the_end) == (True, False, None, 1)
    priced, from_the_end = entry_of(own, MODEL, constraints=default_constraints(Configuration.default(own)))
    assert (priced.billed_elsewhere, priced.own_price, priced.unmet) == (False, True, ())
    assert priced.difference is not None
    assert from_the_end > 1


def test_a_search_finds_it_among_the_others_and_without_a_price_leaves_it_out(own: RateCard) -> None:
    only = Constraints(families=frozenset({"Own endpoint"}))
    bare = explore(Pricing(load_card(), ASKED), only)
    assert (bare.count, bare.front) == (0, ())
    assert bare.unpriced == 48_720 // 58
    found = explore(Pricing(own, ASKED), only)
    assert (found.count, found.unpriced) == (48_720 // 58, 0)
    assert found.cheapest is not None
    assert found.cheapest.credits == Pricing(own, ASKED).credits(found.cheapest.first)
    assert [remark.own for remark in remarks_on(found.cheapest.first, own.own) if remark.member == "llm"] == [True]
    usual = explore(Pricing(own, ASKED), Constraints(billed_elsewhere=Need.MUST_NOT))
    assert (usual.count, usual.unpriced) == (48_720, 0)


def test_a_card_is_written_without_them(own: RateCard, tmp_path: Path) -> None:
    write_card(own, tmp_path / "card.toml")
    assert load_card(tmp_path / "card.toml") == load_card() == own.as_billed


def test_they_come_from_the_settings_and_the_store_bills_nothing() -> None:
    chosen = Selections(llm=MODEL)
    before = asyncio.run(demo().service.estimate(chosen))
    config_path().parent.mkdir(parents=True, exist_ok=True)
    config_path().write_text(SETTINGS)
    session = demo()
    after = asyncio.run(session.service.estimate(chosen))
    assert before.known_credits < after.known_credits
    card = session.rates.get().card
    whole = Configuration.default(card)._replace(llm=MODEL)
    assert after.known_credits == Pricing(card, Quantities.default(card)).credits(whole)


@pytest.mark.parametrize(
    ("key", "table", "said"),
    [
        ("mdla_4o", {}, "Unknown option “mdla_4o” in the prices table"),
        (MODEL, 1, "must be a table of rates in credits"),
        (MODEL, {"prompt_per_1k": 1}, "output_per_1k must be a number of credits"),
        (VOICE, {"per_secnd": 1}, "Did you mean “per_second”?"),
        (VOICE, {"per_second": -1}, "per_second must be a number of credits from 0"),
        (VOICE, {"per_second": True}, "per_second must be a number of credits from 0"),
        (VOICE, {"per_second": 0.12345678901}, "at most 9 decimal places"),
        (VOICE, {"per_second": float("nan")}, "per_second must be a number of credits from 0"),
    ],
)
def test_a_mistake_is_named(key: str, table: Any, said: str) -> None:
    with pytest.raises(BadTable, match=said):
        own_price(key, table)
