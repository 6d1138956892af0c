"""What only a request over HTTP can get right or wrong (decisions 11, 12, 14, 27, 42, 49 to 55)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from urllib.parse import urlencode

import httpx

from chartui.core.jsontext import Wire, loads
from chartui.core.spec.errors import ErrorKind, ErrorShape
from chartui.core.spec.operation import Encoding, Operation
from chartui.core.spec.operations import KEY_HEADER, operation
from tests.contract.case import Run, add, case
from tests.contract.samples import WITH_KEY, WITH_PATH, Request, request
from tests.contract.seed import KEEPER, NOWHERE
from tests.contract.world import WIRE, Account, Path, World, sentence_of

OVERSIZE = b" " * (1024 * 1024 + 1)


async def send(world: World, asked: Request, account: Account | None = Account.PROFESSIONAL) -> httpx.Response:
    return await world.http(asked.method, asked.target, account=account, headers=asked.headers, content=asked.content)


def shape_of(row: Operation) -> ErrorShape:
    return ErrorShape.LOWER if (row.path or "").startswith("/api/v1") else ErrorShape.UPPER


def for_rows(
    rows: Iterable[Operation],
    name: str,
    outcome: ErrorKind | None,
    decisions: Iterable[int],
    make: Callable[[Operation], Run],
) -> None:
    """The same case for each row; ``make`` gives what runs for one."""
    for row in rows:
        add(name, row.name, make(row), outcome=outcome, decisions=decisions, paths=WIRE)


# -- the key ----------------------------------------------------------------------------------------------------------


def _no_key(row: Operation) -> Run:
    async def run(world: World) -> None:
        world.check_refusal(await send(world, request(row), account=None), row, ErrorKind.NO_KEY)
        empty = replace(request(row), headers={**request(row).headers, KEY_HEADER: ""})
        world.check_refusal(await send(world, empty, account=None), row, ErrorKind.NO_KEY)

    return run


def _bad_key(row: Operation) -> Run:
    async def run(world: World) -> None:
        good = world.template.keys[Account.PROFESSIONAL]
        for key in ("x", good[:-1], f"{good}x", good.swapcase(), f"Bearer {good}"):
            asked = replace(request(row), headers={**request(row).headers, KEY_HEADER: key})
            message = world.check_refusal(await send(world, asked, account=None), row, ErrorKind.BAD_KEY)
            assert key not in message.split()

    return run


for_rows(WITH_KEY, "without a key", ErrorKind.NO_KEY, (27, 51), _no_key)
for_rows(WITH_KEY, "with a wrong key", ErrorKind.BAD_KEY, (27, 51), _bad_key)


def _key_is_not_looked_at(row: Operation) -> Run:
    async def run(world: World) -> None:
        plain = await send(world, request(row), account=None)
        assert plain.status_code == 200
        keyed = replace(request(row), headers={**request(row).headers, KEY_HEADER: "wrong"})
        assert (await send(world, keyed, account=None)).content == plain.content

    return run


for_rows(
    (row for row in WITH_PATH if row.tier is None), "needs no key and looks at none", None, (14,), _key_is_not_looked_at
)

# -- size, failures, paths and methods --------------------------------------------------------------------------------


def _too_large(row: Operation) -> Run:
    async def run(world: World) -> None:
        response = await send(world, replace(request(row), content=OVERSIZE))
        world.check_refusal(response, row, ErrorKind.TOO_LARGE)

    return run


def _internal(row: Operation) -> Run:
    async def run(world: World) -> None:
        world.failure = RuntimeError("secret detail")
        response = await send(world, request(row))
        assert world.check_refusal(response, row, ErrorKind.INTERNAL) == "internal error"

    return run


def _trailing_slash(row: Operation) -> Run:
    async def run(world: World) -> None:
        asked = request(row)
        path, mark, query = asked.target.partition("?")
        assert (await send(world, replace(asked, target=f"{path}/{mark}{query}"))).status_code == 200

    return run


#: The paths that answer GET, and so HEAD.
_READ = {row.path for row in WITH_PATH if row.method == "GET"}


def _wrong_method(row: Operation) -> Run:
    async def run(world: World) -> None:
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", *([] if row.path in _READ else ["HEAD"])):
            response = await send(world, replace(request(row), method=method), account=None)
            assert response.status_code == 405
            assert row.method in response.headers["allow"].split(", ")
            if method != "HEAD":
                sentence_of(response, shape_of(row))

    return run


for_rows(WITH_PATH, "with a body beyond the limit", ErrorKind.TOO_LARGE, (27, 50), _too_large)
for_rows(WITH_PATH, "when the server fails", ErrorKind.INTERNAL, (51,), _internal)
for_rows(WITH_PATH, "with a slash at the end", None, (42,), _trailing_slash)
for_rows(WITH_PATH, "with another method", None, (27, 50), _wrong_method)


@case("list-characters", decisions=(27, 50), paths=WIRE)
async def a_path_that_is_not_there(world: World) -> None:
    for path, shape in (
        ("/", ErrorShape.UPPER),
        ("/character", ErrorShape.UPPER),
        ("/character/List", ErrorShape.UPPER),
        ("/character/narrative/create-sections", ErrorShape.UPPER),
        ("/character/list//", ErrorShape.UPPER),
        ("/apiv1/estimate", ErrorShape.UPPER),
        ("/api/v1", ErrorShape.LOWER),
        ("/api/v1/estimates", ErrorShape.LOWER),
    ):
        for account in (None, Account.PROFESSIONAL):
            response = await world.http("POST", path, account=account)
            assert response.status_code == 404, path
            sentence_of(response, shape)


# -- the order of checks ----------------------------------------------------------------------------------------------


@case("create-trigger", decisions=(50,), paths=WIRE)
async def what_is_wrong_first_is_said_first(world: World) -> None:
    row = operation("create-trigger")
    taken = {"character_id": KEEPER, "trigger_name": "alarm", "trigger_message": ""}
    elsewhere = request(row, {**taken, "character_id": NOWHERE})
    wrong = replace(elsewhere, content=b'{"character_id": 7}')
    large = replace(wrong, content=OVERSIZE)
    foreign = {"host": "service.example"}
    no_path = replace(large, target="/character/nothing", method="GET", headers=foreign)
    ladder: tuple[tuple[Request, Account | None, int], ...] = (
        (no_path, None, 421),
        (replace(no_path, headers={}), None, 404),
        (replace(large, method="GET"), None, 405),
        (large, None, 413),
        (wrong, None, row.errors[ErrorKind.NO_KEY][0]),
        (replace(wrong, headers={KEY_HEADER: "wrong"}), None, row.errors[ErrorKind.BAD_KEY][0]),
        (wrong, Account.PROFESSIONAL, row.errors[ErrorKind.INVALID][0]),
        (elsewhere, Account.PROFESSIONAL, row.errors[ErrorKind.NOT_FOUND][0]),
        (request(row, taken), Account.PROFESSIONAL, row.errors[ErrorKind.CONFLICT][0]),
    )
    assert [(await send(world, asked, account)).status_code for asked, account, _ in ladder] == [
        status for _, _, status in ladder
    ]


@case("update-character", ErrorKind.TIER, decisions=(29, 50), paths=WIRE)
async def the_tier_is_looked_at_before_the_body(world: World) -> None:
    row = operation("update-character")
    response = await send(world, replace(request(row), content=b"{"), Account.FREE)
    world.check_refusal(response, row, ErrorKind.TIER)


@case("update-character", ErrorKind.INVALID, decisions=(50,), paths=WIRE)
async def the_body_is_looked_at_before_the_character(world: World) -> None:
    row = operation("update-character")
    response = await send(world, request(row, {"charID": NOWHERE, "temperature": 2}))
    assert "temperature" in world.check_refusal(response, row, ErrorKind.INVALID)


@case("list-characters", decisions=(50,), paths=WIRE)
async def a_web_page_is_not_answered(world: World) -> None:
    for headers, status in (({"origin": "http://127.0.0.1"}, 403), ({"host": "127.0.0.1.example"}, 421)):
        response = await world.http("POST", "/character/list", headers=headers)
        assert response.status_code == status
        sentence_of(response, ErrorShape.UPPER)
        assert not [name for name in response.headers if name.startswith("access-control-")]


# -- bodies -----------------------------------------------------------------------------------------------------------

_NO_OBJECTS: Mapping[str, bytes] = {
    "null": b"null",
    "an array": b"[]",
    "a number": b"1",
    "a text": b'"x"',
    "half an object": b'{"a": 1',
    "two objects": b"{}{}",
    "bad UTF-8": b'{"charID": "\xff"}',
    "half a surrogate pair": b'{"charID": "\\ud800"}',
    "a member twice": b'{"charID": "a", "charID": "b"}',
    "no number": b'{"temperature": NaN}',
    "an infinite number": b'{"temperature": -Infinity}',
    "a number of a thousand digits": b'{"temperature": ' + b"1" * 1000 + b"}",
    "brackets without end": b"[" * 100_000,
    "an object without end": b'{"a":' * 100_000,
    "a comment": b"{} // x",
    "blanks alone": b"  ",
}


def _no_object(row: Operation) -> Run:
    async def run(world: World) -> None:
        for name, content in _NO_OBJECTS.items():
            response = await send(world, replace(request(row), content=content))
            assert response.status_code == row.errors[ErrorKind.INVALID][0], name
            world.check_refusal(response, row, ErrorKind.INVALID)

    return run


for_rows(
    (row for row in WITH_PATH if row.encoding is Encoding.JSON),
    "with a body that is no JSON object",
    ErrorKind.INVALID,
    (10, 11, 53),
    _no_object,
)


@case("estimate", decisions=(11,), paths=WIRE)
async def no_body_means_the_defaults(world: World) -> None:
    bodies = (b"", b"{}", b"\xef\xbb\xbf{}", b"\xef\xbb\xbf")  # also behind a byte order mark
    answers = {(await world.http("POST", "/api/v1/estimate", content=content)).content for content in bodies}
    assert len(answers) == 1


@case("estimate", outcome=ErrorKind.INVALID, decisions=(73,), paths=WIRE)
async def a_member_that_stands_twice_is_named(world: World) -> None:
    content = b'{"assumptions": {"inputTokens": 1, "inputTokens": 2}}'
    response = await world.http("POST", "/api/v1/estimate", content=content)
    assert "'inputTokens' is given more than once in the body." in sentence_of(
        response, shape_of(operation("estimate"))
    )


@case("options", paths=WIRE)
async def head_answers_as_get_does_without_a_body(world: World) -> None:
    path = operation("options").path or ""
    got, head = [await world.http(method, path) for method in ("GET", "HEAD")]
    assert (head.status_code, head.headers["content-length"]) == (200, got.headers["content-length"])
    assert world.path is Path.ASGI or not head.content  # the server leaves it out


@case("list-models", decisions=(11, 18), paths=WIRE)
async def no_body_means_every_model(world: World) -> None:
    path = "/character/getSupportedModel"
    assert (await world.http("POST", path)).content == (await world.http("POST", path, content=b"{}")).content


@case("list-characters", ErrorKind.INVALID, decisions=(53,), paths=WIRE)
async def a_member_in_a_body_that_should_not_be_there(world: World) -> None:
    row = operation("list-characters")
    response = await world.http("POST", "/character/list", content=b'{"charID": "x"}')
    assert "charID" in world.check_refusal(response, row, ErrorKind.INVALID)


@case("options", ErrorKind.INVALID, decisions=(53,), paths=WIRE)
async def a_member_in_a_query_that_should_not_be_there(world: World) -> None:
    response = await world.http("GET", "/api/v1/options?refresh=true")
    assert "refresh" in world.check_refusal(response, operation("options"), ErrorKind.INVALID)


def _with_content_type(kind: str) -> Callable[[Operation], Run]:
    def make(row: Operation) -> Run:
        async def run(world: World) -> None:
            response = await send(world, replace(request(row), headers={"content-type": kind}))
            assert response.status_code == 200, response.text

        return run

    return make


for _kind in ("text/plain", "application/x-www-form-urlencoded", "nonsense"):
    for_rows(
        (row for row in WITH_PATH if row.encoding is Encoding.JSON),
        f"with JSON that is called {_kind}",
        None,
        (52,),
        _with_content_type(_kind),
    )

# -- queries ----------------------------------------------------------------------------------------------------------


@case("get-estimate", ErrorKind.INVALID, decisions=(54,), paths=WIRE)
async def a_name_given_twice(world: World) -> None:
    row = operation("get-estimate")
    for query in ("llm=mdla_4o&llm=mdla_4o", "memory=true&stt=no_stt_input&memory=true"):
        response = await world.http("GET", f"/api/v1/estimate?{query}")
        assert "more than once" in world.check_refusal(response, row, ErrorKind.INVALID)


@case("get-estimate", ErrorKind.INVALID, decisions=(9, 10, 54), paths=WIRE)
async def text_that_is_none(world: World) -> None:
    row = operation("get-estimate")
    for query in ("llm=%ff", "inputTokens=", "memory", "%00=1", "inputTokens=%31%E2%80%8B", "inputTokens=1%00"):
        world.check_refusal(await world.http("GET", f"/api/v1/estimate?{query}"), row, ErrorKind.INVALID)


@case("get-estimate", decisions=(10, 54), paths=WIRE)
async def numbers_by_the_grammar_of_json(world: World) -> None:
    for text, echoed in (("1e3", "1000"), ("0.50", "0.5"), ("-0.0", "0"), ("1E%2B2", "100"), ("%34", "4")):
        response = await world.http("GET", f"/api/v1/estimate?inputTokens={text}")
        assert response.status_code == 200, response.text
        assert f'"inputTokens": {echoed},' in response.text


# -- caching ----------------------------------------------------------------------------------------------------------


def _cached(row: Operation) -> Run:
    async def run(world: World) -> None:
        first = await send(world, request(row))
        assert first.headers["cache-control"] == "max-age=60"
        tag = first.headers["etag"]
        again = replace(request(row), headers={"if-none-match": tag})
        for condition in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            response = await send(world, replace(again, headers={"if-none-match": condition}))
            assert (response.status_code, response.content) == (304, b"")
            assert response.headers["etag"] == tag
        other = await send(world, replace(again, headers={"if-none-match": '"x"'}))
        assert (other.status_code, other.content) == (200, first.content)

    return run


for_rows((row for row in WITH_PATH if row.cacheable), "may be kept and asked about", None, (12, 55), _cached)


def _not_cached(row: Operation) -> Run:
    async def run(world: World) -> None:
        response = await send(world, request(row))
        assert response.status_code == 200
        assert "etag" not in response.headers
        assert "cache-control" not in response.headers

    return run


for_rows((row for row in WITH_PATH if not row.cacheable), "is not to be kept", None, (12,), _not_cached)

# -- forms ------------------------------------------------------------------------------------------------------------

_FORM = {
    "userText": "Pick up the lamp.",
    "charID": KEEPER,
    "sessionID": "-1",
    "voiceResponse": "TRUE",
    "actions": "Pick up, Drop",
    "classification": "multistep",
    "objects": '[{"name": "Lamp", "description": "brass & oil = light"}]',
    "characters": "[]",
}
_ACT = "/character/getResponse"


def _multipart(parts: Iterable[tuple[str, str]]) -> Request:
    body = "".join(
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in parts
    )
    return Request("POST", _ACT, {"content-type": "multipart/form-data; boundary=cut"}, f"{body}--cut--\r\n".encode())


def _urlencoded(parts: Iterable[tuple[str, str]]) -> Request:
    kind = "application/x-www-form-urlencoded"
    return Request("POST", _ACT, {"content-type": kind}, urlencode(list(parts)).encode())


@case("get-response", decisions=(42, 45), paths=WIRE)
async def both_kinds_of_form_say_the_same(world: World) -> None:
    answers = []
    for asked in (_urlencoded(_FORM.items()), _multipart(_FORM.items())):
        response = await send(world, asked)
        assert response.status_code == 200, response.text
        answers.append({**loads(response.content), "sessionID": None})
    assert answers[0] == answers[1]
    assert answers[0]["actionSequence"] == "Pick up Lamp"


@case("get-response", ErrorKind.INVALID, decisions=(42, 52), paths=WIRE)
async def json_is_refused_and_told_why(world: World) -> None:
    row = operation("get-response")
    for kind in ("application/json", "text/plain", ""):
        headers = {"content-type": kind} if kind else {}
        response = await world.http("POST", _ACT, headers=headers, content=b'{"userText": "Hello."}')
        assert "form" in world.check_refusal(response, row, ErrorKind.INVALID)


@case("get-response", ErrorKind.INVALID, decisions=(54,), paths=WIRE)
async def a_field_given_twice(world: World) -> None:
    row = operation("get-response")
    for make in (_urlencoded, _multipart):
        response = await send(world, make([*_FORM.items(), ("charID", KEEPER)]))
        message = world.check_refusal(response, row, ErrorKind.INVALID)
        assert "charID" in message
        assert "more than once" in message


@case("get-response", decisions=(49,), paths=WIRE)
async def says_that_it_is_deprecated_in_refusals_too(world: World) -> None:
    # The day of C 9, 2026-08-26, in seconds since 1970 (RFC 9745).
    for account in (None, Account.FREE, Account.PROFESSIONAL):
        response = await send(world, _urlencoded(_FORM.items()), account)
        assert response.headers["deprecation"] == "@1787702400"


# -- the document -----------------------------------------------------------------------------------------------------


@case("options", decisions=(55,), paths=WIRE)
async def the_document_describes_every_row(world: World) -> None:
    response = await world.http("GET", "/openapi.json", account=None)
    assert response.status_code == 200
    document: Wire = loads(response.content)
    assert document["openapi"].startswith("3.1.")
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    assert described == {(row.path, row.method) for row in WITH_PATH}
    for row in WITH_PATH:
        answers = document["paths"][row.path][row.method.lower()]["responses"]
        assert {"200", *(str(status) for status, _ in row.errors.values())} <= set(answers)
