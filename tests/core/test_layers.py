"""The layers around a backend: the read-only lock and the memory of calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Backend, Context, Meta
from chartui.core.backends.layers import ReadOnly
from chartui.core.backends.recorder import Call, Excerpt, Recorder
from chartui.core.credentials import Key
from chartui.core.jsontext import dumps
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import OPERATIONS
from tests.faults.client import KEY, PAYLOADS, remote
from tests.faults.server import FaultServer, reply

pytestmark = pytest.mark.anyio

_ROWS = list(OPERATIONS.values())
_READ = OPERATIONS["list-sections"]


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


_ESTIMATE = OPERATIONS["estimate"]


def _recorder(behind: Backend, **settings: Any) -> Recorder:
    ticks = iter(range(100_000))
    moment = datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC)
    return Recorder(behind, clock=lambda: moment, ticks=lambda: float(next(ticks)), **settings)


async def test_a_success_is_remembered() -> None:
    heard: list[Call] = []
    recorder = _recorder(_Behind())
    recorder.listen(heard.append)
    context = Context(origin="a test", plan_id="p", step=3)
    await recorder.perform(_READ, {"character_id": "c"}, context)
    [call] = recorder.calls
    assert call == Call(
        number=1,
        at="2026-11-01T12:00:00.123+00:00",
        seconds=1.0,
        operation=_READ,
        payload=Excerpt({"character_id": "c"}),
        context=context,
        body=Excerpt("done"),
        meta=Meta(),
    )
    assert heard == [call]
    assert not call.given_up


async def test_a_remembered_call_holds_no_display() -> None:
    recorder = _recorder(_Behind())
    await recorder.perform(_READ, {}, Context(progress=lambda _: None))
    [call] = recorder.calls
    assert call.context.progress is None


async def test_a_failure_is_remembered_and_goes_on() -> None:
    error = ServiceError(ErrorKind.NOT_FOUND, "gone", status=404, attempts=2)

    def fail() -> None:
        raise error

    recorder = _recorder(_Behind(fail))
    with pytest.raises(ServiceError) as caught:
        await recorder.perform(_READ, {}, Context())
    assert caught.value is error
    [call] = recorder.calls
    assert (call.body, call.meta, call.status, call.attempts, call.given_up) == (None, None, 404, 2, False)
    assert call.error is not None
    assert (call.error.kind, call.error.message) == (ErrorKind.NOT_FOUND, "gone")
    # What is kept keeps none of the frames alive that the failure went through.
    assert error.__traceback__ is not None
    assert call.error.__traceback__ is None


async def test_a_cancellation_is_remembered_as_given_up() -> None:
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
    assert call.given_up
    assert (call.error, call.status, call.attempts) == (None, None, None)


async def test_only_the_last_calls_are_kept_and_numbers_go_on() -> None:
    recorder = _recorder(_Behind())
    for _ in range(1003):
        await recorder.perform(_READ, {}, Context())
    assert len(recorder.calls) == 1000
    assert [recorder.calls[0].number, recorder.calls[-1].number] == [4, 1003]


async def test_several_listen_until_they_stop() -> None:
    one: list[int] = []
    other: list[int] = []
    recorder = _recorder(_Behind())
    stop = recorder.listen(lambda call: one.append(call.number))
    recorder.listen(lambda call: other.append(call.number))
    await recorder.perform(_READ, {}, Context())
    stop()
    stop()
    await recorder.perform(_READ, {}, Context())
    assert (one, other) == ([1], [1, 2])


async def test_estimates_at_every_keystroke_take_one_place() -> None:
    heard: list[int] = []
    recorder = _recorder(_Behind())
    await recorder.perform(_READ, {}, Context(origin="estimator"))
    recorder.listen(lambda call: heard.append(call.number))
    for tokens in range(5):
        await recorder.perform(_ESTIMATE, {"assumptions": {"inputTokens": tokens}}, Context(origin="estimator"))
    first, folded = recorder.calls
    assert first.operation is _READ
    assert (folded.number, folded.folded, folded.seconds) == (2, 5, 5.0)
    assert folded.payload.value == {"assumptions": {"inputTokens": 4}}
    assert heard == [2, 2, 2, 2, 2]
    await recorder.perform(_READ, {}, Context(origin="estimator"))
    assert [call.number for call in recorder.calls] == [1, 2, 7]


@pytest.mark.parametrize(
    ("row", "context"),
    [
        ("estimate", Context(origin="command line")),
        ("estimate", Context(origin="estimator", refresh=True)),
        ("get-estimate", Context(origin="estimator")),
        ("options", Context(origin="estimator")),
    ],
)
async def test_what_differs_is_not_folded(row: str, context: Context) -> None:
    recorder = _recorder(_Behind())
    await recorder.perform(_ESTIMATE, {}, Context(origin="estimator"))
    await recorder.perform(OPERATIONS[row], {}, context)
    assert [call.folded for call in recorder.calls] == [1, 1]


async def test_calls_that_are_alike_are_folded_only_where_keystrokes_make_them() -> None:
    recorder = _recorder(_Behind())
    for _ in range(2):
        await recorder.perform(_READ, {}, Context())
    assert [call.folded for call in recorder.calls] == [1, 1]


async def test_a_failed_estimate_stands_by_itself() -> None:
    refused = iter([False, True, True, False, False])

    def answer() -> str:
        if next(refused):
            raise ServiceError(ErrorKind.INVALID, "no")
        return "done"

    recorder = _recorder(_Behind(answer))
    for _ in range(5):
        with suppress(ServiceError):
            await recorder.perform(_ESTIMATE, {}, Context())
    assert [(call.error is None, call.folded) for call in recorder.calls] == [
        (True, 1),
        (False, 1),
        (False, 1),
        (True, 2),
    ]


async def test_an_estimate_that_the_next_keystroke_gave_up_is_folded_with_it() -> None:
    waiting = [True, False]

    class Behind(_Behind):
        async def perform(self, *arguments: Any) -> Answer:
            if waiting.pop(0):
                await asyncio.Event().wait()
            return Answer(body="done")

    recorder = _recorder(Behind())
    task = asyncio.create_task(recorder.perform(_ESTIMATE, {}, Context()))
    await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await recorder.perform(_ESTIMATE, {}, Context())
    [call] = recorder.calls
    assert (call.folded, call.given_up) == (2, False)


async def test_large_payloads_and_answers_are_kept_in_part() -> None:
    records = [{"character_id": str(number), "text": "x" * 200} for number in range(10_000)]
    recorder = _recorder(_Behind(lambda: records))
    await recorder.perform(_READ, {"backstory": "é" * 10_000}, Context())
    [call] = recorder.calls
    assert call.payload == Excerpt({"backstory": "é" * 4096 + "… (5904 more characters)"}, whole=False)
    assert call.body is not None
    assert call.body.value[0] == records[0]
    assert 100 < len(call.body.value) < 1000
    assert call.body.value[-1] == f"… ({10_000 - len(call.body.value) + 1} more items)"
    assert len(dumps(call.body.value)) < 70_000


async def test_expectations_are_not_kept() -> None:
    recorder = _recorder(_Behind())
    await recorder.perform(_READ, {}, Context(origin="x", expected={"a": 1}, before={"b": 2}))
    assert recorder.calls[0].context == Context(origin="x")


async def test_headers_are_kept_but_for_their_secrets() -> None:
    class Behind(_Behind):
        async def perform(self, *_: Any) -> Answer:
            headers = {"etag": '"1"', "set-cookie": "session=canary", "x-seen": "the canary key"}
            return Answer(body="canary", meta=Meta(status=200, headers=headers))

    recorder = _recorder(Behind(), redact=lambda text: text.replace("canary", "[key]"))
    await recorder.perform(_READ, {}, Context())
    [call] = recorder.calls
    assert call.meta is not None
    assert call.meta.headers == {"etag": '"1"', "set-cookie": "(not recorded)", "x-seen": "the [key] key"}
    assert call.status == 200
    assert "canary" not in repr(call)


@pytest.mark.parametrize("status", [200, 401, 500])
async def test_nothing_remembered_holds_the_key(status: int) -> None:
    section = f'[{{"section_id": "s", "section_name": "{KEY}"}}]'
    body = section if status == 200 else f'{{"ERROR": "no {KEY}"}}'
    async with FaultServer(reply(status, body, X_Echo=KEY)) as server:
        backend = remote(server.base_url, fetch_key=lambda: Key(KEY))
        recorder = Recorder(backend, redact=backend.redact)
        with suppress(ServiceError):
            await recorder.perform(_READ, PAYLOADS["list-sections"], Context())
        await recorder.aclose()
    assert server.seen[0].headers["service-api-key"] == KEY
    [call] = recorder.calls
    assert (call.error is None) is (status == 200)
    assert KEY not in repr(call)
