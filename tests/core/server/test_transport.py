"""What arrives on the wire before it is a request: rows V1 to V7 of the fault list, over a real socket."""

from __future__ import annotations

import logging
from contextlib import suppress

import httpx
import pytest

from chartui.core.jsontext import loads
from chartui.core.server.app import HEADER_LIMIT, make_app
from chartui.core.server.run import CannotListen
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS
from tests.core.server.doubles import Scripted, account_of, connection, echo, exchange, parse
from tests.served import running_server

LIST = "/character/list"
KEY = "SERVICE-API-KEY: pro-key\r\n"


def head(target: str = LIST, *fields: str, method: str = "POST", host: str | None = "127.0.0.1") -> str:
    lines = [f"{method} {target} HTTP/1.1", *([f"Host: {host}"] if host is not None else []), "Connection: close"]
    return "\r\n".join([*lines, *fields]) + "\r\n\r\n"


# -- V1: host ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:1", "localhost", "LOCALHOST:65535", "[::1]", "[::1]:8080", "127.0.0.1:80"]
)
def test_own_names_are_answered(base_url: str, host: str) -> None:
    assert exchange(base_url, head("/api/v1/options", method="GET", host=host))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost:80.evil.example",
        "0.0.0.0",
        "127.0.0.2",
        "[::]",
        "::1",
        "localhost.",
        "localhost:",
        "localhost:123456",
        "user@localhost",
        "127.1",
        "127.0.0.1, evil.example",
        "lokalhost",
    ],
)
def test_other_names_are_misdirected(base_url: str, host: str) -> None:
    status, _, body = exchange(base_url, head("/api/v1/options", method="GET", host=host))
    assert status == 421
    assert list(loads(body)) == ["error"]


def test_a_missing_or_doubled_host_is_bad(base_url: str) -> None:
    assert exchange(base_url, head(host=None))[0] == 400
    assert exchange(base_url, head(host=""))[0] == 400
    assert exchange(base_url, head(LIST, "Host: 127.0.0.1"))[0] == 400
    old, _, body = exchange(base_url, f"POST {LIST} HTTP/1.0\r\n{KEY}\r\n")
    assert old == 400
    assert b"Host" in body


def test_an_absolute_target_is_no_path_of_ours(base_url: str) -> None:
    assert exchange(base_url, head("http://127.0.0.1/api/v1/options", method="GET"))[0] == 404
    assert exchange(base_url, head("http://evil.example/api/v1/options", method="GET"))[0] == 404
    assert exchange(base_url, head("*", method="OPTIONS"))[0] == 404


