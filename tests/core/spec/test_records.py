"""Lists of records: kept as text, read when looked at, and never spoiled by one odd element."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.json_scan import PIECE
from chartui.core.jsontext import NotJson, dumps, loads, same
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.spec.records import RecordReader, Records, read_records, records_in, settings_in

ELENA = {"character_id": "a", "character_name": "Elena", "personalised_prompt_config": {"MODEL": "m", "TEMPERATURE": 1}}
BRAN = {
    "character_id": "b",
    "character_name": "Bran",
    "is_narrative_driven": True,
    "memory_settings": {"enabled": False},
}


def read(text: str) -> Records:
    answer = read_records(text.encode())
    records = records_in(answer)
    assert records is not None, answer
    return records


def test_a_list_is_equal_to_its_records_and_written_as_it_came() -> None:
    text = '{"characters": [{"character_id":"a",  "n": 4000.0, "é": "\\u0041静"}, {"character_id": "b"}]}'
    records = read(text)
    assert records == [{"character_id": "a", "n": Decimal(4000), "é": "A静"}, {"character_id": "b"}]
    assert records != [{"character_id": "a"}, {"character_id": "b"}]
    assert dumps({"characters": records}) == text
    assert loads(dumps({"characters": records}, indent=2)) == loads(text)


def test_what_a_list_shows_is_taken_while_it_is_read() -> None:
    records = read(
        dumps({"characters": [ELENA, BRAN, {"character_id": "c", "character_name": 7, "memory_settings": 1}]})
    )
    assert records.summaries == (
        CharacterSummary("a", "Elena", "m"),
        CharacterSummary("b", "Bran", is_narrative_driven=True, memory_enabled=False),
        CharacterSummary("c"),
    )


def test_a_record_is_found_by_its_id_and_several_by_their_places() -> None:
    records = Records.of([ELENA, BRAN, {**ELENA, "character_name": "Another"}])
    assert records.find("a") == ELENA
    assert records.find("x") is None
    assert (records[-1]["character_name"], records[1:]) == ("Another", (BRAN, records[2]))
    assert records.at([1, 0]) == [BRAN, ELENA]
    assert [summary.character_id for summary in records.at([1, 0]).summaries] == ["b", "a"]
    with pytest.raises(IndexError):
        records[3]


@pytest.mark.parametrize(
    "text",
    [
        dumps([ELENA, BRAN]),
        dumps({"data": [ELENA, BRAN], "total": 2}),
        dumps({"data": {"characters": [ELENA, BRAN]}}),
        dumps({"items": [ELENA, BRAN]}),
        dumps({"total": 2, "results": [ELENA, BRAN], "items": []}),
        dumps({"result": {"items": [ELENA, BRAN]}}),
        dumps({"result": ["ok"], "data": [ELENA, BRAN]}),
        dumps({"characters": [ELENA, BRAN], "items": ["a"]}),
        dumps({"characters": {"a": ELENA, "b": {**BRAN, "character_id": None}}}),
        dumps({"characters": dumps([ELENA, BRAN])}),
        dumps({"characters": [dumps(ELENA), BRAN]}),
        dumps(dumps({"characters": [ELENA, BRAN]})),
        "\ufeff" + dumps({"characters": [ELENA, BRAN]}),
        dumps({"data": [], "characters": [ELENA, BRAN]}),
    ],
)
def test_a_list_in_another_form_is_read(text: str) -> None:
    records = read(text)
    assert records == [ELENA, BRAN]
    assert not records.unreadable
    assert loads(dumps(records)) == [ELENA, BRAN]
    assert records.find("b") == BRAN


def test_one_record_in_the_place_of_a_list_is_read() -> None:
    assert read(dumps({"characters": ELENA})) == [ELENA]


@pytest.mark.parametrize(("given_id", "read_id"), [("7", "7"), ("12.50", "12.5"), ("-3", "-3")])
def test_a_numeric_id_is_read_as_text(given_id: str, read_id: str) -> None:
    records = read(f'{{"characters": [{{"character_id": {given_id}, "character_name": "n"}}]}}')
    assert records == [{"character_id": read_id, "character_name": "n"}]
    assert records.find(read_id) == records[0] == loads(dumps(records.at([0])))[0]


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ("null", "expected an object, got null"),
        ("3", "expected an object, got a number"),
        ('"x"', "expected an object, got text"),
        ("[]", "expected an object, got a list"),
        ('{"character_name": "n"}', "character_id: missing"),
        ('{"character_id": null}', "character_id: expected text, got null"),
        ('{"character_id": ""}', "character_id: expected text, got empty text"),
        ('{"character_id": true}', "character_id: expected text, got true"),
        ('{"character_id": "x", "n": NaN}', "NaN is not a JSON number"),
        ('{"character_id": "x", "n": 1e999}', "a number with too many digits"),
        ('{"character_id": "x", "n": "\\ud800"}', "an unpaired surrogate"),
        ('{"character_id": "x", "n": ' + "[" * 70 + "]" * 70 + "}", "nested too deeply"),
    ],
)
def test_an_odd_element_is_kept_and_hides_no_other(element: str, reason: str) -> None:
    records = read(f'{{"characters": [{dumps(ELENA)}, {element}, {dumps(BRAN)}]}}')
    assert records == [ELENA, BRAN]
    [odd] = records.unreadable
    assert (odd.kind, odd.where, odd.reason) == ("record", "/characters/1", reason)
    assert odd.raw == element or same(odd.raw, loads(element))
    assert records.summaries.unreadable == records.unreadable


def test_of_a_member_given_twice_the_last_counts_and_is_named() -> None:
    records = read(
        '{"characters": [{"character_id": "a", "n": 1, "deep": {"m": 1, "m": 2}, "n": 2}, {"character_id": "b"}]}'
    )
    assert records[0] == {"character_id": "a", "n": 2, "deep": {"m": 2}}
    assert (records.repeated("a"), records.repeated("b")) == (("m", "n"), ())
    assert read('{"characters": [{}], "characters": [{"character_id": "z"}]}').find("z") is not None


@pytest.mark.parametrize(
    "body", ["{}", '{"Characters": []}', "null", "3", '"text"', '{"characters": null}', '{"data": 5}']
)
def test_an_answer_without_a_list_comes_back_as_it_is(body: str) -> None:
    assert read_records(body.encode()) == loads(body)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"characters": [{"character_id": "a"},\n x]}', "expecting value at line 2 column 2"),
        ('{"characters": [{"é": 1}', "expecting ',' or ']' at line 1 column 25"),
        ('{"characters": []} x', "extra data at line 1 column 20"),
        ('{"characters": [] "x": 1}', "expecting ',' or '}' at line 1 column 19"),
        ("{characters: []}", "expecting '\"' at line 1 column 2"),
        ('{"characters" []}', "expecting ':' at line 1 column 15"),
        pytest.param("[" * 200_000, "nested too deeply", id="deep"),
        ("", "expecting value at line 1 column 1"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(body: str, said: str) -> None:
    with pytest.raises(NotJson, match="^" + said.replace("[", "\\[")):
        read_records(body.encode())
    with pytest.raises(NotJson, match="not UTF-8"):
        read_records(b'{"characters": [{"character_id": "\xff"}]}')


_VALUES: Any = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
_MEMBERS: Any = st.dictionaries(st.text(max_size=5), _VALUES | st.lists(_VALUES, max_size=3), max_size=4)


@given(st.lists(_MEMBERS, max_size=4))
def test_any_records_are_read_as_they_are(members: list[dict[str, Any]]) -> None:
    records = [{**one, "character_id": f"i{number}"} for number, one in enumerate(members)]
    text = dumps({"characters": records})
    assert read(text) == records
    assert dumps({"characters": read(text)}) == text


@pytest.mark.parametrize("letter", ["x", "é", "静", "🙂"])
def test_records_that_cross_the_pieces_in_which_text_is_decoded(letter: str) -> None:
    sizes = [PIECE - 40, 3, 3 * PIECE, 1, PIECE, 0]
    records = [{"character_id": str(number), "text": letter * size} for number, size in enumerate(sizes)]
    assert read(dumps({"characters": records})) == records


@given(st.lists(_MEMBERS, max_size=3), st.lists(st.integers(0, 200), max_size=6), st.sampled_from(["", "\ufeff"]))
def test_it_is_read_while_it_arrives_however_it_is_cut(
    members: list[dict[str, Any]], cuts: list[int], mark: str
) -> None:
    body = (mark + dumps({"characters": [{**one, "character_id": "静"} for one in members], "page": 1})).encode()
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    reader = RecordReader()
    for start, end in pairwise(places):
        reader.feed(body[start:end])
    assert reader.end(body) == read_records(body)


@pytest.mark.parametrize("broken", ["[1 2]", '{"characters": [{"character_id": "é"},\n x]}', "[] x", "[{"])
def test_a_mistake_has_the_same_place_however_the_answer_is_cut(broken: str) -> None:
    body = broken.encode()
    with pytest.raises(NotJson) as whole:
        read_records(body)
    reader = RecordReader()
    for place in range(len(body)):
        reader.feed(body[place : place + 1])
    with pytest.raises(NotJson) as cut:
        reader.end(body)
    assert str(cut.value) == str(whole.value)


def test_a_large_list_is_read_in_a_fraction_of_its_own_room() -> None:
    record = {"text": "x" * 2_000, "numbers": list(range(200))}
    body = dumps({"characters": [{**record, "character_id": str(number)} for number in range(2_000)]}).encode()
    tracemalloc.start()
    try:
        answer = read_records(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(answer["characters"]) == 2_000
    assert peak < len(body) / 2


@pytest.mark.parametrize(
    "values", [[], [ELENA], [ELENA, BRAN, {"character_id": "c", "empty": [], "deep": {"a": [1, {}]}}]]
)
@pytest.mark.parametrize("indent", [None, 0, 2])
def test_records_are_written_as_any_list_is(values: list[Any], indent: int | None) -> None:
    assert dumps({"characters": Records.of(values)}, indent=indent) == dumps({"characters": values}, indent=indent)


def test_an_element_is_found_by_the_last_step_of_its_pointer() -> None:
    records = read(f'{{"characters": [null, {dumps(ELENA)}, 3, {dumps(BRAN)}]}}')
    assert [records.element(step) for step in "0123"] == [None, ELENA, 3, BRAN]
    for step in ("4", "x", "-1"):
        with pytest.raises(LookupError):
            records.element(step)


@pytest.mark.parametrize("config", [None, "MODEL", ["MODEL"], 3])
def test_a_record_with_something_else_in_place_of_its_configuration_tells_no_settings(config: Any) -> None:
    assert settings_in({"character_id": "c", "personalised_prompt_config": config}) == {}
    assert settings_in({"personalised_prompt_config": {"MODEL": "m"}}) == {"model_group_name": "m"}
