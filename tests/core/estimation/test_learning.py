"""Learning a card nobody has seen: how many calls it takes, and how well it fits where nothing was measured."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chartui.core.estimation.card import RateCard, load_card
from chartui.core.estimation.estimator import Estimator, payload_of_query
from chartui.core.estimation.learned.fit import configurations
from chartui.core.estimation.learned.rates import Report, learn, missing
from chartui.core.estimation.rates import RateSource, learned_path, rates_for
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key, options
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.core.estimation.services import FAR, NOW, Double, manner, random_card

SEEDS = range(6)


def own_configurations(card: RateCard, number: int, seed: int = 99) -> Iterator[dict[str, Wire]]:
    """Configurations of the test's own making: any options, any quantities."""
    random = Random(seed)
    for _ in range(number):
        amounts = [
            random.choice(
                (
                    0,
                    random.randrange(10**4),
                    Decimal(random.randrange(10**7)) / 10 ** random.randrange(1, 7),
                    random.randrange(10**9),
                    10**12,
                )
            )
            for _ in range(4)
        ]
        yield {
            **{kind: random.choice(list(card.options[kind])) for kind in KINDS},
            "memory": random.random() < 0.5,
            "knowledge": random.random() < 0.5,
            **dict(zip(("inputTokens", "outputChars", "sttSeconds", "ttsSeconds"), amounts, strict=True)),
        }


def same_rates(learned: RateCard, real: RateCard) -> None:
    assert learned.origin is not None
    assert learned._replace(origin=None) == real


def learned(service: Double, **settings: Any) -> Report:
    return asyncio.run(learn(service, FAR, manner=manner(**settings)))


# -- what is learned ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_nobody_has_seen_is_learned_whole(seed: int) -> None:
    card = random_card(seed, more=bool(seed % 2))
    service = Double(card)
    report = learned(service, seed=seed)
    assert report.card is not None
    assert report.calls == report.made == len(service.asked)
    assert report.calls - report.tests <= 80
    assert report.tests == 20
    assert report.worst_error == 0
    assert not report.misfits
    same_rates(load_card(report.path), card)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_learned_card_says_what_the_service_says(seed: int) -> None:
    card = random_card(seed)
    report = learned(Double(card))
    real, ours = Estimator(card), Estimator(load_card(report.path))
    for asked in own_configurations(card, 500):
        payload = payload_of_query(asked)
        told, computed = real.estimate(payload), ours.estimate(payload)
        assert computed["totals"]["credits"] == told["totals"]["credits"]
        assert computed == told


def test_as_many_questions_as_there_are_models_tell_everything(card: RateCard) -> None:
    service = Double(card)
    learned(service)
    assert len(service.asked) == 1 + 58 + 20
    assert service.asked[0] == {}
    measured = service.asked[1:59]
    for kind in KINDS:
        assert {asked[kind] for asked in measured} == {option.key for option in options(kind)}
    combinations = {(asked["memory"], asked["knowledge"]) for asked in measured}
    assert len(combinations) == 4


