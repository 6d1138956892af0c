"""Stand-ins for what is behind the server, and a plain socket for what is in front of it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from chartui.core.backends.base import Answer, Context
from chartui.core.jsontext import Wire
from chartui.core.spec.check import check_request
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation, Tier

#: The accounts of the stand-in: key and tier.
KEYS: Mapping[str, Tier] = {"free-key": Tier.FREE, "pro-key": Tier.PROFESSIONAL}


async def account_of(key: str) -> Tier | None:
    return KEYS.get(key)


class Scripted:
    """A backend that checks a request as every backend does, and answers what a test wants it to."""

    def __init__(self, answer: Callable[[Operation, Mapping[str, Wire]], Wire], tier: Tier | None) -> None:
        self._answer = answer
        self._tier = tier

    def authorize(self, operation: Operation) -> None:
        if self._tier is not None and operation.tier is not None and self._tier.rank < operation.tier.rank:
            raise ServiceError(ErrorKind.TIER, f"{operation.name} needs the {operation.tier} tier or a higher one.")

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        assert not context.typed
        return Answer(body=self._answer(operation, check_request(operation, payload)))

    async def aclose(self) -> None:
        """Nothing is held."""


def echo(operation: Operation, payload: Mapping[str, Wire]) -> Wire:
    """What arrived, so that a test can look at it."""
    return {"operation": operation.name, "payload": dict(payload)}


class Connection:
    """Bytes to a server and back, as they are."""

    def __init__(self, open_socket: socket.socket) -> None:
        self._socket = open_socket

    def send(self, data: bytes | str) -> None:
        self._socket.sendall(data.encode("latin-1") if isinstance(data, str) else data)

    def receive_until(self, end: bytes) -> bytes:
        received = b""
        while not received.endswith(end):
            received += self._socket.recv(65536)
        return received

    def receive_all(self) -> bytes:
        received = b""
        while chunk := self._socket.recv(65536):
            received += chunk
        return received


@contextmanager
def connection(base_url: str) -> Iterator[Connection]:
    """A connection to the server; what it sends must come within ten seconds."""
    address = urlsplit(base_url)
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 80), timeout=60) as opened:
        yield Connection(opened)


def exchange(base_url: str, request: bytes | str) -> tuple[int, bytes, bytes]:
    """Send one request as it stands; status, head and body of the answer. The request must end the connection."""
    with connection(base_url) as opened:
        opened.send(request)
        return parse(opened.receive_all())


def parse(answer: bytes) -> tuple[int, bytes, bytes]:
    """Status, head and body of the first answer in ``answer``."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), head.lower(), body
