"""Requests and answers as ASGI has them, refusals among them: every error that leaves the server is made here.

A framework would bring a router and middleware as well. Routes are looked up by their exact path, in the order of
checks of decision 50; of the rest, these few lines were used. An answer may be compressed (decision 66).
"""

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

#: Smaller answers fit into a few packets anyway. Bytes.
WORTH_COMPRESSING: Final = 4096
#: The fastest: 30 MB of records shrink to a sixteenth in 0.13 s; the best level takes four times as long for half that.
_LEVEL: Final = 1
_MEMBER: Final = re.compile(r"\s*([A-Za-z0-9_*.+-]+)\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?", re.IGNORECASE)


class ClientDisconnect(Exception):
    """The client has left before its request was complete."""


class Headers:
    """The header fields of a request, found whatever the case of their names."""

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
    """A whole answer; ``media_type`` is left out for one without a body."""

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
    """Whether a client asks for gzip, with any weight above 0 (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for member in ",".join(headers.getlist("accept-encoding")).split(","):
        found = _MEMBER.fullmatch(member)
        if found is not None:
            weights[found[1].lower()] = float(found[2] or 1)
    return next((weights[name] for name in ("gzip", "x-gzip", "*") if name in weights), 0.0) > 0


def compressed(body: bytes) -> bytes:
    """``body`` as gzip, the same at every call. Large ones take a while: call it in a thread."""
    return zlib.compress(body, _LEVEL, wbits=16 + zlib.MAX_WBITS)


#: All that a caller learns about a failure of the server itself (decision 51).
INTERNAL_ERROR: Final = "internal error"
#: The same where the store is at fault: it may be damaged or in use, or its file was removed or replaced.
STORE_ERROR: Final = "the store of this server cannot be used; its log says why"


class Refusal(Exception):
    """A request that no operation sees: wrong host, path, method, size or framing (decision 50).

    ``close`` ends the connection after the answer, where what follows on it cannot be trusted to be a request.
    """

    def __init__(
        self, status: int, message: str, *, headers: Mapping[str, str] | None = None, close: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {**(headers or {}), **({"connection": "close"} if close else {})}


def shape_for(path: str) -> ErrorShape:
    """How a refusal is written where no row says it: by the part of the service that was addressed (decision 50)."""
    estimation = path == ESTIMATION_PREFIX or path.startswith(f"{ESTIMATION_PREFIX}/")
    return ErrorShape.LOWER if estimation else ErrorShape.UPPER


def error_answer(status: int, shape: ErrorShape, message: str, headers: Mapping[str, str] | None = None) -> Response:
    if shape is ErrorShape.TEXT:
        body, kind = message.encode("utf-8", "backslashreplace"), "text/plain; charset=utf-8"
    else:
        body, kind = dumps({shape.value: message}).encode(), "application/json"
    return Response(body, status, headers, media_type=kind)
