"""Bounded copies: whatever is given, they are small, cost little, and can be written as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.backends.recorder import MAX_VALUES, excerpt
from chartui.core.jsontext import dumps


@pytest.mark.parametrize(
    "value",
    [None, True, 0, Decimal("0.25"), "", "text", [], {}, {"a": [1, {"b": None}]}, "x" * 4096],
)
def test_what_is_small_is_kept_whole(value: Any) -> None:
    kept = excerpt(value)
    assert kept.value == value
    assert kept.whole


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("x" * 4097, "x" * 4096 + "… (1 more character)"),
        (object(), "… (object cannot be written as JSON)"),
        (b"bytes", "… (bytes cannot be written as JSON)"),
        (Decimal("NaN"), "… (a number that JSON cannot represent)"),
        (Decimal("1e100000"), "… (a number that JSON cannot represent)"),
    ],
)
def test_what_is_not_kept_is_said_in_its_place(value: Any, kept: str) -> None:
    found = excerpt({"member": value})
    assert found.value == {"member": kept}
    assert not found.whole


def test_a_number_of_thousands_of_digits_is_not_written_out() -> None:
    assert excerpt(10**5000).value == "… (a number that JSON cannot represent)"


def test_a_nest_without_end_is_cut() -> None:
    value: list[Any] = []
    value.append(value)
    text = dumps(excerpt(value).value)
    assert text.startswith("[[[[")
    assert "nested too deeply" in text


class _Counting(Sequence[Any]):
    """A list that counts what is taken out of it."""

    def __init__(self, length: int) -> None:
        self.taken = 0
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return {"number": index}

    def __iter__(self) -> Iterator[Any]:
        for index in range(self._length):
            self.taken += 1
            yield self[index]


def test_a_long_list_is_not_walked_to_its_end() -> None:
    items = _Counting(1_000_000)
    kept = excerpt({"items": items}).value["items"]
    assert items.taken <= MAX_VALUES
    assert kept[-1] == f"… ({1_000_000 - len(kept) + 1} more items)"


def test_a_secret_is_taken_out_even_where_a_cut_goes_through_it() -> None:
    secret = "s3cret-" * 5
    text = "x" * (4096 - 10) + secret + "y" * 10_000
    kept = excerpt(MappingProxyType({secret: [text, secret]}), redact=lambda found: found.replace(secret, "[key]"))
    written = dumps(kept.value)
    assert "s3cret" not in written
    assert written.startswith('{"[key]": [')


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals() | st.floats() | st.text(max_size=9000),
    lambda inner: st.lists(inner, max_size=60) | st.dictionaries(st.text(max_size=30), inner, max_size=60),
    max_leaves=400,
)


@given(_VALUES)
def test_it_can_always_be_written_and_is_never_large(value: Any) -> None:
    kept = excerpt(value)
    # Escapes of control characters take six characters for one.
    assert len(dumps(kept.value)) <= 6 * 70_000
    if kept.whole:
        assert dumps(kept.value) == dumps(value)
