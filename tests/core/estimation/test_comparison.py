"""Configurations side by side: every difference adds up, and what is unknown has none."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.estimation.card import QUANTITIES, load_card
from chartui.core.estimation.comparison import (
    Change,
    Comparison,
    Held,
    Named,
    compare,
    comparison_sheet,
    comparison_wire,
    named_estimate,
    named_pricing,
)
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.sheet import as_csv, as_markdown
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.shape import build
from tests.core.estimation.drawn import configurations, quantities

CARD = load_card()
USUAL = Quantities.default(CARD)
DEFAULT = Configuration.default(CARD)


def priced(name: str, quantities: Quantities = USUAL, **changes: Any) -> Named:
    return named_pricing(name, Pricing(CARD, quantities), DEFAULT._replace(**changes))


def one(name: str, lines: dict[str, str] | None, latency: tuple[int, int] | None = None, **inputs: Wire) -> Named:
    amounts = None if lines is None else {key: Decimal(amount) for key, amount in lines.items()}
    total = None if amounts is None else sum(amounts.values(), Decimal(0))
    return Named(name, total, amounts, latency, inputs)


def line(comparison: Comparison, key: str) -> tuple[Held, ...]:
    return next(row.cells for row in comparison.lines if row.key == key)


# -- differences ------------------------------------------------------------------------------------------------------


def test_amounts_are_held_against_the_baseline() -> None:
    found = compare([one("a", {"prompt": "3", "platform": "0.5"}), one("b", {"prompt": "4.5", "platform": "0.5"})])
    assert line(found, "prompt") == (
        Held(Decimal(3), Decimal(0), Decimal(0), Change.EQUAL),
        Held(Decimal("4.5"), Decimal("1.5"), Decimal(50), Change.CHANGED),
    )
    assert line(found, "platform")[1] == Held(Decimal("0.5"), Decimal(0), Decimal(0), Change.EQUAL)
    assert found.total.cells[1] == Held(Decimal("5.0"), Decimal("1.5"), Decimal("42.8571"), Change.CHANGED)


def test_another_can_be_the_baseline() -> None:
    two = [one("a", {"prompt": "3"}), one("b", {"prompt": "4"})]
    assert compare(two, 1).total.cells[0] == Held(Decimal(3), Decimal(-1), Decimal(-25), Change.CHANGED)
    assert compare(two, -1) == compare(two, 1)
    with pytest.raises(IndexError):
        compare(two, 2)


def test_a_line_that_only_some_have() -> None:
    """Against nothing there is a difference and no percentage; a line that is gone is saved whole."""
    found = compare([one("a", {"memory": "2"}), one("b", {"voice_input": "3"}), one("c", {"memory": "2"})])
    assert [row.key for row in found.lines] == ["memory", "voice_input"]
    assert line(found, "memory")[1] == Held(None, Decimal(-2), Decimal(-100), Change.REMOVED)
    assert line(found, "voice_input") == (
        Held(None, None, None, Change.ABSENT),
        Held(Decimal(3), Decimal(3), None, Change.ADDED),
        Held(None, None, None, Change.ABSENT),
    )


def test_there_is_no_percentage_of_nothing() -> None:
    found = compare([one("a", {"memory": "0"}), one("b", {"memory": "1"}), one("c", {"memory": "0"}), one("d", {})])
    assert line(found, "memory")[1:] == (
        Held(Decimal(1), Decimal(1), None, Change.CHANGED),
        Held(Decimal(0), Decimal(0), None, Change.EQUAL),
        Held(None, Decimal(0), None, Change.REMOVED),
    )


@pytest.mark.parametrize("baseline", [0, 1])
def test_to_what_is_unknown_there_is_no_difference(baseline: int) -> None:
    found = compare([one("a", {"memory": "2"}, (1, 2)), one("b", None)], baseline)
    other = 1 - baseline
    for row in (*found.lines, found.total, *found.latency):
        assert row.cells[other][1:] == (None, None, Change.UNKNOWN)
        assert row.cells[1].amount is None
    assert found.total.cells[0].amount == Decimal(2)


def test_an_option_that_the_card_lacks_has_no_price() -> None:
    named = priced("new", llm="mdlz_9_huge")
    assert (named.credits, named.lines, named.latency) == (None, None, None)
    assert named.inputs["llm"] == "mdlz_9_huge"


def test_a_card_without_latencies_knows_none() -> None:

    card = CARD._replace(timed=False)
    named = named_pricing("a", Pricing(card, USUAL), DEFAULT)
    assert (named.credits is None, named.latency) == (False, None)


def test_a_tiny_difference_is_not_nothing() -> None:
    found = compare([one("a", {"prompt": "1000000"}), one("b", {"prompt": "1000000.000001"})])
    assert found.total.cells[1].percent == Decimal("1E-10")


def test_latency_is_compared_at_the_least_and_at_the_most() -> None:
    found = compare([one("a", {}, (100, 400)), one("b", {}, (150, 300))])
    assert [row.cells[1] for row in found.latency] == [
        Held(Decimal(150), Decimal(50), Decimal(50), Change.CHANGED),
        Held(Decimal(300), Decimal(-100), Decimal(-25), Change.CHANGED),
    ]


def test_lines_that_nobody_knows_come_last_under_their_own_labels() -> None:
    named = one("a", {"surcharge": "1", "platform": "2", "prompt": "3"})._replace(labels={"surcharge": "Night rate"})
    found = compare([one("b", {}), named])
    assert [(row.key, row.label) for row in found.lines] == [
        ("prompt", "Prompt"),
        ("platform", "Platform"),
        ("surcharge", "Night rate"),
    ]


def test_what_differs_in_the_inputs() -> None:
    found = compare(
        [
            one("a", {}, llm="x", memory=True, inputTokens=4000, stt="s"),
            one("b", {}, llm="y", memory=True, inputTokens=Decimal("4000.0")),
        ]
    )
    assert found.differing == (("llm", ("x", "y")), ("stt", ("s", None)))
    assert found.shared == {"memory": True, "inputTokens": 4000}


# -- the two sources --------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(configurations, quantities), min_size=1, max_size=4), st.data())
def test_service_and_card_compare_alike_and_differences_add_up(
    asked: list[tuple[Configuration, Quantities]], data: st.DataObject
) -> None:
    """A comparison of answers is the comparison computed here; the lines' differences make the total's."""
    baseline = data.draw(st.integers(0, len(asked) - 1))
    computed = [named_pricing(str(i), Pricing(CARD, q), c) for i, (c, q) in enumerate(asked)]
    answered = [named_estimate(str(i), estimate(c, q)) for i, (c, q) in enumerate(asked)]
    found = compare(computed, baseline)
    said = compare(answered, baseline)
    assert found._replace(named=()) == said._replace(named=())
    for position, total in enumerate(found.total.cells):
        differences = [row.cells[position].difference for row in found.lines]
        assert sum((more for more in differences if more is not None), Decimal(0)) == total.difference
    assert dumps(comparison_wire(found)["total"]) == dumps(comparison_wire(said)["total"])


def estimate(configuration: Configuration, asked: Quantities) -> Estimate:
    assumptions = dict(zip(QUANTITIES, asked, strict=True))
    body = Estimator(CARD).estimate({"selections": configuration._asdict(), "assumptions": assumptions})
    return build(Estimate, body)


def test_an_answer_that_says_little_is_compared_all_the_same() -> None:
    """Lines in any order and twice, no echo, no latency: another service's answer."""
    body = {
        "totals": {"credits": 3},
        "lines": [{"key": "b", "credits": 1}, {"key": "a", "credits": 1}, {"key": "b", "credits": 1}],
    }
    named = named_estimate("other", build(Estimate, body))
    assert named == Named("other", Decimal(3), {"b": Decimal(2), "a": Decimal(1)}, None, {})


