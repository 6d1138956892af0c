"""Decision 50: of several things that are wrong, the first in the order is the one told."""

from __future__ import annotations

from collections.abc import Mapping

import httpx
import pytest

from chartui.core.jsontext import loads
from chartui.core.server.app import make_app
from chartui.core.server.http import INTERNAL_ERROR, STORE_ERROR
from chartui.core.spec.errors import ErrorKind, ErrorShape, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS
from tests.core.server.doubles import Scripted, account_of
from tests.served import running_server

SERVED = [row for row in OPERATIONS.values() if row.path is not None]
KEYED = [row for row in SERVED if row.tier is not None]
TIERED = [row for row in KEYED if row.tier is not None and row.tier.rank > 0]

#: From the first check to the last: what makes it fail, with everything after it wrong as well.
WRONG_HOST = {"host": "evil.example"}
WRONG_KEY = {"service-api-key": "no such key"}
TOO_LONG = b"x" * 10_001


def assert_refused(response: httpx.Response, status: int, shape: ErrorShape) -> str:
    """The refusal has this status and this shape; gives its message."""
    assert response.status_code == status
    if shape is ErrorShape.TEXT:
        assert response.headers["content-type"] == "text/plain; charset=utf-8"
        assert response.text
        return response.text
    assert response.headers["content-type"] == "application/json"
    body: Mapping[str, str] = loads(response.content)
    assert list(body) == [shape.value]
    return body[shape.value]


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/api/v1/nothing", ErrorShape.LOWER),
        ("/api/v1", ErrorShape.LOWER),
        ("/api/v12", ErrorShape.UPPER),
        ("/", ErrorShape.UPPER),
        ("/character/nothing", ErrorShape.UPPER),
        ("//character/list", ErrorShape.UPPER),
        ("/character/list//", ErrorShape.UPPER),
        ("/CHARACTER/list", ErrorShape.UPPER),
    ],
)
def test_host_then_path(client: httpx.Client, path: str, shape: ErrorShape) -> None:
    assert_refused(client.put(path, headers=WRONG_HOST), 421, shape)
    assert_refused(client.put(path, headers={"origin": "http://127.0.0.1"}), 403, shape)
    assert_refused(client.put(path, content=TOO_LONG), 404, shape)


def _allowed(path: str) -> set[str]:
    methods = {row.method for row in SERVED if row.path == path}
    return methods | {"HEAD"} if "GET" in methods else methods


@pytest.mark.parametrize(
    ("path", "method"),
    [
        (path, method)
        for path in sorted({row.path for row in SERVED if row.path is not None})
        for method in ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE")
        if method not in _allowed(path)
    ],
)
def test_method_before_size(client: httpx.Client, path: str, method: str) -> None:
    response = client.request(method, path, content=TOO_LONG, headers=WRONG_KEY)
    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == _allowed(path)
    if method != "HEAD":
        assert_refused(response, 405, ErrorShape.LOWER if path.startswith("/api/v1") else ErrorShape.UPPER)


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_size_before_key(client: httpx.Client, row: Operation) -> None:
    status, shape = row.error(ErrorKind.TOO_LARGE)
    response = client.request(row.method, row.path or "", content=TOO_LONG, headers=WRONG_KEY)
    assert_refused(response, status, shape)
    assert response.headers["connection"] == "close"


@pytest.mark.parametrize("row", KEYED, ids=lambda row: row.name)
def test_key_before_tier_and_members(base_url: str, client: httpx.Client, row: Operation) -> None:
    path = row.path or ""
    missing = httpx.request(row.method, base_url + path, content=b"null", trust_env=False)
    assert_refused(missing, *row.error(ErrorKind.NO_KEY))
    assert_refused(client.request(row.method, path, content=b"null", headers=WRONG_KEY), *row.error(ErrorKind.BAD_KEY))


@pytest.mark.parametrize("row", TIERED, ids=lambda row: row.name)
def test_tier_before_members(client: httpx.Client, row: Operation) -> None:
    refused = client.request(row.method, row.path or "", content=b"null", headers={"service-api-key": "free-key"})
    assert_refused(refused, *row.error(ErrorKind.TIER))


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_members(client: httpx.Client, row: Operation) -> None:
    path = row.path or ""
    if row.method == "GET":
        message = assert_refused(client.get(path, params={"nothing": "1"}), *row.error(ErrorKind.INVALID))
        assert "'nothing'" in message
    else:
        assert_refused(client.post(path, content=b"null"), *row.error(ErrorKind.INVALID))
        assert_refused(client.post(path, params={"llm": "x"}), *row.error(ErrorKind.INVALID))


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_a_key_is_asked_for_only_where_the_row_says_so(base_url: str, row: Operation) -> None:
    response = httpx.request(row.method, f"{base_url}{row.path}", trust_env=False)
    if row.tier is None:
        assert response.status_code == 200
    else:
        assert response.status_code == row.error(ErrorKind.NO_KEY)[0]


#: Rows that can be asked without members.
BARE = [row for row in KEYED if row.body_optional or row.name == "list-characters"]
#: Kinds that no row lists: they are the server's own trouble.
UNTOLD = {kind for kind in ErrorKind if not any(kind in row.errors for row in BARE)} | {ErrorKind.INTERNAL}


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_every_kind_has_an_answer_in_every_row(kind: ErrorKind, caplog: pytest.LogCaptureFixture) -> None:
    """What a backend says is told with the row's status; what no row lists is for the log alone."""

    def refuse(_row: Operation, _payload: object) -> None:
        raise ServiceError(kind, "because of /somewhere/store.db")

    app = make_app(backend_for=lambda _tier: Scripted(refuse, None), authenticate=account_of)
    with running_server(app) as url:
        for row in BARE:
            response = httpx.post(f"{url}{row.path}", headers={"service-api-key": "pro-key"}, trust_env=False)
            message = assert_refused(response, *row.error(kind))
            told = STORE_ERROR if kind in (ErrorKind.BROKEN, ErrorKind.BUSY) else INTERNAL_ERROR
            assert message == (told if kind in UNTOLD else "because of /somewhere/store.db")
    assert ("/somewhere/store.db" in caplog.text) == (kind in UNTOLD)
