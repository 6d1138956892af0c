"""An ASGI application that serves the operations of a service.

The path, method, encoding, tier and errors of an operation come from its row in the table of operations. Checks run in
the order of decision 50: host and origin, path, method, size, API key, tier, fields, existence, conflict. The backend
performs the checks after the tier check.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import re
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

from chartui.core.backends.base import Backend, Context
from chartui.core.classes import dataclass
from chartui.core.clock import Monotonic, monotonic
from chartui.core.jsontext import Wire, dumps
from chartui.core.server.bodies import Body, read_payload
from chartui.core.server.http import (
    INTERNAL_ERROR,
    STORE_ERROR,
    WORTH_COMPRESSING,
    ASGIApp,
    ClientDisconnect,
    Headers,
    Message,
    Receive,
    Refusal,
    Response,
    Scope,
    Send,
    accepts_gzip,
    compressed,
    error_answer,
    shape_for,
)
from chartui.core.server.openapi import MAX_AGE, document
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import KEY_HEADER, OPERATIONS
from chartui.core.text import single_line

#: The limit for the request line and all header fields together, in bytes. It is needed because the HTTP parser only
#: limits incomplete heads.
HEADER_LIMIT: Final = 16 * 1024

#: The maximum number of peers whose wrong API keys are counted. The peer whose last wrong API key is oldest is dropped
#: first.
_MOST_PEERS: Final = 1024
_OWN_HOST: Final = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)


def check_head(scope: Scope, headers: Headers) -> None:
    """Check the size, framing, host and origin of a request. Raises :class:`Refusal` if one of them is not accepted."""
    size = sum(len(name) + len(value) for name, value in headers.raw)
    if size + len(scope.get("raw_path") or b"") + len(scope["query_string"]) > HEADER_LIMIT:
        raise Refusal(431, f"The request headers are larger than {HEADER_LIMIT} bytes.", close=True)
    if "transfer-encoding" in headers and "content-length" in headers:
        # Two conflicting body lengths enable request smuggling.
        raise Refusal(400, "Content-Length and Transfer-Encoding cannot be combined.", close=True)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not hosts[0]:
        raise Refusal(400, "Exactly one Host header is required.")
    if not _OWN_HOST.fullmatch(hosts[0]):
        raise Refusal(421, "This server accepts requests only for 127.0.0.1, localhost and [::1].")
    if "origin" in headers:
        raise Refusal(403, "This server does not accept requests from web pages.")


def _given_key(headers: Headers, names: Sequence[str]) -> str:
    """Return the API key in any of the header ``names``.

    Raises :class:`ServiceError`: ``no_key`` if there is none, ``bad_key`` if there are two different ones.
    """
    keys = {value for name in names for value in headers.getlist(name) if value}
    if not keys:
        raise ServiceError(ErrorKind.NO_KEY, f"An API key is required in the {names[0]} header.")
    if len(keys) > 1:
        raise ServiceError(ErrorKind.BAD_KEY, "Two different API keys were given.")
    return keys.pop()


class WrongKeys:
    """Limits how many wrong API keys each peer can send.

    A peer can send up to ``most`` wrong API keys within ``seconds``. Every further wrong API key gets status 429
    (decision 74). Attempts rejected in this way are not counted. Correct API keys are always accepted, and peers do not
    affect each other. ``ticks`` is the clock, in seconds.
    """

    def __init__(self, most: int, seconds: float, ticks: Monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._ticks = ticks
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def count(self, peer: str) -> None:
        """Count a wrong API key sent by ``peer``. Raises :class:`Refusal` if the peer has already sent too many."""
        now = self._ticks()
        times = self._times.setdefault(peer, deque())
        while times and now - times[0] >= self._seconds:
            times.popleft()
        if len(times) >= self._most:
            wait = math.ceil(times[0] + self._seconds - now)
            headers = {"retry-after": str(wait)}
            raise Refusal(429, f"Too many wrong API keys. Try again in {wait} s.", headers=headers)
        times.append(now)
        self._times.move_to_end(peer)
        if len(self._times) > _MOST_PEERS:
            self._times.popitem(last=False)


#: The path of the OpenAPI document (decision 55).
_DOCUMENT_PATH: Final = "/openapi.json"

_CONTEXT: Final = Context(origin="server")
_ENTITY_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')

_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,100}")

_log = logging.getLogger(__name__)
_access = logging.getLogger("chartui.access")

Account = TypeVar("Account")
#: A function that takes the headers, the query, the body and the peer's address.
Handler = Callable[[Headers, bytes, bytes, str], Awaitable[Response]]


class AccountBackend(Backend, Protocol):
    """A backend that acts for one account and checks the account's tier."""

    def authorize(self, operation: Operation) -> None:
        """Raise :class:`ServiceError` (kind ``tier``) unless the account may perform ``operation``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits on requests and wrong API keys, with sizes in bytes and times in seconds (decision 27).

    ``body`` and ``body_seconds`` limit the request body. If the body is too large, the server reads up to ``drain``
    more bytes for up to ``drain_seconds``. A peer may send ``wrong_keys`` wrong API keys within ``wrong_key_seconds``
    (decision 74).
    """

    body: int = 1024 * 1024
    body_seconds: float = 10
    drain: int = 16 * 1024 * 1024
    drain_seconds: float = 2
    wrong_keys: int = 20
    wrong_key_seconds: float = 60


