"""Answers with odd elements: what can be read is there, the rest is kept raw and counted (decisions 69, 70 and 73)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.backends.remote.messages import Reply
from chartui.core.backends.remote.replies import LONGEST_ANSWER, read_body
from chartui.core.jsontext import BadNumber, dumps, loads_marked
from chartui.core.service import Service
from chartui.core.spec.elements import Elements, Unreadable
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.operations import operation
from chartui.core.spec.shape import build
from chartui.core.spec.tolerance import read_answer
from tests.faults.client import remote
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio

SECTION = {"section_id": "s1", "section_name": "The gate"}
TRIGGER = {"trigger_id": "t1", "trigger_name": "Rain"}
MODEL = {"model_group_name": "m1", "display_name": "One"}
LINE = {"key": "prompt", "credits": 1}
DECISION = {"criteria": "They ask", "next_section_id": "s2"}


def read(row: str, body: Any) -> tuple[Any, tuple[Unreadable, ...]]:
    content = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    came, decoded = read_body(
        operation(row), Reply(from_host="host", status=200, headers={}, body=content, received=len(content))
    )
    assert dumps(came) == dumps(loads_marked(content)[0])  # for the requests screen, which shows what came
    build(operation(row).response.load(), decoded.body)
    return decoded.body, decoded.unreadable


def refused(row: str, body: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        read(row, body)
    return caught.value


def sections(**members: Any) -> list[dict[str, Any]]:
    return [{**SECTION, **members}]


@pytest.mark.parametrize(
    ("row", "body", "expected"),
    [
        pytest.param("list-sections", {"data": [SECTION]}, [SECTION], id="list in data"),
        pytest.param("list-sections", {"Sections": [SECTION], "count": 1}, [SECTION], id="list in its plural"),
        pytest.param("list-sections", {"data": {"items": [SECTION]}}, [SECTION], id="list in two wrappers"),
        pytest.param("list-sections", {"story": [SECTION]}, [SECTION], id="list in another member"),
        pytest.param("list-sections", json.dumps(json.dumps([SECTION])), [SECTION], id="list as JSON text"),
        pytest.param("list-sections", [json.dumps(SECTION)], [SECTION], id="section as JSON text"),
        pytest.param("list-sections", SECTION, [SECTION], id="section where a list is"),
        pytest.param("list-sections", {"s1": {"section_name": "The gate"}}, [SECTION], id="map of sections"),
        pytest.param("list-sections", ["s1"], [{"section_id": "s1"}], id="ids of sections"),
        pytest.param("list-sections", b"\xef\xbb\xbf[]", [], id="byte order mark"),
        pytest.param("list-sections", [{"section_id": 7}], [{"section_id": "7"}], id="numeric id"),
        pytest.param("get-section", {"data": SECTION}, SECTION, id="object in data"),
        pytest.param(
            "list-sections", sections(triggers=["T1"]), sections(triggers=[{"trigger_id": "T1"}]), id="ids of triggers"
        ),
        pytest.param(
            "list-sections",
            sections(node_position={"x": 1, "y": 2}),
            sections(node_position={"x": 1, "y": 2}),
            id="place as an object",
        ),
        pytest.param(
            "list-sections",
            sections(decisions=[{**DECISION, "criteria": None}]),
            sections(decisions=[{**DECISION, "criteria": None}]),
            id="criteria null",
        ),
        pytest.param(
            "list-sections",
            sections(decisions=[{**DECISION, "next_section_id": None}]),
            sections(decisions=[{**DECISION, "next_section_id": None}]),
            id="target null",
        ),
        pytest.param(
            "list-sections",
            sections(decisions=[{"criteria": "They ask"}]),
            sections(decisions=[{"criteria": "They ask"}]),
            id="target absent",
        ),
        pytest.param(
            "list-sections",
            sections(decisions=json.dumps([DECISION])),
            sections(decisions=[DECISION]),
            id="decisions as JSON text",
        ),
        pytest.param("list-sections", sections(decisions=DECISION), sections(decisions=[DECISION]), id="one decision"),
        pytest.param(
            "list-sections",
            sections(decisions=[{**DECISION, "priority": "2"}]),
            sections(decisions=[{**DECISION, "priority": 2}]),
            id="priority as text",
        ),
        pytest.param("list-triggers", {"data": [TRIGGER]}, [TRIGGER], id="triggers in data"),
        pytest.param("list-triggers", ["t1"], [{"trigger_id": "t1"}], id="ids of triggers at the top"),
        pytest.param("list-models", {"m1": {"display_name": "One"}}, [MODEL], id="map of models"),
        pytest.param("list-models", {"models": {"m1": {"display_name": "One"}}}, [MODEL], id="map of models inside"),
        pytest.param("list-models", {"data": [MODEL]}, [MODEL], id="models in data"),
        pytest.param("list-models", ["m1"], [{"model_group_name": "m1"}], id="codes"),
        pytest.param("options", ["mdla_4o"], {"options": ["mdla_4o"]}, id="options as a list"),
        pytest.param("options", {"options": "mdla_4o"}, {"options": "mdla_4o"}, id="options as text"),
        pytest.param("options", {"plans": {"a": {}}}, {"plans": {"a": {}}}, id="plans as an object"),
        pytest.param(
            "estimate",
            {"totals": {"credits": "12.5"}, "lines": [], "rate_card": {"version": "3"}},
            {"totals": {"credits": Decimal("12.5")}, "lines": [], "rate_card": {"version": 3}},
            id="numbers as text",
        ),
        pytest.param(
            "estimate",
            {"totals": {"credits": 1}, "lines": {"prompt": LINE}},
            {"totals": {"credits": 1}, "lines": [LINE]},
            id="map of lines",
        ),
        pytest.param("get-response", {"sessionID": 17}, {"sessionID": "17"}, id="numeric session"),
        pytest.param("get-response", {"actionSequence": None}, {"actionSequence": None}, id="no sequence"),
        pytest.param(
            "get-response", {"actionSequence": ["Go", "Stop"]}, {"actionSequence": "Go\nStop"}, id="sequence as a list"
        ),
        pytest.param("create-section", {"section_id": 7}, {"section_id": "7"}, id="new section with a numeric id"),
    ],
)
async def test_what_says_the_same_in_another_form_is_read(row: str, body: Any, expected: Any) -> None:
    assert read(row, body) == (expected, ())


@pytest.mark.parametrize(
    ("row", "body", "odd"),
    [
        pytest.param("list-sections", [SECTION, None], [("section", "/1", "expected an object, got null")], id="null"),
        pytest.param(
            "list-sections",
            [SECTION, {}, 5],
            [("section", "/1", "section_id: missing"), ("section", "/2", "expected an object, got a number")],
            id="no id",
        ),
        pytest.param(
            "list-sections",
            {"data": [SECTION, True]},
            [("section", "/data/1", "expected an object, got true")],
            id="in a wrapper",
        ),
        pytest.param(
            "list-sections",
            sections(decisions=7),
            [("member", "/0/decisions", "decisions: expected a list, got a number")],
            id="decisions no list",
        ),
        pytest.param(
            "list-sections",
            sections(decisions="see below"),
            [("member", "/0/decisions", "decisions: expected a list, got text")],
            id="decisions text",
        ),
        pytest.param(
            "list-sections",
            sections(decisions=[DECISION, {"to": "s2"}, {**DECISION, "criteria": ["a"]}]),
            [
                ("decision", "/0/decisions/1", "criteria and next_section_id: missing"),
                ("decision", "/0/decisions/2", "criteria: expected text, got a list"),
            ],
            id="decisions",
        ),
        pytest.param(
            "list-sections",
            sections(triggers=["T1", 5]),
            [("override", "/0/triggers/1", "expected an object, got a number")],
            id="override",
        ),
        pytest.param(
            "list-triggers", [TRIGGER, {"trigger_name": "x"}], [("trigger", "/1", "trigger_id: missing")], id="trigger"
        ),
        pytest.param(
            "list-models",
            {"STATUS": json.dumps([MODEL, {"display_name": "x"}])},
            [("model", "/1", "model_group_name: missing")],
            id="model",
        ),
        pytest.param(
            "estimate",
            {"lines": [LINE, {"credits": 1}]},
            [("line", "/lines/1", "key: missing"), ("member", "/totals", "totals: missing")],
            id="line without a key",
        ),
        pytest.param(
            "estimate",
            {"totals": {"credits": 1}, "lines": [], "rate_card": {"version": "second"}},
            [("member", "/rate_card/version", "version: expected a number, got text")],
            id="version in words",
        ),
        pytest.param("estimate", {"totals": {"credits": 3}}, [("member", "/lines", "lines: missing")], id="no lines"),
        pytest.param(
            "estimate",
            b'{"totals": {"credits": 1}, "lines": [{"key": "prompt", "credits": 1, "latency_ms": Infinity}]}',
            [("member", "/lines/0/latency_ms", "latency_ms: expected a number or an object, got Infinity")],
            id="latency",
        ),
        pytest.param(
            "get-response",
            {"text": ["x"], "actionSequence": ["Go", {"a": 1}]},
            [
                ("member", "/text", "text: expected text, got a list"),
                ("step", "/actionSequence/1", "expected text, got an object"),
            ],
            id="turn",
        ),
        pytest.param("get-response", "null", [("reply", "", "expected an object, got null")], id="turn null"),
        pytest.param("get-response", '"Hello"', [("reply", "", "expected an object, got text")], id="turn as text"),
        pytest.param(
            "list-sections",
            b'[{"section_id": "s1", "section_name": "a", "section_name": "The gate"}]',
            [("duplicate", "/0/section_name", "section_name: given 2 times, so the last value is used")],
            id="duplicate",
        ),
    ],
)
async def test_what_cannot_be_read_is_named_and_the_rest_is_there(
    row: str, body: Any, odd: list[tuple[str, str, str]]
) -> None:
    found, unreadable = read(row, body)
    assert [(one.kind, one.where, one.reason) for one in unreadable] == odd
    if row == "list-sections":
        assert [section["section_name"] for section in found] == ["The gate"]


async def test_the_values_of_a_duplicate_are_all_there() -> None:
    [note] = read("list-sections", b'[{"section_id": "s1", "objective": 1, "objective": null}]')[1]
    assert note.raw == [1, None]


@pytest.mark.parametrize(
    ("row", "body", "reason"),
    [
        ("list-sections", "null", "expected a list, got null"),
        ("list-sections", {}, "expected a list, got an object"),
        ("list-sections", {"status": "ok", "details": []}, "expected a list, got an object"),
        ("list-sections", [None, 5], "only unreadable ones (first error: expected an object, got null)"),
        ("get-section", [SECTION], "expected an object, got a list"),
        ("get-section", '"s1"', "expected an object, got text"),
        ("list-models", {"STATUS": "none"}, "expected a list, got text"),
        ("options", "null", "expected an object, got null"),
        ("estimate", {"rate_card": {"version": 1}}, "totals and lines: missing"),
        ("create-section", {"id": "x"}, "section_id: missing"),
    ],
)
async def test_an_answer_of_which_nothing_can_be_read_fails(row: str, body: Any, reason: str) -> None:
    error = refused(row, body)
    assert error.kind is ErrorKind.UNEXPECTED
    assert reason in error.message
    assert error.answer == ""


@pytest.mark.parametrize("body", ["oops \x1b[2J", "<html>oops", "{", "oops" * 10_000])
async def test_the_text_of_a_turn_that_is_no_json_is_on_the_error(body: str) -> None:
    error = refused("get-response", body)
    assert error.answer.replace("␛", "\x1b") == body[:LONGEST_ANSWER]
    assert "\x1b" not in error.answer


async def test_the_api_key_in_the_text_of_a_turn_is_not_shown() -> None:
    async with FaultServer(reply(200, "oops marker-key-8f1d2c")) as server:
        backend = remote(server.base_url)
        with pytest.raises(ServiceError) as caught:
            await Service(backend, embedded=False).call(operation("get-response"), {"userText": "x", "charID": "c1"})
        await backend.aclose()
    assert caught.value.answer.startswith("oops")
    assert "marker-key" not in caught.value.answer
    assert caught.value.sent == "unclear"


async def test_a_service_returns_elements_with_what_could_not_be_read() -> None:
    body = json.dumps([{**SECTION, "decisions": [DECISION, 5]}, None])
    async with FaultServer(reply(200, body)) as server:
        backend = remote(server.base_url)
        service = Service(backend, embedded=False)
        found = await service.sections("c1")
        await backend.aclose()
    one = found[0]
    assert isinstance(found, Elements)
    assert [odd.where for odd in found.unreadable] == ["/0/decisions/1", "/1"]
    assert [odd.where for odd in one.unreadable] == ["/decisions/1"]
    assert [decision.criteria for decision in one.decisions or ()] == ["They ask"]
    assert one.raw["decisions"] == [DECISION, 5]


async def test_a_total_is_never_made_of_the_lines() -> None:
    async with FaultServer(reply(200, json.dumps({"lines": [LINE, {"key": "memory", "credits": "many"}]}))) as server:
        backend = remote(server.base_url)
        estimate = await Service(backend, embedded=False).estimate()
        await backend.aclose()
    assert estimate.credits is None
    assert estimate.share(estimate.lines[0]) is None
    assert [(odd.kind, odd.where) for odd in estimate.unreadable] == [("line", "/lines/1"), ("member", "/totals")]


async def test_a_kept_answer_keeps_what_could_not_be_read() -> None:
    body = b'{"totals": {"credits": 1}, "lines": [{"key": "prompt", "credits": NaN}]}'
    async with FaultServer(reply(200, body, Cache_Control="max-age=60")) as server:
        backend = remote(server.base_url)
        service = Service(backend, embedded=False)
        answers = [await service.call(operation("get-estimate"), {}) for _ in range(2)]
        await backend.aclose()
    assert len(server.seen) == 1
    assert answers[0].unreadable == answers[1].unreadable != ()
    assert isinstance(answers[1].unreadable[0].raw["credits"], BadNumber)


WHOLE: list[dict[str, Any]] = [
    {
        "section_id": f"s{number}",
        "section_name": f"Section {number}",
        "objective": "Greet",
        "decisions": [{"criteria": "a", "next_section_id": "s0"}, {"criteria": "b", "next_section_id": "s1"}],
        "triggers": [{"trigger_id": "t1", "destination_section": "s0"}],
        "parents": None,
        "more": {"kept": [number]},
    }
    for number in range(4)
]
DAMAGE: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.just([]) | st.just({}) | st.just({"other": 1}) | st.just([[1]])
)


@given(place=st.integers(0, 3), damage=DAMAGE)
def test_one_damaged_section_changes_no_other(place: int, damage: Any) -> None:
    body = [damage if number == place else section for number, section in enumerate(WHOLE)]
    decoded = read_answer(operation("list-sections").response.load(), body)
    assert decoded.body == [section for number, section in enumerate(WHOLE) if number != place]
    assert [(odd.where, odd.raw) for odd in decoded.unreadable] == [(f"/{place}", damage)]


@given(place=st.integers(0, 3), number=st.integers(0, 1), damage=DAMAGE)
def test_one_damaged_decision_changes_no_other_and_stays_in_its_place(place: int, number: int, damage: Any) -> None:
    decisions = list(WHOLE[place]["decisions"])
    decisions[number] = damage
    body = [{**section, "decisions": decisions} if section is WHOLE[place] else section for section in WHOLE]
    decoded = read_answer(operation("list-sections").response.load(), body)
    assert decoded.body == body
    assert [odd.where for odd in decoded.unreadable] == [f"/{place}/decisions/{number}"]
    expected = build(tuple[Section, ...], WHOLE)
    for at, (found, whole) in enumerate(zip(build(tuple[Section, ...], body), expected, strict=True)):
        if at != place:
            assert found == whole
        else:
            assert found.decisions == tuple(one for n, one in enumerate(whole.decisions or ()) if n != number)


@given(
    name=st.sampled_from(["objective", "section_name", "parents", "triggers"]),
    damage=st.just({"a": 1}) | st.just([[1]]),
)
def test_one_damaged_member_changes_no_other(name: str, damage: Any) -> None:
    decoded = read_answer(operation("get-section").response.load(), {**WHOLE[0], name: damage})
    found, whole = build(Section, decoded.body), build(Section, WHOLE[0])
    for attribute in ("section_id", "section_name", "objective", "parents", "decisions", "triggers"):
        if attribute != name:
            assert getattr(found, attribute) == getattr(whole, attribute)
    assert decoded.unreadable


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=12,
    )
)
def test_any_json_is_a_turn_and_nothing_fails_unforeseen(body: Any) -> None:
    build(operation("get-response").response.load(), read_answer(operation("get-response").response.load(), body).body)
    for row in ("list-sections", "list-models", "list-triggers", "estimate", "options", "get-section"):
        model = operation(row).response.load()
        try:
            decoded = read_answer(model, operation(row).decode(body))
        except ServiceError:
            continue
        build(model, decoded.body)


@given(
    st.fixed_dictionaries(
        {}, optional={"totals": DAMAGE | st.just({"credits": 1}), "lines": DAMAGE | st.just([LINE, LINE])}
    )
)
def test_credits_are_those_that_came_or_unknown(body: dict[str, Any]) -> None:
    try:
        estimate = build(Estimate, read_answer(Estimate, body).body)
    except ServiceError:
        return
    assert estimate.credits == (1 if body.get("totals") == {"credits": 1} else None)
