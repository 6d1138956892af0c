"""Lines are what the estimator says all along, crossings are where they say, and shares add up."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.estimation.amounts import spoken
from chartui.core.estimation.card import MAX_QUANTITY, load_card
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.whatif import (
    QUANTITY_NAMES,
    Crossing,
    Quantity,
    crossings_sheet,
    dominance,
    shares,
    shares_sheet,
    what_if,
    whatif_sheet,
)
from chartui.core.sheet import as_records
from tests.core.estimation.drawn import configurations
from tests.long import examples

CARD = load_card()
PLAIN = Configuration.default(CARD)
USUAL = Quantities.default(CARD)
ROUNDING = Decimal("0.000005")  # each of up to five lines is rounded by itself

amounts = st.one_of(st.integers(0, 10**6), st.decimals(0, 10**4, places=3))
quantities = st.builds(Quantities, amounts, amounts, amounts, amounts)
names = st.sampled_from(QUANTITY_NAMES)


def charged(configuration: Configuration, asked: Quantities, quantity: Quantity, amount: Decimal) -> Decimal:
    found = Pricing(CARD, asked._replace(**{quantity: amount})).credits(configuration)
    assert found is not None
    return found


@settings(deadline=None, max_examples=examples(150))
@given(configurations, quantities, names, amounts)
def test_a_line_says_what_is_charged_at_every_amount(
    configuration: Configuration, asked: Quantities, quantity: Quantity, amount: int | Decimal
) -> None:
    (line,) = what_if(Pricing(CARD, asked), [("now", configuration)], quantity).lines
    assert abs(line.credits(amount) - charged(configuration, asked, quantity, Decimal(amount))) <= ROUNDING
    assert line.present == charged(configuration, asked, quantity, Decimal(getattr(asked, quantity)))


@settings(deadline=None, max_examples=examples(150))
@given(configurations, configurations, quantities, names, st.lists(amounts, max_size=6))
def test_a_crossing_tells_which_of_two_costs_less_at_every_amount(
    one: Configuration, other: Configuration, asked: Quantities, quantity: Quantity, tried: list[int | Decimal]
) -> None:
    found = what_if(Pricing(CARD, asked), [("one", one), ("other", other)], quantity)
    (crossing,) = found.crossings
    if crossing.at is not None:
        assert 0 <= crossing.at <= MAX_QUANTITY
        assert crossing.within is (crossing.at <= found.end)
        assert abs(difference(one, other, asked, quantity, crossing.at)) <= ROUNDING
        tried = [*tried, crossing.at / 2, crossing.at * 2 + 1]
    for amount in tried:
        apart = difference(one, other, asked, quantity, Decimal(amount))
        if abs(apart) <= ROUNDING:
            continue
        less = "one" if apart < 0 else "other"
        beyond = crossing.at is None or amount > crossing.at
        assert (crossing.above if beyond else crossing.below) == less


def difference(
    one: Configuration, other: Configuration, asked: Quantities, quantity: Quantity, amount: Decimal
) -> Decimal:
    return charged(one, asked, quantity, amount) - charged(other, asked, quantity, amount)


@settings(deadline=None, max_examples=examples(60))
@given(configurations, quantities)
def test_shares_add_up_and_tell_what_a_tenth_more_costs(configuration: Configuration, asked: Quantities) -> None:
    pricing = Pricing(CARD, asked)
    made, total = shares(pricing, configuration), pricing.credits(configuration)
    assert made is not None
    assert total is not None
    assert sum(share.credits for share in made) == total
    assert [share.credits for share in made] == sorted((share.credits for share in made), reverse=True)
    assert {share.quantity for share in made} == {*QUANTITY_NAMES, None}
    assert abs(sum((share.share or Decimal(0) for share in made), Decimal(0)) - 1) < Decimal("1e-20")
    for share in made:
        if share.quantity is None:
            assert share.tenth == 0
            continue
        more = Decimal(getattr(asked, share.quantity)) * Decimal("1.1")
        assert abs(charged(configuration, asked, share.quantity, more) - total - share.tenth) <= ROUNDING


def test_the_range_is_four_times_what_there_is_unless_somebody_says_otherwise() -> None:
    def end(**changed: int | Decimal) -> Decimal:
        return what_if(Pricing(CARD, USUAL._replace(**changed)), [], "input_tokens").end

    assert end() == 16_000
    assert end(input_tokens=0) == end(input_tokens=2) == 10
    assert end(input_tokens=10**12) == 10**12
    pricing = Pricing(CARD, USUAL)
    assert what_if(pricing, [], "input_tokens", end=Decimal("0.5")).end == Decimal("0.5")
    for wrong in (Decimal(0), Decimal(-1), Decimal(10**12 + 1), Decimal("NaN")):
        with pytest.raises(ValueError, match="the end of a range must be"):
            what_if(pricing, [], "input_tokens", end=wrong)


def test_every_pair_is_looked_at_and_what_has_no_price_is_only_named() -> None:
    unknown = PLAIN._replace(llm="somebody_else")
    named = [("a", PLAIN), ("b", PLAIN._replace(memory=True)), ("c", unknown), ("d", PLAIN._replace(llm="mdla_4o"))]
    found = what_if(Pricing(CARD, USUAL), named, "output_chars")
    assert [line.name for line in found.lines] == ["a", "b", "d"]
    assert [(c.first, c.second) for c in found.crossings] == list(combinations("abd", 2))
    assert found.unpriced == ("c",)
    assert shares(Pricing(CARD, USUAL), unknown) is None
    rows = as_records(whatif_sheet(found))
    assert rows[-1] == {"configuration": "c", "at_zero": None, "current": None, "at_end": None, "each": None}


def crossing(kind: str, at: Decimal | None = None, above: str | None = None) -> str:
    return Crossing("input_tokens", "live", "baseline", kind, at, True, None, above, Decimal(16000)).text  # type: ignore[arg-type]


def test_crossings_are_said_in_a_sentence() -> None:
    assert crossing("crosses", Decimal(6250), "live") == "Above 6 250 input tokens, “live” costs less than “baseline”."
    third = Decimal(20_000) / 3
    assert crossing("crosses", third, "baseline") == (
        "Above about 6 667 input tokens, “baseline” costs less than “live”."
    )
    assert crossing("crosses", Decimal(0), "live") == "Above 0 input tokens, “live” costs less than “baseline”."
    never = "“live” costs less than “baseline” for any number of input tokens up to 16 000."
    assert crossing("never", above="live") == never
    beyond = Crossing(
        "input_tokens", "live", "baseline", "crosses", Decimal(20000), False, "live", "baseline", Decimal(16000)
    )
    assert beyond.text == never
    assert crossing("equal") == "“live” and “baseline” cost the same for any number of input tokens."


def test_what_dominates_is_said_in_a_sentence() -> None:
    def said(configuration: Configuration, **asked: int) -> str:
        made = shares(Pricing(CARD, Quantities(0, 0, 0, 0)._replace(**asked)), configuration)
        assert made is not None
        return dominance(made)

    bare = PLAIN._replace(memory=False, knowledge=False)
    rate = CARD.options["llm"][PLAIN.llm].rates["prompt_per_1k"]
    assert said(bare) == "All charges are flat, so usage does not change them."
    tenth = spoken(rate * 10**5)
    many = f"The input tokens cost the most: 100% of the total. A 10% increase would add {tenth} credits."
    assert said(bare, input_tokens=10**9) == many
    few = "Flat charges are the largest cost: 100% of the total. Of the other charges, the input tokens cost the most"
    assert said(bare, input_tokens=1).startswith(few)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0"),
        (6250, "6 250"),
        (Decimal("6250.00"), "6 250"),
        (Decimal(1) / 3, "0.3333"),
        (10**12, "1 000 000 000 000"),
        (Decimal("123456.78"), "123 457"),
        (Decimal("0.00001234567"), "0.00001235"),
        (Decimal("1E+3"), "1 000"),
    ],
)
def test_a_number_in_a_sentence_has_four_digits_and_loses_no_whole_one(number: int | Decimal, expected: str) -> None:
    assert spoken(number) == expected


def test_the_tables_hold_what_the_lines_say() -> None:
    pricing = Pricing(CARD, USUAL)
    found = what_if(pricing, [("current", PLAIN), ("big", PLAIN._replace(llm="mdla_4o"))], "input_tokens")
    first = as_records(whatif_sheet(found))[0]
    assert first["current"] == pricing.credits(PLAIN)
    assert first["at_end"] == first["at_zero"] + first["each"] * 16_000
    (pair,) = as_records(crossings_sheet(found))
    assert pair["text"] == found.crossings[0].text
    made = shares(pricing, PLAIN)
    assert made is not None
    rows = as_records(shares_sheet(made, "current"))
    assert sum(row["credits"] for row in rows) == pricing.credits(PLAIN)
    assert {row["quantity"]: row["ten_percent_more"] for row in rows}["flat"] is None