def make_app(
    *,
    backend_for: Callable[[Account | None], AccountBackend],
    authenticate: Callable[[str], Awaitable[Account | None]],
    key_header: str | None = None,
    limits: Limits | None = None,
    ticks: Monotonic = monotonic,
) -> ASGIApp:
    """Build an ASGI application that serves all operations with a path.

    ``authenticate`` is a function that returns the account of an API key, or None if the API key is wrong.
    ``backend_for`` is a function that returns the backend of an account or, given None, the backend for operations that
    need no API key. ``key_header`` is the name of a second header in which clients can send the API key. A request with
    different API keys in the two headers is rejected. ``ticks`` is the clock for counting wrong API keys, in seconds.
    Raises ``ValueError`` if ``key_header`` is not a valid header name.
    """
    if key_header is not None and not _HEADER_NAME.fullmatch(key_header):
        raise ValueError(f"{key_header!r} is not a valid header name. Use letters, digits and hyphens.")
    names = (KEY_HEADER,) if key_header is None else (KEY_HEADER, key_header)
    return _logged(_Application(backend_for, authenticate, names, limits or Limits(), ticks))


class _Application(Generic[Account]):
    """Answers requests. The routes are built once, from the rows."""

    def __init__(
        self,
        backend_for: Callable[[Account | None], AccountBackend],
        authenticate: Callable[[str], Awaitable[Account | None]],
        key_headers: tuple[str, ...],
        limits: Limits,
        ticks: Monotonic,
    ) -> None:
        self._backend_for = backend_for
        self._authenticate = authenticate
        self._key_headers = key_headers
        self._limits = limits
        self._wrong_keys = WrongKeys(limits.wrong_keys, limits.wrong_key_seconds, ticks)
        self._document: bytes | None = None
        self._routes: dict[str, dict[str, Handler]] = {_DOCUMENT_PATH: {"GET": self._describe, "HEAD": self._describe}}
        for row in OPERATIONS.values():
            if row.path is not None:
                methods = self._routes.setdefault(row.path, {})
                # The server omits the body of a HEAD response.
                for method in (row.method, "HEAD") if row.method == "GET" else (row.method,):
                    methods[method] = partial(self._perform, row)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"connections of type {scope['type']} are not supported")
        body = Body(receive)
        try:
            response = await self._respond(scope, body)
        except ClientDisconnect:
            return  # the client has disconnected
        except Refusal as refusal:
            response = error_answer(refusal.status, shape_for(scope["path"]), refusal.message, refusal.headers)
            if refusal.status == 413:
                await self._send_and_drain(response, body, send)
                return
        await response.send(send)

    async def _respond(self, scope: Scope, body: Body) -> Response:
        headers = Headers(scope["headers"])
        check_head(scope, headers)
        # Decision 42: a trailing slash is accepted.
        methods = self._routes.get(scope["path"].removesuffix("/"))
        if methods is None:
            raise Refusal(404, "No operation has this path.")
        handler = methods.get(scope["method"])
        if handler is None:
            allowed = ", ".join(methods)
            raise Refusal(405, f"This path accepts only {allowed}.", headers={"allow": allowed})
        content = await body.read(headers, limit=self._limits.body, seconds=self._limits.body_seconds)
        peer = scope.get("client")
        return await handler(headers, scope["query_string"], content, peer[0] if peer else "")

    async def _send_and_drain(self, response: Response, body: Body, send: Send) -> None:
        """Respond immediately, then drain the rest of the request so that the client can read the response."""
        await send({"type": "http.response.start", "status": response.status, "headers": response.headers})
        await send({"type": "http.response.body", "body": response.body, "more_body": True})
        await body.drain(limit=self._limits.drain, seconds=self._limits.drain_seconds)
        await send({"type": "http.response.body", "body": b""})

    async def _perform(self, row: Operation, headers: Headers, query: bytes, body: bytes, peer: str) -> Response:
        extra = {} if row.deprecated is None else {"deprecation": _deprecation(row.deprecated)}
        try:
            account = await self._account(headers, peer) if row.tier is not None else None
            backend = self._backend_for(account)
            if account is not None:
                backend.authorize(row)
            payload = read_payload(row, headers, query, body)
            answer = await backend.perform(row, payload, _CONTEXT)
            # Encoding 30 MB takes seconds, and other requests must be served meanwhile.
            content = await asyncio.to_thread(_written, answer.body) if row.large else _written(answer.body)
        except Refusal:
            raise
        except ServiceError as error:
            return _refused(row, error, extra)
        except Exception as error:  # noqa: BLE001 - the caller always gets an answer, and the log the cause
            return _refused(row, error, extra)
        return await _content(content, headers, cacheable=row.cacheable, extra=extra)

    async def _account(self, headers: Headers, peer: str) -> Account:
        account = await self._authenticate(_given_key(headers, self._key_headers))
        if account is None:
            self._wrong_keys.count(peer)
            raise ServiceError(ErrorKind.BAD_KEY, "The API key is not valid.")
        return account

    async def _describe(self, headers: Headers, _query: bytes, _body: bytes, _peer: str) -> Response:
        if self._document is None:
            self._document = _written(document(self._key_headers))
        return await _content(self._document, headers, cacheable=True, extra={})