def test_quantities_are_powers_of_ten_that_vary_and_stay_in_bounds(card: RateCard) -> None:
    service = Double(card)
    learned(service)
    for name, part in (("inputTokens", 1), ("outputChars", 4), ("sttSeconds", 1), ("ttsSeconds", 1)):
        amounts = [int(str(asked[name])) // part for asked in service.asked[1:59]]
        assert all(str(amount).strip("0") == "1" for amount in amounts)
        assert all(amount * part < 10**12 for amount in amounts)
        assert len(set(amounts)) > 3
    # What is measured several times is measured with other amounts, so that a tier or a fee shows.
    for kind, name in (("stt", "sttSeconds"), ("tts", "ttsSeconds"), ("animation", "ttsSeconds")):
        by_option: dict[str, set[str]] = {}
        for asked in service.asked[1:59]:
            if not is_realtime_key(str(asked["llm"])):
                by_option.setdefault(str(asked[kind]), set()).add(str(asked[name]))
        assert all(len(different) > 1 for different in by_option.values())


def test_configurations_tried_are_of_every_sort(card: RateCard) -> None:
    service = Double(card)
    learned(service)
    tried = service.asked[-20:]
    assert len({asked["llm"] for asked in tried}) >= 19
    assert sum(is_realtime_key(str(asked["llm"])) for asked in tried) >= 3
    assert {(asked["memory"], asked["knowledge"]) for asked in tried} == {(a, b) for a in (0, 1) for b in (0, 1)}
    amounts = [asked["inputTokens"] for asked in tried]
    assert any(amount == 0 for amount in amounts)
    assert any(isinstance(amount, Decimal) for amount in amounts)
    assert any(amount > 10**6 for amount in amounts)
    assert sum(0 < amount <= 20_000 for amount in amounts) >= 8


def test_chance_repeats_itself(card: RateCard) -> None:
    choice = {kind: list(card.options[kind]) for kind in KINDS}
    first, second = (configurations(choice, Random(4)) for _ in range(2))
    assert [next(first) for _ in range(30)] == [next(second) for _ in range(30)]
    assert next(configurations(choice, Random(5))) != next(configurations(choice, Random(4)))


def test_the_origin_is_written(card: RateCard) -> None:
    report = learned(Double(card))
    origin = load_card(learned_path(FAR)).origin
    assert origin is not None
    assert (origin.profile, origin.base_url) == ("far", "https://service.example")
    assert (origin.learned_at, origin.calls, origin.tests) == (NOW.isoformat(), report.calls, 20)
    assert origin.worst_error == 0


def test_from_then_on_it_is_used_for_that_service_alone(card: RateCard) -> None:
    assert rates_for(FAR).source is RateSource.REFERENCE
    other = random_card(3)
    learned(Double(other))
    rates = rates_for(FAR)
    assert rates.source is RateSource.LEARNED
    assert rates.banner == "Rates learned on 2026-11-21."
    same_rates(rates.card, other)
    moved = rates_for(replace(FAR, base_url="https://other.example"))
    assert (moved.source, moved.card) == (RateSource.REFERENCE, card)
    assert "another address" in moved.banner


def test_it_can_be_written_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "cards" / "mine.toml"
    report = asyncio.run(learn(Double(random_card(1)), FAR, path=path, manner=manner()))
    assert report.path == path
    same_rates(load_card(path), random_card(1))
    assert not learned_path(FAR).exists()


# -- options that are not offered --------------------------------------------------------------------------------------

LACKING: dict[Kind, set[str]] = {
    "llm": {"mdla_4o", "mdlc_2_5_flash_live", "byo_mdla_compatible_endpoint"},
    "stt": {"vendorb_3_streaming"},
    "tts": {"tts_1", "vendorf_v3"},
    "animation": set(),
}


def test_what_is_not_listed_is_unknown_and_not_free() -> None:
    card = random_card(2, without=LACKING)
    service = Double(card)
    report = learned(service)
    assert report.card is not None
    assert {kind: set(keys) for kind, keys in report.missing.items()} == {k: v for k, v in LACKING.items() if v}
    for kind, keys in LACKING.items():
        assert not keys & report.card.options[kind].keys()
        assert not keys & {str(asked.get(kind)) for asked in service.asked}
    same_rates(report.card, card)


def test_what_is_listed_and_refused_is_unknown_as_well() -> None:
    card, whole = random_card(2, without=LACKING), Estimator(random_card(2))
    service = Double(card)
    service.listed = lambda body: whole.options()
    report = learned(service)
    assert report.card is not None
    refused = {(kind, key) for kind, keys in LACKING.items() for key in keys}
    assert set(report.refused) == refused
    assert "is not a valid tts" in report.refused["tts", "tts_1"]
    same_rates(report.card._replace(subscriptions=()), card._replace(subscriptions=()))
    assert report.calls <= 59 + 3 * len(refused) + 40


def test_a_list_of_options_that_nobody_understands_makes_no_difference() -> None:
    card = random_card(5)._replace(subscriptions=())
    service = Double(card)
    service.listed = lambda body: {"hello": ["world"]}
    report = learned(service)
    assert report.card is not None
    assert "whole catalogue" in report.notes[0]
    # Labels are the catalogue's then, as the card's were.
    same_rates(report.card, card)


def test_a_service_without_a_list_of_options_is_learned() -> None:
    service = Double(random_card(5))
    service.failures = [ServiceError(ErrorKind.NOT_FOUND, "No operation has this path.", status=404)]
    report = learned(service)
    assert report.card is not None


def test_live_models_alone_leave_the_voices_unknown() -> None:
    lacking: dict[Kind, set[str]] = {
        "llm": {o.key for o in options("llm") if not is_realtime_key(o.key)},
        "stt": set(),
        "tts": set(),
        "animation": set(),
    }
    report = learned(Double(random_card(4, without=lacking)))
    assert report.card is not None
    assert not any(option.rates for kind in ("stt", "tts") for option in report.card.options[kind].values())
    assert len(missing(report.card)["stt"]) == 3
