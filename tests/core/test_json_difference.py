"""Differences between JSON documents: small, exact both ways, and refused where they do not fit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.edit_history import BadChange, applied, difference, inverted
from chartui.core.jsontext import Wire, dumps, loads

_TEXTS = st.text("ab静\U0001f600", max_size=6)
_VALUES = st.none() | st.booleans() | st.integers(-2, 2) | st.decimals(0, 1, places=1) | _TEXTS
_DOCUMENTS = st.recursive(
    _VALUES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner), max_leaves=20
)


def exact(value: Wire) -> Any:
    """A document as something that compares everything: the order of members, and true as another value than 1."""
    if isinstance(value, dict):
        return {"members": [(name, exact(item)) for name, item in value.items()]}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return isinstance(value, bool), value


@given(_DOCUMENTS, _DOCUMENTS)
def test_a_difference_leads_from_one_document_to_the_other_and_back(old: Wire, new: Wire) -> None:
    changes = loads(dumps(difference(old, new)))
    assert exact(applied(old, changes)) == exact(new)
    assert exact(applied(new, inverted(changes))) == exact(old)
    assert bool(changes) == (exact(old) != exact(new))


@given(_DOCUMENTS, _DOCUMENTS)
def test_applying_leaves_the_given_document_alone(old: Wire, new: Wire) -> None:
    before = dumps(old)
    applied(old, difference(old, new))
    assert dumps(old) == before


def test_a_small_edit_of_a_large_document_is_a_small_difference() -> None:
    section = {"name": "Hall", "objective": "Greet. " * 500, "decisions": [{"criteria": f"way {n}"} for n in range(50)]}
    old = {"sections": {f"s{number}": [section, section] for number in range(1000)}}
    ways = [*section["decisions"][:7], {"criteria": "new"}, *section["decisions"][7:]]
    edited = {**section, "objective": f"{section['objective']}!", "decisions": ways}
    new = {"sections": {**old["sections"], "s500": [section, edited]}}
    assert len(dumps(difference(old, new))) < 250
    assert applied(old, difference(old, new)) == new


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("temperature", "temper", "temperate"),
        ([1, 2, 3], [1, 3], [1, 4, 3]),
        ({"a": 1}, {}, {"a": 2}),
        ({"a": 1}, {}, {"b": 1}),
        ({}, {"a": 1}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a": [1]}),
        ({"a": [1]}, {"a": [2]}, {"a": []}),
        (Decimal("0.5"), None, Decimal("0.6")),
        ({"a": "b"}, {}, None),
    ],
)
def test_a_change_that_does_not_fit_is_refused(old: Wire, new: Wire, other: Wire) -> None:
    with pytest.raises(BadChange):
        applied(other, difference(old, new))
