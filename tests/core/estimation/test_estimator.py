"""Every rule of decisions section 1 that the formulas have, on the packaged card and on exact numbers."""

from __future__ import annotations

import itertools
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.estimation.card import QUANTITIES, RateCard, load_card
from chartui.core.estimation.estimator import API_VERSION, Estimator, payload_of_query
from chartui.core.jsontext import dumps, loads
from chartui.core.spec.catalogue import KINDS, is_realtime_key, options
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.shape import build

ORDER = ("ai_response", "prompt", "memory", "knowledge", "voice_input", "voice_output", "animation", "platform")
PLAIN = {
    "llm": "mdla_4o",
    "memory": False,
    "knowledge": False,
    "stt": "vendorb_3_streaming",
    "tts": "tts_1",
    "animation": "service_neurosync",
}
REALTIME = "mdla_realtime_mini"


def lines_of(estimator: Estimator, quantities: dict[str, Any] | None = None, **selections: Any) -> dict[str, Any]:
    """The lines by key, for the plain configuration changed by ``selections``."""
    payload = {"selections": {**PLAIN, **selections}, "assumptions": quantities or {}}
    return {line["key"]: line for line in estimator.estimate(payload)["lines"]}


def refusal(estimator: Estimator, payload: dict[str, Any]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        estimator.estimate(payload)
    assert caught.value.kind is ErrorKind.INVALID
    return caught.value


# -- formulas (decision 2) ---------------------------------------------------------------------------------------------


def test_a_text_model_bills_tokens_seconds_and_flat_charges(estimator: Estimator, card: RateCard) -> None:
    lines = lines_of(estimator, memory=True, knowledge=True)
    model = card.options["llm"]["mdla_4o"].rates
    assert lines["prompt"]["credits"] == 4 * model["prompt_per_1k"]
    assert lines["ai_response"]["credits"] == Decimal("0.0375") * model["output_per_1k"]
    assert lines["voice_input"]["credits"] == 8 * card.options["stt"]["vendorb_3_streaming"].rates["per_second"]
    assert lines["voice_output"]["credits"] == 10 * card.options["tts"]["tts_1"].rates["per_second"]
    assert lines["animation"]["credits"] == 10 * card.options["animation"]["service_neurosync"].rates["per_second"]
    assert lines["memory"]["credits"] == lines["knowledge"]["credits"] == 1
    assert lines["platform"]["credits"] == card.components["platform"].rates["flat"]


def test_part_of_a_token_is_billed_as_a_part(estimator: Estimator) -> None:
    one, two = (lines_of(estimator, {"outputChars": n})["ai_response"]["credits"] for n in (1, 2))
    assert two == 2 * one > 0


def test_the_voice_that_is_off_still_drives_the_face(estimator: Estimator) -> None:
    lines = lines_of(estimator, tts="no_tts")
    assert "voice_output" not in lines
    assert lines["animation"]["credits"] == lines_of(estimator)["animation"]["credits"] > 0


def test_what_a_provider_bills_costs_nothing_here_and_says_so(estimator: Estimator) -> None:
    lines = lines_of(estimator, llm="byo_mdla_compatible_endpoint", tts="external_tts_via_api_key")
    for key in ("ai_response", "prompt", "voice_output"):
        assert (lines[key]["credits"], lines[key]["detail"]) == (0, "billed by your provider")


# -- realtime (decisions 3 and 4) --------------------------------------------------------------------------------------


def test_three_keys_are_realtime() -> None:
    found = [option.key for option in options("llm") if option.realtime]
    assert found == ["mdla_realtime_1_5", "mdlc_2_5_flash_live", "mdla_realtime_mini"]


@pytest.mark.parametrize("stt", [o.key for o in options("stt") if o.key != "no_stt_input"])
@pytest.mark.parametrize("tts", ["included_in_realtime", "cloud_tts_studio", "external_tts_via_api_key"])
def test_a_realtime_model_bills_its_own_audio_whatever_is_selected(
    estimator: Estimator, card: RateCard, stt: str, tts: str
) -> None:
    lines = lines_of(estimator, llm=REALTIME, stt=stt, tts=tts)
    rates = card.options["llm"][REALTIME].rates
    assert "ai_response" not in lines
    assert lines["prompt"]["credits"] == 4 * rates["prompt_per_1k"]
    assert lines["voice_input"]["credits"] == 8 * rates["audio_in_per_second"]
    assert lines["voice_output"]["credits"] == 10 * rates["audio_out_per_second"]
    assert ("not billed" in lines["voice_input"]["detail"]) == (stt != "included_in_realtime")
    assert ("not billed" in lines["voice_output"]["detail"]) == (tts != "included_in_realtime")


def test_a_realtime_model_without_speech_bills_none(estimator: Estimator) -> None:
    lines = lines_of(estimator, llm=REALTIME, stt="no_stt_input", tts="no_tts", animation="no_animation")
    assert list(lines) == ["prompt", "platform"]


def test_included_speech_with_a_text_model_is_a_line_of_nothing_with_its_reason(estimator: Estimator) -> None:
    lines = lines_of(estimator, stt="included_in_realtime", tts="included_in_realtime")
    for key in ("voice_input", "voice_output"):
        assert lines[key]["credits"] == 0
        assert lines[key]["latency_ms"] is None
        assert lines[key]["detail"] == "not billed: this option works only with a realtime model"


# -- which lines (decision 5) ------------------------------------------------------------------------------------------


def test_lines_come_in_the_specified_order(estimator: Estimator) -> None:
    assert tuple(lines_of(estimator, memory=True, knowledge=True)) == ORDER


def test_what_is_off_has_no_line(estimator: Estimator) -> None:
    lines = lines_of(estimator, stt="no_stt_input", tts="no_tts", animation="no_animation")
    assert tuple(lines) == ("ai_response", "prompt", "platform")


def test_nothing_said_is_a_line_of_nothing_with_its_reason(estimator: Estimator) -> None:
    lines = lines_of(estimator, dict.fromkeys(QUANTITIES, 0))
    assert tuple(lines) == ("ai_response", "prompt", "voice_input", "voice_output", "animation", "platform")
    for key, line in lines.items():
        if key != "platform":
            assert line["credits"] == 0
            assert line["detail"].endswith("nothing to bill")


def test_a_single_character_and_a_single_token_are_named_as_such(estimator: Estimator) -> None:
    lines = lines_of(estimator, {"inputTokens": 1, "outputChars": 1})
    assert lines["prompt"]["detail"] == "1 token × 5.25 per 1 000"
    assert lines["ai_response"]["detail"].startswith("1 character = ")
    assert lines_of(estimator, {"outputChars": 4})["ai_response"]["detail"].startswith("4 characters = 1 token × ")


def test_details_say_how_a_line_came_about(estimator: Estimator) -> None:
    lines = lines_of(estimator, {"inputTokens": Decimal("1500.50"), "sttSeconds": 3})
    assert lines["prompt"]["detail"] == "1 500.5 tokens × 5.25 per 1 000"
    assert lines["ai_response"]["detail"] == "150 characters = 37.5 tokens × 21 per 1 000"
    assert lines["voice_input"]["detail"] == "3 s × 0.27 per second"
    assert lines["platform"]["detail"] == "flat charge per interaction"


# -- rounding and sums (decisions 6 and 54) ----------------------------------------------------------------------------

quantities = st.one_of(
    st.integers(0, 10**12),
    st.decimals(0, 10**12, allow_nan=False, allow_infinity=False, places=9),
    st.decimals(0, 1, allow_nan=False, allow_infinity=False),
)
assumptions = st.fixed_dictionaries({}, optional=dict.fromkeys(QUANTITIES, quantities))
choosers: dict[str, st.SearchStrategy[Any]] = {
    kind: st.sampled_from([option.key for option in options(kind)]) for kind in KINDS
}
flags = dict.fromkeys(("memory", "knowledge"), st.booleans())
selections = st.fixed_dictionaries({}, optional={**choosers, **flags})


@given(selections, assumptions)
def test_lines_of_six_places_add_up_to_the_total_and_survive_the_wire(
    chosen: dict[str, Any], given_quantities: dict[str, Any]
) -> None:
    body = Estimator(load_card()).estimate({"selections": chosen, "assumptions": given_quantities})
    credits_of_lines = [line["credits"] for line in body["lines"]]
    assert sum(map(micro, credits_of_lines)) == micro(body["totals"]["credits"])
    assert all(amount >= 0 for amount in credits_of_lines)
    text = dumps(body)
    assert loads(text) == body
    assert not [token for token in number_tokens(text) if not re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", token)]
    typed = build(Estimate, loads(text))
    assert typed.credits == sum(line.credits for line in typed.lines)


def micro(amount: Decimal) -> int:
    """The amount in millionths, which must be whole."""
    scaled = amount.scaleb(6)
    assert scaled == int(scaled)
    return int(scaled)


def number_tokens(text: str) -> list[str]:
    tokens: list[str] = []
    json.loads(text, parse_int=tokens.append, parse_float=tokens.append)
    return tokens


@given(st.sampled_from(QUANTITIES), st.integers(1, 10**6), st.integers(1, 1000))
def test_twice_the_quantity_costs_twice(name: str, quantity: int, factor: int) -> None:
    # Whole multiples of 1000 keep every product within six places, so that no rounding hides a wrong formula.
    estimator = Estimator(load_card())
    zero, once, often = (
        estimator.estimate({"selections": PLAIN, "assumptions": {name: n}})["totals"]["credits"]
        for n in (0, 1000 * quantity, 1000 * quantity * factor)
    )
    assert often - zero == factor * (once - zero) > 0


@pytest.mark.parametrize(
    ("chars", "credits_billed"),
    # 21 credits per 1000 tokens are 0.00525 a character: these fall exactly between two millionths.
    [
        ("0.0001", "0.000001"),  # 0.000000525
        ("0.002", "0.000010"),  # 0.0000105: to the even neighbour below
        ("0.006", "0.000032"),  # 0.0000315: to the even neighbour above
        ("0.00001", "0.000000"),  # 0.0000000525
    ],
)
def test_half_a_millionth_goes_to_the_even_neighbour(estimator: Estimator, chars: str, credits_billed: str) -> None:
    line = lines_of(estimator, {"outputChars": Decimal(chars)})["ai_response"]
    assert line["credits"] == Decimal(credits_billed)


def test_a_quantity_of_hundreds_of_decimals_is_rounded_once(estimator: Estimator) -> None:
    just_above_half = Decimal("0.002" + "0" * 380 + "1")
    assert lines_of(estimator, {"outputChars": just_above_half})["ai_response"]["credits"] == Decimal("0.000011")


def test_the_callers_decimal_context_changes_nothing(estimator: Estimator) -> None:
    from decimal import ROUND_UP, localcontext

    payload = {"selections": PLAIN, "assumptions": {"inputTokens": Decimal("123456789.123456789")}}
    expected = dumps(estimator.estimate(payload))
    with localcontext(prec=3, rounding=ROUND_UP):
        assert dumps(estimator.estimate(payload)) == expected


def test_every_configuration_is_accepted_and_adds_up(estimator: Estimator) -> None:
    seen = 0
    keys = [[option.key for option in options(kind)] for kind in KINDS]
    for llm, stt, tts, animation, memory, knowledge in itertools.product(*keys, (False, True), (False, True)):
        chosen = {
            "llm": llm,
            "memory": memory,
            "knowledge": knowledge,
            "stt": stt,
            "tts": tts,
            "animation": animation,
        }
        body = estimator.estimate({"selections": chosen})
        seen += 1
        assert body["selections"] == chosen
        assert sum(line["credits"] for line in body["lines"]) == body["totals"]["credits"]
        assert 0 < body["latency_ms"]["min"] <= body["latency_ms"]["max"]
    assert seen == 48_720


# -- latency (decision 7) ----------------------------------------------------------------------------------------------


def test_latency_is_speech_in_and_model_and_the_longer_of_voice_and_face(estimator: Estimator, card: RateCard) -> None:
    parts = [
        card.options["llm"]["mdla_4o"].latency,
        card.options["stt"]["vendorb_3_streaming"].latency,
        card.options["tts"]["tts_1"].latency,
        card.options["animation"]["service_neurosync"].latency,
    ]
    model, spoken, voice, face = (part or (0, 0) for part in parts)
    body = estimator.estimate({"selections": {**PLAIN, "memory": True}})
    assert body["latency_ms"] == {
        "min": model[0] + spoken[0] + max(voice[0], face[0]),
        "max": model[1] + spoken[1] + max(voice[1], face[1]),
    }
    lines = {line["key"]: line["latency_ms"] for line in body["lines"]}
    assert lines["memory"] is lines["platform"] is lines["prompt"] is None
    assert lines["ai_response"] == {"min": model[0], "max": model[1]}


def test_without_a_voice_the_face_is_waited_for(estimator: Estimator) -> None:
    def latest(**chosen: Any) -> int:
        body = estimator.estimate({"selections": {**PLAIN, "tts": "no_tts", **chosen}})
        return int(body["latency_ms"]["max"])

    assert latest() > latest(animation="no_animation")


def test_a_realtime_model_waits_for_no_other_voice(estimator: Estimator, card: RateCard) -> None:
    model = card.options["llm"][REALTIME].latency
    assert model is not None
    body = estimator.estimate({"selections": {**PLAIN, "llm": REALTIME, "animation": "no_animation"}})
    assert body["latency_ms"] == {"min": model[0], "max": model[1]}
    assert [line["latency_ms"] for line in body["lines"] if line["latency_ms"]] == [body["latency_ms"]]


# -- defaults and the echo (decisions 8 and 54) ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"selections": None, "assumptions": None},
        {"selections": {}, "assumptions": {}},
        {"selections": dict.fromkeys(PLAIN), "assumptions": dict.fromkeys(QUANTITIES)},
    ],
)
def test_what_is_left_out_or_null_takes_the_cards_default(
    estimator: Estimator, card: RateCard, payload: dict[str, Any]
) -> None:
    body = estimator.estimate(payload)
    assert body["selections"] == dict(card.selections)
    assert tuple(body["selections"]) == tuple(PLAIN)
    assert body["assumptions"] == {"inputTokens": 4000, "outputChars": 150, "sttSeconds": 8, "ttsSeconds": 10}


