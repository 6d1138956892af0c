"""What was read for a plan: each list once, for all who ask, as long as it is not too old."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.plans.reads import FRESH, Reads
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation

pytestmark = pytest.mark.anyio


class Slow:
    """Answers when it is let go; counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.given_up = 0
        self.go = asyncio.Event()
        self.fails = False

    async def perform(self, operation: Operation, payload: Mapping[str, Any], context: Context) -> Answer:
        del context
        self.asked.append(operation.name)
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.fails:
            raise ServiceError(ErrorKind.UNREACHABLE, "No answer.")
        if operation.name == "list-sections":
            return Answer(body=[{"section_id": "s1", "section_name": "Hall"}, None])
        if operation.name == "get-section":
            return Answer(body={"section_id": payload["section_id"], "section_name": "New"})
        return Answer(body={"characters": []})

    async def aclose(self) -> None:
        """Nothing is open."""


class Now:
    """A clock that is set by hand."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def reads_of(slow: Slow, now: Now | None = None) -> Reads:
    return Reads(Service(slow, embedded=False), ticks=now or Now())


async def test_all_who_ask_share_one_answer_and_one_who_gives_up_does_not_take_it_away() -> None:
    slow = Slow()
    reads = reads_of(slow)
    first, second = (asyncio.ensure_future(reads.service.records()) for _ in range(2))
    while not slow.asked:
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    slow.go.set()
    assert not await second
    assert not await reads.service.records()
    assert slow.asked == ["list-characters"]
    assert not slow.given_up


async def test_a_read_for_which_nobody_waits_any_more_is_given_up() -> None:
    slow = Slow()
    reads = reads_of(slow)
    only = asyncio.ensure_future(reads.service.records())
    while not slow.asked:
        await asyncio.sleep(0)
    only.cancel()
    await asyncio.wait([only])
    while not slow.given_up:
        await asyncio.sleep(0)
    slow.go.set()
    await reads.service.records()
    assert slow.asked == ["list-characters"] * 2


async def test_a_failure_is_not_kept() -> None:
    slow = Slow()
    slow.go.set()
    slow.fails = True
    reads = reads_of(slow)
    with pytest.raises(ServiceError):
        await reads.service.records()
    slow.fails = False
    await reads.service.records()
    assert (slow.asked, reads.age) == (["list-characters"] * 2, 0)


async def test_what_is_too_old_is_read_again_and_that_is_said() -> None:
    slow, now = Slow(), Now()
    slow.go.set()
    reads = reads_of(slow, now)
    now.seconds = 100
    assert reads.renew() == ""
    await reads.service.records()
    now.seconds += FRESH
    assert reads.renew() == ""
    now.seconds += 15
    assert reads.renew() == "The values were read again because the review was open for 45 s."
    assert reads.read_at is None
    await reads.service.records()
    assert slow.asked == ["list-characters"] * 2


async def test_a_section_is_found_in_its_list_and_one_made_since_by_itself() -> None:
    slow = Slow()
    slow.go.set()
    reads = reads_of(slow)
    row = operation("edit-section")
    payload = {"character_id": "c1", "section_id": "s1", "updated_data": {"section_name": "Yard"}}
    assert await reads.present(row, payload) == {"section_name": "Hall"}
    assert await reads.present(row, payload) == {"section_name": "Hall"}
    assert slow.asked == ["list-sections"]
    assert await reads.present(row, {**payload, "section_id": "s2"}) == {"section_name": "New"}
    assert await reads.present(row, payload, again=True) == {"section_name": "New"}
    assert slow.asked == ["list-sections", "get-section", "get-section"]
