"""What an answer looks like: caching, dates, numbers, the access log."""

from __future__ import annotations

import logging
from decimal import Decimal

import httpx
import pytest

from chartui.core.jsontext import loads
from chartui.core.server.app import make_app
from chartui.core.spec.operations import OPERATIONS
from tests.core.server.doubles import Scripted, account_of
from tests.served import running_server

ESTIMATE = "/api/v1/estimate"


@pytest.mark.parametrize("path", [ESTIMATE, "/api/v1/options", "/openapi.json"])
def test_get_answers_may_be_kept(client: httpx.Client, path: str) -> None:
    first = client.get(path)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "max-age=60"
    assert tag.startswith('"')
    assert client.get(path).headers["etag"] == tag
    for condition in (tag, f"W/{tag}", "*", f'"other", {tag}', f'W/"x",W/{tag} , "y"'):
        again = client.get(path, headers={"if-none-match": condition})
        assert (again.status_code, again.content) == (304, b"")
        assert (again.headers["etag"], again.headers["cache-control"]) == (tag, "max-age=60")
        assert "content-type" not in again.headers
    for condition in ('"other"', tag.strip('"'), "", '"', f'"x{tag}', '"*"'):
        assert client.get(path, headers={"if-none-match": condition}).status_code == 200


def test_an_entity_tag_names_the_content(client: httpx.Client) -> None:
    tags = {client.get(ESTIMATE, params={"inputTokens": n}).headers["etag"] for n in ("1", "1.0", "2", "1e0")}
    assert len(tags) == 2


def test_other_answers_may_not_be_kept(client: httpx.Client) -> None:
    for response in (client.post(ESTIMATE), client.get(ESTIMATE, params={"memory": "1"}), client.post("/openapi.json")):
        assert "etag" not in response.headers
        assert "cache-control" not in response.headers


def test_the_action_endpoint_says_since_when_it_is_deprecated(client: httpx.Client) -> None:
    done = client.post("/character/getResponse", data={"charID": "x", "userText": "y"})
    assert done.status_code == 200
    # 2026-08-26T00:00:00Z
    assert done.headers["deprecation"] == "@1787702400"
    assert client.post("/character/getResponse").headers["deprecation"] == "@1787702400"
    assert "deprecation" not in client.post("/character/list").headers


@pytest.mark.parametrize("row", [row for row in OPERATIONS.values() if row.path], ids=lambda row: row.name)
def test_a_trailing_slash_is_accepted(client: httpx.Client, row: object) -> None:
    path = getattr(row, "path", "")
    method = getattr(row, "method", "")
    plain, slashed = client.request(method, path), client.request(method, f"{path}/")
    assert (plain.status_code, plain.content) == (slashed.status_code, slashed.content)


def test_numbers_come_back_exactly(client: httpx.Client) -> None:
    body = b'{"assumptions": {"inputTokens": 0.1000000000000000055511151231257827, "outputChars": 4000.0}}'
    answer = client.post(ESTIMATE, content=body)
    echoed = loads(answer.content)["payload"]["assumptions"]
    assert echoed == {"inputTokens": Decimal("0.1000000000000000055511151231257827"), "outputChars": Decimal(4000)}
    assert b"4000}" in answer.content


def test_no_answer_names_the_server_or_a_cross_origin_rule(client: httpx.Client) -> None:
    for path in (ESTIMATE, "/openapi.json", "/nothing"):
        headers = client.get(path).headers
        assert "server" not in headers
        assert not [name for name in headers if name.startswith("access-control")]


def test_the_access_log_is_one_safe_line_a_request(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "chartui.access")
    app = make_app(backend_for=lambda tier: Scripted(lambda _row, _payload: {}, tier), authenticate=account_of)
    with running_server(app) as url, httpx.Client(base_url=url, trust_env=False) as client:
        client.post("/character/list", headers={"service-api-key": "pro-key", "x-secret": "header-marker"})
        client.get("/api/v1/options?llm=query-marker")
        client.get("/a%0Ab%1B%5B2J" + "c" * 1000)
    told = [record.getMessage() for record in caplog.records if record.name == "chartui.access"]
    # A line is written when its answer is on the way: that of an earlier test may come only now, as may that of a
    # request whose client has left, which has no status.
    lines = [line for line in told if not line.startswith("GET /nothing ") and line.split()[2] != "-"]
    assert len(lines) == 3
    assert lines[0].startswith("POST /character/list 200 ")
    assert lines[0].endswith(" 2 bytes")
    assert lines[1].startswith("GET /api/v1/options 400 ")
    assert lines[2].startswith("GET /a b␛[2Jccc")
    assert all(line.isprintable() and len(line) < 300 for line in lines)
    assert not [word for word in ("pro-key", "header-marker", "query-marker") if word in caplog.text]