# -- V2: web pages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "http://localhost:1", ""])
@pytest.mark.parametrize("path", ["/api/v1/options", LIST, "/openapi.json"])
def test_an_origin_is_refused(base_url: str, path: str, origin: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        status, answer_head, _ = exchange(base_url, head(path, f"Origin: {origin}", KEY.strip(), method=method))
        assert status == 403
        assert b"access-control" not in answer_head


def test_a_preflight_gets_nothing(base_url: str) -> None:
    asked = "Access-Control-Request-Method: POST"
    status, answer_head, _ = exchange(base_url, head(LIST, asked, method="OPTIONS"))
    assert status == 405
    assert b"access-control" not in answer_head


# -- V3: keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["x", "pro-ke", "pro-key2", "PRO-KEY", "\xff\xfe", "pro-key, pro-key", "k" * 5000])
def test_a_wrong_key(base_url: str, key: str) -> None:
    assert exchange(base_url, head(LIST, f"SERVICE-API-KEY: {key}"))[0] == 401
    assert exchange(base_url, head("/character/update", f"SERVICE-API-KEY: {key}"))[0] == 401


def test_an_empty_key_is_none(base_url: str) -> None:
    assert exchange(base_url, head(LIST, "SERVICE-API-KEY:"))[0] == 400
    assert exchange(base_url, head("/character/update", "SERVICE-API-KEY:"))[0] == 401


def test_the_key_under_another_name(base_url: str) -> None:
    assert exchange(base_url, head(LIST, "X-Other-Key: pro-key"))[0] == 200
    assert exchange(base_url, head(LIST, "X-Other-Key: pro-key", "SERVICE-API-KEY: pro-key"))[0] == 200
    assert exchange(base_url, head(LIST, "X-Other-Key: free-key", "SERVICE-API-KEY: pro-key"))[0] == 401
    assert exchange(base_url, head(LIST, "SERVICE-API-KEY: free-key", "SERVICE-API-KEY: pro-key"))[0] == 401
    assert exchange(base_url, head(LIST, "Authorization: pro-key"))[0] == 400


# -- V4: lengths ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", ["-1", "+5", "5, 6", "0x10", "1e3", "five", "٣", ""])
def test_a_length_that_is_no_number(base_url: str, length: str) -> None:
    request = head(LIST, KEY.strip(), f"Content-Length: {length}").encode()
    assert exchange(base_url, request + b"{}   ")[0] == 400


def test_two_lengths(base_url: str) -> None:
    assert exchange(base_url, head(LIST, KEY.strip(), "Content-Length: 2", "Content-Length: 3") + "{} ")[0] == 400


@pytest.mark.parametrize("length", ["10001", "9" * 20])
def test_a_length_over_the_limit_is_told_before_the_body_comes(base_url: str, length: str) -> None:
    with connection(base_url) as opened:
        opened.send(head(LIST, f"Content-Length: {length}"))
        opened.send(b"x" * 100)
        status, answer_head, body = parse(opened.receive_all())
    assert status == 413
    assert b"connection: close" in answer_head
    assert b"10000 bytes" in body


def test_a_body_of_just_the_limit_is_read(client: httpx.Client) -> None:
    body = b'{"charID": "' + b"x" * (10_000 - 14) + b'"}'
    assert client.post("/character/getSupportedModel", content=body).status_code == 200
    assert client.post("/character/getSupportedModel", content=body + b" ").status_code == 413


def test_chunks_over_the_limit(base_url: str) -> None:
    request = head(LIST, "Transfer-Encoding: chunked").encode() + b"1000\r\n" + b"x" * 4096 + b"\r\n"
    status, _, body = exchange(base_url, request + (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 500 + b"0\r\n\r\n")
    assert status == 413
    assert list(loads(body)) == ["ERROR"]


def test_a_client_that_sends_it_all_first_still_reads_the_answer(client: httpx.Client) -> None:
    for _ in range(5):
        assert client.post(LIST, content=b"x" * 4_000_000).status_code == 413


def test_chunks_are_put_together(client: httpx.Client) -> None:
    answer = client.post("/character/getSupportedModel", content=iter([b'{"char', b'ID": "a', b'b"}']))
    assert loads(answer.content)["payload"] == {"charID": "ab"}


def test_no_request_hides_in_another(base_url: str) -> None:
    hidden = f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}\r\n"
    request = (
        f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}Transfer-Encoding: chunked\r\n"
        f"Content-Length: {5 + len(hidden)}\r\n\r\n0\r\n\r\n{hidden}"
    )
    with connection(base_url) as opened:
        opened.send(request)
        answer = opened.receive_all()
    assert parse(answer)[0] == 400
    assert answer.count(b"HTTP/1.1") == 1


def test_a_doubtful_framing(base_url: str) -> None:
    for coding in ("gzip", "chunked, gzip", "xchunked", "chunked\r\nTransfer-Encoding: gzip"):
        assert exchange(base_url, head(LIST, f"Transfer-Encoding: {coding}") + "0\r\n\r\n")[0] in (400, 501)


