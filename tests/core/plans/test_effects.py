"""What a change does to the cost of an interaction, as a plan tells it: exact, and unknown where nobody knows."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from chartui.core.estimation.character_cost import CharacterCost, Priced
from chartui.core.estimation.character_map import Facts, Inputs, map_character
from chartui.core.estimation.pins import Pins
from chartui.core.jsontext import dumps, loads
from chartui.core.plans.plan import (
    CREDITS,
    MILLISECONDS,
    BadPlan,
    CostEffect,
    Plan,
    Step,
    cost_effects,
    from_wire,
    to_wire,
)
from chartui.core.plans.wording import effect_text
from chartui.core.spec.models.estimation import Estimate, LatencyRange, Totals

ASSUMED = "With default inputs. Assumed: memory the service's default, speech output the service's default."
CREDIT = CostEffect(label="per interaction", unit=CREDITS, before=None, after=None)


def estimate(credits_: str, latency: tuple[int, int] | None = (100, 200)) -> Estimate:
    ends = None if latency is None else LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1]))
    return Estimate(totals=Totals(credits=Decimal(credits_)), lines=(), latency_ms=ends)


def cost(code: str, *estimates: Estimate, level: str | None = "low") -> CharacterCost:
    mapped = map_character(Facts(code, level=level), Inputs(), Pins())
    keys = mapped.part("llm").values
    return CharacterCost(mapped, tuple(Priced(str(key), one) for key, one in zip(keys, estimates, strict=True)))


def test_one_price_becomes_another_one() -> None:
    now, later = cost("mdla-5.1", estimate("0.5")), cost("mdla-4o", estimate("0.25", (90, 260)))
    per_interaction, end_to_end = cost_effects(now, later)
    assert (per_interaction.before, per_interaction.after) == ((Decimal("0.5"),) * 2, (Decimal("0.25"),) * 2)
    assert per_interaction.note == ASSUMED
    assert (end_to_end.before, end_to_end.after) == ((Decimal(100), Decimal(200)), (Decimal(90), Decimal(260)))
    assert effect_text(per_interaction) == "0.5 → 0.25 credits (−0.25)"
    assert effect_text(end_to_end) == "100 – 200 → 90 – 260 ms (lower end −10, upper end +60)"


def test_what_the_record_says_is_not_assumed() -> None:
    mapped = map_character(Facts("mdla-4o", memory=True, voice="v"), Inputs(), Pins(voices={"v": "vendor_a_basic"}))
    known = CharacterCost(mapped, (Priced("mdla_4o", estimate("1")),))
    assert cost_effects(known, known)[0].note == "With default inputs."


def test_what_nobody_knows_stays_unknown_and_says_why() -> None:
    now, later = cost("mdla-5.1", estimate("0.5")), cost("mdla-5.3-instant")
    per_interaction, end_to_end = cost_effects(now, later)
    assert per_interaction.after is None
    assert end_to_end.after is None
    assert per_interaction.note.startswith("Then: ")
    assert effect_text(per_interaction) == "0.5 → unknown credits"


def test_a_range_says_what_it_depends_on_and_what_holds_of_both_is_said_once() -> None:
    ends = [estimate("0.1"), estimate("0.2"), estimate("0.3"), estimate("0.4", None)]
    unset = cost("mdla-5.1", *ends, level=None)
    [per_interaction, end_to_end] = cost_effects(unset, unset)
    assert per_interaction.note == f"The price depends on the reasoning level, which is not set. {ASSUMED}"
    assert end_to_end.before is None  # one of them gives no latency
    assert effect_text(per_interaction) == "0.1 – 0.4 → 0.1 – 0.4 credits (±0)"
    [per_interaction, _] = cost_effects(unset, cost("mdla-5.1", estimate("0.2")))
    assert per_interaction.note == f"Now: The price depends on the reasoning level, which is not set. {ASSUMED}"
    assert effect_text(per_interaction) == "0.1 – 0.4 → 0.2 credits (lower end +0.1, upper end −0.2)"


@pytest.mark.parametrize("before", [None, (Decimal("0.100000"), Decimal("0.2"))])
def test_a_kept_plan_keeps_them_exactly(before: tuple[Decimal, Decimal] | None) -> None:
    told = CostEffect(label="end to end", unit=MILLISECONDS, before=before, after=(Decimal(1), Decimal(2)), note="Why.")
    plan = Plan(id="p", title="t", steps=(Step(operation="update-character", payload={}, effects=(told, CREDIT)),))
    assert from_wire(loads(dumps(to_wire(plan)))) == plan


def test_a_plan_that_was_kept_before_there_were_any_is_read() -> None:
    plan = Plan(id="p", title="t", steps=(Step(operation="update-character", payload={}),))
    document = to_wire(plan)
    del document["steps"][0]["effects"]
    assert from_wire(document) == plan


@pytest.mark.parametrize("before", [[1], "x", ["a", "b"], [[], {}], 3])
def test_a_damaged_one_is_told(before: object) -> None:
    plan = Plan(id="p", title="t", steps=(Step(operation="update-character", payload={}, effects=(CREDIT,)),))
    document = to_wire(plan)
    document["steps"][0]["effects"][0]["before"] = before
    with pytest.raises(BadPlan, match="damaged"):
        from_wire(document)
    assert from_wire(to_wire(replace(plan, title="u"))).title == "u"
