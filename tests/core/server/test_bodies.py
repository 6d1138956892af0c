"""How members travel: JSON, query and form (decisions 11, 42 and 52 to 54)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.jsontext import loads
from chartui.core.server.bodies import read_payload
from chartui.core.server.http import Headers
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import operation
from tests.long import examples

ESTIMATE = "/api/v1/estimate"
MODELS = "/character/getSupportedModel"
ACT = "/character/getResponse"
FORM = "application/x-www-form-urlencoded"


def payload(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return loads(response.content)["payload"]


def message(response: httpx.Response) -> str:
    assert response.status_code == 400, response.text
    (text,) = loads(response.content).values()
    assert isinstance(text, str)
    return text


# -- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [ESTIMATE, MODELS])
def test_an_absent_body_is_an_empty_object(client: httpx.Client, path: str) -> None:
    assert payload(client.post(path)) == payload(client.post(path, content=b"{}")) == {}
    assert payload(client.post(path, content=iter([b""]))) == {}


def test_a_body_that_is_needed(client: httpx.Client) -> None:
    assert message(client.post("/character/update")) == "'charID' is required."


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "text/plain", FORM, "multipart/form-data", "application/x-nonsense", "", "\xe9"],
)
def test_json_is_json_whatever_the_header_says(client: httpx.Client, content_type: str) -> None:
    headers = {b"content-type": content_type.encode("latin-1")}
    assert payload(client.post(MODELS, content=b' {"charID": "x"} ', headers=headers)) == {"charID": "x"}


@pytest.mark.parametrize("path", [ESTIMATE, MODELS, "/character/list", "/character/update"])
@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"[]",
        b'[{"charID": "x"}]',
        b"1",
        b'"text"',
        b"true",
        b"{",
        b'{"charID": "x"} {}',
        b"charID=x",
        b'{"charID": "a", "charID": "b"}',
        b'{"charID": "\xff"}',
        b'{"charID": "\xed\xa0\x80"}',
        b'{"charID": "\\ud800"}',
        b'{"charID": NaN}',
        b"[" * 5000,
        b'{"x":' * 1000 + b"1" + b"}" * 1000,
        b'{"charID": 1' + b"0" * 5000 + b"}",
        b" ",
        b"\x00",
    ],
)
def test_what_is_no_json_object(client: httpx.Client, path: str, body: bytes) -> None:
    assert message(client.post(path, content=body))


def test_list_takes_no_members(client: httpx.Client) -> None:
    assert payload(client.post("/character/list", content=b"{}")) == {}
    assert "'limit'" in message(client.post("/character/list", content=b'{"limit": 5}'))


# -- query ------------------------------------------------------------------------------------------------------------


def test_a_query_is_read_by_its_codecs(client: httpx.Client) -> None:
    asked = client.get(f"{ESTIMATE}?llm=mdla_4o&memory=true&inputTokens=4.0e3&stt=%C3%A4+b")
    assert payload(asked) == {"llm": "mdla_4o", "memory": True, "inputTokens": 4000, "stt": "ä b"}


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("inputTokens=1&inputTokens=1", "inputTokens"),
        ("memory=1", "memory"),
        ("memory=True", "memory"),
        ("inputTokens=1_000", "inputTokens"),
        ("inputTokens=", "inputTokens"),
        ("inputTokens=NaN", "inputTokens"),
        ("inputTokens=+1", "inputTokens"),
        ("inputTokens=01", "inputTokens"),
        ("inputTokens=٣", "inputTokens"),
        ("nothing=1", "nothing"),
        ("nothing", "nothing"),
        ("llm=%FF", "UTF-8"),
        ("llm=%ED%A0%80", "UTF-8"),
        ("&".join(f"a{n}=1" for n in range(65)), "64"),
    ],
)
def test_a_query_that_is_refused(client: httpx.Client, query: str, named: str) -> None:
    assert named in message(client.get(f"{ESTIMATE}?{quote(query, safe='=&%+')}"))


def test_a_query_where_none_is_taken(client: httpx.Client) -> None:
    assert "query" in message(client.post(f"{ESTIMATE}?llm=mdla_4o"))
    assert "query" in message(client.post(f"{ACT}?charID=x&userText=y"))
    assert "'x'" in message(client.get("/api/v1/options?x=1"))


# -- form -------------------------------------------------------------------------------------------------------------

FIELDS: Mapping[str, str] = {
    "userText": "Pick up the cup & go + ünïcode\r\n\x00 end",
    "charID": "c-1",
    "sessionID": "",
    "voiceResponse": "TRUE",
    "actions": "Pick Up, Drop ,,",
    "objects": '[{"name": "Cup", "description": "red"}]',
}
READ = {
    "userText": FIELDS["userText"],
    "charID": "c-1",
    "sessionID": "",
    "voiceResponse": True,
    "actions": ["Pick Up", "Drop"],
    "objects": [{"name": "Cup", "description": "red"}],
}


def part(name: str, value: str | bytes, extra: str = "", *, boundary: str = "B") -> bytes:
    content = value.encode() if isinstance(value, str) else value
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n'
    return head.encode() + content + b"\r\n"


def post_parts(
    client: httpx.Client, body: bytes, content_type: str = "multipart/form-data; boundary=B"
) -> httpx.Response:
    return client.post(ACT, content=body, headers={"content-type": content_type})


def test_both_form_types_say_the_same(client: httpx.Client) -> None:
    assert payload(client.post(ACT, data=FIELDS)) == READ
    assert payload(client.post(ACT, data=FIELDS, headers={"content-type": FORM.upper() + "; charset=utf-8"})) == READ
    parts = b"".join(part(name, value) for name, value in FIELDS.items())
    assert payload(post_parts(client, parts + b"--B--\r\n")) == READ
    assert payload(post_parts(client, parts + b"--B--", 'Multipart/Form-Data; boundary="B"')) == READ


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "", None])
def test_json_is_no_form(client: httpx.Client, content_type: str | None) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    told = message(client.post(ACT, content=b'{"charID": "x", "userText": "y"}', headers=headers))
    assert FORM in told
    assert "multipart/form-data" in told


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("charID=a&userText=b&charID=a", "'charID'"),
        ("charID=a", "'userText'"),
        ("charID=a&userText=b&nothing=c", "'nothing'"),
        ("charID=a&userText=b&voiceResponse=yes", "voiceResponse"),
        ("charID=a&userText=b&voiceResponse=", "voiceResponse"),
        ("charID=a&userText=b&objects=[", "objects"),
        ("charID=a&userText=b&objects={}", "objects"),
        ("charID=a&userText=b&objects=[1]", "objects"),
        ('charID=a&userText=b&objects=[{"name": "x"}]', "objects[0].description"),
        ('charID=a&userText=b&characters=[{"name": "x", "bio": 1}]', "characters[0].bio"),
        ("charID=%FF&userText=b", "UTF-8"),
        ("charID=%ED%A0%80&userText=b", "UTF-8"),
        ("&".join(f"a{n}=1" for n in range(65)), "64"),
        ("", "required"),
    ],
)
def test_a_form_that_is_refused(client: httpx.Client, body: str, named: str) -> None:
    assert named in message(client.post(ACT, content=body, headers={"content-type": FORM}))


def test_a_form_of_bytes_that_are_no_text(client: httpx.Client) -> None:
    assert "UTF-8" in message(client.post(ACT, content=b"charID=\xff", headers={"content-type": FORM}))


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (part("charID", "a") + part("charID", "a") + b"--B--\r\n", "'charID'"),
        (part("charID", b"\xff") + b"--B--\r\n", "UTF-8"),
        (part("charID", "a") + part("userText", "b"), "truncated"),
        (part("charID", "a") + part("userText", "b")[:-2], "truncated"),
        (part("userText", "b", '; filename="b.txt"') + b"--B--\r\n", "Files"),
        (b"--B\r\n\r\nno name\r\n--B--\r\n", "well formed"),
        (b"--C\r\n\r\n", "well formed"),
        (b"".join(part(f"a{n}", "x") for n in range(65)) + b"--B--\r\n", "64"),
        (b"", "truncated"),
        (b"--B--\r\n", "required"),
    ],
)
def test_a_multipart_form_that_is_refused(client: httpx.Client, body: bytes, named: str) -> None:
    assert named in message(post_parts(client, body))


@pytest.mark.parametrize("content_type", ["multipart/form-data", 'multipart/form-data; boundary=""'])
def test_a_multipart_form_without_a_boundary(client: httpx.Client, content_type: str) -> None:
    assert "boundary" in message(post_parts(client, part("charID", "a") + b"--B--", content_type))


_LINES = st.sampled_from(
    [
        b"--B",
        b"--B--",
        b"\r\n",
        b"\r",
        b"\n",
        b'Content-Disposition: form-data; name="charID"',
        b'Content-Disposition: form-data; name="a"; filename="b"',
        b"Content-Disposition:",
        b"Content-Transfer-Encoding: base64",
        b"Content-Transfer-Encoding: quoted-printable",
        b"Content-Type: text/plain; charset=utf-16",
        b"=4",
        b"YQ",
        b"\xff",
        b":",
    ]
)


@settings(max_examples=examples(300), deadline=None, derandomize=True)
@given(st.lists(st.one_of(_LINES, st.just(b"\r\n"), st.binary(max_size=4))).map(b"".join))
def test_any_multipart_form_is_read_or_refused(body: bytes) -> None:
    headers = Headers([(b"content-type", b"multipart/form-data; boundary=B")])
    try:
        members = read_payload(operation("get-response"), headers, b"", b"--B\r\n" + body)
    except ServiceError as error:
        outcome: object = error.kind
    else:
        outcome = {type(value) for value in members.values()}
    assert outcome in (ErrorKind.INVALID, {str}, set())
