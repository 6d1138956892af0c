"""A JSON value in lines that fold: what is unfolded is the value, what is folded says how much it holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import Wire, loads, same
from chartui.core.jsontree import (
    FEW,
    MOST_OPEN,
    SHORT_TEXT,
    SPAN,
    TOP,
    NodeKind,
    Place,
    Row,
    all_open,
    at,
    found,
    order_of,
    path_text,
    path_to,
    rows,
    usually_open,
)
from chartui.core.text import is_plain

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def written(shown: list[Row]) -> str:
    """The lines as JSON text; spans are no JSON, and leave nothing behind."""
    lines = []
    for row in shown:
        if row.kind is not NodeKind.SPAN:
            opens = row.open and row.kind is not NodeKind.TEXT and not row.closing
            name = f"{row.key}: " if row.key else ""
            lines.append(f"{name}{row.text}{',' if row.comma and not opens else ''}")
    return "\n".join(lines)


@given(json_values)
def test_all_lines_together_are_the_value(value: Wire) -> None:
    assert same(loads(written(rows(value, all_open(value)))), value)


@given(json_values)
def test_no_line_has_anything_that_a_terminal_obeys(value: Wire) -> None:
    for opened in (frozenset[Place](), usually_open(value), all_open(value)):
        assert all(is_plain(row.key) and is_plain(row.text) for row in rows(value, opened))


@given(json_values)
def test_every_line_has_its_value(value: Wire) -> None:
    for row in rows(value, all_open(value)):
        part = at(value, row.place)
        if row.kind in (NodeKind.TEXT, NodeKind.NUMBER, NodeKind.WORD):
            assert same(loads(row.text), part)
        else:
            assert isinstance(part, dict | list)


RECORD: Wire = {"name": "Ada", "tags": ["a", "b"], "empty": [], "none": {}, "one": {"x": None}, "n": 1}


def lines(value: Wire, *opened: Place) -> list[str]:
    return [f"{'  ' * row.depth}{row.key}{': ' if row.key else ''}{row.text}" for row in rows(value, opened)]


def test_what_is_folded_says_how_much_it_holds() -> None:
    assert lines(RECORD) == ["{ 6 members }"]
    assert lines(RECORD, TOP) == [
        "{",
        '  "name": "Ada"',
        '  "tags": [ 2 items ]',
        '  "empty": []',
        '  "none": {}',
        '  "one": { 1 member }',
        '  "n": 1',
        "}",
    ]
    assert lines(RECORD, TOP, ("tags",))[2:6] == ['  "tags": [', '    "a"', '    "b"', "  ]"]


def test_what_holds_nothing_cannot_be_folded() -> None:
    foldable = [row.key for row in rows(RECORD, [TOP]) if row.foldable]
    assert foldable == ["", '"tags"', '"one"']


@pytest.mark.parametrize("text", ["x" * (SHORT_TEXT + 1), "a\nb"])
def test_a_long_text_is_cut_at_first(text: str) -> None:
    value = {"a": text}
    _, row, _ = rows(value, usually_open(value))
    assert (row.kind, row.foldable, row.open) == (NodeKind.TEXT, True, False)
    (row,) = rows(text, [TOP])
    assert loads(row.text) == text


def test_a_text_of_megabytes_is_not_written_down_to_show_its_beginning() -> None:
    (row,) = rows("x" * 1_000_000, ())
    assert len(row.text) < 1_000
    assert row.text.endswith("x…")


@pytest.mark.parametrize("number", [SPAN, SPAN + 1, SPAN * SPAN, SPAN * SPAN + 1, 1_234_567])
def test_a_large_list_is_never_more_than_a_hundred_lines_at_a_time(number: int) -> None:
    value = list(range(number))
    opened, shown, here = {TOP}, rows(value, [TOP]), TOP
    while shown[1].kind is NodeKind.SPAN:
        assert len(shown) <= SPAN + 2
        spans = [row for row in shown if row.kind is NodeKind.SPAN and row.depth == shown[1].depth]
        numbers = [n for row in spans for n in at(value, row.place)]
        assert numbers == at(value, here)
        here = spans[-1].place
        opened.add(here)
        shown = [row for row in rows(value, opened) if row.depth > len(here) or row.place == here]
    last = [row for row in shown if not row.closing][-1]
    assert (last.text, last.comma) == (str(number - 1), False)


def test_the_first_view_of_a_large_list_is_one_line() -> None:
    value = {"few": list(range(FEW)), "many": list(range(FEW + 1))}
    assert usually_open(value) == {TOP, ("few",)}


def test_unfolding_all_has_an_end() -> None:
    value = [[[0]] for _ in range(SPAN)] * 2
    assert not any(isinstance(step, range) for place in all_open(value) for step in place)
    deep = {str(n): {str(m): [[1]] for m in range(90)} for n in range(90)}
    opened = all_open(deep)
    assert len(opened) == MOST_OPEN
    assert {(str(n),) for n in range(90)} < opened


def test_objects_with_very_many_members_have_spans_as_well() -> None:
    value = {f"m{n}": n for n in range(250)}
    assert lines(value, TOP) == ["{", "  0 … 99", "  100 … 199", "  200 … 249", "}"]
    assert lines(value, TOP, (range(200, 250),))[4] == '    "m200": 200'
    assert at(value, (range(200, 250),)) == {f"m{n}": n for n in range(200, 250)}


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (TOP, ""),
        (("a", "b"), "a.b"),
        (("a", 0, "b"), "a[0].b"),
        (("a.b", "c d"), '["a.b"]["c d"]'),
        (("é", "0x"), 'é["0x"]'),
        (("\x1b", range(100), 5), '["\\u001b"][5]'),
    ],
)
def test_a_place_is_written_as_a_path(place: Place, text: str) -> None:
    assert path_text(place) == text


def test_what_is_found_can_be_shown() -> None:
    value: Any = {"a": {"b": [{"deep Needle": 1}]}, "many": [0] * 12_345 + ["needle"], "text": "a\nneedle", "n": 1}
    places = found(value, lambda text: "needle" in text.lower())
    assert places == [("a", "b", 0, "deep Needle"), ("many", 12_345), ("text",)]
    for place in places:
        opened = path_to(value, place)
        shown = [row.place for row in rows(value, opened)]
        assert len([here for here in shown if tuple(s for s in here if not isinstance(s, range)) == place]) == 1
    assert found(value, lambda _: False) == []
    backwards = places[::-1]
    assert sorted(backwards, key=lambda place: order_of(value, place)) == places
    assert found("x", lambda text: text == '"x"') == [TOP]
    many = {f"m{n}": n for n in range(250)}
    assert path_to(many, ("m249",)) == (TOP, (range(200, 250),))
