"""Numbers as people read them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.spec.models.estimation import LatencyRange
from chartui.tui.numbers import credits_difference, latency_text, percent_text, signed_text


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (None, "–"),
        ("0", "±0%"),
        ("12.5", "+12%"),
        ("13.5", "+14%"),
        ("-100", "−100%"),
        ("4.66", "+4.7%"),
        ("-0.1", "−0.1%"),
        ("0.04", "+<0.1%"),
        ("-0.0000001", "−<0.1%"),
        ("6118340.2", "+6 118 340%"),
    ],
)
def test_a_difference_in_percent_has_its_sign_and_is_never_made_nothing(percent: str | None, text: str) -> None:
    assert percent_text(None if percent is None else Decimal(percent)) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Decimal("1.2"), "+1.200"),
        (Decimal("-1234.5678"), "−1 234.568"),
        (Decimal("-0.0001"), "−<0.001"),
        (0, "±0"),
        (-580, "−580"),
    ],
)
def test_a_difference_has_its_sign(difference: Decimal | int, text: str) -> None:
    assert signed_text(difference) == text


def test_a_latency_whose_minimum_is_above_its_maximum_has_a_sign() -> None:
    assert latency_text(LatencyRange(min=Decimal(900), max=Decimal(600))) == "▲ 900 – 600 ms"
    assert latency_text(LatencyRange(min=Decimal(600), max=Decimal(900))) == "600 – 900 ms"


@pytest.mark.parametrize(
    ("amount", "base", "shown"),
    [
        ("8.88725", "29.3675", "−20.481"),  # 8.887 and 29.368
        ("0.0004", "0", "+<0.001"),
        ("1.0004", "1", "+<0.001"),
        ("1e30", "1e30", "±0.000"),
    ],
)
def test_a_difference_is_that_of_the_amounts_beside_it(amount: str, base: str, shown: str) -> None:
    assert signed_text(credits_difference(Decimal(amount), Decimal(base))) == shown