@pytest.mark.parametrize(
    ("said", "echoed"),
    [
        ("4000.0", "4000"),
        ("4e3", "4000"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0.50", "0.5"),
        ("1E-3", "0.001"),
        ("1000000000000", "1000000000000"),
    ],
)
def test_quantities_are_echoed_in_one_form(estimator: Estimator, said: str, echoed: str) -> None:
    body = estimator.estimate({"assumptions": {"inputTokens": loads(said)}})
    assert dumps(body["assumptions"]["inputTokens"]) == echoed
    assert str(body["assumptions"]["inputTokens"]) == echoed


def test_a_float_is_taken_as_it_is_written(estimator: Estimator) -> None:
    assert estimator.estimate({"assumptions": {"sttSeconds": 0.1}})["assumptions"]["sttSeconds"] == Decimal("0.1")


def test_an_answer_says_which_rates_and_that_they_are_made_up(estimator: Estimator, card: RateCard) -> None:
    body = estimator.estimate({})
    assert body["api_version"] == API_VERSION == "1.0.0"
    assert body["rate_card"] == {"version": card.version, "effective_date": card.effective_date}
    assert "reference rates" in body["disclaimer"]
    assert "made-up" in body["disclaimer"]


# -- refusals (decisions 9, 10 and 54) ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", ["", "no such option", "MDLA_4O", " mdla_4o", 7, [], {}])
def test_an_option_that_is_not_valid_is_refused_with_those_that_are(
    estimator: Estimator, kind: str, value: Any
) -> None:
    error = refusal(estimator, {"selections": {kind: value}})
    assert error.member == kind
    for option in options(kind):  # type: ignore[arg-type]
        assert option.key in error.message


def test_a_voice_is_no_model(estimator: Estimator) -> None:
    assert refusal(estimator, {"selections": {"llm": "mdla_4o_mini_tts"}}).member == "llm"


def test_a_long_value_is_not_repeated_whole(estimator: Estimator) -> None:
    assert "x" * 81 not in refusal(estimator, {"selections": {"stt": "x" * 10_000}}).message


@pytest.mark.parametrize("value", ["true", 1, 0, [], Decimal(1)])
def test_flags_are_booleans(estimator: Estimator, value: Any) -> None:
    assert refusal(estimator, {"selections": {"memory": value}}).member == "memory"


@pytest.mark.parametrize(
    "value",
    [
        *(-1, Decimal("-0.000001"), 10**12 + 1, Decimal("1000000000000.1"), Decimal("1e-99999")),
        *(Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), float("nan"), float("inf")),
        *(True, False, "4000", "", [], {}),
    ],
)
@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities_are_finite_and_from_nothing_to_a_million_millions(
    estimator: Estimator, name: str, value: Any
) -> None:
    error = refusal(estimator, {"assumptions": {name: value}})
    assert error.member == name
    assert name in error.message


