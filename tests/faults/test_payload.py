"""Bodies that are wrong, hostile or merely odd: rows P1 to P8 of the fault list."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.shape import build
from tests.faults.client import Outcome, call
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio


async def _answer(row: str, body: str | bytes | Any) -> Outcome:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    async with FaultServer(reply(200, content)) as server:
        outcome = await call(server.base_url, row)
    assert len(server.seen) == 1
    return outcome


def _model(outcome: Outcome) -> Any:
    return build(outcome.row.response.load(), outcome.readable)


def _estimate(**changes: Any) -> dict[str, Any]:
    return {"totals": {"credits": 1.5}, "lines": [{"key": "prompt", "credits": 1.5}], **changes}


def _section(**changes: Any) -> dict[str, Any]:
    return {"section_id": "s1", "section_name": "Start", "objective": "Greet", "decisions": None, **changes}


@pytest.mark.parametrize("row", ["estimate", "list-characters", "list-sections", "create-section"])
@pytest.mark.parametrize(
    "body",
    ["", "   ", "not json", "null", "[1]", "{", '{"a":1}{"b":2}', "'single'", "text"],
)
async def test_p1_what_is_no_answer_is_unexpected(row: str, body: str) -> None:
    outcome = await _answer(row, body)
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "response" in str(outcome.error)


@pytest.mark.parametrize("row", ["list-sections", "create-section"])
async def test_p1_only_a_change_asks_to_check_what_was_done(row: str) -> None:
    said = str((await _answer(row, "")).error)
    assert "sent an empty response" in said
    assert ("check" in said) is (row == "create-section")


async def test_p1_a_byte_order_mark_is_skipped() -> None:
    assert (await _answer("list-sections", b'\xef\xbb\xbf[{"section_id": "s1"}]')).body == [{"section_id": "s1"}]


async def test_p1_a_glimpse_of_the_body_is_in_the_log_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="chartui"):
        outcome = await _answer("list-sections", "garbled \x1b[2J" + "x" * 1000)
    assert "garbled" not in str(outcome.error)
    [record] = [record for record in caplog.records if record.name == "chartui.remote"]
    assert "garbled ␛[2Jxxx" in record.getMessage()
    assert len(record.getMessage()) < 350


NO_NUMBERS = pytest.mark.parametrize(
    "token", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 500, '"x"', "true", "[]", "null"]
)


@NO_NUMBERS
async def test_p2_an_element_with_what_is_no_number_is_kept_raw_and_counted(token: str) -> None:
    lines = f'[{{"key": "prompt", "credits": 1}}, {{"key": "memory", "credits": {token}}}]'
    outcome = await _answer("estimate", f'{{"totals": {{"credits": 2}}, "lines": {lines}}}')
    estimate = _model(outcome)
    assert [line.key for line in estimate.lines] == ["prompt"]
    assert estimate.credits == 2
    [odd] = outcome.unreadable
    assert (odd.kind, odd.where, odd.raw["key"]) == ("line", "/lines/1", "memory")
    assert odd.reason.startswith("credits: expected a number, got ")


@NO_NUMBERS
async def test_p2_a_total_that_is_no_number_is_unknown(token: str) -> None:
    lines = '[{"key": "prompt", "credits": 1}]'
    outcome = await _answer("estimate", f'{{"totals": {{"credits": {token}}}, "lines": {lines}}}')
    assert _model(outcome).credits is None
    assert [odd.where for odd in outcome.unreadable] == ["/totals"]


@NO_NUMBERS
async def test_p2_nothing_but_what_is_no_number_is_refused(token: str) -> None:
    outcome = await _answer("estimate", f'{{"totals": {{"credits": {token}}}, "lines": []}}')
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "totals.credits: expected a number" in str(outcome.error)


@pytest.mark.parametrize("token", ["3", '"3"', '"3.0"', "3.0", '"30e-1"'])
async def test_p2_a_number_as_text_is_read(token: str) -> None:
    assert _model(await _answer("estimate", f'{{"totals": {{"credits": {token}}}}}')).credits == 3


async def test_p2_a_negative_number_is_a_number() -> None:
    outcome = await _answer("estimate", _estimate(totals={"credits": -1}))
    assert _model(outcome).credits == -1


@pytest.mark.parametrize(
    ("row", "body", "member"),
    [
        ("estimate", {"lines": []}, "totals and lines"),
        ("create-section", {"id": "s1"}, "section_id"),
        ("list-sections", [{"section_name": "x"}], "section_id"),
        ("list-characters", {"Characters": []}, "characters"),
        ("list-characters", {"characters": [{"character_name": "x"}]}, "the only record cannot be read (character_id"),
    ],
)
async def test_p3_without_a_needed_member_anywhere_it_is_named(row: str, body: Any, member: str) -> None:
    outcome = await _answer(row, body)
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert f"{member}: missing)" in str(outcome.error)


@pytest.mark.parametrize(
    ("row", "body", "where", "reason"),
    [
        ("estimate", _estimate(lines=[{"credits": 1}]), "/lines/0", "key: missing"),
        ("list-sections", [_section(), {"section_name": "x"}], "/1", "section_id: missing"),
        ("list-sections", [_section(objective=["x"])], "/0/objective", "objective: expected text, got a list"),
        ("list-models", [{"model_group_name": "m"}, {"display_name": "n"}], "/1", "model_group_name: missing"),
    ],
)
async def test_p3_a_missing_member_is_named_and_the_rest_is_there(row: str, body: Any, where: str, reason: str) -> None:
    outcome = await _answer(row, body)
    assert [(odd.where, odd.reason) for odd in outcome.unreadable] == [(where, reason)]
    assert _model(outcome)


async def test_p3_members_that_are_not_known_are_kept() -> None:
    section = _section(parents=["s0"], triggers=[{"trigger_id": "t1", "destination_section": "s2"}], weather="fine")
    outcome = await _answer("list-sections", [section])
    [read] = _model(outcome)
    assert read.raw == section
    assert read.parents == ("s0",)
    assert read.decisions is None


async def test_p4_values_outside_the_catalogue_are_taken_as_they_are() -> None:
    record = {"character_id": "c1", "character_name": "n", "personalised_prompt_config": {"MODEL": "mdlz-9"}}
    outcome = await _answer("list-characters", {"characters": [{**record, "listing": "secret"}]})
    [character] = outcome.body["characters"]
    assert outcome.body["characters"].summaries[0].model == "mdlz-9"
    assert character["listing"] == "secret"
    lines = _model(await _answer("estimate", _estimate(lines=[{"key": "moon", "credits": 1}]))).lines
    assert lines[0].key == "moon"


async def test_p5_deep_nesting_is_refused() -> None:
    outcome = await _answer("list-sections", "[" * 200_000 + "]" * 200_000)
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "nested too deeply" in str(outcome.error)


async def test_p5_a_text_beyond_the_cap_is_refused() -> None:
    outcome = await _answer("get-section", _section(objective="x" * 5_000_000))
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "sent more than 1 MiB" in str(outcome.error)


async def test_p5_a_large_list_is_read_beside_the_event_loop() -> None:
    sections = [_section(section_id=f"s{number}") for number in range(50_000)]
    steps = 0

    async def keys() -> None:
        nonlocal steps
        while True:
            steps += 1
            await asyncio.sleep(0.005)

    typing = asyncio.create_task(keys())
    async with FaultServer(reply(200, json.dumps(sections))) as server:
        outcome = await call(server.base_url, "list-sections", deadline=30.0)
    typing.cancel()
    assert len(outcome.body) == 50_000
    assert steps > 5


@pytest.mark.parametrize("text", [b'"\\ud800"', b'"\\udc00 x"', b'"\xff\xfe"', b'"\xc3"'])
async def test_p6_text_that_cannot_be_kept_is_refused(text: bytes) -> None:
    body = json.dumps([_section(objective="@")]).encode().replace(b'"@"', text)
    outcome = await _answer("list-sections", body)
    assert outcome.error.kind is ErrorKind.UNEXPECTED


async def test_p6_a_nul_is_kept_for_the_screen_to_mark() -> None:
    outcome = await _answer("list-sections", [_section(objective="a\0b")])
    assert outcome.body[0]["objective"] == "a\0b"


async def test_p7_a_graph_without_sense_is_read_as_it_is() -> None:
    sections = [
        _section(section_id="s1", decisions=[{"criteria": "*", "next_section_id": "s1"}]),
        _section(section_id="s1", decisions=[{"criteria": "on", "next_section_id": "gone"}]),
        _section(section_id="s2", decisions=[{"criteria": "back", "next_section_id": "s3"}]),
        _section(section_id="s3", decisions=[{"criteria": "on", "next_section_id": "s2"}]),
    ]
    outcome = await _answer("list-sections", sections)
    assert [section.section_id for section in _model(outcome)] == ["s1", "s1", "s2", "s3"]


@pytest.mark.parametrize("moment", ["2026-01-02T03:04:05", "2999-01-01T00:00:00", "yesterday", ""])
async def test_p8_a_time_is_text(moment: str) -> None:
    record = {"character_id": "c1", "character_name": "n", "timestamp": moment}
    outcome = await _answer("list-characters", {"characters": [record]})
    assert outcome.body["characters"].summaries[0].timestamp == moment


async def test_p3_records_that_cannot_be_read_hide_no_others() -> None:
    body = '{"characters": [null, {"character_id": 7}, {"character_name": "x"}, {"character_id": "b", "n": NaN}]}'
    records = (await _answer("list-characters", body)).body["characters"]
    assert records == [{"character_id": "7"}]
    assert [one.reason for one in records.unreadable] == [
        "expected an object, got null",
        "character_id: missing",
        "NaN is not a JSON number",
    ]


@pytest.mark.parametrize("member", ["error", "ERROR"])
async def test_p3_an_error_beside_a_list_is_an_error(member: str) -> None:
    outcome = await _answer("list-characters", f'{{"{member}": "Not today.", "characters": [{{"character_id": "a"}}]}}')
    assert (outcome.error.kind, outcome.error.message) == (ErrorKind.REFUSED, "Not today.")
