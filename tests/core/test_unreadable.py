"""What is said of elements that could not be read, and finding one in an answer."""

from __future__ import annotations

from typing import Any

import pytest

from chartui.core.spec.elements import Unreadable
from chartui.core.unreadable import at_pointer, by_reason, counted, sentence


def _odd(kind: str, reason: str = "expected an object, got null", where: str = "/0") -> Unreadable:
    return Unreadable(kind=kind, where=where, reason=reason, raw=None)


@pytest.mark.parametrize(
    ("elements", "said"),
    [
        ([], ""),
        ([_odd("record", "character_id: missing")], "1 record could not be read: character_id: missing"),
        ([_odd("section"), _odd("section")], "2 sections could not be read: expected an object, got null"),
        ([_odd("section"), _odd("section", "section_id: missing")], "2 sections could not be read"),
        (
            [_odd("section"), _odd("trigger"), _odd("section", "x"), _odd("line")],
            "2 sections, 1 trigger and 1 line could not be read",
        ),
        ([_odd("duplicate", "name: given 2 times")], "1 duplicate member: name: given 2 times"),
        (
            [_odd("line", "key: missing"), _odd("duplicate", "name: given 2 times")],
            "1 line could not be read: key: missing; 1 duplicate member: name: given 2 times",
        ),
    ],
)
def test_the_sentence_counts_and_gives_the_reason_where_it_is_one(elements: list[Unreadable], said: str) -> None:
    assert sentence(elements) == said


def test_kinds_are_counted_in_the_order_in_which_they_came() -> None:
    assert counted([_odd("trigger"), _odd("section"), _odd("trigger")]) == "2 triggers and 1 section"
    assert counted([]) == ""


def test_elements_of_one_kind_and_reason_stand_together() -> None:
    first, other, second = _odd("section", where="/0"), _odd("section", "x", "/1"), _odd("section", where="/2")
    assert by_reason([first, other, second]) == [[first, second], [other]]


_ANSWER: Any = {"characters": [{"a/b": 1, "m~n": 2}], "STATUS": '[{"code": null}]'}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", _ANSWER),
        ("/characters/0", {"a/b": 1, "m~n": 2}),
        ("/characters/0/a~1b", 1),
        ("/characters/0/m~0n", 2),
        ("/STATUS/0", {"code": None}),
    ],
)
def test_a_pointer_names_a_part_also_inside_of_text(pointer: str, value: Any) -> None:
    assert at_pointer(_ANSWER, pointer) == value


@pytest.mark.parametrize(
    ("pointer", "said"),
    [
        ("characters", "begin with '/'"),
        ("/characters/1", "no '1' at '/characters'"),
        ("/characters/-1", "no '-1'"),
        ("/characters/²", "no '²'"),
        ("/characters/0/x", "no 'x' at '/characters/0'"),
        ("/STATUS/0/code/x", "no 'x' at '/STATUS/0/code'"),
    ],
)
def test_a_pointer_without_a_target_is_named(pointer: str, said: str) -> None:
    with pytest.raises(LookupError, match=r"pointer|no ") as raised:
        at_pointer(_ANSWER, pointer)
    assert said in str(raised.value)
