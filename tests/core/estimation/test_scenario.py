"""A scenario costs what its kinds cost as single estimates, and a file that cannot be used says where and why."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.estimation.budget import Usage, monthly_budget
from chartui.core.estimation.card import load_card
from chartui.core.estimation.discovery import OfferedSubscription
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.mix import ENDS, Case, ends_of, exact_credits, mixed_estimate, pricing_of
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.core.estimation.scenario import (
    Scenario,
    ScenarioError,
    ScenarioFileError,
    Scenarios,
    as_table,
    from_table,
    read_scenario,
)
from chartui.core.spec.models.estimation import Estimate, Totals
from chartui.core.spec.shape import build
from chartui.core.typed_numbers import Range
from tests.core.estimation.drawn import configurations
from tests.long import examples

CARD = load_card()
USUAL = Quantities.default(CARD)
MEMBERS = ("inputTokens", "outputChars", "sttSeconds", "ttsSeconds")

numbers = st.one_of(st.integers(0, 10**6).map(Decimal), st.decimals(0, 10**4, places=3))
ranges = st.lists(numbers, min_size=3, max_size=3).map(lambda drawn: Range(*sorted(drawn)))
named = st.dictionaries(st.sampled_from(Quantities._fields), ranges, max_size=4)
weights = st.one_of(st.integers(1, 100).map(Decimal), st.decimals(Decimal("0.001"), 9, places=3))
kinds = st.lists(st.builds(Case, st.just("kind"), weights, named), max_size=5).map(
    lambda drawn: tuple(case._replace(name=f"{case.name} {number}") for number, case in enumerate(drawn))
)
scenarios = st.builds(
    Scenario,
    name=st.just("Drawn"),
    assumptions=named,
    kinds=kinds,
    characters_per_second=st.none() | st.integers(1, 40).map(Decimal),
)


def single(configuration: Configuration, quantities: Quantities) -> Decimal:
    payload = {"selections": configuration._asdict(), "assumptions": dict(zip(MEMBERS, quantities, strict=True))}
    found: Decimal = Estimator(CARD).estimate(payload)["totals"]["credits"]
    return found


@settings(max_examples=examples(200))
@given(scenario=scenarios, configuration=configurations)
def test_a_mix_costs_the_weighted_sum_of_single_estimates(scenario: Scenario, configuration: Configuration) -> None:
    cases = scenario.cases()
    for end in ENDS:
        sums = Fraction(0)
        for case in cases:
            amounts = case.quantities(USUAL, end)
            sums += Fraction(case.weight) * Fraction(single(configuration, amounts))
        expected = sums / sum(Fraction(case.weight) for case in cases)
        pricing = pricing_of(CARD, [(case.weight, case.quantities(USUAL, end)) for case in cases])
        found = pricing.credits(configuration)
        assert found is not None
        assert abs(Fraction(found) - expected) <= Fraction(5, 10**7)
        whole = exact_credits(pricing, configuration)
        assert whole is not None
        assert abs(Fraction(whole) - expected) < Fraction(1, 10**900)
        answers = [(case.weight, _answer(configuration, case.quantities(USUAL, end))) for case in cases]
        assert mixed_estimate(answers).credits == found


def _answer(configuration: Configuration, quantities: Quantities) -> Estimate:
    return Estimate(totals=Totals(credits=single(configuration, quantities)))


@settings(max_examples=examples(100))
@given(scenario=scenarios, configuration=configurations)
def test_the_ends_of_ranges_bound_the_typical_cost(scenario: Scenario, configuration: Configuration) -> None:
    cases = scenario.cases()
    ends = ends_of(CARD, cases, USUAL)
    typical = pricing_of(CARD, [(case.weight, case.quantities(USUAL)) for case in cases]).credits(configuration)
    if ends is None:
        assert not any(found.varies for case in cases for found in case.ranges.values())
    else:
        found = ends.credits(configuration)
        assert found is not None
        assert typical is not None
        assert found[0] <= typical <= found[1]


@settings(max_examples=examples(100))
@given(scenario=scenarios)
def test_what_is_written_is_read_back(scenario: Scenario) -> None:
    assert from_table(as_table(scenario)) == scenario


def test_an_unknown_price_makes_the_mix_unknown() -> None:
    known, unknown = Estimate(totals=Totals(credits=Decimal(1))), Estimate()
    assert mixed_estimate([(Decimal(1), known), (Decimal(3), unknown)]).credits is None
    missing = Configuration.default(CARD)._replace(llm="gone")
    pricing = pricing_of(CARD, [(Decimal(1), USUAL), (Decimal(2), USUAL)])
    assert pricing.credits(missing) is None


def test_lines_and_latency_of_a_mix() -> None:
    lines = [{"key": "prompt", "credits": 1, "latency_ms": {"min": 5, "max": 9}}]
    first = build(Estimate, {"totals": {"credits": 1}, "lines": lines, "latency_ms": {"min": 5, "max": 9}})
    more = [*lines, {"key": "voice_output", "credits": 4}]
    second = build(Estimate, {"totals": {"credits": 5}, "lines": more, "latency_ms": {"min": 3, "max": 7}})
    mixed = mixed_estimate([(Decimal(3), first), (Decimal(1), second)])
    assert [(line.key, line.credits) for line in mixed.lines] == [("prompt", Decimal(1)), ("voice_output", Decimal(1))]
    assert mixed.credits == 2
    assert mixed.latency_ms is not None
    assert (mixed.latency_ms.min, mixed.latency_ms.max) == (Decimal(3), Decimal(9))


# -- the link ----------------------------------------------------------------------------------------------------------


def test_speech_follows_the_linked_text_and_the_other_way_round() -> None:
    speech = Case("speech", Decimal(1), {"tts_seconds": Range(Decimal(2), Decimal(4), Decimal(8))})
    text = Case("text", Decimal(1), {"output_chars": Range.of(Decimal(100))})
    both = Case("both", Decimal(1), {**text.ranges, "tts_seconds": Range.of(Decimal(1))})
    scenario = Scenario(name="Linked", kinds=(speech, text, both), characters_per_second=Decimal(15))
    found = [case.ranges for case in scenario.cases()]
    assert found[0]["output_chars"] == Range(Decimal(30), Decimal(60), Decimal(120))
    assert found[1]["tts_seconds"] == Range.of(Decimal("6.7"))
    assert found[2] == both.ranges


def test_given_quantities_replace_those_of_every_kind() -> None:
    kinds = tuple(Case(name, Decimal(1), {"input_tokens": Range.of(Decimal(5))}) for name in "ab")
    scenario, given = Scenario(name="x", kinds=kinds), {"input_tokens": Range.of(Decimal(7))}
    assert {case.ranges["input_tokens"].typical for case in scenario.cases(given)} == {Decimal(7)}
    assert scenario.under(given).cases() == scenario.cases(given)


# -- growth ------------------------------------------------------------------------------------------------------------


def test_a_growing_volume_outgrows_its_subscription() -> None:
    offered = (OfferedSubscription("Small", 120, Decimal(10), ""), OfferedSubscription("Large", 10**6, Decimal(99), ""))
    usage = Usage(users=Decimal(10), interactions=Decimal(10), per="month", growth=Decimal(10))
    budget = monthly_budget(Decimal(1), USUAL, usage, offered)
    assert [month.credits for month in budget.year[:3]] == [100, 110, 121]
    assert budget.verdict == (
        "Cheapest subscription: Small, at 10 a month. "
        "With this growth, the subscription covers the volume through month 2."
    )
    total = sum(month.credits or 0 for month in budget.year)
    assert f"{total:,.0f}".replace(",", " ") in budget.notes[0]
    shrinking = monthly_budget(Decimal(1), USUAL, usage._replace(growth=Decimal(-10)), offered)
    assert "also covers the growth over 12 months" in shrinking.verdict
    assert monthly_budget(Decimal(1), USUAL, usage._replace(growth=Decimal(0)), offered).year == ()


# -- files -------------------------------------------------------------------------------------------------------------


HEAD = 'format = "chartui-scenario"\nversion = 1\nname = "Museum"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("color = 1\n", "4: Unknown key “color” in the file"),
        ("[assumptions]\ninputToken = 5\n", "5: Unknown key “inputToken” in 'assumptions'"),
        ("[assumptions]\noutputChars = 'many'\n", "5: assumptions.outputChars must be a number from 0 to"),
        ("[assumptions]\noutputChars = { low = 3 }\n", "5: assumptions.outputChars.typical is missing"),
        ("[assumptions]\noutputChars = { typical = 3, low = 4 }\n", "5: assumptions.outputChars: low must be at most"),
        ("[assumptions]\noutputChars = { typical = 3, most = 4 }\n", "5: Unknown key “most” in 'assumptions.output"),
        ("[usage]\nusers = -1\n", "5: The users must be from 0 to"),
        ("[usage]\nper = 'week'\n", "5: usage.per must be one of: day, month, session."),
        ("[usage]\ninteractions = 1\nminutes = 1\n", "Give either interactions or minutes, not both."),
        ("[usage]\ngrowth = -100\n", "5: The growth must be from -99 to 1 000"),
        ("[[kinds]]\nweight = 1\n", 'kinds[0].name is missing; write name = "…".'),
        ("[[kinds]]\nname = 'a'\nweight = 0\n", "6: kinds[0].weight must be a number above 0"),
        ("[[kinds]]\nname = 'a'\n[[kinds]]\nname = 'a'\n", "7: kinds[1].name is already used by another kind."),
        ("[[kinds]]\nname = 'a'\nsttSecond = 1\n", "6: Unknown key “sttSecond” in 'kinds[0]'"),
        ("characters_per_second = 0\n", "4: characters_per_second must be a number above 0"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_what_is_allowed(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "museum.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(ScenarioFileError) as caught:
        read_scenario(path)
    assert said in str(caught.value)


def test_a_scenario_is_saved_found_and_replaced(tmp_path: Path) -> None:
    folder = Scenarios(tmp_path)
    scenario = from_table({"name": "Museum", "usage": {"users": 5}, "assumptions": {"inputTokens": 1500}})
    path = folder.save(scenario)
    assert folder.get("museum") == read_scenario(path) == scenario
    assert scenario.usage == Usage(Decimal(5), Decimal(10))
    changed = scenario.under({"input_tokens": Range.of(Decimal(9))})
    with pytest.raises(ScenarioError, match=r"already exists with different inputs: assumptions.inputTokens 1500 → 9"):
        folder.save(changed)
    folder.save(changed, replace=True)
    assert folder.get(str(path)) == changed
    with pytest.raises(ScenarioError, match="Unknown scenario “Musem”"):
        folder.get("Musem")
