"""How much is under way, on lines of any speed; and that a frame that waits is overtaken by the next."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest

from chartui.tui.output import output as layer
from chartui.tui.output.pacing import ASK_AFTER, LEAST_WINDOW, Pacing
from tests.tui.output.terminals import KINDS, SIZE, Shown, page


class SlowLine:
    """A line of so many bytes a second and a round trip, with a program that draws frames at a steady pace."""

    def __init__(self, rate: float, trip: float) -> None:
        self.now = 0.0
        self.pacing = Pacing(lambda: self.now)
        self.pacing.answer()
        self._rate, self._trip = rate, trip
        self._free = 0.0
        self._answers: deque[float] = deque()
        self.sent = 0
        self.waits: list[float] = []

    def draw(self, size: int, every: float, count: int) -> None:
        for _ in range(count):
            self.now += every
            while self._answers and self._answers[0] <= self.now:
                now, self.now = self.now, self._answers.popleft()
                self.pacing.answer()
                self.now = now
            if not self.pacing.is_full:
                self._send(size)

    def _send(self, size: int) -> None:
        self.sent += 1
        self._free = max(self._free, self.now) + size / self._rate
        self.waits.append(self._free - self.now)
        if self.pacing.send(size):
            self._answers.append(self._free + self._trip)


def test_a_slow_line_holds_a_moment_of_frames() -> None:
    line = SlowLine(2_000, 0.15)
    line.draw(size=300, every=1 / 30, count=300)
    assert max(line.waits) < 0.9
    assert 35 < line.sent < 75  # the line carries 67 in these ten seconds, and a few are on their way


def test_a_slow_line_is_asked_after_fewer_bytes() -> None:
    now = 0.0
    pacing = Pacing(lambda: now)
    pacing.answer()
    asked = [pacing.send(300), pacing.send(300)]
    now = 0.3
    pacing.answer()
    assert [*asked, pacing.send(300)] == [False, True, True]


@pytest.mark.parametrize("trip", [0.001, 0.15, 0.6])
def test_a_fast_line_is_filled_whatever_its_round_trip(trip: float) -> None:
    line = SlowLine(1_000_000, trip)
    line.draw(size=10_000, every=1 / 30, count=200)
    before = line.sent
    line.draw(size=10_000, every=1 / 30, count=100)
    assert line.sent - before > 95


def test_small_frames_are_asked_behind_now_and_then() -> None:
    assert not Pacing().send(10_000), "a terminal that has not answered is not asked"
    pacing = Pacing(lambda: 0.0)
    pacing.answer()
    assert [(pacing.send(200), pacing.is_full) for _ in range(3)] == [(False, False), (False, False), (True, False)]
    assert ASK_AFTER < 3 * 200 < LEAST_WINDOW
    assert pacing.send(LEAST_WINDOW)
    filled = [pacing.is_full]
    pacing.answer()
    pacing.answer()
    assert [*filled, pacing.is_full] == [True, False]


def test_a_few_bytes_before_a_pause_have_arrived_and_are_not_asked_for() -> None:
    now = 0.0
    pacing = Pacing(lambda: now)
    pacing.answer()
    asked = [pacing.send(ASK_AFTER - 1)]
    now += 1.0
    assert [*asked, pacing.send(ASK_AFTER - 1), pacing.send(1)] == [False, False, True]


async def test_frames_that_wait_are_overtaken_by_the_last() -> None:
    shown = Shown(KINDS["xterm"], SIZE)
    shown.draw(page("0"))
    shown.line.busy = True
    shown.line.written.clear()
    for number in range(1, 10):
        shown.draw(page(str(number)))
    assert shown.line.written == []
    shown.line.busy = False
    shown.output.send()
    assert shown.line.written == ["\r9"]
    shown.assert_same()


async def test_a_frame_that_waits_when_the_terminal_is_handed_back_is_sent_only_when_it_is_taken_over_again() -> None:
    shown = Shown(KINDS["xterm"], SIZE)
    shown.draw(page("0"))
    shown.line.busy = True
    shown.draw(page("1"))
    shown.line.written.clear()
    assert shown.output.leave() == "\x1b[m"
    shown.line.busy = False
    shown.output.send()  # as soon as everything is written
    shown.output.answer(layer.SYNCHRONIZED, 2)
    assert shown.line.written == []
    shown.output.repaint()
    shown.assert_same()


async def test_a_terminal_that_does_not_answer_is_never_asked() -> None:
    shown = Shown(KINDS["screen"], SIZE)
    for number in range(20):
        shown.draw(page(*[f"{number} " * 30] * 20))
    assert not any("$p" in text for text in shown.line.written)


async def test_a_terminal_that_stops_answering_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "PATIENCE", 0.01)
    shown = Shown(KINDS["xterm"], SIZE)
    shown.emulator.kind = KINDS["screen"].kind
    for letter in "abcd":
        shown.draw(page(*[letter * 70] * 20))
    waits = [shown.output.waits]
    while shown.emulator.rows[0][0] != "d":
        await asyncio.sleep(0)
    waits.append(shown.output.waits)
    shown.output.answer(layer.SYNCHRONIZED, 2)
    shown.draw(page(*["e" * 70] * 20))
    # Asked again after a late answer.
    assert [*waits, shown.output.waits] == [True, False, True]
