"""Reading ``/options`` answers of any shape (decisions 13 and 62)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.estimation.card import RateCard
from chartui.core.estimation.discovery import Choice, Discovery, discover
from chartui.core.estimation.estimator import Estimator
from chartui.core.spec.catalogue import KINDS, Kind, options


def choice(found: Discovery, kind: Kind, key: str) -> Choice:
    return next(choice for choice in found.choices[kind] if choice.key == key)


def listed(found: Discovery, kind: Kind) -> list[str]:
    return [choice.key for choice in found.choices[kind] if choice.listed]


def test_without_an_answer_the_catalogue_is_offered() -> None:
    found = discover()
    assert not found.fits
    for kind in KINDS:
        assert [(c.key, c.label, c.known, c.listed) for c in found.choices[kind]] == [
            (option.key, option.label, True, False) for option in options(kind)
        ]
    assert [c.key for c in found.choices["llm"] if c.realtime] == [o.key for o in options("llm") if o.realtime]
    assert found.selections == found.assumptions == {}
    assert found.subscriptions == ()


def test_the_local_answer_is_read_whole(estimator: Estimator, card: RateCard) -> None:
    found = discover(estimator.options())
    assert found.fits
    for kind in KINDS:
        assert [c.key for c in found.choices[kind]] == listed(found, kind) == list(card.options[kind])
        for entry in found.choices[kind]:
            rates = {f"credits.{name}": rate for name, rate in card.options[kind][entry.key].rates.items()}
            assert {name: n for name, n in entry.numbers.items() if name.startswith("credits")} == rates
    assert found.selections == dict(card.selections)
    assert found.assumptions == dict(card.assumptions)
    assert [(p.label, p.monthly_credits, p.price, p.tier) for p in found.subscriptions] == [
        (p.label, p.monthly_credits, p.price, p.tier) for p in card.subscriptions
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"llm": {"mdla_4o": {"name": "Four", "rate": 7}, "new_1": {"name": "New", "rate": 8}, "mdli_5_2": {}}},
        {"x": {"models": [{"id": "mdla_4o", "title": "Four", "rate": 7}, {"id": "new_1", "title": "New", "rate": 8}]}},
        [{"label": "Four", "value": "mdla_4o", "rate": 7}, {"label": "New", "value": "new_1", "rate": 8}],
        {"all": [
            {"key": "mdla_4o", "kind": "llm", "label": "Four", "rate": 7},
            {"key": "tts_1", "kind": "tts"},
            {"key": "new_1", "kind": "llm", "label": "New", "rate": 8},
        ]},
    ],
    ids=["by name", "wrapped list", "bare list", "one list for all"],
)  # fmt: skip
def test_options_are_found_in_many_shapes(answer: Any) -> None:
    found = discover(answer)
    assert found.fits
    assert choice(found, "llm", "mdla_4o") == Choice("mdla_4o", "Four", True, True, False, {"rate": 7})
    assert found.choices["llm"][-1] == Choice("new_1", "New", False, True, False, {"rate": 8})


def test_bare_keys_and_bare_numbers_are_options() -> None:
    found = discover({"stt": ["no_stt_input", "vendorb_3_streaming", "new_stt"], "rates": {"tts_1": Decimal("0.4")}})
    assert listed(found, "stt") == ["vendorb_3_streaming", "no_stt_input", "new_stt"]
    assert choice(found, "tts", "tts_1").numbers == {"credits": Decimal("0.4")}


def test_a_key_of_two_kinds_goes_where_it_stands() -> None:
    assert listed(discover({"tts": ["included_in_realtime"]}), "stt") == []
    found = discover({"x": ["included_in_realtime", "no_stt_input"]})
    assert (listed(found, "stt"), listed(found, "tts")) == (["included_in_realtime", "no_stt_input"], [])
    found = discover([{"key": "included_in_realtime", "category": "tts"}, {"key": "no_stt_input"}])
    assert listed(found, "tts") == ["included_in_realtime"]


def test_a_new_live_model_is_realtime_and_a_new_voice_is_not() -> None:
    found = discover({"llm": ["mdla_4o", "new_live"], "tts": ["tts_1", "new_live"]})
    assert choice(found, "llm", "new_live").realtime
    assert not choice(found, "tts", "new_live").realtime


def test_what_stands_apart_from_known_keys_is_no_option() -> None:
    found = discover({"llm": ["mdla_4o"], "colors": ["red", "blue"], "people": [{"id": "x"}]})
    assert not [c for kind in KINDS for c in found.choices[kind] if not c.known]


def test_configurations_are_no_options() -> None:
    found = discover({"presets": [{"model": "mdla_4o", "voice": "tts_1"}, {"model": "x", "voice": "y"}]})
    assert not found.fits
    found = discover([{"family": "F", "default_voice": "vendorf_v3", "id": "x"}])
    assert not found.fits


def test_the_mention_with_the_most_numbers_counts() -> None:
    found = discover({"featured": ["mdla_4o"], "deep": {"llm": [{"key": "mdla_4o", "label": "Four", "rate": 1}]}})
    assert choice(found, "llm", "mdla_4o") == Choice("mdla_4o", "Four", True, True, False, {"rate": 1})


def test_defaults_lie_flat_in_parts_or_at_the_option() -> None:
    flat = discover({"defaults": {"llm": "mdla_4o", "memory": False, "sttSeconds": Decimal("2.5"), "ttsSeconds": "x"}})
    assert flat.selections == {"llm": "mdla_4o", "memory": False}
    assert flat.assumptions == {"sttSeconds": Decimal("2.5")}
    marked = discover({"tts": [{"key": "tts_1"}, {"key": "tts_1_hd", "default": True}]})
    assert marked.selections == {"tts": "tts_1_hd"}
    assert discover({"example": {"llm": "mdla_4o", "memory": True}}).selections == {}


def test_plans_are_made_out_as_far_as_they_can_be() -> None:
    found = discover(
        {
            "subscription_plans": {
                "Pro": {"included_credits": 10, "price": {"usd": Decimal("9.99")}, "tier": "professional"},
                "note": "text",
            },
            "plans": [{"name": "Basic", "monthlyCredits": 5}, {"name": "no numbers"}, 3],
        }
    )
    assert found.subscriptions == (
        ("Pro", 10, Decimal("9.99"), "professional", "Pro"),
        ("Basic", 5, None, None, ""),
    )


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from([o.key for kind in KINDS for o in options(kind)])
)
names = st.text(max_size=5) | st.sampled_from(
    ["llm", "stt", "tts", "plans", "defaults", "key", "label", "credits", "default", "mdla_4o", "no_tts"]
)
wires = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=25
)


@given(wires)
def test_no_answer_makes_it_fail_and_the_catalogue_is_always_there(answer: Any) -> None:
    found = discover(answer)
    for kind in KINDS:
        keys = [c.key for c in found.choices[kind]]
        assert keys[: len(options(kind))] == [option.key for option in options(kind)]
        assert len(keys) == len(set(keys))
        assert all(c.label for c in found.choices[kind])


def test_an_answer_nested_by_the_thousand_does_no_harm() -> None:
    answer: Any = ["mdla_4o"]
    for _ in range(5000):
        answer = {"x": [answer]}
    assert not discover(answer).fits
