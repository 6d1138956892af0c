"""A server in a process of its own: what it says when it is ready, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.jsontext import Wire, loads
from chartui.core.server.app import make_app
from chartui.core.server.run import listen
from chartui.core.spec.operation import Operation
from tests.core.server.doubles import Scripted, account_of, connection, echo, parse
from tests.served import running_server

ROOT = Path(__file__).parents[3]
#: How long it waits for open requests when it is told to stop: longer than any test lasts.
PATIENCE = 3600
PROGRAM = f"""
import asyncio
from chartui.core.server import run
from chartui.core.server.app import make_app
from chartui.core.server.run import serve
from chartui.core.spec.operation import Operation
from tests.core.server.doubles import Scripted, account_of, echo

run.STOP_SECONDS = {PATIENCE}
app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
print(asyncio.run(serve(app, on_ready=lambda url: print(url, flush=True))).name, flush=True)
"""


@contextmanager
def server_process() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in another process, and its base URL once it says it is ready."""
    command = [sys.executable, "-c", PROGRAM]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_once_it_says_so_and_stops_when_told(number: signal.Signals) -> None:
    with server_process() as (process, url):
        assert httpx.get(f"{url}/api/v1/options", trust_env=False).status_code == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (out.split(), err) == ([number.name], "")
    assert process.returncode == 0


def test_what_is_being_answered_is_completed() -> None:
    with server_process() as (process, url), connection(url) as opened:
        opened.send(
            "POST /character/getSupportedModel HTTP/1.1\r\nHost: localhost\r\nService-Api-Key: pro-key\r\n"
            'Content-Length: 15\r\n\r\n{"charID"'
        )
        # Answered after the one above has arrived, as both are read by one loop.
        assert httpx.get(f"{url}/api/v1/options", trust_env=False).status_code == 200
        process.send_signal(signal.SIGTERM)
        while accepts(url):
            pass
        opened.send(': "x"}')
        status, _, body = parse(opened.receive_all())
        assert (status, loads(body)["payload"]) == (200, {"charID": "x"})
        assert process.wait(10) == 0


def accepts(url: str) -> bool:
    port = int(url.rpartition(":")[2])
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except ConnectionError:
        return False
    return True


def test_a_second_signal_ends_it_at_once() -> None:
    with server_process() as (process, url), connection(url) as opened:
        opened.send("POST /character/list HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n{")
        assert httpx.get(f"{url}/api/v1/options", trust_env=False).status_code == 200
        process.send_signal(signal.SIGTERM)
        while accepts(url):
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        status, _, body = parse(opened.receive_all())
    assert (status, body) == (503, b"The server is stopping.")


def test_the_socket_is_of_this_machine_alone_and_sends_at_once() -> None:
    with listen(0) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
        assert bound.proto == socket.IPPROTO_TCP


def test_a_port_is_free_again_when_the_server_has_stopped() -> None:
    app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
    with running_server(app) as url, httpx.Client(base_url=url, trust_env=False) as client:
        assert client.get("/api/v1/options").status_code == 200
    port = int(url.rpartition(":")[2])
    with running_server(app, port=port) as again:
        assert again == url
        assert httpx.get(f"{again}/api/v1/options", trust_env=False).status_code == 200
    assert not accepts(url)


HALF_HEAD = b"POST /character/list HTTP/1.1\r\nHost: local"
HALF_BODY = b"POST /character/list HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n{"


@pytest.mark.parametrize("sent", [b"", HALF_HEAD, HALF_BODY], ids=["nothing", "half a head", "half a body"])
def test_connections_that_send_no_request_keep_nobody_out(sent: bytes) -> None:
    app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
    with running_server(app) as url:
        held = [socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) for _ in range(300)]
        for one in held:
            with suppress(ConnectionError):  # it made room for a later one already
                one.sendall(sent)
        for _ in range(3):
            assert httpx.get(f"{url}/api/v1/options", trust_env=False).status_code == 200
        for one in held:
            one.close()


def test_a_request_being_answered_makes_no_room() -> None:
    begun, gate = threading.Event(), threading.Event()

    class Waiting(Scripted):
        async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
            begun.set()
            await asyncio.to_thread(gate.wait, 30)
            return await super().perform(operation, payload, context)

    app = make_app(backend_for=lambda tier: Waiting(echo, tier), authenticate=account_of)
    with running_server(app) as url, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(httpx.get, f"{url}/api/v1/options", trust_env=False, timeout=60)
        assert begun.wait(10)
        held = [socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) for _ in range(300)]
        assert httpx.get(f"{url}/openapi.json", trust_env=False).status_code == 200  # all of them were met before it
        gate.set()
        assert answer.result().status_code == 200
        for one in held:
            one.close()


@pytest.mark.parametrize("name", ["", "a b", "X-Key:", "X-Key\r\nX", "Schlüssel"])
def test_a_second_name_of_the_key_header_must_be_one(name: str) -> None:
    with pytest.raises(ValueError, match="not a valid header name"):
        make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of, key_header=name)


def test_the_application_works_without_a_socket() -> None:
    """The same refusals in process, an over-long body among them."""

    async def ask() -> list[int]:
        app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            bodies = (b"{}", b"x" * 2_000_000)
            return [(await client.post("/api/v1/estimate/", content=body)).status_code for body in bodies]

    assert asyncio.run(ask()) == [200, 413]
