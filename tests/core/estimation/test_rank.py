"""A ranking says of each option what the estimator says of the whole configuration with it."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.estimation.card import QUANTITIES, RateCard, load_card
from chartui.core.estimation.constraints import default_constraints
from chartui.core.estimation.discovery import discover
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.prices import (
    Configuration,
    Pricing,
    Quantities,
    has_speech_in,
    has_speech_out,
    remarks_on,
    with_option,
)
from chartui.core.estimation.rank import Order, Ranked, rank, rank_sheet
from chartui.core.sheet import as_records
from chartui.core.spec.catalogue import KINDS, Kind, options
from tests.long import examples

from .brute import cards, constraints, fact, fitting, quantities

ASKED = Quantities(3721, Decimal("151.5"), Decimal("7.77"), 11)


@pytest.fixture(scope="module")
def pricing() -> Pricing:
    return Pricing(load_card(), ASKED)


@pytest.fixture(scope="module")
def present(pricing: Pricing) -> Configuration:
    return Configuration.default(pricing.card)


def by_key(ranked: tuple[Ranked, ...]) -> dict[str, Ranked]:
    return {entry.key: entry for entry in ranked}


@pytest.mark.parametrize("llm", ["mdlc_2_5_flash", "mdla_realtime_mini"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_option_has_the_figures_of_the_whole(kind: Kind, llm: str, card: RateCard, pricing: Pricing) -> None:
    present = Configuration.default(card)._replace(llm=llm, knowledge=True)
    estimator, assumptions = Estimator(card), dict(zip(QUANTITIES, ASKED, strict=True))
    now = estimator.estimate({"selections": present._asdict(), "assumptions": assumptions})["totals"]["credits"]
    ranked = rank(pricing, present, kind)
    assert {entry.key for entry in ranked} == set(card.options[kind])
    for entry in ranked:
        selections = with_option(present, kind, entry.key)._asdict()
        body = estimator.estimate({"selections": selections, "assumptions": assumptions})
        assert entry.configuration._asdict() == selections
        assert entry.credits == body["totals"]["credits"]
        assert entry.difference == (None if entry.billed_elsewhere else body["totals"]["credits"] - now)
        assert entry.latency == (body["latency_ms"]["min"], body["latency_ms"]["max"])
        assert entry.chosen is (selections == present._asdict())


def test_realtime_models_are_ranked_with_what_they_hear_and_speak(pricing: Pricing, present: Configuration) -> None:
    """So silence moves them down the list, where text models without voices cost no more than before."""
    aloud = by_key(rank(pricing, present, "llm"))["mdla_realtime_1_5"]
    silent = by_key(rank(pricing, present._replace(stt="no_stt_input", tts="no_tts"), "llm"))["mdla_realtime_1_5"]
    assert aloud.realtime
    assert aloud.credits is not None
    assert silent.credits is not None
    rates = pricing.card.options["llm"]["mdla_realtime_1_5"].rates
    heard = rates["audio_in_per_second"] * Decimal(ASKED.stt_seconds)
    assert aloud.credits - silent.credits == heard + rates["audio_out_per_second"] * ASKED.tts_seconds


@settings(deadline=None, max_examples=examples(100))
@given(cards(), quantities, st.sampled_from(KINDS), st.sampled_from(Order), st.booleans())
def test_the_order(card: RateCard, asked: Quantities, kind: Kind, by: Order, reverse: bool) -> None:
    """What has a whole price first; then the value; what is equal as the catalogue has it, whichever way round."""
    present = Configuration.default(card)
    ranked = rank(Pricing(card, asked), present, kind, by=by, reverse=reverse)
    places = list(dict.fromkeys([*(entry.key for entry in options(kind)), *card.options[kind]]))
    assert sorted(places) == sorted(entry.key for entry in ranked)
    priced = [entry for entry in ranked if entry.credits is not None]
    assert {entry.key for entry in priced} == set(card.options[kind])
    assert list(ranked[: len(priced)]) == priced
    whole = [entry for entry in priced if by is not Order.CREDITS or not entry.billed_elsewhere]
    assert priced[: len(whole)] == whole
    for group in (whole, priced[len(whole) :], list(ranked[len(priced) :])):
        for one, other in pairwise(group):
            first, second = value(one, by), value(other, by)
            if first is None or first == second:
                assert second is None or first is not None
                assert places.index(one.key) < places.index(other.key)
            elif second is not None:
                assert (first > second) is reverse


def value(entry: Ranked, by: Order) -> Any:
    if by is Order.CREDITS:
        return entry.credits
    if by is Order.LATENCY:
        return entry.latency[1] if entry.latency else None
    return entry.label.casefold()


# -- what the card does not know --------------------------------------------------------------------------------------


def test_what_only_the_service_offers_comes_last_and_has_no_price(pricing: Pricing, present: Configuration) -> None:
    offered = discover(
        {
            "options": {
                "llm": [
                    {"key": "aaa_first", "label": "Aaa"},
                    {"key": "mdla_4o", "label": "Renamed"},
                    {"key": "mdlb_haiku_4_5", "label": "Haiku"},
                ]
            }
        }
    )
    for by in Order:
        for reverse in (False, True):
            ranked = rank(pricing, present, "llm", by=by, reverse=reverse, discovery=offered)
            last = ranked[-1]
            assert (last.key, last.label, last.family) == ("aaa_first", "Aaa", "Other")
            assert (last.credits, last.latency, last.difference) == (None, None, None)
            assert len(ranked) == 59
    assert by_key(ranked)["mdla_4o"].label == "Renamed"
    assert by_key(ranked)["mdla_4_1"].label == "MDLA 4.1"


def test_beside_something_without_a_price_all_is_unknown(pricing: Pricing, present: Configuration) -> None:
    strange = present._replace(stt="new_ears")
    ranked = rank(pricing, strange, "llm")
    assert {(e.credits, e.difference, e.latency) for e in ranked if not e.realtime} == {(None, None, None)}
    assert {e.key for e in ranked} == {entry.key for entry in options("llm")}
    assert all(e.credits is not None for e in ranked if e.realtime)  # with voices of their own
    ears = rank(pricing, strange, "stt")
    assert (ears[-1].key, ears[-1].chosen, ears[-1].credits) == ("new_ears", True, None)
    assert [entry.difference for entry in ears] == [None] * 6
    assert None not in [entry.credits for entry in ears[:-1]]


def test_without_latencies_there_are_none(pricing: Pricing, present: Configuration) -> None:
    card = pricing.card._replace(
        options={k: {key: o._replace(latency=None) for key, o in pricing.card.options[k].items()} for k in KINDS},
        timed=False,
    )
    ranked = rank(Pricing(card, ASKED), present, "tts", by=Order.LATENCY)
    assert {entry.latency for entry in ranked} == {None}
    assert [entry.key for entry in ranked] == [entry.key for entry in options("tts")]


# -- what is said of an option ----------------------------------------------------------------------------------------


def test_what_is_odd_and_what_is_billed_elsewhere_is_said(pricing: Pricing, present: Configuration) -> None:
    models = by_key(rank(pricing, present, "llm"))
    assert models["byo_mdla_compatible_endpoint"].billed_elsewhere
    assert models["byo_mdla_compatible_endpoint"].note == ""
    assert models["mdla_realtime_mini"].note == ""
    assert models["mdla_realtime_mini"].configuration[3:5] == ("included_in_realtime", "included_in_realtime")
    assert not models["mdla_realtime_mini"].billed_elsewhere
    voices = by_key(rank(pricing, present._replace(llm="byo_mdla_compatible_endpoint"), "tts"))
    assert {key for key, entry in voices.items() if entry.billed_elsewhere} == {"external_tts_via_api_key"}
    assert not any(entry.realtime for entry in voices.values())
    live = by_key(rank(pricing, present._replace(llm="mdla_realtime_mini"), "tts"))
    assert not any(entry.billed_elsewhere for entry in live.values())


def test_after_a_realtime_model_no_text_model_without_voices_is_presented_as_cheaper(
    pricing: Pricing, present: Configuration
) -> None:
    live = with_option(present, "llm", "mdla_realtime_mini")
    ranked = rank(pricing, live, "llm", constraints=default_constraints(live))
    fitting = [entry for entry in ranked if not entry.unmet]
    assert list(ranked[: len(fitting)]) == fitting
    assert {entry.realtime for entry in fitting} == {True}
    assert all(entry.difference is None for entry in ranked[len(fitting) :])
    cheaper = [entry for entry in ranked if entry.difference is not None and entry.difference < 0]
    assert all(has_speech_in(entry.configuration) and has_speech_out(entry.configuration) for entry in cheaper)


@settings(deadline=None, max_examples=examples(100))
@given(cards(), quantities, st.sampled_from(KINDS), st.data())
def test_an_option_that_fits_is_one_that_a_search_finds(
    card: RateCard, asked: Quantities, kind: Kind, data: st.DataObject
) -> None:
    """Rank and Explore judge every configuration alike."""
    pricing, present = Pricing(card, asked), Configuration.default(card)
    facts = [fact(present, (pricing.credits(present) or Decimal(0), 100 if card.timed else None))]
    wanted = data.draw(constraints(facts))
    for entry in rank(pricing, present, kind, constraints=wanted):
        chosen, amount = entry.configuration, entry.credits
        if amount is None:
            continue
        span = entry.latency
        fits = fitting([fact(chosen, (amount, span[1] if span else None))], wanted)
        assert bool(fits) is not bool(entry.unmet)
        billed, now = ([r for r in remarks_on(one) if r.unpriced] for one in (chosen, present))
        assert (entry.difference is None) is (bool(entry.unmet) or billed != now)


def test_as_a_table(pricing: Pricing, present: Configuration) -> None:
    ranked = rank(pricing, present._replace(stt="new_ears"), "stt")
    sheet = rank_sheet(ranked, ["From somewhere."])
    assert (sheet.title, sheet.notes) == ("Speech input, ranked", ("From somewhere.",))
    records = as_records(sheet)
    assert [record["key"] for record in records] == [entry.key for entry in ranked]
    assert records[-1] == {
        "key": "new_ears",
        "label": "new_ears",
        "family": "Other",
        "credits": None,
        "difference": None,
        "latency_min_ms": None,
        "latency_max_ms": None,
        "selected": True,
        "realtime": False,
        "billed_elsewhere": False,
        "own_price": False,
        "unusual_inputs": False,
        "beta": False,
        "unmet_constraints": "",
        "note": "",
    }
    assert records[0]["credits"] == ranked[0].credits
    assert (records[0]["latency_min_ms"], records[0]["latency_max_ms"]) == ranked[0].latency
