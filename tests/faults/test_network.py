"""Faults of the network: rows N1 to N15 of the fault list."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import socket
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from chartui.core.backends.base import Context
from chartui.core.clock import monotonic
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS
from tests.faults.client import ANSWERS, KEY, PAYLOADS, call, remote
from tests.faults.server import (
    CERTS,
    Fault,
    FaultServer,
    closes,
    cut,
    drip,
    flood,
    reply,
    resets,
    silence,
    unused_port,
)

pytestmark = pytest.mark.anyio

#: One row of each class: read, set, make, act.
CLASSES = ["list-sections", "toggle-narrative", "create-section", "get-response"]
MAKING = ["create-section", "create-trigger", "delete-section", "get-response"]
REPEATABLE = ["estimate", "list-characters", "list-sections", "toggle-narrative", "update-character"]
_SECTIONS = reply(200, ANSWERS["list-sections"])


@pytest.mark.parametrize("row", CLASSES)
async def test_n1_refused_connection_is_tried_three_times_and_told(row: str) -> None:
    port = unused_port()
    outcome = await call(f"http://localhost:{port}", row)
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert outcome.error.sent == "no"
    assert str(outcome.error) == (
        f"localhost:{port} cannot be reached. Check that the service is running and that base_url is correct."
    )
    assert outcome.waits == [0.25, 0.5]


async def test_n1_a_create_is_sent_once_the_service_is_there() -> None:
    server = FaultServer(reply(200, ANSWERS["create-section"]), port=unused_port())

    async def started(_: float) -> None:
        await server.__aenter__()

    try:
        outcome = await call(server.base_url, "create-section", sleep=started)
        assert outcome.body == {"section_id": "s1"}
        assert outcome.answer is not None
        assert outcome.answer.meta.attempts == 2
        assert len(server.seen) == 1
    finally:
        await server.__aexit__(None, None, None)


@pytest.mark.parametrize(("number", "tries"), [(socket.EAI_NONAME, 1), (socket.EAI_AGAIN, 3)])
async def test_n2_unknown_host_is_told_at_once(number: int, tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[Any] = []

    def lookup(host: Any, *_: Any, **__: Any) -> Any:
        looked_up.append(host)
        raise socket.gaierror(number, "name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    outcome = await call("https://nowhere.example", "create-section")
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert outcome.error.sent == "no"
    assert "nowhere.example" in str(outcome.error)
    assert len(looked_up) == tries


@pytest.fixture
def full_backlog() -> Iterator[int]:
    """A port whose queue of connections is full: what connects to it hangs."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        waiting = [socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        yield port
        for client in waiting:
            client.close()


async def test_n3_hanging_connect_is_given_up(full_backlog: int) -> None:
    outcome = await call(f"http://127.0.0.1:{full_backlog}", "create-section", connect_timeout=0.1)
    assert outcome.error.kind is ErrorKind.TIMEOUT
    assert outcome.error.sent == "no"
    assert "did not accept a connection within 0.1 s" in str(outcome.error)
    assert len(outcome.waits) == 2


@pytest.mark.parametrize("row", REPEATABLE)
async def test_n4_silence_is_asked_again_where_that_is_harmless(row: str) -> None:
    async with FaultServer(silence) as server:
        outcome = await call(server.base_url, row, read_timeout=0.1)
    assert outcome.error.kind is ErrorKind.TIMEOUT
    assert "was silent for 0.1 s" in str(outcome.error)
    assert len(server.seen) == 3


@pytest.mark.parametrize("row", MAKING)
@pytest.mark.parametrize("fault", [silence, cut(), resets, closes], ids=["N4", "N6", "N7", "N7-closed"])
async def test_n4_n6_n7_what_makes_something_is_never_sent_twice(row: str, fault: Fault) -> None:
    async with FaultServer(fault) as server:
        outcome = await call(server.base_url, row, read_timeout=0.1)
    assert outcome.error.kind in (ErrorKind.TIMEOUT, ErrorKind.UNREACHABLE)
    assert outcome.error.sent == "unclear"
    doubt = "This turn may have been billed." if row == "get-response" else "so check before repeating it."
    assert str(outcome.error).endswith(doubt)
    assert len(server.seen) == 1


