"""What the remote backend sends, row by row."""

from __future__ import annotations

import json
from contextlib import aclosing
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs

import pytest

from chartui.core.backends.base import Context
from chartui.core.credentials import Key
from chartui.core.profiles import ProfileError
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import KEY_HEADER, OPERATIONS
from tests.faults.client import ANSWERS, KEY, PAYLOADS, call, profile_for, remote
from tests.faults.server import FaultServer, Seen, reply

pytestmark = pytest.mark.anyio

_REMOTE = [row for row in OPERATIONS.values() if row.path is not None]
_LOCAL = [row for row in OPERATIONS.values() if row.path is None]
_HEADER = KEY_HEADER.lower()
_REFUSE = reply(400, "no")


async def _sent(row: Any, payload: Any = None, **settings: Any) -> Seen:
    async with FaultServer(_REFUSE) as server:
        await call(server.base_url, row, payload, **settings)
    return server.seen[0]


@pytest.mark.parametrize("row", _REMOTE, ids=lambda row: row.name)
async def test_every_row_goes_to_its_path_with_its_method(row: Any) -> None:
    seen = await _sent(row, PAYLOADS.get(row.name, {"character_id": "c1"}))
    assert (seen.method, seen.target.partition("?")[0]) == (row.method, row.path)
    assert seen.headers["accept-encoding"] == ("gzip" if row.large else "identity")


@pytest.mark.parametrize("row", _LOCAL, ids=lambda row: row.name)
async def test_what_only_a_store_can_do_is_not_sent(row: Any) -> None:
    async with FaultServer(_REFUSE) as server:
        outcome = await call(server.base_url, row, {})
    assert outcome.error.kind is ErrorKind.NOT_AVAILABLE
    assert outcome.error.sent == "no"
    assert row.name in str(outcome.error)
    assert server.connections == 0


@pytest.mark.parametrize("row", _REMOTE, ids=lambda row: row.name)
@pytest.mark.parametrize("asked_for", [False, True])
async def test_the_key_is_in_its_header_and_only_where_it_is_needed(row: Any, asked_for: bool) -> None:
    payload = PAYLOADS.get(row.name, {"character_id": "c1"})
    seen = await _sent(row, payload, send_key_to_estimation=asked_for)
    wanted = asked_for or row.tier is not None
    assert [name for name, value in seen.headers.items() if KEY in value] == ([_HEADER] if wanted else [])
    assert KEY not in seen.target
    assert KEY.encode() not in seen.body


async def test_the_key_is_not_fetched_for_estimates() -> None:
    def fetch() -> Key:
        raise AssertionError("nobody needs a key here")

    assert _HEADER not in (await _sent("estimate", fetch_key=fetch)).headers


async def test_the_profile_names_the_header() -> None:
    seen = await _sent("list-sections", key_header="X-Key")
    assert seen.headers["x-key"] == KEY
    assert _HEADER not in seen.headers


async def test_json_bodies_hold_numbers_to_the_last_digit() -> None:
    seen = await _sent("update-character", {"charID": "ç1", "temperature": Decimal("0.70")})
    assert seen.headers["content-type"] == "application/json"
    assert seen.body.decode() == '{"charID": "ç1", "temperature": 0.7}'


async def test_queries_are_text_by_the_rows_codecs() -> None:
    payload = {"llm": "a b&c", "memory": True, "inputTokens": Decimal("4000.50"), "stt": None}
    seen = await _sent("get-estimate", payload)
    assert parse_qs(seen.target.partition("?")[2]) == {"llm": ["a b&c"], "memory": ["true"], "inputTokens": ["4000.5"]}
    assert seen.body == b""


async def test_forms_hold_words_and_json() -> None:
    payload = {**PAYLOADS["get-response"], "objects": [{"name": "é", "description": "d"}], "voiceResponse": False}
    seen = await _sent("get-response", payload)
    assert seen.headers["content-type"] == "application/x-www-form-urlencoded"
    form = {name: value for name, [value] in parse_qs(seen.body.decode()).items()}
    assert form["actions"] == "Go,Stop"
    assert form["voiceResponse"] == "false"
    assert json.loads(form["objects"]) == [{"name": "é", "description": "d"}]


async def test_the_list_is_asked_for_without_a_body() -> None:
    seen = await _sent("list-characters")
    assert seen.body == b""
    assert seen.headers["content-length"] == "0"
    assert "content-type" not in seen.headers


@pytest.mark.parametrize(
    ("row", "payload"),
    [
        ("get-response", {"actions": ["Go,Stop"]}),
        ("get-response", {"userText": "\ud800"}),
        ("get-estimate", {"llm": "\udc00"}),
        ("get-estimate", {"inputTokens": Decimal("NaN")}),
        ("list-sections", {"character_id": object()}),
    ],
)
async def test_what_cannot_be_written_is_refused_here(row: str, payload: Any) -> None:
    async with FaultServer(_REFUSE) as server:
        outcome = await call(server.base_url, row, payload)
    assert outcome.error.kind is ErrorKind.INVALID
    assert outcome.error.sent == "no"
    assert str(outcome.error).startswith("The request cannot be written: ")
    assert server.connections == 0


