"""Numbers as they are typed and pasted, and a refusal that lists what is near."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.names import shortened
from chartui.core.numbers import range_text
from chartui.core.typed_numbers import number_in, typed_milliseconds, typed_number, typed_range


@pytest.mark.parametrize(
    ("text", "number"), [("1.5", "1.5"), (".5", "0.5"), ("1 500", "1500"), ("1e3", "1000"), (" 7 ", "7"), ("-3", "-3")]
)
def test_what_is_a_number(text: str, number: str) -> None:
    assert typed_number(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", ".", "1.2.3", "1 5", "e3", "1e", "1e999", "٣", "NaN", "1_0", "0x1"])
def test_what_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number$"):
        typed_number(text)


@pytest.mark.parametrize("text", ["1,5", "1,500", "1,000.5"])
def test_a_comma_is_refused_with_the_cure(text: str) -> None:
    with pytest.raises(ValueError, match=rf"^{text} is not a number; use a decimal point, not a comma$"):
        typed_number(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [("up to 1,250.5 MB", "1250.5"), ("1,5", "1,5"), ("3 to 5", "3"), ("12, then", "12"), ("many", ""), ("1e3", "1e3")],
)
def test_the_number_in_a_pasted_text(text: str, number: str) -> None:
    assert number_in(text) == number


def test_values_that_have_nothing_to_do_with_what_was_asked_for_are_not_named() -> None:
    valid = ", ".join(f"model_{number}" for number in range(20))
    sentence = "'{}' is not a valid llm. Valid values: " + valid + "."
    assert shortened(sentence.format("nope")).endswith("Valid values: 'chartui options' lists all 20.")
    assert "model_1," in shortened(sentence.format("model1"))


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("1200", 1200), ("1 200 ms", 1200), ("1.2 s", 1200), ("1.2s", 1200), ("1200MS", 1200), ("2 S", 2000), ("0", 0)],
)
def test_milliseconds_with_and_without_a_unit(text: str, milliseconds: int) -> None:
    assert typed_milliseconds(text) == milliseconds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.2", "1.2 is not a whole number of milliseconds; for seconds, write 1.2 s"),
        ("1.2 ms", "1.2 ms is not a whole number of milliseconds"),
        ("-3", "-3 is not a whole number of milliseconds"),
        ("1200 m", "1200 m is not a number"),
        ("ms", "ms is not a number"),
    ],
)
def test_other_times_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        typed_milliseconds(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8", (8, 8, 8)),
        ("100-300", (100, 200, 300)),
        ("100 – 1 300", (100, 700, 1300)),
        ("100-150-300", (100, 150, 300)),
        ("1e-3-2e-3", (Decimal("0.001"), Decimal("0.0015"), Decimal("0.002"))),
    ],
)
def test_a_range_has_a_typical_number(text: str, found: tuple[Decimal, ...]) -> None:
    assert typed_range(text) == found
    assert typed_range(range_text(typed_range(text))) == found


@pytest.mark.parametrize("text", ["300-100", "1-2-3-4", "100-", "-300-x", "1,5-2"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        typed_range(text)


def test_a_pasted_range_is_not_cut_to_one_of_its_numbers() -> None:
    assert number_in("about 100 - 300 characters") == "100-300"
    with pytest.raises(ValueError, match="not a range"):
        typed_number(number_in("100–300"))
