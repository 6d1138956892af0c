"""Whether a learned card still holds, found out with five calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from chartui.core.estimation.card import FREE, CardOption, RateCard
from chartui.core.estimation.learned.rates import Drift, check, learn
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.core.estimation.services import FAR, Double, manner, random_card, refusal


def learned(service: Double, **settings: Any) -> RateCard:
    report = asyncio.run(learn(service, FAR, manner=manner(**settings)))
    assert report.card is not None
    service.asked.clear()
    service.refreshed.clear()
    return report.card


def checked(service: Double, card: RateCard, seed: int = 1) -> Drift:
    return asyncio.run(check(service, card, manner=manner(seed=seed)))


def dearer(card: RateCard, kind: Kind) -> RateCard:
    options = {
        key: option._replace(rates={name: rate + rate / 10 for name, rate in option.rates.items()})
        for key, option in card.options[kind].items()
    }
    return card._replace(options={**card.options, kind: options})


def slower(card: RateCard) -> RateCard:
    options: dict[str, CardOption] = {
        key: option._replace(latency=(1, 9000)) for key, option in card.options["llm"].items()
    }
    return card._replace(options={**card.options, "llm": options})


@pytest.mark.parametrize("seed", range(5))
def test_a_card_that_holds_takes_five_calls(seed: int) -> None:
    service = Double(random_card(seed))
    drift = checked(service, learned(service), seed)
    assert drift == Drift((), 5, Decimal(0))
    assert len(service.asked) == 5
    assert service.asked[0] == {}
    assert all(service.refreshed)  # what a cache holds says nothing about now
    for asked in service.asked[1:]:
        live = is_realtime_key(str(asked["llm"]))
        assert all((asked[kind] in FREE[kind]) is live for kind in ("stt", "tts"))


def test_other_configurations_are_tried_every_time() -> None:
    service = Double(random_card(1))
    card = learned(service)
    checked(service, card, 1)
    checked(service, card, 2)
    assert service.asked[1:5] != service.asked[6:]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda card: card._replace(version=card.version + 1), "The service's rate card is version "),
        (lambda card: card._replace(effective_date="2031-01-01"), "The service's rate card took effect on 2031-01-01"),
        (
            lambda card: card._replace(selections={**card.selections, "tts": "tts_1"}),
            "The service's default for tts is tts_1,",
        ),
        (
            lambda card: card._replace(selections={**card.selections, "memory": not card.selections["memory"]}),
            "The service's default for memory is o",
        ),
        (
            lambda card: card._replace(assumptions={**card.assumptions, "sttSeconds": Decimal("77.5")}),
            "The service's default for sttSeconds is 77.5, ",
        ),
        (lambda card: dearer(card, "llm"), "The prompt: "),
        (lambda card: dearer(card, "tts"), "Speech output: "),
        (
            lambda card: card._replace(
                components={
                    **card.components,
                    "platform": card.components["platform"]._replace(rates={"flat": Decimal("123.456789")}),
                },
            ),
            "The platform: 123.456789, but ",
        ),
        (slower, "Latency: the service says "),
    ],
)
def test_what_has_changed_is_told(change: Callable[[RateCard], RateCard], words: str) -> None:
    service = Double(random_card(1))
    card = learned(service)
    service.card = change(service.card)
    drift = checked(service, card)
    assert any(difference.startswith(words) for difference in drift.differences), drift.differences
    assert drift.calls <= 5


def test_an_option_that_is_gone_is_told() -> None:
    service = Double(random_card(1))
    card = learned(service)
    service.card = service.card._replace(
        options={**service.card.options, "animation": {"no_animation": CardOption("no_animation", "No", {}, None)}},
        selections={**service.card.selections, "animation": "no_animation"},
    )
    drift = checked(service, card)
    assert any(d.startswith("The service does not accept ") and "not a valid animation" in d for d in drift.differences)


def test_a_service_that_refuses_its_own_defaults() -> None:
    service = Double(random_card(1))
    card = learned(service)
    service.failures = [refusal("Nothing today.")]
    assert checked(service, card).differences == ("The service does not accept its own defaults: Nothing today.",)


def test_a_change_while_it_is_checked() -> None:
    service = Double(random_card(1))
    card = learned(service)

    def change(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        if len(service.asked) == 2:
            body["rate_card"]["version"] += 1

    service.change = change
    (difference,) = checked(service, card).differences
    assert difference.startswith("Changed during the check: the service's rate card was ")


def test_a_card_that_was_a_little_off_may_stay_so(card: RateCard) -> None:
    def to_the_cent(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        for line in body["lines"]:
            line["credits"] = round(line["credits"], 2)
        body["totals"]["credits"] = sum(line["credits"] for line in body["lines"])

    service = Double(card, to_the_cent)
    ours = learned(service, tolerance=Decimal("0.05"))
    assert ours.origin is not None
    assert ours.origin.worst_error > 0
    exact = ours._replace(origin=ours.origin._replace(worst_error=Decimal(0)))
    assert checked(service, exact).differences
    lenient = ours._replace(origin=ours.origin._replace(worst_error=Decimal("0.05")))
    assert checked(service, lenient).differences == ()


def test_a_version_that_no_card_can_hold_is_no_drift() -> None:
    def odd(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        body["rate_card"] = {"version": Decimal("1.5")}

    service = Double(random_card(1), odd)
    assert checked(service, learned(service)).differences == ()


def test_latencies_that_were_left_out_are_not_compared() -> None:
    def slow(body: dict[str, Any], asked: Mapping[str, Wire]) -> None:
        body["latency_ms"]["max"] += 1000

    service = Double(random_card(1), slow)
    card = learned(service)
    assert not card.timed
    assert checked(service, card).differences == ()


def test_a_service_that_is_away_is_an_error() -> None:
    service = Double(random_card(1))
    card = learned(service)
    service.failures = [ServiceError(ErrorKind.BAD_KEY, "No.", status=401)]
    with pytest.raises(ServiceError):
        checked(service, card)


def test_what_costs_nothing_is_not_asked_about() -> None:
    service = Double(random_card(1))
    card = learned(service)
    for seed in range(20):
        checked(service, card, Random(seed).randrange(10**6))
    text = [asked for asked in service.asked if asked and not is_realtime_key(str(asked["llm"]))]
    assert text
    assert not any(asked[kind] in FREE[kind] for asked in text for kind in KINDS)
