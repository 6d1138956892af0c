"""The layers around a backend: the read-only lock and the memory of calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.layers import Call, ReadOnly, Recorder
from chartui.core.credentials import Key
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import OPERATIONS, Effect, Operation
from tests.faults.client import KEY, PAYLOADS, remote
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio

_ROWS = list(OPERATIONS.values())
_READ = OPERATIONS["list-sections"]


@pytest.fixture
def anyio_backend() -> str:
    """The program runs on asyncio."""
    return "asyncio"


class _Behind:
    """A backend that answers as it is told, and counts."""

    def __init__(self, answer: Callable[[], Any] = lambda: "done") -> None:
        self.answer = answer
        self.performed: list[str] = []
        self.closed = 0

    async def perform(self, operation: Operation, payload: Mapping[str, Any], context: Context) -> Answer:
        self.performed.append(operation.name)
        return Answer(body=self.answer())

    async def aclose(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("allow_act", [False, True])
async def test_read_only_decides_by_the_rows_effect(row: Operation, allow_act: bool) -> None:
    behind = _Behind()
    locked = ReadOnly(behind, allow_act=allow_act)
    if row.effect is Effect.READ or (allow_act and row.effect is Effect.ACT):
        assert (await locked.perform(row, {}, Context())).body == "done"
        assert behind.performed == [row.name]
        return
    with pytest.raises(ServiceError) as caught:
        await locked.perform(row, {}, Context())
    assert (caught.value.kind, caught.value.sent) == (ErrorKind.READ_ONLY, "no")
    assert caught.value.refused_before_sending
    assert row.name in str(caught.value)
    assert behind.performed == []


def test_there_are_rows_of_every_effect() -> None:
    effects = [row.effect for row in _ROWS]
    assert {effect: effects.count(effect) > 0 for effect in Effect} == dict.fromkeys(Effect, True)


@pytest.mark.parametrize("layer", [ReadOnly, Recorder])
async def test_layers_close_what_they_surround(layer: Callable[[Backend], Backend]) -> None:
    behind = _Behind()
    await layer(behind).aclose()
    assert behind.closed == 1


def _recorder(behind: Backend, **settings: Any) -> Recorder:
    ticks = iter(range(100))
    moment = datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC)
    return Recorder(behind, clock=lambda: moment, ticks=lambda: float(next(ticks)), **settings)


async def test_a_success_is_remembered() -> None:
    heard: list[Call] = []
    recorder = _recorder(_Behind(), listener=heard.append)
    context = Context(origin="a test")
    answer = await recorder.perform(_READ, {"character_id": "c"}, context)
    [call] = recorder.calls
    assert call == Call(
        number=1,
        at="2026-11-01T12:00:00.123+00:00",
        seconds=1.0,
        operation=_READ,
        payload={"character_id": "c"},
        context=context,
        answer=answer,
    )
    assert heard == [call]


async def test_a_failure_is_remembered_and_goes_on() -> None:
    error = ServiceError(ErrorKind.NOT_FOUND, "gone")

    def fail() -> None:
        raise error

    recorder = _recorder(_Behind(fail))
    with pytest.raises(ServiceError) as caught:
        await recorder.perform(_READ, {}, Context())
    assert caught.value is error
    assert [(call.answer, call.error) for call in recorder.calls] == [(None, error)]


async def test_a_cancellation_is_remembered_as_unclear() -> None:
    started = asyncio.Event()

    class Hanging(_Behind):
        async def perform(self, *_: Any) -> Answer:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError("it was to be cancelled")

    recorder = _recorder(Hanging())
    task = asyncio.create_task(recorder.perform(_READ, {}, Context()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    [call] = recorder.calls
    assert call.error is not None
    assert (call.error.kind, call.error.sent) == (ErrorKind.TIMEOUT, "unclear")


async def test_only_the_last_calls_are_kept_and_numbers_go_on() -> None:
    recorder = _recorder(_Behind(), size=2)
    for _ in range(3):
        await recorder.perform(_READ, {}, Context())
    assert [call.number for call in recorder.calls] == [2, 3]


@pytest.mark.parametrize("status", [200, 401, 500])
async def test_nothing_remembered_holds_the_key(status: int) -> None:
    async with FaultServer(reply(status, "[]" if status == 200 else f'{{"ERROR": "no {KEY}"}}')) as server:
        backend = remote(server.base_url, fetch_key=lambda: Key(KEY))
        recorder = Recorder(backend)
        with suppress(ServiceError):
            await recorder.perform(_READ, PAYLOADS["list-sections"], Context())
        await recorder.aclose()
    assert server.seen[0].headers["service-api-key"] == KEY
    [call] = recorder.calls
    assert (call.error is None) is (status == 200)
    assert KEY not in repr(call)
