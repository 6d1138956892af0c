"""Large answers on a slow line: three limits, progress, and what is repeated."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest

import chartui.core.backends.remote.http  # noqa: F401 - beforehand: the first call would wait for it
from chartui.core.backends.base import Context, Received
from chartui.core.backends.remote.arrival import PIECE, RESTARTED, Arrival, Trickle, collect
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import OPERATIONS
from tests.faults.client import call
from tests.faults.server import Connection, Fault, FaultServer, cut, raw, reply

pytestmark = pytest.mark.anyio

_LARGE = {"options", "list-models", "list-sections", "list-triggers", "list-characters"}
_SECTIONS = json.dumps([{"section_id": f"s{n}", "section_name": "a", "objective": "b" * 100} for n in range(400)])


def throttled(body: bytes, *, pieces: int, pause: float = 0.01, head: str = "", ends: bool = True) -> Fault:
    """``body`` in so many pieces with a pause before each, and then the end of the connection or silence."""
    step = -(-len(body) // pieces)

    async def play(connection: Connection) -> None:
        await connection.write(f"HTTP/1.1 200 OK\r\nConnection: close\r\n{head}\r\n".encode())
        for start in range(0, len(body), step):
            await asyncio.sleep(pause)
            await connection.write(body[start : start + step])
        if not ends:
            await connection.server.stopped.wait()
        connection.close()

    return play


def announced(size: int) -> str:
    return f"Content-Length: {size}\r\n"


class _Line:
    """An arrival with a clock of its own, and what it reports."""

    def __init__(self, patience: float = 10.0) -> None:
        self.now = 0.0
        self.seen: list[Received] = []
        self.began: list[bool] = []
        self.arrival = Arrival(
            patience=patience, ticks=lambda: self.now, progress=self.seen.append, on_begin=self.began.append
        )

    def comes(self, size: int, *, after: float) -> None:
        self.now += after
        self.arrival.add(size)


# -- limits -----------------------------------------------------------------------------------------------------------


def test_the_rows_whose_answers_grow_are_large() -> None:
    assert {row.name for row in OPERATIONS.values() if row.large} == _LARGE


def test_the_limits_of_a_profile_suit_slow_lines() -> None:
    profile = Profile(name="far", kind=ProfileKind.REMOTE, base_url="https://service.example")
    per_second = {"64 kbit/s": 8_000, "8 Mbit/s": 1_000_000}
    assert 500 * 3_000 / per_second["64 kbit/s"] < profile.transfer_timeout
    assert 29_600_000 / per_second["8 Mbit/s"] < profile.transfer_timeout
    assert profile.answer_limit_mib * 1024 * 1024 > 20_000 * 3_000


@pytest.mark.parametrize("packed", [False, True])
async def test_a_large_answer_may_take_longer_than_the_deadline(packed: bool) -> None:
    body = gzip.compress(_SECTIONS.encode()) if packed else _SECTIONS.encode()
    head = announced(len(body)) + ("Content-Encoding: gzip\r\n" if packed else "")
    # The answer begins at once, and takes 1.3 s.
    async with FaultServer(throttled(body, pieces=13, pause=0.1, head=head)) as server:
        outcome = await call(server.base_url, deadline=1.0, read_timeout=30.0)
    assert outcome.body == json.loads(_SECTIONS)
    assert outcome.answer is not None
    assert (outcome.answer.meta.attempts, outcome.answer.meta.bytes) == (1, len(body))


async def test_a_large_answer_has_to_begin_by_the_deadline() -> None:
    async def late(connection: Connection) -> None:
        await connection.server.stopped.wait()

    async with FaultServer(late) as server:
        outcome = await call(server.base_url, deadline=0.1, read_timeout=30.0)
    assert "did not finish its response within 0.1 s (deadline in the profile)." in str(outcome.error)


async def test_a_small_answer_has_to_be_whole_by_the_deadline() -> None:
    body = json.dumps({"STATUS": "x" * 5000}).encode()
    async with FaultServer(throttled(body, pieces=30, head=announced(len(body)))) as server:
        outcome = await call(server.base_url, "toggle-narrative", deadline=0.1)
    assert "did not finish its response within 0.1 s (deadline in the profile)." in str(outcome.error)


async def test_the_deadline_of_a_caller_is_hard() -> None:
    body = _SECTIONS.encode()
    async with FaultServer(throttled(body, pieces=30, head=announced(len(body)))) as server:
        outcome = await call(server.base_url, context=Context(deadline=0.1))
    assert str(outcome.error).endswith("did not finish its response within 0.1 s. Try again later.")


@pytest.mark.parametrize(("each", "ends"), [(1, True), (102, True), (103, False), (8_000, False)])
def test_what_drips_ends_after_the_read_timeout(each: int, ends: bool) -> None:
    line = _Line()
    line.arrival.begin(None)
    with pytest.raises(Trickle) if ends else nullcontext() as caught:
        for _ in range(100):
            line.comes(each, after=1.0)
    assert line.now == (10 if ends else 100)
    assert caught is None or (caught.value.size, caught.value.seconds) == (10 * each, 10.0)


def test_a_small_whole_answer_is_no_trickle() -> None:
    line = _Line()
    line.arrival.begin(300)
    line.comes(100, after=6.0)
    line.comes(200, after=6.0)
    line.arrival.end()
    assert line.seen[-1].bytes == 300


@pytest.mark.parametrize(("mib", "holds"), [(1, "350"), (4, "1 400"), (64, "22 000")])
async def test_the_size_of_a_list_is_limited_by_the_profile(mib: int, holds: str) -> None:
    head = announced(mib * 1024 * 1024 + 1)
    async with FaultServer(raw(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode())) as server:
        outcome = await call(server.base_url, "list-characters", answer_limit_mib=mib)
        assert outcome.error.kind is ErrorKind.UNEXPECTED
        assert str(outcome.error) == (
            f"{server.base_url[7:]} sent more than {mib} MiB. Raise answer_limit_mib in the profile (currently {mib}, "
            f"enough for about {holds} character records of 3 kB)."
        )
        assert len(server.seen) == 1


# -- what is repeated -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ends", "patience"), [(True, 10), (False, 2)], ids=["cut", "silent"])
async def test_a_large_part_is_not_asked_for_again(ends: bool, patience: float) -> None:
    fault = throttled(b"[" + b" " * RESTARTED, pieces=2, head=announced(10 * RESTARTED), ends=ends)
    async with FaultServer(fault) as server:
        outcome = await call(server.base_url, read_timeout=patience)
    told = "closed the connection" if ends else "was silent for 2 s (read_timeout in the profile)"
    assert told in str(outcome.error)
    assert str(outcome.error).endswith(" 1 MiB had already arrived, so the request was not repeated.")
    assert len(server.seen) == 1


async def test_a_small_part_is_asked_for_again() -> None:
    async with FaultServer(cut(), cut(), reply(200, _SECTIONS)) as server:
        outcome = await call(server.base_url)
    assert outcome.body == json.loads(_SECTIONS)
    assert len(server.seen) == 3


# -- progress ---------------------------------------------------------------------------------------------------------


def test_progress_is_reported_a_few_times_a_second_and_at_the_end() -> None:
    line = _Line()
    line.now = 3.0
    line.arrival.begin(128_000)
    for _ in range(128):
        line.comes(1000, after=1 / 128)
    line.arrival.end()
    assert [seen.bytes for seen in line.seen] == [1000, 33_000, 65_000, 97_000, 128_000]
    assert [seen.seconds for seen in line.seen] == [3 + 1 / 128, 3.2578125, 3.5078125, 3.7578125, 4.0]
    assert {seen.total for seen in line.seen} == {128_000}


def test_a_repeated_call_begins_again_from_zero() -> None:
    line = _Line()
    line.arrival.expect()
    line.arrival.begin(None)
    line.comes(5000, after=1.0)
    line.arrival.expect()
    line.arrival.begin(None)
    line.comes(10, after=1.0)
    assert [(seen.bytes, seen.total, seen.seconds) for seen in line.seen] == [(5000, None, 1.0), (10, None, 2.0)]
    assert line.began == [True, False, True]


@pytest.mark.parametrize("packed", [False, True])
async def test_a_caller_sees_the_bytes_of_the_line(packed: bool) -> None:
    body = gzip.compress(_SECTIONS.encode()) if packed else _SECTIONS.encode()
    seen: list[Received] = []
    head = {"Content_Encoding": "gzip"} if packed else {}
    async with FaultServer(reply(503), reply(200, body, **head)) as server:
        outcome = await call(server.base_url, context=Context(progress=seen.append))
    assert outcome.body == json.loads(_SECTIONS)
    assert (seen[-1].bytes, seen[-1].total) == (len(body), len(body))


async def test_a_refusal_is_no_progress() -> None:
    seen: list[Received] = []
    async with FaultServer(reply(400, "no" * 5000)) as server:
        await call(server.base_url, context=Context(progress=seen.append))
    assert seen == []


# -- unpacking --------------------------------------------------------------------------------------------------------


async def test_others_go_on_while_an_answer_is_unpacked() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def at_once() -> AsyncIterator[bytes]:
        yield packed

    text = json.dumps([{"id": n, "name": f"{n:x}" * 9} for n in range(50_000)]).encode()
    packed = gzip.compress(text, 1)
    task = asyncio.create_task(other())
    assert await collect(at_once(), cap=1 << 30, packed=True) == text
    task.cancel()
    assert turns >= len(text) // PIECE > 5
