"""Answers that are kept: decision 12, and bounds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from chartui.core.backends.base import Answer, Cache, Context
from chartui.core.backends.remote.backend import MAX_BYTES, MAX_ENTRIES, AnswerCache
from chartui.core.spec.elements import Decoded
from chartui.core.spec.operations import OPERATIONS
from tests.faults.client import remote
from tests.faults.server import Fault, FaultServer, reply

pytestmark = pytest.mark.anyio

_OPTIONS = '{"plans": [1]}'
_FRESH = {"Cache_Control": "max-age=60", "ETag": '"a"'}
_REFRESH = Context(refresh=True)


class _Time:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def _asking(*script: Fault) -> AsyncIterator[tuple[FaultServer, _Time, Callable[..., Awaitable[Answer]]]]:
    """A server, a clock, and what asks for the options (or another row)."""
    time = _Time()
    async with FaultServer(*script) as server:
        backend = remote(server.base_url, ticks=time)

        async def ask(context: Context | None = None, row: str = "options", **payload: object) -> Answer:
            return await backend.perform(OPERATIONS[row], payload, context or Context())

        yield server, time, ask
        await backend.aclose()


async def test_a_fresh_answer_is_not_asked_for_again() -> None:
    async with _asking(reply(200, _OPTIONS, **_FRESH)) as (server, time, ask):
        first = await ask()
        time.now += 59
        second = await ask()
    assert first.meta.cache is Cache.NONE
    assert (second.body, second.meta.cache, second.meta.bytes) == (first.body, Cache.HIT, 0)
    assert len(server.seen) == 1


async def test_a_stale_answer_is_asked_about_by_its_etag() -> None:
    async with _asking(reply(200, _OPTIONS, **_FRESH), reply(304, Cache_Control="max-age=10")) as (server, time, ask):
        await ask()
        time.now += 61
        again = await ask()
        time.now += 9
        kept = await ask()
    assert (again.body, again.meta.cache, again.meta.status) == ({"plans": [1]}, Cache.REVALIDATED, 304)
    assert kept.meta.cache is Cache.HIT
    assert [seen.headers.get("if-none-match") for seen in server.seen] == [None, '"a"']


async def test_a_changed_answer_takes_the_place_of_the_old_one() -> None:
    changed = reply(200, '{"plans": [2]}', Cache_Control="max-age=60", ETag='"b"')
    async with _asking(reply(200, _OPTIONS, **_FRESH), changed) as (_, time, ask):
        await ask()
        time.now += 61
        assert (await ask()).body == {"plans": [2]}
        assert (await ask()).meta.cache is Cache.HIT


async def test_a_refresh_goes_past_every_cache() -> None:
    async with _asking(reply(200, _OPTIONS, **_FRESH)) as (server, _, ask):
        await ask()
        refreshed = await ask(_REFRESH)
        assert (await ask()).meta.cache is Cache.HIT
    assert refreshed.meta.cache is Cache.NONE
    assert server.seen[1].headers["cache-control"] == "no-cache"
    assert "if-none-match" not in server.seen[1].headers


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Cache_Control": "no-store, max-age=60", "ETag": '"a"'},
        {"Cache_Control": "max-age=0"},
        {"Cache_Control": "max-age=60", "Age": "60"},
        {"Cache_Control": "max-age=soon"},
        {"Cache_Control": "private"},
    ],
)
async def test_what_may_not_be_kept_is_asked_for_again(headers: dict[str, str]) -> None:
    async with _asking(reply(200, _OPTIONS, **headers)) as (server, _, ask):
        await ask()
        assert (await ask()).meta.cache is Cache.NONE
    assert [seen.headers.get("if-none-match") for seen in server.seen] == [None, None]


async def test_no_cache_means_ask_each_time() -> None:
    async with _asking(reply(200, _OPTIONS, Cache_Control="no-cache", ETag='"a"'), reply(304)) as (server, _, ask):
        await ask()
        assert (await ask()).meta.cache is Cache.REVALIDATED
    assert len(server.seen) == 2


async def test_a_failure_is_not_kept() -> None:
    async with _asking(reply(503, "x", **_FRESH), reply(200, _OPTIONS, **_FRESH)) as (_, __, ask):
        assert (await ask()).meta.attempts == 2


async def test_each_query_has_its_own_answer() -> None:
    estimate = '{"totals": {"credits": 1}, "lines": []}'
    async with _asking(reply(200, estimate, **_FRESH)) as (server, _, ask):
        for llm in ("a", "b", "a"):
            await ask(row="get-estimate", llm=llm)
    assert [seen.target.rpartition("=")[2] for seen in server.seen] == ["a", "b"]


async def test_a_post_is_never_kept() -> None:
    async with _asking(reply(200, "[]", **_FRESH)) as (server, _, ask):
        for _ in range(2):
            await ask(row="list-sections", character_id="c")
    assert len(server.seen) == 2


def _kept(cache: AnswerCache, count: int) -> list[int]:
    return [number for number in range(count) if cache.find(f"u{number}") is not None]


def test_the_least_recently_used_goes_first() -> None:
    cache = AnswerCache(lambda: 0.0)
    for number in range(MAX_ENTRIES):
        cache.keep(f"u{number}", None, Decoded(None), {"cache-control": "max-age=9"}, 1)
    cache.find("u0")
    cache.keep("new", None, Decoded(None), {"cache-control": "max-age=9"}, 1)
    assert _kept(cache, MAX_ENTRIES) == [0, *range(2, MAX_ENTRIES)]


def test_the_bytes_are_bounded() -> None:
    cache = AnswerCache(lambda: 0.0)
    for number in range(5):
        cache.keep(f"u{number}", None, Decoded(None), {"cache-control": "max-age=9"}, MAX_BYTES // 3)
    assert _kept(cache, 5) == [2, 3, 4]
    cache.keep("u9", None, Decoded(None), {"cache-control": "max-age=9"}, MAX_BYTES + 1)
    assert cache.find("u9") is None
    cache.keep("u4", None, Decoded(None), {"cache-control": "max-age=9"}, 1)  # replaced: its old size no longer counts
    cache.keep("u5", None, Decoded(None), {"cache-control": "max-age=9"}, MAX_BYTES // 3)
    assert _kept(cache, 6) == [2, 3, 4, 5]
