"""ASGI requests and responses, including all error responses of the server.

Responses may be compressed (decision 66).
"""

# No web framework is used, because routes are looked up by exact path and decision 50 fixes the order of checks.

from __future__ import annotations

import re
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

from chartui.core.jsontext import dumps
from chartui.core.spec.errors import ErrorShape
from chartui.core.spec.operations import ESTIMATION_PREFIX

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

#: The minimum size of a response that is compressed, in bytes. Smaller responses fit into a few packets anyway.
WORTH_COMPRESSING: Final = 4096
#: The fastest level. It shrinks 30 MB of records to 1/16 in 0.13 s. The best level halves the size again, but takes
#: four times as long.
_LEVEL: Final = 1
_MEMBER: Final = re.compile(r"\s*([A-Za-z0-9_*.+-]+)\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?", re.IGNORECASE)


class ClientDisconnect(Exception):
    """Raised if the client disconnected before its request was complete."""


class Headers:
    """The header fields of a request. The names of the fields are not case-sensitive."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self.raw = [(name.lower(), value) for name, value in raw]

    def getlist(self, name: str) -> list[str]:
        wanted = name.lower().encode("latin-1")
        return [value.decode("latin-1") for found, value in self.raw if found == wanted]

    def get(self, name: str, default: str = "") -> str:
        return next(iter(self.getlist(name)), default)

    def __contains__(self, name: str) -> bool:
        return bool(self.getlist(name))


class Response:
    """A complete response. ``media_type`` is None if there is no body."""

    def __init__(
        self,
        body: bytes = b"",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
    ) -> None:
        self.body = body
        self.status = status
        fields = dict(headers or {})
        if status not in (204, 304):
            fields["content-length"] = str(len(body))
        if media_type is not None:
            fields["content-type"] = media_type
        self.headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields.items()]

    async def send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


def accepts_gzip(headers: Headers) -> bool:
    """Return whether the client accepts gzip with any weight above 0 (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for member in ",".join(headers.getlist("accept-encoding")).split(","):
        found = _MEMBER.fullmatch(member)
        if found is not None:
            weights[found[1].lower()] = float(found[2] or 1)
    return next((weights[name] for name in ("gzip", "x-gzip", "*") if name in weights), 0.0) > 0


def compressed(body: bytes) -> bytes:
    """Return ``body`` compressed with gzip. Equal bodies give equal output.

    Compressing a large body is slow, so call this function in a thread.
    """
    return zlib.compress(body, _LEVEL, wbits=16 + zlib.MAX_WBITS)


#: The only detail that a caller gets about an internal failure of the server (decision 51).
INTERNAL_ERROR: Final = "internal error"
#: The only detail about a failure of the store, which is damaged or in use, or whose file was removed or replaced.
STORE_ERROR: Final = "the server's store cannot be used; see the server log"


class Refusal(Exception):
    """Raised if a request is rejected before it reaches an operation (decision 50).

    The reason can be its host, path, method, size or framing. If ``close`` is set, the connection is closed after the
    response, because the next bytes may not be a valid request.
    """

    def __init__(
        self, status: int, message: str, *, headers: Mapping[str, str] | None = None, close: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {**(headers or {}), **({"connection": "close"} if close else {})}


def shape_for(path: str) -> ErrorShape:
    """Return the format of error responses for requests to ``path`` that are rejected before they reach an operation.

    The format depends on the part of the service that the path belongs to (decision 50).
    """
    estimation = path == ESTIMATION_PREFIX or path.startswith(f"{ESTIMATION_PREFIX}/")
    return ErrorShape.LOWER if estimation else ErrorShape.UPPER


def error_answer(status: int, shape: ErrorShape, message: str, headers: Mapping[str, str] | None = None) -> Response:
    if shape is ErrorShape.TEXT:
        body, kind = message.encode("utf-8", "backslashreplace"), "text/plain; charset=utf-8"
    else:
        body, kind = dumps({shape.value: message}).encode(), "application/json"
    return Response(body, status, headers, media_type=kind)
