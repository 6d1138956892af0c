"""Answers that are compressed, for clients that ask for it (decision 66)."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import httpx
import pytest

from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.server.app import make_app
from chartui.core.server.http import WORTH_COMPRESSING, Headers, accepts_gzip
from tests.core.server.doubles import Scripted, account_of
from tests.served import running_server

OPTIONS = "/api/v1/options"
LIST = "/character/list"
#: The largest answer that is left as it is, to the byte.
EVEN: Wire = "x" * (WORTH_COMPRESSING - 2)
LARGE: Wire = {"characters": [{"character_id": f"c{n}", "character_name": "Mara"} for n in range(20_000)]}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client of a server with a large list, and options of just the size that is left alone."""
    answers = {"options": EVEN, "list-characters": LARGE}
    app = make_app(
        backend_for=lambda tier: Scripted(lambda row, _: answers.get(row.name, f"{EVEN}x"), tier),
        authenticate=account_of,
    )
    with (
        running_server(app) as url,
        httpx.Client(base_url=url, headers={"service-api-key": "pro-key"}, trust_env=False) as opened,
    ):
        yield opened


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("x-gzip", True),
        ("*", True),
        ("br, gzip;q=0.5, *;q=0", True),
        ("gzip ; q=0.001", True),
        ("deflate", False),
        ("identity", False),
        ("", False),
        ("gzip;q=0", False),
        ("gzip; Q=0.000, *", False),
        ("*;q=0", False),
        ("gzip;q=2", False),
        ("gzip;q=", False),
        ("gzip;level=9", False),
        ("not-gzip", False),
    ],
)
def test_who_asks_for_gzip(asked: str, wanted: bool) -> None:
    assert accepts_gzip(Headers([(b"Accept-Encoding", asked.encode())])) is wanted


def test_who_asks_in_two_fields_or_none() -> None:
    assert accepts_gzip(Headers([(b"accept-encoding", b"br"), (b"Accept-Encoding", b"gzip")]))
    assert not accepts_gzip(Headers([]))


def test_a_large_answer_is_the_same_in_both_forms(client: httpx.Client) -> None:
    plain = client.post(LIST, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert loads(plain.content) == LARGE
    with client.stream("POST", LIST, headers={"accept-encoding": "gzip"}) as packed:
        body = b"".join(packed.iter_raw())
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["content-length"] == str(len(body))
    assert len(body) < len(plain.content) / 5
    assert gzip.decompress(body) == plain.content
    assert packed.headers["vary"] == plain.headers["vary"] == "accept-encoding"


def test_a_small_answer_is_left_as_it_is(client: httpx.Client) -> None:
    answer = client.get(OPTIONS, headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in answer.headers
    assert "vary" not in answer.headers
    assert answer.content == dumps(EVEN).encode()
    assert len(answer.content) == WORTH_COMPRESSING


def test_a_byte_more_is_compressed(client: httpx.Client) -> None:
    answer = client.get("/api/v1/estimate", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json() == f"{EVEN}x"


def test_each_form_has_a_tag_of_its_own(client: httpx.Client) -> None:
    forms = {"identity": "", "gzip": ""}
    for form in forms:
        forms[form] = client.get("/openapi.json", headers={"accept-encoding": form}).headers["etag"]
    assert forms["gzip"] != forms["identity"]
    for form, tag in forms.items():
        again = client.get("/openapi.json", headers={"accept-encoding": form, "if-none-match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["vary"] == "accept-encoding"
        assert "content-encoding" not in again.headers


def test_a_refusal_is_not_compressed(client: httpx.Client) -> None:
    answer = client.post(LIST, headers={"accept-encoding": "gzip", "service-api-key": "x" * 5000})
    assert answer.status_code == 401
    assert "content-encoding" not in answer.headers
