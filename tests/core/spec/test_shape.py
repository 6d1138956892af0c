"""Arranging wire forms as models: leniency, errors, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError
from decimal import Decimal
from types import GenericAlias
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.shape import Number, Record, answer, build, request, wire_names


@answer({"size": "SIZE"})
class Part(Record):
    name: str
    size: Number | None = None


@answer()
class Whole(Record):
    part: Part
    parts: Sequence[Part] | None = None
    by_name: Mapping[str, Part] | None = None
    count: int = 7
    flag: bool | None = None
    amount: Number | Part | None = None
    anything: Wire = None


class Row(NamedTuple):
    row_id: str
    name: str | None = None
    flag: bool | None = None


@answer()
class Rows(Record):
    rows: Sequence[Row]


@request({"first_name": "firstName"})
class Ask:
    first_name: str
    rest: str = "x"


def refusal(model: Any, value: Wire) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        build(model, value)
    assert caught.value.kind is ErrorKind.UNEXPECTED
    return caught.value


def test_members_go_by_their_names_on_the_wire() -> None:
    assert wire_names(Part) == {"name": "name", "size": "SIZE"}
    assert wire_names(Ask) == {"first_name": "firstName", "rest": "rest"}
    assert build(Part, {"name": "a", "SIZE": Decimal("0.5"), "size": 9}).size == Decimal("0.5")


def test_nested_models_are_built_and_every_one_keeps_its_raw_form() -> None:
    raw = {
        "part": {"name": "a", "extra": [None]},
        "parts": [{"name": "b", "more": {}}],
        "by_name": {"c": {"name": "c"}},
        "unknown": None,
    }
    whole = build(Whole, raw)
    assert whole.part.raw is raw["part"]
    assert whole.parts is not None
    assert whole.parts[0].raw == {"name": "b", "more": {}}
    assert whole.by_name is not None
    assert whole.by_name["c"].name == "c"
    assert whole.raw is raw


def test_the_raw_form_counts_neither_for_equality_nor_in_the_repr() -> None:
    one, other = build(Part, {"name": "a"}), build(Part, {"name": "a", "secret": "s3cr3t"})
    assert one == other
    assert "s3cr3t" not in repr(other)


def test_null_absent_and_empty_stay_apart() -> None:
    part = {"name": "a"}
    empty = build(Whole, {"part": part, "parts": []})
    null = build(Whole, {"part": part, "parts": None})
    absent = build(Whole, {"part": part})
    assert empty.parts == ()
    assert null.parts is absent.parts is None
    assert "parts" in null.raw
    assert "parts" not in absent.raw


@pytest.mark.parametrize("odd", ["7", True, None, Decimal("7.5"), [], {}])
def test_a_member_of_another_type_takes_its_default_and_stays_readable(odd: Wire) -> None:
    whole = build(Whole, {"part": {"name": "a"}, "count": odd})
    assert whole.count == 7
    assert whole.raw["count"] == odd


@pytest.mark.parametrize("odd", [1, "true", [], Decimal(0)])
def test_a_flag_is_a_boolean(odd: Wire) -> None:
    assert build(Whole, {"part": {"name": "a"}, "flag": odd}).flag is None


def test_one_odd_item_makes_its_member_unreadable_and_nothing_else() -> None:
    raw = {"part": {"name": "a"}, "parts": [{"name": "b"}, {"name": 5}], "flag": True}
    whole = build(Whole, raw)
    assert (whole.parts, whole.flag) == (None, True)
    assert whole.raw["parts"] == raw["parts"]


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, Decimal(1)), (Decimal("0.10"), Decimal("0.10")), (0.1, Decimal("0.1"))],
)
def test_numbers_are_exact_decimals(value: Wire, number: Decimal) -> None:
    size = build(Part, {"name": "a", "SIZE": value}).size
    assert isinstance(size, Decimal)
    assert str(size) == str(number)


@pytest.mark.parametrize("value", [True, "1", [], {}])
def test_booleans_and_text_are_no_numbers(value: Wire) -> None:
    assert build(Part, {"name": "a", "SIZE": value}).size is None


def test_the_first_fitting_branch_of_a_union_is_taken() -> None:
    part = {"name": "a"}
    assert build(Whole, {"part": part, "amount": 2}).amount == Decimal(2)
    assert build(Whole, {"part": part, "amount": {"name": "b"}}).amount == Part(name="b")
    assert build(Whole, {"part": part, "amount": "x"}).amount is None
    assert build(Whole, {"part": part, "anything": {"x": [1]}}).anything == {"x": [1]}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "part should be there"),
        ({"part": None}, "part should be an object"),
        ({"part": {}}, "part.name should be there"),
        ({"part": {"name": 5}}, "part.name should be text"),
        ([], "the response should be an object"),
        (None, "the response should be an object"),
        ("text", "the response should be an object"),
    ],
)
def test_what_has_no_default_is_named(value: Wire, message: str) -> None:
    assert refusal(Whole, value).message == f"The response is not as specified: {message}."


@pytest.mark.parametrize(
    ("value", "where"), [({}, "the response should be a list"), ([{"name": "a"}, {}], "[1].name should be there")]
)
def test_in_an_array_the_item_is_named(value: Wire, where: str) -> None:
    assert where in refusal(GenericAlias(tuple, (Part, ...)), value).message


def test_an_error_quotes_nothing_of_the_answer() -> None:
    assert "s3cr3t" not in str(refusal(Whole, {"part": {"name": ["s3cr3t"]}}))


def test_models_are_frozen_and_hold_no_more_than_declared() -> None:
    part = Part(name="a")
    with pytest.raises(FrozenInstanceError):
        part.name = "b"  # type: ignore[misc]
    assert not hasattr(part, "__dict__")
    assert part.raw == {}


@pytest.mark.parametrize(
    ("wire", "row"),
    [
        pytest.param({"row_id": "a", "name": "A", "flag": True}, Row("a", "A", True), id="plain"),
        pytest.param({"row_id": "a", "name": None, "flag": None}, Row("a"), id="nulls"),
        pytest.param({"flag": False, "new": [], "row_id": "a", "name": ""}, Row("a", "", False), id="another order"),
        pytest.param({"row_id": "a"}, Row("a"), id="absent"),
        pytest.param({"row_id": "a", "name": 5, "flag": 1}, Row("a"), id="of other types"),
    ],
)
@pytest.mark.parametrize("times", [1, 50])
def test_rows_are_read_as_leniently_as_models(wire: Wire, row: Row, times: int) -> None:
    plain = {"row_id": "b", "name": "B", "flag": False}
    assert build(Rows, {"rows": [plain, wire] * times}).rows == (Row("b", "B", False), row) * times
    assert build(Row, wire) == row


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ([{"row_id": "a"}, {"name": "A"}], r"rows\[1\].row_id should be there"),
        ([{"row_id": "a", "name": None, "flag": None}, {"row_id": 1}], r"rows\[1\].row_id should be text"),
        ([{"row_id": "a"}, "b"], r"rows\[1\] should be an object"),
        ({"row_id": "a"}, "rows should be a list"),
    ],
)
def test_a_row_that_lacks_what_it_must_have_is_named(rows: Wire, where: str) -> None:
    with pytest.raises(ServiceError, match=where):
        build(Rows, {"rows": rows})


def test_no_rows_are_no_rows() -> None:
    assert build(Rows, {"rows": []}).rows == ()


MANY: Any = Sequence[Whole]
#: What a service may send for any member, right or wrong.
ANYTHING = st.sampled_from(
    [None, True, 0, 7, Decimal("0.5"), "a", [], [None], ["b"], {}, {"name": "c"}, {"name": "c", "SIZE": 1, "more": 2}]
)
PARTS = st.fixed_dictionaries({"name": st.just("a") | ANYTHING}, optional={"SIZE": ANYTHING, "more": ANYTHING})
WHOLES = st.fixed_dictionaries(
    {"part": PARTS},
    optional={
        "parts": st.lists(PARTS, max_size=3) | ANYTHING,
        "by_name": st.dictionaries(st.sampled_from("ab"), PARTS, max_size=2) | ANYTHING,
        **dict.fromkeys(("count", "flag", "amount", "anything"), ANYTHING),
    },
)


def raw_forms(value: Any) -> Any:
    if isinstance(value, Whole):
        return value.raw, raw_forms((value.part, value.parts, value.by_name, value.amount))
    if isinstance(value, Part):
        return value.raw
    if isinstance(value, Mapping):
        return {name: raw_forms(item) for name, item in value.items()}
    return [raw_forms(item) for item in value] if isinstance(value, tuple) else None


#: A list is read by columns if it is long.
LONG = 20


@given(st.lists(WHOLES | ANYTHING, max_size=4), st.sampled_from((1, LONG)))
def test_many_are_built_as_each_of_them_alone_would_be(values: list[Wire], times: int) -> None:
    values *= times
    alone, refused = [], None
    for number, value in enumerate(values):
        try:
            alone.append(build(Whole, value))
        except ServiceError as error:
            where = error.message.removeprefix("The response is not as specified: ")
            here = where.startswith("the response ")
            refused = f"[{number}]{where.removeprefix('the response') if here else f'.{where}'}"
            break
    if refused is None:
        together = build(MANY, values)
        assert together == tuple(alone)
        assert raw_forms(together) == raw_forms(tuple(alone))
    else:
        assert refused in refusal(MANY, values).message
