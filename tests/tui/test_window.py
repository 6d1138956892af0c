"""Notices of the end of long work, and links in messages."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chartui.core.config import TerminalUse
from chartui.tui.window import LONG, NOTHING, Window, notice


class Clock:
    """A driver and a clock: each reading of the time is the next of ``times``."""

    def __init__(self, *times: float) -> None:
        self._times = iter(times)
        self.written: list[str] = []

    def ticks(self) -> float:
        return next(self._times)

    def write(self, data: str) -> None:
        self.written.append(data)

    def window(self, use: TerminalUse) -> Window:
        return Window(cast("Any", SimpleNamespace(_driver=self, connection=self)), use)


@pytest.fixture(autouse=True)
def outside_tmux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)


@pytest.mark.parametrize(
    ("use", "seconds", "notices"),
    [
        (TerminalUse(), LONG, ["\x1b]9;chartui: Loading finished after 10 s\x07"]),
        (TerminalUse(), LONG - 0.1, []),
        (TerminalUse(notices=False), LONG, []),
        (NOTHING, LONG, []),
    ],
)
def test_long_work_gives_notice(use: TerminalUse, seconds: float, notices: list[str]) -> None:
    clock = Clock(100.0, 100.0 + seconds)
    with clock.window(use).timed("Loading"):
        pass
    assert clock.written == notices


def test_canceled_work_gives_none() -> None:
    clock = Clock(0.0, 99.0)
    with pytest.raises(asyncio.CancelledError), clock.window(TerminalUse()).timed("Loading"):
        raise asyncio.CancelledError
    assert clock.written == []


def test_a_notice_cannot_end_its_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notice("a\x07\x1b]2;b\n") == "\x1b]9;a␇␛]2;b\x07"
    monkeypatch.setenv("TMUX", "/tmp/tmux")
    assert notice("a") == "\x1bPtmux;\x1b\x1b]9;a\x07\x1b\\"