# -- handing over -----------------------------------------------------------------------------------------------------

PAIR = compare(
    [
        one("given", {"prompt": "3", "memory": "2"}, (100, 400), llm="x", inputTokens=4000, memory=True),
        one("a|b", {"prompt": "4.25", "voice_input": "1"}, (100, 300), llm="y", inputTokens=4000, memory=False),
        one("new", None, None, llm="z", inputTokens=4000, memory=False),
    ]
)


def test_as_a_table_for_spreadsheets() -> None:
    assert as_csv(comparison_sheet(PAIR)) == (
        "part,name,unit,given,a|b,a|b: difference,a|b: percent,new,new: difference,new: percent\n"
        "input,llm,,x,y,,,z,,\n"
        "input,memory,,true,false,,,false,,\n"
        "line,prompt,credits,3,4.25,1.25,41.67,,,\n"
        "line,memory,credits,2,,-2,-100,,,\n"
        "line,voice_input,credits,,1,1,,,,\n"
        "total,total,credits,5,5.25,0.25,5,,,\n"
        "latency,latency_min,ms,100,100,0,0,,,\n"
        "latency,latency_max,ms,400,300,-100,-25,,,\n"
    )


def test_as_a_table_for_documents() -> None:
    text = as_markdown(comparison_sheet(PAIR, ["Reference rates."]))
    rows = [[cell.strip(" |") for cell in line.split(" | ")] for line in text.splitlines()]
    assert ["4.25", "+1.25", "+41.67"] in [row[4:7] for row in rows]
    assert ["", "-2.00", "-100.00", "–", "–", "–"] in [row[4:] for row in rows]
    assert ["300", "-100", "-25.00", "–", "–", "–"] in [row[4:] for row in rows]
    assert text.endswith(
        "- Reference rates.\n"
        "- Differences and percentages are relative to 'given'.\n"
        "- No price is known for 'new'.\n"
        "- Same for all configurations: input tokens 4 000.\n"
    )


def test_as_one_object() -> None:
    value = comparison_wire(PAIR)
    assert loads(dumps(value)) == value
    assert value["configurations"][2] == {
        "name": "new",
        "credits": None,
        "latency_ms": None,
        "inputs": {"llm": "z", "inputTokens": 4000, "memory": False},
    }
    assert value["total"][1] == {
        "amount": Decimal("5.25"),
        "difference": Decimal("0.25"),
        "percent": Decimal(5),
        "change": "changed",
    }
    assert value["latency_ms"]["max"][1]["difference"] == -100
    assert value["differing"] == {"llm": ["x", "y", "z"], "memory": [True, False, False]}