@pytest.mark.parametrize("row", ["list-sections", "create-section"])
async def test_n5_an_answer_that_drips_is_given_up(row: str) -> None:
    # The clock of the arrival runs faster than that of silence: otherwise a busy machine could look silent.
    async with FaultServer(drip) as server:
        outcome = await call(server.base_url, row, read_timeout=10, ticks=lambda: 20 * monotonic())
    assert outcome.error.kind is ErrorKind.TIMEOUT
    assert outcome.error.sent == "unclear"
    assert re.search(r"sent only [0-9]+ bytes in [0-9.]+ s, which is too slow for read_timeout", str(outcome.error))
    assert len(server.seen) == 1


async def test_n5_a_small_answer_meets_the_deadline() -> None:
    async with FaultServer(drip) as server:
        outcome = await call(server.base_url, "create-section", deadline=1.0)
    assert outcome.error.kind is ErrorKind.TIMEOUT
    assert "did not finish its response within 1 s (deadline in the profile)." in str(outcome.error)
    assert len(server.seen) == 1


@pytest.mark.parametrize(("deadline", "transfer", "setting"), [(1.0, 1.3, "transfer_timeout"), (1.3, 0.1, "deadline")])
async def test_n5_a_large_answer_meets_the_longer_of_two_limits(deadline: float, transfer: float, setting: str) -> None:
    async with FaultServer(drip) as server:
        outcome = await call(server.base_url, "list-sections", deadline=deadline, transfer_timeout=transfer)
    assert f"within 1.3 s ({setting} in the profile)" in str(outcome.error)


async def test_n5_the_caller_may_set_a_shorter_deadline() -> None:
    async with FaultServer(drip) as server:
        outcome = await call(server.base_url, context=Context(deadline=0.2))
    assert "within 0.2 s" in str(outcome.error)


@pytest.mark.parametrize("fault", [cut(), resets, closes], ids=["N6", "N7", "N7-closed"])
@pytest.mark.parametrize("row", REPEATABLE)
async def test_n6_n7_broken_answers_are_asked_for_again(fault: Fault, row: str) -> None:
    async with FaultServer(fault) as server:
        outcome = await call(server.base_url, row)
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert "closed the connection" in str(outcome.error)
    assert len(server.seen) == 3


async def test_n7_the_next_try_can_succeed() -> None:
    async with FaultServer(resets, _SECTIONS) as server:
        outcome = await call(server.base_url)
    assert outcome.body == []
    assert outcome.answer is not None
    assert outcome.answer.meta.attempts == 2


async def test_n8_a_stale_connection_is_replaced_silently() -> None:
    async with FaultServer(_SECTIONS, closes, _SECTIONS) as server:
        backend = remote(server.base_url)
        await backend.perform(*_row("list-sections"), Context())
        answer = await backend.perform(*_row("list-sections"), Context())
        await backend.aclose()
    assert answer.meta.attempts == 2
    assert (len(server.seen), server.connections) == (3, 2)


async def test_n8_a_create_on_a_stale_connection_is_sent_once() -> None:
    async with FaultServer(_SECTIONS, closes) as server:
        backend = remote(server.base_url)
        await backend.perform(*_row("list-sections"), Context())
        with pytest.raises(ServiceError, match="may still have taken effect") as caught:
            await backend.perform(*_row("create-section"), Context())
        await backend.aclose()
    assert caught.value.sent == "unclear"
    assert [seen.target.rpartition("/")[2] for seen in server.seen] == ["list-sections", "create-section"]


def _row(name: str) -> tuple[Operation, dict[str, Wire]]:
    return OPERATIONS[name], PAYLOADS[name]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
