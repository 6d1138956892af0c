"""Credits in money, at a price that people write as they are used to."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.estimation.budget import Usage, monthly_budget, subscriptions_sheet, volume_sheet
from chartui.core.estimation.card import load_card
from chartui.core.estimation.comparison import compare, comparison_sheet, comparison_wire, named_pricing
from chartui.core.estimation.conversation import Conversation, conversation_wire, conversations, turns_sheet
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.rank import rank, rank_sheet
from chartui.core.money import Price, read_price, with_money
from chartui.core.sheet import as_records

EURO = Price(Decimal("0.50"), "EUR")
CARD = load_card()
PRICING = Pricing(CARD, Quantities.default(CARD))
NOW = Configuration.default(CARD)
DEARER = NOW._replace(knowledge=True)


@pytest.mark.parametrize(
    ("written", "price", "shown"),
    [
        ("0.50 EUR", Price(Decimal("0.50"), "EUR"), "180.00 EUR"),
        ("$0.50", Price(Decimal("0.50"), "$", leads=True), "$180.00"),
        ("  2€ ", Price(Decimal(2), "€"), "720.00 €"),
        ("CHF 2", Price(Decimal(2), "CHF", leads=True), "CHF 720.00"),
        ("5 US dollars", Price(Decimal(5), "US dollars"), "1 800.00 US dollars"),
    ],
)
def test_a_price_is_written_and_shown_as_people_do(written: str, price: Price, shown: str) -> None:
    assert read_price(written) == price
    assert price.text(Decimal(360_000)) == shown


@pytest.mark.parametrize(
    "written", ["", "0.50", "EUR", "0,50 EUR", "-1 EUR", "1 EUR 2", "$1 EUR", "1e3 EUR", "1 " + "x" * 13, "1 a\x1bb"]
)
def test_what_is_no_price_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(ValueError, match=r"such as 0\.50 EUR"):
        read_price(written)


@pytest.mark.parametrize("written", ["0 EUR", "1000001 EUR", "0.0000000001 EUR"])
def test_a_price_has_limits(written: str) -> None:
    with pytest.raises(ValueError, match="at most"):
        read_price(written)


@given(st.decimals(0, 10**9, places=6), st.decimals("0.000000001", 10**6, places=9))
def test_money_is_exact(credits_: Decimal, each: Decimal) -> None:
    money = Price(each, "EUR").of(credits_)
    assert money is not None
    assert money * 1000 == credits_ * each


@pytest.mark.parametrize(
    ("credits_", "shown"),
    [
        (None, "unknown"),
        ("0", "0.00 EUR"),
        ("12.3456", "0.00617 EUR"),
        ("1234", "0.617 EUR"),
        ("2468000", "1 234.00 EUR"),
        ("0.000001", "<0.000001 EUR"),
    ],
)
def test_a_small_amount_keeps_its_digits_and_an_unknown_one_is_no_zero(credits_: str | None, shown: str) -> None:
    assert EURO.text(None if credits_ is None else Decimal(credits_)) == shown


def test_a_ranking_has_money_beside_its_credits_and_none_without_a_price() -> None:
    sheet = rank_sheet(rank(PRICING, NOW._replace(stt="new_ears"), "stt"))
    assert with_money(sheet, None) is sheet
    *known, unknown = as_records(with_money(sheet, EURO, ("credits", "difference")))
    assert [row["money"] for row in known] == [row["credits"] / 2000 for row in known]
    assert (unknown["credits"], unknown["money"], unknown["difference_money"]) == (None, None, None)


def test_a_comparison_has_the_total_in_money_with_its_differences() -> None:
    named = [named_pricing("a", PRICING, NOW), named_pricing("b", PRICING, DEARER)]
    comparison = compare(named, 0, EURO)
    wire = comparison_wire(comparison)
    assert wire["price"] == {"per_1000_credits": Decimal("0.50"), "currency": "EUR"}
    assert [cell["difference"] for cell in wire["money"]] == [0, Decimal("0.0005")]
    assert wire["money"][1]["percent"] == wire["total"][1]["percent"]
    [row] = [row for row in as_records(comparison_sheet(comparison)) if row["name"] == "money"]
    assert (row["unit"], row["b"]) == ("EUR", EURO.of(named[1].credits))
    assert not {"price", "money"} & comparison_wire(compare(named)).keys()


def test_a_month_and_a_conversation_have_their_totals_in_money() -> None:
    usage, quantities = Usage(Decimal(30_000), Decimal(12), per="month"), PRICING.quantities
    budgets = [(n, monthly_budget(PRICING.credits(c), quantities, usage, ())) for n, c in (("a", NOW), ("b", DEARER))]
    first, second = as_records(volume_sheet(budgets, price=EURO))
    assert second["difference_money"] == Decimal(180)  # 360 000 interactions with one credit more
    assert first["money"] == first["credits"] / 2000
    assert f", {EURO.text(budgets[0][1].credits)} at 0.50 EUR per 1 000 credits." in " ".join(
        subscriptions_sheet(budgets[0][1], price=EURO).notes
    )
    found = conversations(CARD, [("a", NOW, Conversation.of(quantities, 3))])
    [cost] = conversation_wire(found, EURO)["configurations"]
    assert cost["money"] == found.costs[0].total / 2000
    assert as_records(turns_sheet(found, price=EURO))[-1]["total_money"] == cost["money"]