def _written(body: Wire) -> bytes:
    return dumps(body).encode()


async def _content(content: bytes, asked: Headers, *, cacheable: bool, extra: Mapping[str, str]) -> Response:
    """Build a response with status 200. It is compressed if the client accepts that and the content is large enough
    (decision 66).

    Cacheable responses carry an entity tag. If the client's copy is current, the response has status 304 (decision 12).
    """
    headers = dict(extra)
    packs = len(content) > WORTH_COMPRESSING and accepts_gzip(asked)
    if len(content) > WORTH_COMPRESSING:
        headers["vary"] = "accept-encoding"
    if cacheable:
        # Each encoding of a response has its own tag (RFC 9110, 8.8.3.3).
        digest = hashlib.sha256(content)
        if packs:
            digest.update(b"gzip")
        tag = f'"{digest.hexdigest()[:32]}"'
        headers |= {"etag": tag, "cache-control": f"max-age={MAX_AGE}"}
        if _matches(asked.getlist("if-none-match"), tag):
            return Response(status=304, headers=headers)
    if packs:
        headers["content-encoding"] = "gzip"
        content = await asyncio.to_thread(compressed, content)
    return Response(content, headers=headers, media_type="application/json")


def _matches(conditions: list[str], tag: str) -> bool:
    """Compare entity tags weakly, as required for If-None-Match (RFC 9110, 13.1.2)."""
    condition = ",".join(conditions).strip()
    return condition == "*" or tag in _ENTITY_TAG.findall(condition)


def _refused(row: Operation, error: Exception, extra: Mapping[str, str]) -> Response:
    """Build the response to an error, with the status and format given in the row.

    The details of a server failure are only logged.
    """
    kind = error.kind if isinstance(error, ServiceError) else ErrorKind.INTERNAL
    if kind in (ErrorKind.BROKEN, ErrorKind.BUSY):
        _log.error("%s failed: %s", row.name, error)
        kind, message = ErrorKind.INTERNAL, STORE_ERROR
    elif kind not in row.errors or kind is ErrorKind.INTERNAL:
        _log.error("%s failed", row.name, exc_info=error)
        kind, message = ErrorKind.INTERNAL, INTERNAL_ERROR
    else:
        message = str(error)
    return error_answer(*row.error(kind), message, extra)


def _deprecation(date: str) -> str:
    """Return the deprecation date as a header value (RFC 9745)."""
    return f"@{int(datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp())}"


def _logged(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that it logs one line per request.

    The line has the method, path, status, milliseconds and bytes sent, but no query and no headers.
    """

    async def logged(scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        status: int | None = None
        size = 0

        async def counting(message: Message) -> None:
            nonlocal status, size
            status = message.get("status", status)
            size += len(message.get("body", b""))
            await send(message)

        try:
            await app(scope, receive, counting)
        finally:
            path = single_line(scope.get("path", ""), limit=200)
            spent = (time.perf_counter() - start) * 1000
            _access.info("%s %s %s %.1f ms %d bytes", scope.get("method", "-"), path, status or "-", spent, size)

    return logged