def test_a_head_over_the_limit(base_url: str) -> None:
    """In one piece, and with no end."""
    assert exchange(base_url, head(LIST, "X-Filler: " + "x" * (HEADER_LIMIT - 400)))[0] == 400  # no key
    assert exchange(base_url, head(LIST, "X-Filler: " + "x" * HEADER_LIMIT))[0] in (400, 431)
    assert exchange(base_url, head("/" + "x" * HEADER_LIMIT))[0] in (400, 431)
    with connection(base_url) as opened:
        opened.send(f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Filler: ")
        opened.send(b"x" * 2 * HEADER_LIMIT)
        assert parse(opened.receive_all())[0] == 400


@pytest.mark.parametrize("junk", [b"\x16\x03\x01\x02\x00", b"\r\n\r\n\r\nHELO\r\n\r\n", b"GET\r\n\r\n", b"\x00" * 100])
def test_junk_is_answered_and_the_connection_ends(base_url: str, junk: bytes) -> None:
    with connection(base_url) as opened:
        opened.send(junk)
        answer = opened.receive_all()
    assert answer == b"" or parse(answer)[0] == 400


# -- V5: silence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "status"),
    [
        ("", None),
        ("POST /char", None),
        (f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n", None),
        (f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}Content-Length: 50\r\n\r\n", 408),
        (f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}Content-Length: 50\r\n\r\n{{", 408),
        (f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}Transfer-Encoding: chunked\r\n\r\n5\r\nxx", 408),
    ],
)
def test_half_a_request_and_silence(base_url: str, client: httpx.Client, start: str, status: int | None) -> None:
    with connection(base_url) as opened:
        opened.send(start)
        assert client.post(LIST).status_code == 200  # others are served meanwhile
        try:
            answer = opened.receive_all()
        except ConnectionResetError:
            answer = b""
    assert (parse(answer)[0] if answer else None) == status


def test_half_a_request_after_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given up for its silence, long before the connection would be for its idleness."""
    monkeypatch.setattr("chartui.core.server.run._IDLE_SECONDS", 3600)
    app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
    whole = f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}\r\n"
    with running_server(app, head_seconds=0.3) as base_url, connection(base_url) as opened:
        opened.send(whole)
        assert parse(opened.receive_until(b"}}"))[0] == 200
        opened.send(whole[:20])
        with suppress(ConnectionResetError):
            assert opened.receive_all() == b""


def test_a_client_that_leaves_is_no_event(
    base_url: str, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for start in (KEY, f"{KEY}Content-Length: 50\r\n\r\n{{"):
        with connection(base_url) as opened:
            opened.send(f"POST {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\n{start}")
    assert client.post(LIST).status_code == 200
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


# -- V6: failures -----------------------------------------------------------------------------------------------------


def _fail(_row: Operation, _payload: object) -> None:
    raise ZeroDivisionError("the marker in the message")


def test_a_failure_is_told_in_the_shape_of_its_row(caplog: pytest.LogCaptureFixture) -> None:
    app = make_app(backend_for=lambda tier: Scripted(_fail, tier), authenticate=account_of)
    with running_server(app) as url:
        for name in ("options", "list-models", "list-characters", "estimate"):
            row = OPERATIONS[name]
            headers = {"service-api-key": "pro-key"}
            response = httpx.request(row.method, f"{url}{row.path}", headers=headers, trust_env=False)
            status, shape = row.error(ErrorKind.INTERNAL)
            assert response.status_code == status == 500
            assert response.text == ("internal error" if shape == "text" else f'{{"{shape.value}": "internal error"}}')
    # A server of an earlier test may still log a request whose client has left.
    failures = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [str(record.exc_info and record.exc_info[1]) for record in failures] == ["the marker in the message"] * 4
    assert "pro-key" not in caplog.text


# -- V7: the port -----------------------------------------------------------------------------------------------------


def test_a_port_in_use_is_told(base_url: str) -> None:
    port = int(base_url.rpartition(":")[2])
    app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
    with pytest.raises(CannotListen, match=rf"Port {port} on 127\.0\.0\.1 cannot be used: Address already in use"):
        running_server(app, port=port).__enter__()


@pytest.mark.parametrize("port", [-1, 65536, 10**30])
def test_a_port_that_is_none_is_told(port: int) -> None:
    app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
    with pytest.raises(CannotListen, match="not a port number"):
        running_server(app, port=port).__enter__()
