"""Services whose prices no rate card can say: told, and no card written. Latencies that are no sum: a card without."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from chartui.core.estimation.card import RateCard, load_card
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.learned.answers import kept_path
from chartui.core.estimation.learned.rates import Report, learn
from chartui.core.estimation.rates import RateSource, learned_path, rates_for
from chartui.core.jsontext import Wire
from tests.core.estimation.services import FAR, Change, Double, manner, random_card, refusal

Body = dict[str, Any]
Asked = Mapping[str, Wire]


def learned(service: Double, **settings: Any) -> Report:
    return asyncio.run(learn(service, FAR, manner=manner(**settings)))


def line(body: Body, key: str) -> Body | None:
    return next((line for line in body["lines"] if line["key"] == key), None)


def charge(body: Body, key: str, amount: Decimal) -> None:
    """Another amount on a line, and in the total as well: the answer is consistent in itself."""
    found = line(body, key)
    if found is not None:
        body["totals"]["credits"] += amount - found["credits"]
        found["credits"] = amount


def discount_for_both_flags(body: Body, asked: Asked) -> None:
    if body["selections"]["memory"] and body["selections"]["knowledge"]:
        charge(body, "knowledge", line(body, "knowledge")["credits"] / 2)  # type: ignore[index]


def discount_on_a_line_of_its_own(body: Body, asked: Asked) -> None:
    if body["selections"]["memory"] and body["selections"]["knowledge"]:
        body["lines"].append({"key": "discount", "label": "Bundle", "credits": Decimal("-0.25"), "detail": ""})
        body["totals"]["credits"] -= Decimal("0.25")


def speech_that_costs_more_with_some_models(body: Body, asked: Asked) -> None:
    spoken = line(body, "voice_output")
    if spoken is not None and body["selections"]["llm"] < "mdlc":
        charge(body, "voice_output", spoken["credits"] * Decimal("1.1"))


def cheaper_above_ten_thousand_tokens(body: Body, asked: Asked) -> None:
    tokens, prompt = body["assumptions"]["inputTokens"], line(body, "prompt")
    assert prompt is not None
    if tokens > 10_000:
        share = Decimal(10_000) / tokens
        charge(body, "prompt", round(prompt["credits"] * (share + (1 - share) / 2), 6))


def at_least_a_credit(body: Body, asked: Asked) -> None:
    for found in body["lines"]:
        if found["key"] == "prompt":
            charge(body, "prompt", max(Decimal(1), found["credits"]))


def at_least_two_credits_in_all(body: Body, asked: Asked) -> None:
    body["totals"]["credits"] = max(Decimal(2), body["totals"]["credits"])


def a_fee_for_every_call(body: Body, asked: Asked) -> None:
    body["totals"]["credits"] += Decimal("0.1")


def a_fee_inside_a_line(body: Body, asked: Asked) -> None:
    charge(body, "prompt", line(body, "prompt")["credits"] + Decimal("0.1"))  # type: ignore[index]


def own_endpoints_that_cost(body: Body, asked: Asked) -> None:
    if body["selections"]["llm"].startswith("byo_"):
        charge(body, "prompt", Decimal(3))


def voices_billed_beside_live_models(body: Body, asked: Asked) -> None:
    if ("realtime" in body["selections"]["llm"] or "live" in body["selections"]["llm"]) and line(body, "voice_input"):
        vendor = body["selections"]["stt"] not in ("included_in_realtime", "no_stt_input")
        charge(body, "voice_input", line(body, "voice_input")["credits"] + (1 if vendor else 0))  # type: ignore[index]


def whole_tokens_only(body: Body, asked: Asked) -> None:
    response, chars = line(body, "ai_response"), body["assumptions"]["outputChars"]
    if response is not None and chars:
        tokens = -(-chars // 4)
        charge(body, "ai_response", round(response["credits"] / chars * 4 * tokens, 6))


def money_back(body: Body, asked: Asked) -> None:
    charge(body, "animation", Decimal(-5))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (discount_for_both_flags, "the knowledge bank: the service says "),
        (discount_on_a_line_of_its_own, "the 'discount' line, which rate cards do not include: the service says -0.25"),
        (speech_that_costs_more_with_some_models, "speech output: "),
        (cheaper_above_ten_thousand_tokens, "the prompt: "),
        (at_least_a_credit, "the prompt: the service says 1, but its other responses give 0"),
        (at_least_two_credits_in_all, "the total: the service says 2, but its lines add up to "),
        (a_fee_for_every_call, "the total: "),
        (a_fee_inside_a_line, "the prompt: "),
        (own_endpoints_that_cost, "the prompt: the service says 3, but its other responses give 0"),
        (voices_billed_beside_live_models, "speech input: "),
        (whole_tokens_only, "the response: "),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_not_additive_is_told_and_nothing_is_written(
    card: RateCard, change: Change, words: str, seed: int
) -> None:
    report = learned(Double(card, change), seed=seed)
    assert report.card is None
    assert any(misfit.sentence.startswith(words) for misfit in report.misfits), report.misfits[:3]
    assert all(misfit.configuration for misfit in report.misfits)
    assert report.worst_error > Decimal("0.000001")
    assert report.where
    assert not learned_path(FAR).exists()
    assert rates_for(FAR).source is RateSource.REFERENCE
    assert not kept_path(FAR).exists()  # the next try asks anew


def test_a_card_of_another_service_is_left_as_it_was(card: RateCard) -> None:
    learned(Double(card))
    before = learned_path(FAR).read_bytes()
    assert learned(Double(card, a_fee_for_every_call)).card is None
    assert learned_path(FAR).read_bytes() == before


def test_an_amount_that_no_card_can_hold(card: RateCard) -> None:
    report = learned(Double(card, money_back))
    assert report.card is None
    assert report.problem.startswith("the 'per_second' rate of service_neurosync would be -")
    assert "which is out of range" in report.problem


def test_when_measuring_shows_it_nothing_is_tried_any_more(card: RateCard) -> None:
    service = Double(card, discount_on_a_line_of_its_own)
    report = learned(service)
    assert (report.tests, len(service.asked)) == (0, 59)


def test_trying_shows_what_measuring_cannot(card: RateCard) -> None:
    service = Double(card, at_least_two_credits_in_all)
    report = learned(service)
    assert (report.tests, len(service.asked)) == (20, 79)


def thirds(body: Body, asked: Asked) -> None:
    for found in body["lines"]:
        charge(body, found["key"], round(found["credits"] / 3, 6))


def test_rates_that_are_too_fine_for_a_card_are_told(card: RateCard) -> None:
    report = learned(Double(card, thirds))
    assert report.card is None
    assert report.notes[0].startswith(
        "A rate card allows at most nine decimal places, which is too few for the price of "
    )
    lenient = learned(Double(card, thirds), tolerance=Decimal("0.1"))
    assert lenient.card is not None
    assert 0 < lenient.worst_error < Decimal("0.1")


# -- what is additive nevertheless -------------------------------------------------------------------------------------


def in_doubles(body: Body, asked: Asked) -> None:
    """As a service computes that knows nothing but floating point, and rounds nothing."""
    total = 0.0
    for found in body["lines"]:
        amount = float(found["credits"]) * (1 + 1e-16) + 1e-17
        found["credits"] = Decimal(repr(amount))
        total += amount
    body["totals"]["credits"] = Decimal(repr(total))


def in_doubles_rounded_at_the_end(body: Body, asked: Asked) -> None:
    lines = [float(found["credits"]) for found in body["lines"]]
    body["totals"]["credits"] = Decimal(repr(round(sum(lines), 6)))


@pytest.mark.parametrize("change", [in_doubles, in_doubles_rounded_at_the_end])
@pytest.mark.parametrize("seed", range(3))
def test_a_service_that_counts_in_doubles_is_learned_exactly(change: Change, seed: int) -> None:
    card = random_card(seed)
    report = learned(Double(card, change), seed=seed)
    assert report.misfits == ()
    assert report.card is not None
    assert report.card.options == card.options
    assert report.card.components == card.components


def in_other_order_and_forms(body: Body, asked: Asked) -> None:
    """Lines in another order, free ones left out, one split in two, and some that cost nothing and nobody knows."""
    lines = [found for found in body["lines"] if found["credits"]][::-1]
    half = {**lines[0], "credits": lines[0]["credits"] / 2, "latency_ms": None}
    lines[0] = {**lines[0], "credits": lines[0]["credits"] - half["credits"]}
    body["lines"] = [half, *lines, {"key": "greeting", "label": "Hello", "credits": 0, "detail": ""}]


def test_lines_may_come_in_any_order(card: RateCard) -> None:
    report = learned(Double(card, in_other_order_and_forms))
    assert report.misfits == ()
    assert report.card is not None
    assert report.card.components["memory"].rates == card.components["memory"].rates
    assert {k: o.rates for k, o in report.card.options["tts"].items()} == {
        k: o.rates for k, o in card.options["tts"].items()
    }


def to_the_cent(body: Body, asked: Asked) -> None:
    for found in body["lines"]:
        charge(body, found["key"], round(found["credits"], 2))


def test_a_service_that_rounds_more_is_learned_where_that_is_tolerated(card: RateCard) -> None:
    strict = learned(Double(card, to_the_cent))
    assert strict.card is None
    assert strict.worst_error <= Decimal("0.05")
    report = learned(Double(card, to_the_cent), tolerance=Decimal("0.05"))
    assert report.card is not None
    assert 0 < report.worst_error <= Decimal("0.05")
    assert report.card.options["llm"] == card.options["llm"]


def without_echo(body: Body, asked: Asked) -> None:
    del body["selections"], body["assumptions"]


def test_a_service_that_does_not_say_what_it_understood(card: RateCard) -> None:
    report = learned(Double(card, without_echo))
    assert report.card is not None
    assert (report.card.selections, report.card.assumptions) == (card.selections, card.assumptions)  # of the options
    service = Double(card, without_echo)
    service.listed = lambda body: {"options": body["options"]}
    report = learned(service)
    assert report.card is not None
    assert (
        "does not report all of its defaults. The rate card contains these values instead: llm mdlc_2_5_flash, "
        "memory true" in report.notes[0]
    )


def without_a_version(body: Body, asked: Asked) -> None:
    del body["rate_card"]


def with_a_version_in_words(body: Body, asked: Asked) -> None:
    body["rate_card"] = {"version": Decimal("1.5"), "effective_date": "last spring"}


def test_what_is_written_for_a_version_that_is_none(card: RateCard) -> None:
    report = learned(Double(card, without_a_version))
    assert report.card is not None
    assert (report.card.version, report.card.effective_date) == (0, "2026-11-21")
    assert report.notes == (
        "The service gives no version, so 0 was written.",
        "The service gives no effective date, so today's date was written.",
    )
    report = learned(Double(card, with_a_version_in_words))
    assert "gives 1.5 as its version, which is not a whole number" in report.notes[0]
    assert "gives 'last spring' as its effective date" in report.notes[1]


def clamped(body: Body, asked: Asked) -> None:
    """Takes at most a million tokens, and says so in its echo only."""
    tokens = min(asked.get("inputTokens", body["assumptions"]["inputTokens"]), 10**6)
    answer = Estimator(load_card()).estimate(
        {"selections": body["selections"], "assumptions": {**body["assumptions"], "inputTokens": tokens}}
    )
    body.clear()
    body.update(answer)


def test_the_echo_is_trusted(card: RateCard) -> None:
    report = learned(Double(card, clamped))
    assert report.card is not None
    assert report.card.options == card.options


# -- bounds of a service -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [10**8, 10**6 * 5, 10**5 * 5, 10**4 * 5])
def test_a_service_that_takes_no_large_quantities(card: RateCard, most: int) -> None:
    def bounded(body: Body, asked: Asked) -> None:
        if any(body["assumptions"][name] > most for name in ("inputTokens", "outputChars", "sttSeconds", "ttsSeconds")):
            raise refusal(f"Quantities are at most {most}.")

    report = learned(Double(card, bounded))
    assert report.misfits == ()
    assert report.card is not None
    assert {k: o.rates for k, o in report.card.options["llm"].items()} == {
        k: o.rates for k, o in card.options["llm"].items()
    }
    assert "accepts no more than 10^" in report.notes[-1]
    assert report.refused == {}


def test_a_service_that_takes_no_usual_voice_with_a_live_model(card: RateCard) -> None:
    def strict(body: Body, asked: Asked) -> None:
        live = "realtime" in body["selections"]["llm"] or "live" in body["selections"]["llm"]
        for kind in ("stt", "tts"):
            if (body["selections"][kind] == "included_in_realtime") != live and not body["selections"][kind].startswith(
                "no_"
            ):
                raise refusal("A live model has its own voice, and others have none.")

    report = learned(Double(card, strict))
    assert report.card is not None
    assert report.card.options == card.options
    assert report.tests == 20
    assert any("rejected together" in note for note in report.notes)


def test_a_service_that_answers_hardly_anything_is_not_trusted(card: RateCard) -> None:
    def picky(body: Body, asked: Asked) -> None:
        if asked and asked.get("inputTokens") not in [10**n for n in range(12)]:
            raise refusal("No.")

    report = learned(Double(card, picky))
    assert report.card is None
    assert report.problem == "only 0 of 20 random configurations could be estimated, too few to test the rates"
    assert not learned_path(FAR).exists()


def test_a_service_that_takes_no_voice_at_all_is_no_crash(card: RateCard) -> None:
    def deaf(body: Body, asked: Asked) -> None:
        if "stt" in asked:
            raise refusal("There is no speech input here.")
        del body["selections"]

    report = learned(Double(card, deaf))
    assert report.card is None
    assert report.problem


# -- latencies ---------------------------------------------------------------------------------------------------------


def slower_in_all(body: Body, asked: Asked) -> None:
    body["latency_ms"] = {name: value + 25 for name, value in body["latency_ms"].items()}


def no_latency_in_all(body: Body, asked: Asked) -> None:
    body["latency_ms"] = None


def no_latencies(body: Body, asked: Asked) -> None:
    body["latency_ms"] = None
    for found in body["lines"]:
        found["latency_ms"] = None


def latencies_that_depend_on_the_text(body: Body, asked: Asked) -> None:
    spoken = line(body, "voice_output")
    if spoken is not None and spoken["latency_ms"]:
        spoken["latency_ms"] = {**spoken["latency_ms"], "max": 10_000 + len(str(body["assumptions"]["ttsSeconds"]))}


def half_milliseconds(body: Body, asked: Asked) -> None:
    for found in body["lines"]:
        if found["latency_ms"]:
            found["latency_ms"] = found["latency_ms"]["min"] + Decimal("0.5")


def late_memory(body: Body, asked: Asked) -> None:
    found = line(body, "memory")
    if found is not None:
        found["latency_ms"] = 40
        body["latency_ms"] = {name: value + 40 for name, value in body["latency_ms"].items()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (slower_in_all, "but its lines add up to"),
        (no_latency_in_all, "no overall latency"),
        (no_latencies, "reports no latency"),
        (latencies_that_depend_on_the_text, "varies between responses"),
        (half_milliseconds, "not a whole number of milliseconds"),
        (late_memory, "but its lines add up to"),
    ],
)
def test_latencies_that_are_no_sum_are_left_out(card: RateCard, change: Change, words: str) -> None:
    report = learned(Double(card, change))
    assert report.card is not None
    assert words in report.latency_problem
    written = load_card(report.path)
    assert not written.timed
    assert all(entry.latency is None for found in written.options.values() for entry in found.values())
    assert {k: o.rates for k, o in written.options["llm"].items()} == {
        k: o.rates for k, o in card.options["llm"].items()
    }
    assert Estimator(written).estimate({})["latency_ms"] is None
    assert rates_for(FAR).banner == "Rates learned on 2026-11-21, without latencies."


def one_number_each(body: Body, asked: Asked) -> None:
    for found in body["lines"]:
        if found["latency_ms"]:
            found["latency_ms"] = found["latency_ms"]["max"]
    body["latency_ms"] = {"min": body["latency_ms"]["max"], "max": body["latency_ms"]["max"]}


def test_a_latency_may_be_one_number(card: RateCard) -> None:
    report = learned(Double(card, one_number_each))
    assert report.card is not None
    assert report.latency_problem == ""
    assert report.card.options["llm"]["mdla_4o"].latency == (960, 960)