@pytest.mark.parametrize("row", ["list-characters", "options"])
async def test_a_member_of_a_row_without_any_is_refused_here(row: str) -> None:
    async with FaultServer(_REFUSE) as server:
        outcome = await call(server.base_url, row, {"llm": "mdla_4o"})
    assert (outcome.error.kind, outcome.error.member, outcome.error.sent) == (ErrorKind.INVALID, "llm", "no")
    assert server.connections == 0


async def test_a_base_url_may_have_a_path() -> None:
    async with FaultServer(_REFUSE) as server:
        await call(f"{server.base_url}/v2/", "list-sections")
    assert server.seen[0].target == "/v2/character/narrative/list-sections"


@pytest.mark.parametrize("url", ["", "not a url", "http://", "file:///etc/passwd", "http://service.example"])
def test_an_unsafe_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ProfileError):
        remote(url)


async def test_a_trigger_is_disconnected_in_the_form_the_service_takes() -> None:
    refused = reply(400, '{"ERROR": "destination_section must be text"}')
    async with FaultServer(refused, reply(200, ANSWERS["update-trigger"])) as server:
        outcome = await call(server.base_url, "update-trigger")
    assert outcome.body["STATUS"] == "Successful"
    sent = [json.loads(body)["updated_data"]["destination_section"] for body in server.bodies]
    assert sent == [None, ""]


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"updated_data": {"destination_section": "s1"}}, 400),
        ({"updated_data": {"trigger_name": "t"}}, 400),
        ({"updated_data": None}, 400),
        ({"updated_data": {"destination_section": None}}, 404),
        ({"updated_data": {"destination_section": None}}, 500),
    ],
)
async def test_other_refused_updates_are_sent_once(payload: Any, status: int) -> None:
    async with FaultServer(reply(status, "no")) as server:
        assert (await call(server.base_url, "update-trigger", payload)).error.status == status
    assert len(server.seen) == 1


async def test_connections_are_kept() -> None:
    async with FaultServer(reply(200, "[]")) as server, aclosing(remote(server.base_url)) as backend:
        for _ in range(3):
            await backend.perform(OPERATIONS["list-sections"], PAYLOADS["list-sections"], Context())
    assert (len(server.seen), server.connections) == (3, 1)


async def test_a_closed_backend_closes_twice_and_works_again() -> None:
    async with FaultServer(reply(200, "[]")) as server:
        backend = remote(server.base_url)
        for _ in range(2):
            await backend.perform(OPERATIONS["list-sections"], PAYLOADS["list-sections"], Context())
            await backend.aclose()
            await backend.aclose()
    assert server.connections == 2


async def test_the_answer_tells_how_it_came_about() -> None:
    async with FaultServer(reply(200, "[ ]", X_Trace="7")) as server:
        outcome = await call(server.base_url)
    assert outcome.answer is not None
    meta = outcome.answer.meta
    assert (meta.status, meta.bytes, meta.attempts, meta.cache) == (200, 3, 1, "none")
    assert meta.headers["x-trace"] == "7"


@pytest.mark.parametrize("content", [None, "not a certificate"])
async def test_an_unusable_ca_file_is_told(content: str | None, tmp_path: Any) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    outcome = await call("https://localhost:9", ca_file=path)
    assert outcome.error.kind is ErrorKind.UNSAFE
    assert str(path) in str(outcome.error)


async def test_one_question_for_the_key_serves_all_who_wait() -> None:
    import asyncio

    asked: list[int] = []

    def fetch() -> Key:
        asked.append(1)
        return Key(KEY)

    async with FaultServer(reply(200, "[]")) as server, aclosing(remote(server.base_url, fetch_key=fetch)) as backend:
        row, payload = OPERATIONS["list-sections"], PAYLOADS["list-sections"]
        await asyncio.gather(*(backend.perform(row, payload, Context()) for _ in range(5)))
    assert len(asked) == 1
    assert all(seen.headers[_HEADER] == KEY for seen in server.seen)


async def test_without_a_key_nothing_is_sent() -> None:
    def fetch() -> Key:
        raise ServiceError(ErrorKind.NO_KEY, "No key.", sent="no")

    async with FaultServer(_REFUSE) as server:
        outcome = await call(server.base_url, "list-sections", fetch_key=fetch)
    assert (outcome.error.kind, outcome.error.sent) == (ErrorKind.NO_KEY, "no")
    assert server.connections == 0


def test_a_profile_shows_no_key() -> None:
    assert KEY not in repr(remote(profile_for("https://service.example").base_url or "").__dict__)