def test_an_unknown_member_is_refused_with_the_valid_ones(estimator: Estimator) -> None:
    error = refusal(estimator, {"selections": {"lmm": "mdla_4o"}})
    assert error.member == "lmm"
    assert "llm, memory, knowledge, stt, tts, animation" in error.message
    error = refusal(estimator, {"assumptions": {"tokens": 1}})
    assert "inputTokens, outputChars, sttSeconds, ttsSeconds" in error.message


def test_a_query_is_the_same_request_laid_flat(estimator: Estimator) -> None:
    flat = {"llm": "mdla_4o", "memory": False, "tts": "tts_1", "inputTokens": 10, "ttsSeconds": Decimal("1.5")}
    assert payload_of_query(flat) == {
        "selections": {"llm": "mdla_4o", "memory": False, "tts": "tts_1"},
        "assumptions": {"inputTokens": 10, "ttsSeconds": Decimal("1.5")},
    }
    assert estimator.estimate(payload_of_query({})) == estimator.estimate({})
    assert refusal(estimator, payload_of_query({"lmm": "x"})).member == "lmm"


# -- discovery (decision 13) -------------------------------------------------------------------------------------------


def test_options_list_every_option_in_order_with_its_rates(estimator: Estimator, card: RateCard) -> None:
    body = estimator.options()
    assert list(body) == ["api_version", "rate_card", "options", "defaults", "plans"]
    assert list(body["options"]) == ["llm", "stt", "tts", "animation", "memory", "knowledge"]
    for kind in KINDS:
        assert [entry["key"] for entry in body["options"][kind]] == [option.key for option in options(kind)]
        for entry in body["options"][kind]:
            assert entry["label"]
            assert entry["credits"] == card.options[kind][entry["key"]].rates
            assert entry.get("realtime", False) == (kind == "llm" and is_realtime_key(entry["key"]))
    provider = [e["key"] for kind in KINDS for e in body["options"][kind] if e.get("billed_by_provider")]
    assert provider == ["byo_mdla_compatible_endpoint", "external_tts_via_api_key"]
    assert body["options"]["memory"] == [{"key": "memory", "label": "Memory", "credits": {"flat": 1}}]
    assert body["defaults"] == {"selections": dict(card.selections), "assumptions": dict(card.assumptions)}
    assert [plan["tier"] for plan in body["plans"]] == [one.tier for one in card.subscriptions]
    assert loads(dumps(body)) == body


def test_an_answer_may_be_changed_by_who_gets_it(estimator: Estimator) -> None:
    before = dumps(estimator.options())
    body = estimator.options()
    body["defaults"]["selections"].clear()
    body["options"]["llm"][0]["credits"].clear()
    estimator.estimate({})["selections"].clear()
    assert dumps(estimator.options()) == before
