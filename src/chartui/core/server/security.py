"""Who may talk to the server: a program on this machine, never a web page.

A server on the loopback interface is reached by every page a browser on the same machine shows: by a form or a script
directly, and with its answers readable once a name of the page's owner resolves to 127.0.0.1. So a request must name
one of this machine's own names as its host, and must not come from a page at all; no CORS header is ever sent.

A program that tries keys is slowed down (decision 74).
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Final

from chartui.core.clock import Monotonic
from chartui.core.server.asgi import Headers, Scope
from chartui.core.server.errors import Refusal
from chartui.core.spec.errors import ErrorKind, ServiceError

__all__ = ["HEADER_LIMIT", "WrongKeys", "check_head", "given_key"]

#: The request line and all header fields together, in bytes. The parser's own bound sees only what comes in pieces.
HEADER_LIMIT: Final = 16 * 1024

#: Peers whose wrong keys are remembered at most; of more, the one whose last wrong key is the oldest is forgotten.
_MOST_PEERS: Final = 1024
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


class WrongKeys:
    """Counts the wrong keys of each peer: after ``most`` within ``seconds``, further ones are refused with 429.

    A refused key is not counted, so a peer that goes on gets one answer for each wrong key that grows old. A correct
    key is never refused here, and no peer counts for another. ``ticks`` is the clock, in seconds. (decision 74)
    """

    def __init__(self, most: int, seconds: float, ticks: Monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._ticks = ticks
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def count(self, peer: str) -> None:
        """Count a wrong key of ``peer``; raises :class:`Refusal` where there were too many already."""
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
