"""How two lists of decisions differ: in words about decisions, not about places in a list."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import Wire
from chartui.core.plans.decisions import ENDING, decision_changes
from chartui.core.plans.wording import change_text, label_of

NAMES = {"h": "“Hall”", "g": "“Gate”", "twin 1": "“Twin”", "twin 2": "“Twin”"}


def way(criteria: str, target: str, **others: Any) -> dict[str, Wire]:
    return {"criteria": criteria, "next_section_id": target, **others}


def told(before: Wire, after: Wire) -> list[str]:
    changes = decision_changes(before, after, lambda section_id: NAMES.get(section_id, "(missing)"))
    return [f"{label_of(change)} | {change_text(change)}" for change in changes]


A, B, C, D = way("asks", "h"), way("begs", "g"), way("cries", "x"), way("*", "h")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([A, C, B], [A, B], ["− decision | cries → (missing)"]),
        ([A, D], [A, B, D], ["+ decision | begs → “Gate” (position 2 of 3)"]),
        ([A], [A, B], ["+ decision | begs → “Gate”"]),
        (None, [A], ["+ decision | asks → “Hall”"]),
        ([A], [], ["− decision | asks → “Hall”"]),
        (None, [], [f"decisions | not set → {ENDING}"]),
        ([A, B, C, D], [A, C, D, B], ["decision “begs” | moved from 2 to 4"]),
        ([A, B], [way("pleads", "h"), B], ["criteria | asks → pleads"]),
        ([A, B], [way("asks", "g"), B], ["target of “asks” | “Hall” → “Gate”"]),
        ([way("a", "twin 1")], [way("a", "twin 2")], ["target of “a” | “Twin” twin 1 → “Twin” twin 2"]),
        ([A], [way("asks", "h", priority=2)], ["priority of “asks” | not set → 2"]),
        ([A], [way("asks", "h", tone=1)], ['other fields of “asks” | {} → {"tone": 1}']),
        ([A, way("b", "g", priority=1)], [way("b", "g", priority=1), A], ["stored order | asks, b → b, asks"]),
        ([A, A], [A], ["− decision | asks → “Hall”"]),
        (["odd", A], [A], ['− decision | "odd" → no target']),
    ],
)
def test_a_difference(before: Wire, after: Wire, expected: list[str]) -> None:
    assert told(before, after) == expected


@given(st.permutations(range(9)))
def test_as_few_as_possible_are_moved(order: list[int]) -> None:
    old: list[Wire] = [way(str(number), "h") for number in range(9)]
    wanted: list[Wire] = [old[number] for number in order]
    moved = decision_changes(old, wanted, str) if wanted != old else ()
    assert all(change.sign == "↕" for change in moved)
    stay = [number for place, number in enumerate(order) if place + 1 not in {change.after for change in moved}]
    assert stay == sorted(stay)
    longest = [1] * 9
    for place, number in enumerate(order):
        longest[place] += max((longest[one] for one in range(place) if order[one] < number), default=0)
    assert len(stay) == max(longest)
