"""A service on a real loopback socket that misbehaves to order, and counts what it was asked."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Final, Self

__all__ = ["CERTS", "Connection", "Fault", "FaultServer", "Seen", "closes", "cut", "drip", "flood", "raw", "reply"]
__all__ += ["resets", "silence", "unused_port"]

CERTS: Final = Path(__file__).parent / "certs"
_CHUNK: Final = b"\0" * 65536


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it arrived; header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """One connection to the server, as a fault plays on it."""

    def __init__(self, server: FaultServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server = server
        self.reader = reader
        self.writer = writer

    @property
    def closed(self) -> bool:
        return self.writer.is_closing() or self.server.stopped.is_set()

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()
        self.server.sent += len(data)

    def close(self, *, reset: bool = False) -> None:
        """End the connection; with ``reset`` the client sees it torn, not ended."""
        if reset:
            linger = struct.pack("ii", 1, 0)
            self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.close()


#: Answers one request that has been read.
Fault = Callable[[Connection], Awaitable[None]]


class FaultServer:
    """Answers each request by the next fault of ``script``; the last one is played for all that follow.

    ``certificate`` names a file in ``certs`` and makes it speak TLS. ``seen`` lists the requests, ``sent`` counts the
    bytes the client's machine took, ``connections`` what was accepted.
    """

    def __init__(self, *script: Fault, certificate: str | None = None, port: int = 0) -> None:
        self._script = list(script)
        self._context: ssl.SSLContext | None = None
        if certificate is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(CERTS / certificate)
        self._port = port
        self._server: asyncio.Server | None = None
        self._players: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self.stopped = asyncio.Event()
        self.seen: list[Seen] = []
        self.sent = 0
        self.connections = 0

    @property
    def base_url(self) -> str:
        return f"{'https' if self._context else 'http'}://localhost:{self._port}"

    @property
    def bodies(self) -> list[bytes]:
        return [seen.body for seen in self.seen]

    async def __aenter__(self) -> Self:
        # The protocol is named: without it Nagle's algorithm stays on, and each answer waits 40 ms.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        self._port = listener.getsockname()[1]
        self._server = await asyncio.start_server(self._accept, sock=listener, ssl=self._context)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.stopped.set()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*self._players)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        task = asyncio.get_running_loop().create_task(self._serve(Connection(self, reader, writer)))
        self._players.add(task)

    async def _serve(self, connection: Connection) -> None:
        try:
            while not connection.closed and (seen := await _read(connection)) is not None:
                self.seen.append(seen)
                fault = self._script.pop(0) if len(self._script) > 1 else self._script[0]
                await fault(connection)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # the client has gone, which is what several faults are about
        finally:
            connection.close()


async def _read(connection: Connection) -> Seen | None:
    first = await connection.reader.read(1)
    if first == b"\x16":  # the first byte of a TLS hello: answered as web servers do
        await connection.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        return None
    if not first:
        return None
    head = (first + await connection.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    request, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = request.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await connection.reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(method, target, headers, body)


# -- the faults, and one answer without any ---------------------------------------------------------------------------


def reply(status: int, body: str | bytes = b"", **headers: str) -> Fault:
    """A whole answer on a connection that stays open; header names with ``_`` for ``-``."""
    content = body.encode() if isinstance(body, str) else body
    phrase = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else "Odd"
    lines = [f"HTTP/1.1 {status} {phrase}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if status not in (101, 204, 304):
        lines.append(f"Content-Length: {len(content)}")
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    async def play(connection: Connection) -> None:
        await connection.write(head + content)

    return play


def raw(data: bytes) -> Fault:
    async def play(connection: Connection) -> None:
        await connection.write(data)
        connection.close()

    return play


def cut() -> Fault:
    return raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[null")


async def silence(connection: Connection) -> None:
    await connection.server.stopped.wait()


async def closes(connection: Connection) -> None:
    connection.close()


async def resets(connection: Connection) -> None:
    connection.close(reset=True)


async def drip(connection: Connection) -> None:
    """An answer that comes one byte at a time, each well before any read time-out."""
    await connection.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not connection.closed:
        await connection.write(b"[")
        await asyncio.sleep(0.02)


def flood(size: int, head: bytes = b"Connection: close\r\n") -> Fault:
    """``size`` bytes of body under the header lines ``head``."""

    async def play(connection: Connection) -> None:
        await connection.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n")
        for _ in range(size // len(_CHUNK)):
            if connection.closed:
                return
            await connection.write(_CHUNK)
        connection.close()

    return play


def unused_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
