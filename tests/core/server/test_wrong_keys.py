"""A program that tries keys is slowed down; whoever has the key is served all the same (decision 74)."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable

import httpx
import pytest

from chartui.core.server.app import WrongKeys, make_app
from chartui.core.server.http import Refusal
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import KEY_HEADER, OPERATIONS
from tests.core.server.doubles import Scripted, account_of, echo

ROW = OPERATIONS["list-characters"]
WRONG, _ = ROW.error(ErrorKind.BAD_KEY)


class Ticks:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def ask(ticks: Ticks) -> Callable[..., httpx.Response]:
    app = make_app(backend_for=lambda tier: Scripted(echo, tier), authenticate=account_of, ticks=ticks)

    def asked(key: str, peer: str = "127.0.0.1") -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(peer, 1))
        return asyncio.run(_sent(transport, key))

    return asked


async def _sent(transport: httpx.ASGITransport, key: str) -> httpx.Response:
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.post(ROW.path or "", json={}, headers={KEY_HEADER: key} if key else {})


def test_the_twenty_first_wrong_key_within_a_minute_has_to_wait(
    ask: Callable[..., httpx.Response], ticks: Ticks
) -> None:
    statuses = []
    for number in range(20):
        ticks.now = 1000 + number
        statuses.append(ask(f"wrong-{number}").status_code)
    assert set(statuses) == {WRONG}
    refused = ask("wrong-20")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "41")
    assert refused.json() == {"ERROR": "Too many wrong API keys. Try again in 41 s."}
    ticks.now = 1059.5
    assert ask("wrong-21").headers["retry-after"] == "1"
    ticks.now = 1060
    assert ask("wrong-22").status_code == WRONG
    assert ask("wrong-23").status_code == 429


def test_a_correct_key_and_other_peers_are_served(ask: Callable[..., httpx.Response]) -> None:
    for number in range(30):
        ask(f"wrong-{number}")
    assert ask("wrong").status_code == 429
    assert ask("pro-key").status_code == 200
    assert ask("", "127.0.0.1").status_code != 429
    assert ask("wrong", "127.0.0.2").status_code == WRONG


def test_many_peers_are_not_all_remembered(ticks: Ticks) -> None:
    keys = WrongKeys(1, 60, ticks)
    tracemalloc.start()
    try:
        for peer in range(50_000):
            keys.count(f"10.{peer >> 16}.{peer >> 8 & 255}.{peer & 255}")
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 2_000_000
    with pytest.raises(Refusal):
        keys.count("10.0.195.79")  # the last of them
    keys.count("10.0.0.0")  # forgotten
