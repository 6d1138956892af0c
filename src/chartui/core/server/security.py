"""Who may talk to the server: a program on this machine, never a web page.

A server on the loopback interface is reached by every page a browser on the same machine shows: by a form or a script
directly, and with its answers readable once a name of the page's owner resolves to 127.0.0.1. So a request must name
one of this machine's own names as its host, and must not come from a page at all; no CORS header is ever sent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from chartui.core.server.asgi import Headers, Scope
from chartui.core.server.errors import Refusal
from chartui.core.spec.errors import ErrorKind, ServiceError

__all__ = ["HEADER_LIMIT", "check_head", "given_key"]

#: The request line and all header fields together, in bytes. The parser's own bound sees only what comes in pieces.
HEADER_LIMIT: Final = 16 * 1024

_OWN_HOST: Final = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)


def check_head(scope: Scope, headers: Headers) -> None:
    """Raise :class:`Refusal` unless the head of a request is one that this server listens to."""
    size = sum(len(name) + len(value) for name, value in headers.raw)
    if size + len(scope.get("raw_path") or b"") + len(scope["query_string"]) > HEADER_LIMIT:
        raise Refusal(431, f"The head of the request is larger than {HEADER_LIMIT} bytes.", close=True)
    if "transfer-encoding" in headers and "content-length" in headers:
        # Two answers to "where does the body end" are how one request is smuggled inside another.
        raise Refusal(400, "Content-Length and Transfer-Encoding exclude each other.", close=True)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not hosts[0]:
        raise Refusal(400, "Exactly one Host header is needed.")
    if not _OWN_HOST.fullmatch(hosts[0]):
        raise Refusal(421, "This server answers to 127.0.0.1, localhost and [::1] only.")
    if "origin" in headers:
        raise Refusal(403, "This server does not answer to web pages.")


def given_key(headers: Headers, names: Sequence[str]) -> str:
    """The key that the request carries under any of the header ``names``.

    Raises :class:`ServiceError`: kind ``no_key`` without one, ``bad_key`` when two different ones are given.
    """
    keys = {value for name in names for value in headers.getlist(name) if value}
    if not keys:
        raise ServiceError(ErrorKind.NO_KEY, f"An API key is needed, in the header {names[0]}.")
    if len(keys) > 1:
        raise ServiceError(ErrorKind.BAD_KEY, "Two different API keys were given.")
    return keys.pop()
