"""Serve an application on a loopback socket."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from chartui.core.server.app import HEADER_LIMIT
from chartui.core.server.http import ASGIApp, Receive, Scope, Send, error_answer
from chartui.core.spec.errors import ErrorShape

#: The only address on which the server listens. Decision 50 lists the host names that it accepts.
HOST: Final = "127.0.0.1"

HEAD_SECONDS: Final = 10.0
_IDLE_SECONDS: Final = 5
STOP_SECONDS: Final = 5
_CONNECTIONS: Final = 128


class CannotListen(OSError):
    """Raised if the server cannot listen on a port. The message gives the port and the reason."""


def listen(port: int) -> socket.socket:
    """Open a listening socket on :data:`HOST`. If ``port`` is 0, a free port is used. Raises :class:`CannotListen`."""
    # Naming the protocol lets asyncio disable Nagle's algorithm, which would add 44 ms per request.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.listen(_CONNECTIONS)
    except (OSError, OverflowError) as error:
        bound.close()
        reason = error.strerror if isinstance(error, OSError) else "not a port number"
        raise CannotListen(f"Port {port} on {HOST} cannot be used: {reason}.") from error
    return bound


async def serve(
    app: ASGIApp, *, port: int = 0, on_ready: Callable[[str], None], head_seconds: float = HEAD_SECONDS
) -> signal.Signals:
    """Serve ``app`` until SIGINT or SIGTERM is received, and return the signal.

    ``on_ready`` is called with the base URL once the server accepts requests. ``head_seconds`` is the time limit for
    receiving the head of a request. On shutdown, requests in progress get up to 5 seconds to complete, and a second
    signal aborts them. Raises :class:`CannotListen`. Call this function in the main thread.
    """
    server = Server(app, head_seconds=head_seconds)
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        received.append(number)

    loop = asyncio.get_running_loop()
    bound = listen(port)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    try:
        await server.run_on(bound, on_ready)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return received[0]


def base_url_of(bound: socket.socket) -> str:
    return f"http://{HOST}:{bound.getsockname()[1]}"


def _ending_quietly(app: ASGIApp) -> ASGIApp:
    """Wrap ``app`` so that it answers requests that the shutdown cuts short, instead of reporting them as failures."""

    async def ending(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except asyncio.CancelledError:
            # Only shutdown cancels a request, and nothing awaits its task. A response that has started cannot be
            # replaced, which the server reports with a RuntimeError.
            with suppress(RuntimeError):
                stopping = error_answer(503, ErrorShape.TEXT, "The server is stopping.", {"connection": "close"})
                await stopping.send(send)

    return ending


class Server(uvicorn.Server):
    """A server that reports when it is ready and leaves signal handling to its caller."""

    def __init__(self, app: ASGIApp, *, head_seconds: float) -> None:
        protocol = type("_Protocol", (_BoundedHead,), {"head_seconds": head_seconds})
        super().__init__(
            uvicorn.Config(
                _ending_quietly(app),
                http=protocol,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=_IDLE_SECONDS,
                timeout_graceful_shutdown=STOP_SECONDS,
                h11_max_incomplete_event_size=HEADER_LIMIT,
            )
        )
        self._on_ready: Callable[[str], None] = lambda _url: None

    async def run_on(self, bound: socket.socket, on_ready: Callable[[str], None]) -> None:
        self._on_ready = on_ready
        with bound:
            await self.serve([bound])

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signal handling to the caller.

        The base class would raise the signals again on exit and kill the process.
        """
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for bound in sockets or []:
            self._on_ready(base_url_of(bound))


class _BoundedHead(H11Protocol):
    """Closes a connection whose request head does not arrive in time, whereas the base class waits forever.

    If there are too many connections, an idle one is closed to make room for a new one. Connections that have sent no
    complete head are closed first, so a client that sends no request, or half a request, cannot block other clients.
    Requests in progress are kept.
    """

    head_seconds: float
    _head_timer: asyncio.TimerHandle | None = None
    _idle_since = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._await_head()
        if len(self.connections) > _CONNECTIONS:
            self._make_room()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    @property
    def _has_head(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _incomplete(self) -> bool:
        return not self._has_head or self.cycle.more_body

    def _make_room(self) -> None:
        waiting = [
            one for one in self.connections if isinstance(one, _BoundedHead) and one is not self and one._incomplete
        ]
        if not waiting:
            # All other connections have requests in progress, so this connection gets status 503.
            self.limit_concurrency = 0
            return
        first = min(waiting, key=lambda one: (one._has_head, one._idle_since))
        self.connections.discard(first)  # The event loop reports the closed connection only later.
        first.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Receive part of a head or body. Only the head is timed here."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
