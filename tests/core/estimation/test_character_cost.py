"""What a character amounts to: by the map, by the user's table, by the form, and never by an unmarked guess."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartui.core.estimation.character_cost import CharacterCost, Priced, cost_as_wire, cost_sheet
from chartui.core.estimation.character_map import CharacterMap, Facts, Inputs, applicable_as, map_character
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.pins import Pins
from chartui.core.estimation.source import Source
from chartui.core.sheet import as_records
from chartui.core.spec.catalogue import (
    ReasoningLevels,
    counterpart,
    estimator_keys,
    key_without_code,
    model_code,
    model_codes,
    options,
)
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.shape import build

NOTHING = Pins()
CODES = [m.code for m in model_codes()]
KEYS = {o.key for o in options("llm")}
LEVELS = [None, "auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"]
BY_LEVEL = {"mdla-5.1", "mdlc-3.5-flash", "mdlc-3.1-flash-lite"}


def levels_of(code: str) -> ReasoningLevels | None:
    model = model_code(code)
    return model.reasoning if model is not None else None


def mapped(code: str | None, level: str | None = None, *, readable: bool = True, pins: Pins = NOTHING) -> CharacterMap:
    source = Source.RECORD if readable else None
    facts = Facts(code, level=level, level_from=source, levels=levels_of(code or ""))
    return map_character(facts, Inputs(), pins)


def priced(found: CharacterMap, estimator: Estimator) -> CharacterCost:
    """The cost by a card, as a service would answer."""
    answers = []
    for configuration in found.configurations:
        if configuration["llm"] in estimator.card.options["llm"]:
            body = estimator.estimate({"selections": configuration})
            answers.append(Priced(str(configuration["llm"]), build(Estimate, body)))
        else:
            answers.append(Priced(str(configuration["llm"]), None, "No such model."))
    return CharacterCost(found, tuple(answers))


# -- every code at every level (decisions section 5) -------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize("code", CODES)
def test_every_code_at_every_level(code: str, level: str | None) -> None:
    found, keys = mapped(code, level), estimator_keys(code)
    values = found.part("llm").values
    assert set(values) <= KEYS
    entry = counterpart(code)
    assert entry is not None
    if level in ("xhigh", "max"):
        assert (values, bool(found.unknown)) == ((), True)
    elif not keys:
        assert values == entry.candidates  # every one of them, whatever the level
        assert bool(found.decides) == bool(values) != bool(found.unknown)
    elif None in keys:
        assert (values, found.decides) == ((keys[None],), "")
    elif level is None:
        assert values == tuple(keys.values())
        assert found.decides == "the reasoning level, which is not set"
    elif level == "auto":
        default = levels_of(code).default  # type: ignore[union-attr]
        assert values == (keys[default],)
        assert found.part("llm").assumed
        assert f"auto, and the default of this model is {default}" in found.part("llm").why
    elif level in keys:
        assert (values, found.part("llm").assumed) == ((keys[level],), False)
    else:
        assert (values, bool(found.unknown)) == ((), True)


@pytest.mark.parametrize("code", CODES)
def test_a_level_that_cannot_be_read(code: str) -> None:
    found, keys = mapped(code, readable=False), estimator_keys(code)
    if code in BY_LEVEL:
        assert found.part("llm").values == tuple(keys.values())
        assert found.decides == "the reasoning level, which this service does not report"
    elif keys:
        assert found.part("llm").values == (keys[None],)
        # A level without a price may be set, and then the one price is none.
        levels = levels_of(code)
        doubtful = levels is not None and bool({"xhigh", "max"} & set(levels.levels))
        assert ("the price would be unknown" in found.part("llm").why) == doubtful
        assert found.part("llm").assumed == (doubtful or code.startswith("realtime-"))


def test_auto_without_a_default_is_a_range() -> None:
    facts = Facts("mdla-5.1", level="auto", levels=ReasoningLevels(("low", "high"), True, None))
    found = map_character(facts, Inputs(), NOTHING)
    assert found.part("llm").values == tuple(estimator_keys("mdla-5.1").values())
    assert found.decides == "the level that auto resolves to"


def test_auto_that_comes_to_a_level_without_a_price_is_unknown() -> None:
    facts = Facts("mdla-5.1", level="auto", levels=ReasoningLevels(("low", "xhigh"), True, "xhigh"))
    found = map_character(facts, Inputs(), NOTHING)
    assert found.unknown == "The estimator has no option for “mdla-5.1” at the reasoning level “xhigh”."


@pytest.mark.parametrize("code", ["realtime-mdld-4-31b-it", "realtime-mdld-4-26b-a4b-it"])
def test_a_live_code_that_is_priced_as_text_is_marked(code: str) -> None:
    part = mapped(code).part("llm")
    assert part.assumed
    assert "assumption" in part.why


def test_nobody_knows_a_code_outside_the_catalogue() -> None:
    found = mapped("our-own-13b")
    assert found.configurations == ()
    assert found.candidates == ("byo_mdla_compatible_endpoint",)
    assert "“our-own-13b” is not in the catalogue" in found.unknown


@pytest.mark.parametrize("code", [None, ""])
def test_a_record_without_a_model(code: str | None) -> None:
    assert mapped(code).unknown == "The record names no model."


# -- the user's table --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [c for c in CODES if not estimator_keys(c)] + ["our-own-13b"])
def test_a_pinned_code_has_one_price(code: str) -> None:
    found = mapped(code, pins=NOTHING.with_model(code, "mdla_5_6_luna"))
    part = found.part("llm")
    assert (part.values, part.source, part.assumed, found.decides) == (("mdla_5_6_luna",), Source.TABLE, False, "")


@pytest.mark.parametrize("level", ["xhigh", "max"])
def test_a_pin_gives_no_price_to_a_level_that_has_none(level: str) -> None:
    found = mapped("mdlb-sonnet", level, pins=NOTHING.with_model("mdlb-sonnet", "mdlb_5_sonnet_high"))
    assert found.unknown == f"The estimator has no option for the reasoning level “{level}”."


def test_a_pin_at_another_level_is_marked() -> None:
    pins = NOTHING.with_model("mdlc-flash", "mdlc_3_7_flash_low")
    for level, marked in (("low", False), ("high", True), (None, False), ("auto", False)):
        part = mapped("mdlc-flash", level, pins=pins).part("llm")
        assert (part.values, part.assumed) == (("mdlc_3_7_flash_low",), marked)
    assert "level low, but the character's level is high" in mapped("mdlc-flash", "high", pins=pins).part("llm").why


def test_a_pin_does_not_count_against_the_map() -> None:
    assert mapped("mdla-4o", pins=Pins(models={"mdla-4o": "mdla_4_1"})).part("llm").values == ("mdla_4o",)


# -- the other members -------------------------------------------------------------------------------------------------

CHOSEN = Inputs(chosen={"memory": True, "tts": "tts_1", "stt": "no_stt_input"}, defaults={"knowledge": False})


def test_what_the_record_says_goes_before_the_form() -> None:
    found = map_character(Facts("mdla-4o", memory=False, voice="soft"), CHOSEN, NOTHING.with_voice("soft", "tts_1_hd"))
    assert [(p.member, p.values, p.source, p.assumed) for p in found.parts] == [
        ("llm", ("mdla_4o",), Source.RECORD, False),
        ("memory", (False,), Source.RECORD, False),
        ("knowledge", (False,), Source.DEFAULT, False),
        ("stt", ("no_stt_input",), Source.FORM, False),
        ("tts", ("tts_1_hd",), Source.TABLE, False),
        ("animation", (None,), Source.DEFAULT, False),
    ]
    [configuration] = found.configurations
    assert configuration == {"llm": "mdla_4o", "memory": False, "stt": "no_stt_input", "tts": "tts_1_hd"}


def test_what_the_record_does_not_say_is_the_forms_and_marked() -> None:
    found = map_character(Facts("mdla-4o"), CHOSEN, NOTHING)
    marked = {p.member: (p.values, p.source) for p in found.parts if p.assumed}
    assert marked == {"memory": ((True,), Source.FORM), "tts": (("tts_1",), Source.FORM)}
    [why] = [p.why for p in map_character(Facts("mdla-4o", voice="soft"), CHOSEN, NOTHING).parts if p.member == "tts"]
    assert why == "It is unknown which option the voice “soft” uses. The option shown is assumed."


def test_what_is_given_goes_before_the_record_and_the_table() -> None:
    given_: dict[str, str | bool] = {"llm": "mdla_4_1", "memory": True, "tts": "no_tts", "animation": "no_animation"}
    facts = Facts("our-own-13b", memory=False, voice="soft")
    found = map_character(facts, CHOSEN._replace(given=given_), NOTHING.with_voice("soft", "tts_1"))
    assert found.unknown == ""
    assert found.configurations[0] == {**given_, "stt": "no_stt_input"}
    assert {p.member for p in found.parts if p.source is Source.GIVEN} == set(given_)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([*CODES, "our-own-13b", None]),
    st.sampled_from(LEVELS),
    st.sampled_from(list(Source)) | st.none(),
    st.none() | st.booleans(),
    st.none() | st.just("soft"),
)
def test_whatever_is_not_from_somebody_is_marked(
    code: str | None, level: str | None, source: Source | None, memory: bool | None, voice: str | None
) -> None:
    facts = Facts(code, level=level, level_from=source, levels=levels_of(code or ""), memory=memory, voice=voice)
    found = map_character(facts, CHOSEN, NOTHING)
    assert found.part("memory").assumed == (memory is None)
    assert found.part("tts").assumed
    assert (len(found.part("llm").values) != 1) <= bool(found.decides or found.unknown)
    assert len(found.configurations) == (0 if found.unknown else len(found.part("llm").values))
    assert all(part.why.endswith(".") for part in found.parts)


# -- costs -------------------------------------------------------------------------------------------------------------


def test_one_price_is_exact(estimator: Estimator) -> None:
    cost = priced(mapped("mdla-4o"), estimator)
    assert cost.exact is not None
    assert cost.credits == (cost.exact.credits, cost.exact.credits)
    wire = cost_as_wire(cost)
    assert (wire["range"], wire["unknown_reason"], len(wire["estimates"])) == (None, None, 1)
    assert wire["estimates"][0]["selections"]["llm"] == "mdla_4o"


@pytest.mark.parametrize("code", [c for c in CODES if (e := counterpart(c)) is not None and e.candidates])
def test_an_alias_is_a_range_even_with_one_candidate(code: str, estimator: Estimator) -> None:
    found = mapped(code)
    cost = priced(found, estimator)
    alone = [estimator.estimate({"selections": {"llm": key}}) for key in found.candidates]
    totals = [body["totals"]["credits"] for body in alone]
    assert cost.exact is None
    assert cost.credits == (min(totals), max(totals))
    assert cost.latency == (
        min(body["latency_ms"]["min"] for body in alone),
        max(body["latency_ms"]["max"] for body in alone),
    )
    for stage in cost.stages:
        lines = [line for body in alone for line in body["lines"] if line["label"] == stage.label]
        amounts = [line["credits"] for line in lines] + [0] * (len(alone) - len(lines))
        assert stage.credits == (min(amounts), max(amounts))
    lowest, highest = (sum(ends) for ends in zip(*(stage.credits for stage in cost.stages), strict=True))
    assert lowest <= min(totals) <= max(totals) <= highest
    answer = next(stage for stage in cost.stages if stage.label == "AI response")
    times = [line["latency_ms"] for body in alone for line in body["lines"] if line["key"] == "ai_response"]
    assert answer.latency == (min(one["min"] for one in times), max(one["max"] for one in times))
    wire = cost_as_wire(cost)
    assert wire["range"]["depends_on"] == f"which model “{code}” stands for"
    assert wire["mapping"][0]["value"] == (found.candidates[0] if len(found.candidates) == 1 else None)


def test_what_has_no_price_is_said_beside_what_has_one(estimator: Estimator) -> None:
    found = mapped("mdlb-haiku")._replace(parts=mapped("mdlb-sonnet").parts)
    some = priced(found, estimator).priced
    cost = CharacterCost(found, (some[0], some[1]._replace(estimate=None, problem="No such model.")))
    assert [one.llm for one in cost.unpriced] == ["mdlb_5_sonnet_low"]
    assert cost.unknown == ""
    nothing = CharacterCost(found, tuple(one._replace(estimate=None, problem="No such model.") for one in some))
    assert (nothing.credits, nothing.latency, nothing.unknown) == (None, None, "No such model.")
    assert cost_as_wire(nothing)["range"] is None


def test_a_latency_that_is_not_given_is_no_range(estimator: Estimator) -> None:
    cost = priced(mapped("mdla-5.1"), estimator)
    first = cost.priced[0]
    assert first.estimate is not None
    body = {**first.estimate.raw, "latency_ms": None}
    partly = CharacterCost(cost.mapped, (Priced(first.llm, build(Estimate, body)), *cost.priced[1:]))
    assert partly.credits == cost.credits
    assert partly.latency is None


def test_an_unknown_price_is_not_nothing(estimator: Estimator) -> None:
    cost = priced(mapped("mdla-5.3-instant"), estimator)
    assert (cost.credits, cost.exact, cost.cheapest) == (None, None, None)
    assert cost.unknown == "The estimator prices no 5.3 model of this family."
    sheet = cost_sheet(cost, "Avery")
    assert sheet.notes == ("Unknown: The estimator prices no 5.3 model of this family.",)
    assert as_records(sheet)[0]["value"] is None


def test_the_table_has_what_the_service_took(estimator: Estimator) -> None:
    cost = priced(mapped("mdla-4o"), estimator)
    values = {row["member"]: row["value"] for row in as_records(cost_sheet(cost, "Avery"))}
    assert cost.exact is not None
    total = f"{cost.exact.known_credits.normalize():f}"
    assert values == {**estimator.card.selections, "llm": "mdla_4o", "credits_min": total, "credits_max": total}
    assert cost_sheet(cost, "Avery").notes == (
        f"{cost.exact.known_credits.normalize():f} credits per interaction with default inputs.",
    )


# -- the other way -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_key_is_applied_as_what_leads_to_it(key: str) -> None:
    found, why = applicable_as(key, NOTHING)
    assert bool(found) != bool(why)
    assert why == (key_without_code(key) or "")
    for one in found:
        assert mapped(one.code, one.level).part("llm").values == (key,)
        assert one.assumed == one.code.startswith("realtime-")


def test_a_pinned_code_can_be_applied() -> None:
    pins = NOTHING.with_model("our-own-13b", "byo_mdla_compatible_endpoint").with_model("mdla-5.x", "mdla_5_4")
    assert [one.code for one in applicable_as("byo_mdla_compatible_endpoint", pins)[0]] == ["our-own-13b"]
    assert [one.code for one in applicable_as("mdla_5_4", pins)[0]] == ["mdla-5.4", "mdla-5.x"]
    assert applicable_as("somebody_else", pins) == (
        (),
        "The catalogue has no “somebody_else” option and no model code for it.",
    )