async def test_n9_redirects_to_another_host_are_not_followed(status: int) -> None:
    other_port = unused_port()
    async with (
        FaultServer(_SECTIONS, port=other_port) as other,
        FaultServer(reply(status, Location=f"http://localhost:{other_port}/character/list")) as server,
    ):
        outcome = await call(server.base_url)
    assert outcome.error.kind is ErrorKind.REFUSED
    assert outcome.error.status == status
    assert f"redirects to {other.base_url}. Redirects are not followed" in str(outcome.error)
    assert other.connections == 0
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("http://localhost/elsewhere", "http://localhost."),
        ("/elsewhere", "another path on the same host."),
        ("https://user:secret@other.example/x", "https://other.example."),
        ("http://[broken", "an invalid address."),
        ("", "another path on the same host."),
    ],
)
async def test_n10_redirects_on_the_same_host_are_not_followed(location: str, told: str) -> None:
    async with FaultServer(reply(302, Location=location), certificate="good.pem") as server:
        outcome = await call(server.base_url, ca_file=CERTS / "authority.pem")
    assert f"redirects to {told}" in str(outcome.error)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("certificate", "authority", "told"),
    [
        ("good.pem", None, "the issuer is unknown on this machine; set ca_file"),
        ("expired.pem", "authority.pem", "the certificate has expired"),
        ("other-host.pem", "authority.pem", "the certificate is for another host name"),
        ("other-host.pem", "good.pem", "the issuer is unknown on this machine"),
    ],
    ids=["nobody's", "expired", "wrong name", "another authority's"],
)
async def test_n11_a_certificate_that_is_not_trusted_ends_the_call(
    certificate: str, authority: str | None, told: str
) -> None:
    async with FaultServer(_SECTIONS, certificate=certificate) as server:
        outcome = await call(server.base_url, ca_file=None if authority is None else CERTS / authority)
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert outcome.error.sent == "no"
    assert f"The certificate of {server.base_url[8:]} is not trusted: {told}" in str(outcome.error)
    assert (server.seen, outcome.waits) == ([], [])


async def test_n11_a_certificate_of_the_named_authority_is_trusted() -> None:
    async with FaultServer(_SECTIONS, certificate="good.pem") as server:
        outcome = await call(server.base_url, ca_file=CERTS / "authority.pem")
    assert outcome.body == []


async def test_n12_http_on_an_https_port_is_told() -> None:
    async with FaultServer(_SECTIONS) as server:
        outcome = await call(server.base_url.replace("http:", "https:"))
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert "answers without encryption on this port" in str(outcome.error)
    assert (server.seen, outcome.waits) == ([], [])


async def test_n13_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FaultServer(_SECTIONS) as proxy, FaultServer(_SECTIONS) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url)
            monkeypatch.setenv(name.lower(), proxy.base_url)
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.delenv("no_proxy")
        assert (await call(server.base_url)).body == []
        outcome = await call(f"https://127.0.0.2:{unused_port()}")
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert proxy.connections == 0


async def test_n13_a_proxy_of_the_profile_sees_no_key() -> None:
    async with FaultServer(reply(502)) as proxy:
        outcome = await call("https://service.example", proxy=proxy.base_url)
    assert outcome.error.kind is ErrorKind.UNREACHABLE
    assert outcome.error.sent == "no"
    assert "The proxy of this profile could not connect" in str(outcome.error)
    assert [(seen.method, seen.target) for seen in proxy.seen] == [("CONNECT", "service.example:443")]
    assert KEY not in str(proxy.seen)


@pytest.mark.parametrize("row", ["list-sections", "toggle-narrative"])
async def test_n14_a_bomb_is_not_unpacked(row: str) -> None:
    bomb = gzip.compress(b" " * 20_000_000, 9) * 10
    tracemalloc.start()
    async with FaultServer(reply(200, bomb, Content_Encoding="gzip")) as server:
        outcome = await call(server.base_url, row)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "the data unpacks to more than 200 times its size" in str(outcome.error)
    assert peak < 10_000_000
    assert len(server.seen) == 1


