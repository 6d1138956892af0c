"""JSON with exact numbers, and what is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import MAX_DEPTH, NotJson, canonical, dumps, loads

numbers = st.integers() | st.decimals(allow_nan=False, allow_infinity=False).filter(
    lambda d: abs(d.adjusted()) <= 400 and len(d.as_tuple().digits) < 200
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
wires: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


@given(wires, st.sampled_from([None, 0, 2]))
def test_what_is_written_is_read_back(value: Any, indent: int | None) -> None:
    text = dumps(value, indent=indent)
    assert loads(text) == loads(text.encode()) == value
    json.loads(text)


@given(numbers)
def test_numbers_are_written_without_exponent_and_stay_exact(number: int | Decimal) -> None:
    text = dumps(number)
    assert not set(text) - set("-0123456789.")
    assert Decimal(text) == number
    assert dumps(loads(text)) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("123456789012345678901234567890.123456789", Decimal("123456789012345678901234567890.123456789")),
        ("1e2", Decimal(100)),
        ("0.10", Decimal("0.10")),
        ("-0", 0),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_numbers_are_read_exactly(text: str, value: Any) -> None:
    read = loads(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *[("4000", "4000"), ("4000.0", "4000"), ("4E+3", "4000"), ("100", "100"), ("0.250", "0.25")],
        *[("-0", "0"), ("-0.00", "0"), ("0E+99", "0"), ("1E-7", "0.0000001"), ("-1.50", "-1.5")],
    ],
)
def test_a_number_has_one_form(number: str, text: str) -> None:
    assert canonical(Decimal(number)) == dumps(Decimal(number)) == text


@pytest.mark.parametrize(
    "text",
    ["NaN", "Infinity", "-Infinity", '{"a": NaN}', "[-Infinity]", "01", "+1", ".5", "1.", "0x1", "1_000", "--1"],
)
def test_what_the_grammar_does_not_call_a_number_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        loads(text)


@pytest.mark.parametrize(
    "text",
    ["1e999", "1E+999", "1e-999", "1e999999999999", "1e" + "9" * 23, "9" * 401, "0." + "1" * 400, "9" * 5000],
)
def test_a_number_that_would_take_thousands_of_digits_is_refused(text: str) -> None:
    with pytest.raises(NotJson, match="too many digits"):
        loads(text)


@pytest.mark.parametrize("number", [Decimal("1e999999"), Decimal("1e-999999"), Decimal("-1e5000")])
def test_nor_is_one_written(number: Decimal) -> None:
    with pytest.raises(NotJson, match="too many digits"):
        dumps([number])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"<html></html>",
        b"{",
        b'{"a": 1,}',
        b"{'a': 1}",
        b"[1 2]",
        b'"a\nb"',
        b"nul",
        b"{} {}",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        "\ufeff{}",
        '"x'.encode("utf-16"),
        b'"\xc3"',
    ],
)
def test_what_is_not_json_is_refused(data: bytes | str) -> None:
    with pytest.raises(NotJson):
        loads(data)


def test_a_refusal_says_where_and_quotes_nothing() -> None:
    with pytest.raises(NotJson) as caught:
        loads('{"secret-key": "s3cr3t",\n oops}')
    assert "line 2 column 2" in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_a_limit(opening: str, closing: str) -> None:
    def nested(levels: int) -> str:
        return opening * levels + "1" + closing * levels

    loads(nested(MAX_DEPTH))
    for levels in (MAX_DEPTH + 1, 500, 200_000):
        with pytest.raises(NotJson, match="nested too deeply"):
            loads(nested(levels))


def test_many_small_parts_are_not_deep() -> None:
    assert len(loads("[" + ",".join(["[{}]"] * 1000) + "]")) == 1000


@pytest.mark.parametrize("text", ['"\\ud800"', '"\\uDFFF x"', '{"\\ud800": 1}', '[{"a": ["\\udc00"]}]', '"\ud800"'])
def test_half_of_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(NotJson, match="surrogate"):
        loads(text)


def test_a_whole_pair_is_a_character() -> None:
    assert loads('"\\ud83d\\ude00"') == "😀"
    assert loads(r'"\\ud800"') == r"\ud800"


def test_half_of_a_pair_is_written_as_its_escape() -> None:
    text = dumps({"a\udc00": "b\ud800"})
    assert text == '{"a\\udc00": "b\\ud800"}'
    text.encode("utf-8")


def test_of_a_member_given_twice_the_last_counts() -> None:
    assert loads('{"a": 1, "a": 2}') == {"a": 2}


def test_nul_and_other_scripts_survive() -> None:
    assert loads(dumps("\x00 日本語 שלום \u2028")) == "\x00 日本語 שלום \u2028"
    assert dumps("日本語") == '"日本語"'


def test_layout() -> None:
    value = {"a": [1, {}, []], "b": {"c": None, "d": True}}
    assert dumps(value) == '{"a": [1, {}, []], "b": {"c": null, "d": true}}'
    assert dumps(value, indent=2) == json.dumps(value, indent=2)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity")])
def test_what_json_cannot_say_is_not_written(value: Any) -> None:
    with pytest.raises(NotJson):
        dumps({"a": value})


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", bytearray(b"x"), object()])
def test_what_is_no_wire_form_is_a_mistake_of_the_caller(value: Any) -> None:
    with pytest.raises(TypeError):
        dumps([value])


def test_a_float_is_written_as_it_reads() -> None:
    assert dumps([0.1, 1e-7, 2.0]) == "[0.1, 0.0000001, 2]"
