"""Answers that say no, or make no sense: rows H1 to H9 of the fault list."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from chartui.core.backends.base import Context
from chartui.core.credentials import Key
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import OPERATIONS
from tests.faults.client import ANSWERS, KEY, PAYLOADS, call, remote
from tests.faults.server import FaultServer, raw, reply

pytestmark = pytest.mark.anyio

_HTML = "<!DOCTYPE html><html><body><h1>Bad gateway</h1></body></html>"
_READS = ["estimate", "list-sections", "toggle-narrative"]
_MAKES = ["create-section", "delete-section", "get-response"]


@pytest.mark.parametrize(
    "body",
    [
        '{"error": "No such voice."}',
        '{"ERROR": "No such voice."}',
        '{"Api_Error": "No such voice."}',
        '{"INTERNAL_ERROR": "No such voice.", "other": 1}',
        '{"error": {"message": "No such voice.", "code": 7}}',
        '"No such voice."',
        "No such\n\n   voice.",
    ],
)
async def test_h1_the_services_own_sentence_is_shown(body: str) -> None:
    async with FaultServer(reply(400, body)) as server:
        outcome = await call(server.base_url, "update-character")
    assert outcome.error.kind is ErrorKind.INVALID
    assert outcome.error.status == 400
    assert str(outcome.error) == "No such voice."
    assert len(server.seen) == 1


async def test_h1_a_long_sentence_is_cut() -> None:
    async with FaultServer(reply(400, '{"ERROR": "' + "long " * 1000 + '"}')) as server:
        outcome = await call(server.base_url)
    assert 490 < len(str(outcome.error)) <= 500  # never cut inside a word
    assert str(outcome.error).endswith("…")


@pytest.mark.parametrize("body", ["", "{}", "null", _HTML, "  <HTML>no</HTML>"])
async def test_h1_without_a_sentence_the_status_speaks(body: str) -> None:
    async with FaultServer(reply(400, body)) as server:
        outcome = await call(server.base_url)
    assert str(outcome.error) == (f"{server.base_url[7:]} refused the request with 400 Bad Request. Check the request.")


@pytest.mark.parametrize("body", ['{"API_ERROR": "Invalid key"}', '{"ERROR": "Invalid key"}', "Invalid key"])
@pytest.mark.parametrize("row", ["list-characters", "create-section", "update-character"])
async def test_h2_a_refused_key_is_told_and_not_tried_again(body: str, row: str) -> None:
    async with FaultServer(reply(401, body)) as server:
        outcome = await call(server.base_url, row)
    assert outcome.error.kind is ErrorKind.BAD_KEY
    assert str(outcome.error) == (
        f"{server.base_url[7:]} rejected the API key (Invalid key). Check the API key of this profile."
    )
    assert len(server.seen) == 1


async def test_h2_a_new_key_needs_no_restart() -> None:
    keys = iter([Key("former-key"), Key("newer-key")])
    row, payload = OPERATIONS["list-sections"], PAYLOADS["list-sections"]
    async with (
        FaultServer(reply(401, "no"), reply(200, ANSWERS["list-sections"])) as server,
        aclosing(remote(server.base_url, fetch_key=lambda: next(keys))) as backend,
    ):
        with pytest.raises(ServiceError):
            await backend.perform(row, payload, Context())
        await backend.perform(row, payload, Context())
        await backend.perform(row, payload, Context())
    assert [seen.headers["service-api-key"] for seen in server.seen] == ["former-key", "newer-key", "newer-key"]


@pytest.mark.parametrize(
    ("row", "status", "kind"),
    [
        ("list-characters", 400, ErrorKind.NO_KEY),
        ("list-characters", 401, ErrorKind.NO_KEY),
        ("update-character", 401, ErrorKind.NO_KEY),
        ("update-character", 400, ErrorKind.INVALID),
        ("list-sections", 401, ErrorKind.NO_KEY),
    ],
)
async def test_h2_without_a_key_the_refusal_says_so(row: str, status: int, kind: ErrorKind) -> None:
    async with FaultServer(reply(status, "no key provided")) as server:
        outcome = await call(server.base_url, row, fetch_key=lambda: None)
    assert outcome.error.kind is kind
    assert "service-api-key" not in server.seen[0].headers
    assert "no key provided" in str(outcome.error)


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (403, ErrorKind.TIER, "does not allow this for your API key or subscription (not for you)"),
        (404, ErrorKind.NOT_FOUND, "not for you"),
        (405, ErrorKind.REFUSED, "not for you"),
        (409, ErrorKind.CONFLICT, "not for you"),
        (413, ErrorKind.TOO_LARGE, "not for you"),
        (418, ErrorKind.REFUSED, "not for you"),
        (422, ErrorKind.REFUSED, "not for you"),
        (500, ErrorKind.INTERNAL, "failed with 500 Internal Server Error (not for you). "),
    ],
    ids=["H3", "H4", "405", "H5", "413", "418", "422", "H7-500"],
)
@pytest.mark.parametrize("row", ["list-sections", "create-trigger"])
async def test_h3_h4_h5_refusals_have_their_kind_and_are_sent_once(
    status: int, kind: ErrorKind, told: str, row: str
) -> None:
    async with FaultServer(reply(status, '{"ERROR": "not for you"}')) as server:
        outcome = await call(server.base_url, row)
    assert (outcome.error.kind, outcome.error.status) == (kind, status)
    assert told in str(outcome.error)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("header", "waits", "after"),
    [
        ("1", [1.0, 1.0], 1.0),
        ("10", [10.0, 10.0], 10.0),
        ("10000", [], 10000.0),
        ("Sun, 01 Nov 2026 12:00:04 GMT", [4.0, 4.0], 4.0),
        ("Sun, 01 Nov 2026 13:00:00 GMT", [], 3600.0),
        ("Sun, 01 Nov 2026 11:00:00 GMT", [0.0, 0.0], 0.0),
        ("-5", [0.25, 0.5], None),
        ("soon", [0.25, 0.5], None),
        ("9" * 400, [0.25, 0.5], None),
        ("Sun, 99 Nov 2026 99:00:00 GMT", [0.25, 0.5], None),
        (None, [0.25, 0.5], None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_h6_the_wait_asked_for_is_obeyed_within_reason(
    status: int, header: str | None, waits: list[float], after: float | None
) -> None:
    headers = {} if header is None else {"Retry_After": header}
    async with FaultServer(reply(status, '{"error": "slow down"}', **headers)) as server:
        outcome = await call(server.base_url, deadline=60.0)
    assert outcome.error.kind is (ErrorKind.RATE_LIMITED if status == 429 else ErrorKind.INTERNAL)
    assert outcome.error.retry_after == after
    assert outcome.waits == waits
    assert len(server.seen) == len(waits) + 1
    assert str(outcome.error).endswith("Try again later." if after is None else f"Try again in {after:.0f} s.")


async def test_h6_no_wait_goes_past_the_deadline() -> None:
    async with FaultServer(reply(429, Retry_After="9")) as server:
        outcome = await call(server.base_url, deadline=5.0)
    assert outcome.error.kind is ErrorKind.RATE_LIMITED
    assert outcome.waits == []


async def test_h6_after_the_wait_it_succeeds() -> None:
    async with FaultServer(reply(429, Retry_After="2"), reply(200, "[]")) as server:
        outcome = await call(server.base_url)
    assert (outcome.body, outcome.waits) == ([], [2.0])
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [502, 503, 504])
@pytest.mark.parametrize(("row", "count"), [*((row, 3) for row in _READS), *((row, 1) for row in _MAKES)])
async def test_h7_failing_gateways_follow_the_rows_rule(status: int, row: str, count: int) -> None:
    async with FaultServer(reply(status, _HTML, Content_Type="text/html")) as server:
        outcome = await call(server.base_url, row)
    assert outcome.error.kind is ErrorKind.INTERNAL
    assert f"failed with {status} " in str(outcome.error)
    assert "<" not in str(outcome.error)
    assert len(server.seen) == count
    reading = OPERATIONS[row].effect == "read"
    doubt = "may have been billed" if row == "get-response" else "may still have taken effect"
    assert (doubt in str(outcome.error)) is not reading
    assert ("Try again later" in str(outcome.error)) is reading


@pytest.mark.parametrize("member", ["error", "ERROR", "API_ERROR", "Internal_Error"])
async def test_h8_an_error_under_200_is_an_error(member: str) -> None:
    async with FaultServer(reply(200, f'{{"{member}": "It did not work.", "STATUS": "x"}}')) as server:
        outcome = await call(server.base_url, "toggle-narrative")
    assert outcome.error.kind is ErrorKind.REFUSED
    assert str(outcome.error) == "It did not work."


@pytest.mark.parametrize("value", ["null", '""', "false"])
async def test_h8_an_empty_error_member_is_none(value: str) -> None:
    async with FaultServer(reply(200, f'{{"error": {value}, "STATUS": "Successful"}}')) as server:
        assert (await call(server.base_url, "toggle-narrative")).body["STATUS"] == "Successful"


@pytest.mark.parametrize("status", [204, 206, 304])
async def test_h8_statuses_without_a_whole_body_are_not_taken(status: int) -> None:
    async with FaultServer(reply(status, '{"STATUS": "Succ')) as server:
        outcome = await call(server.base_url, "toggle-narrative")
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert outcome.error.status == status
    assert "may still have taken effect" in str(outcome.error)
    assert len(server.seen) == 1


@pytest.mark.parametrize("body", [_HTML, "<html></html>"])
async def test_h8_a_web_page_is_not_an_answer(body: str) -> None:
    async with FaultServer(reply(200, body)) as server:
        outcome = await call(server.base_url)
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "answered with a web page instead of data. Check base_url" in str(outcome.error)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 600 Beyond\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 999 Beyond\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 2OO OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x0a\r\n\r\n",
    ],
    ids=["101", "600", "999", "letters for digits", "another protocol", "TLS alert"],
)
async def test_h9_what_is_not_http_is_told(answer: bytes) -> None:
    async with FaultServer(raw(answer)) as server:
        outcome = await call(server.base_url, "create-section")
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert outcome.error.sent == "unclear"
    assert "Check base_url in the profile" in str(outcome.error)
    assert len(server.seen) == 1


async def test_a_service_that_sends_the_key_back_does_not_get_it_shown() -> None:
    async with FaultServer(reply(400, f'{{"ERROR": "Bad key {KEY} for this."}}')) as server:
        outcome = await call(server.base_url)
    assert str(outcome.error) == "Bad key [key] for this."
    assert KEY not in repr(outcome.error) + str(outcome.error.args)


async def test_cookies_are_not_sent_back() -> None:
    async with (
        FaultServer(reply(200, "[]", Set_Cookie="id=1; Path=/")) as server,
        aclosing(remote(server.base_url)) as backend,
    ):
        for _ in range(2):
            await backend.perform(OPERATIONS["list-sections"], PAYLOADS["list-sections"], Context())
    assert ["cookie" in seen.headers for seen in server.seen] == [False, False]