async def test_n14_a_bomb_under_the_guard_meets_the_cap() -> None:
    noise = random.Random(7)
    packed = gzip.compress(b"".join(noise.randbytes(16) + b" " * 2000 for _ in range(5000)))
    assert 50_000 < len(packed) < 500_000
    async with FaultServer(reply(200, packed, Content_Encoding="gzip")) as server:
        outcome = await call(server.base_url, answer_limit_mib=2)
    assert "sent more than 2 MiB. Raise answer_limit_mib in the profile (currently 2)." in str(outcome.error)


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZip"])
async def test_n14_a_compressed_answer_is_unpacked(encoding: str) -> None:
    text = json.dumps([{"section_id": f"s{n}", "section_name": "a", "objective": "b"} for n in range(20_000)])
    # Two members, as programs write them that compress in parallel.
    packed = gzip.compress(text[:1000].encode()) + gzip.compress(text[1000:].encode())
    async with FaultServer(reply(200, packed, Content_Encoding=encoding)) as server:
        outcome = await call(server.base_url)
    assert outcome.body == json.loads(text)
    assert outcome.answer is not None
    assert outcome.answer.meta.bytes == len(packed)


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "zstd"])
async def test_n14_no_other_encoding_is_read(encoding: str) -> None:
    async with FaultServer(reply(200, b"[]", Content_Encoding=encoding)) as server:
        outcome = await call(server.base_url)
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert f"sent a response encoded as “{encoding}”, which was not requested." in str(outcome.error)


@pytest.mark.parametrize(
    ("packed", "told", "tries"),
    [
        (gzip.compress(b"[]" * 500)[:-9], "the data is incomplete", 3),
        (b"no gzip at all", "the data is not valid gzip", 1),
        (gzip.compress(b"[]") + b"and more", "the data is not valid gzip", 1),
        (gzip.compress(b"[]")[:-8] + b"checksum", "the data is not valid gzip", 1),
    ],
    ids=["cut", "other", "more", "checksum"],
)
async def test_n14_damaged_compression_is_told(packed: bytes, told: str, tries: int) -> None:
    async with FaultServer(reply(200, packed, Content_Encoding="gzip")) as server:
        outcome = await call(server.base_url)
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert f"sent a compressed response that cannot be decompressed: {told}." in str(outcome.error)
    assert len(server.seen) == tries


async def test_n14_a_compressed_refusal_is_read() -> None:
    said = gzip.compress(b'{"ERROR": "The account is closed."}')
    async with FaultServer(reply(400, said, Content_Encoding="gzip")) as server:
        assert str((await call(server.base_url)).error) == "The account is closed."
    for bad in (reply(400, b"\x00" * 50, Content_Encoding="gzip"), reply(400, said, Content_Encoding="br")):
        async with FaultServer(bad) as server:
            assert "400 Bad Request" in str((await call(server.base_url)).error)


@pytest.mark.parametrize(
    "head",
    [b"Connection: close\r\n", b"Content-Length: 1073741824\r\n"],
    ids=["without a length", "with its length"],
)
async def test_n15_an_answer_is_cut_at_its_cap(head: bytes) -> None:
    tracemalloc.start()
    async with FaultServer(flood(1 << 30, head)) as server:
        outcome = await call(server.base_url, "toggle-narrative")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcome.error.kind is ErrorKind.UNEXPECTED
    assert "sent more than 1 MiB" in str(outcome.error)
    assert outcome.error.sent == "unclear"
    assert server.sent < 32 << 20  # what the sockets between hold, and not the gigabyte
    assert peak < 12 << 20
    assert len(server.seen) == 1


async def test_n15_the_text_of_an_error_is_cut_as_well() -> None:
    async def endless(connection: Any) -> None:
        await connection.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        while not connection.closed:
            await connection.write(b"word " * 10_000)

    async with FaultServer(endless) as server:
        outcome = await call(server.base_url)
    assert outcome.error.kind is ErrorKind.INVALID
    assert str(outcome.error).startswith("word word")
    assert 490 < len(str(outcome.error)) <= 500  # never cut inside a word
    assert server.sent < 32 << 20


async def test_cancelled_calls_leave_nothing_running() -> None:
    async with FaultServer(silence) as server:
        backend = remote(server.base_url)
        task = asyncio.create_task(backend.perform(*_row("list-sections"), Context()))
        while not server.seen:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await backend.aclose()
    assert len(server.seen) == 1
