"""A slow service: what is read, how much of it has come and for how long, and what Escape does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from unittest import mock

import pytest

from chartui.core.backends.base import Answer, Context, Progress, Received
from chartui.core.jsontext import Wire
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.tui.connection import Connection
from chartui.tui.loading import Loading
from chartui.tui.shell.help import Help
from tests.long import sampled
from tests.tui.serving import Time
from tests.tui.sessions import Double, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

SIZES = pytest.mark.parametrize("size", sampled([SMALL, NARROW, WIDE], SMALL), ids=["60x20", "80x24", "120x40"])


class Slow:
    """A backend whose answers come piece by piece, and which sees that a call is canceled."""

    def __init__(self, double: Double) -> None:
        self.double = double
        self.progress: dict[str, Progress | None] = {}
        self.canceled: list[str] = []

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform, and keep what the caller wants to hear of it."""
        self.progress[operation.name] = context.progress
        try:
            return await self.double.perform(operation, payload, context)
        except asyncio.CancelledError:
            self.canceled.append(operation.name)
            raise

    def receives(self, name: str, megabytes: float, of: float | None = None) -> None:
        """Let a part of an answer arrive."""
        report = self.progress[name]
        assert report is not None
        total = None if of is None else int(of * 1e6)
        report(Received(bytes=int(megabytes * 1e6), total=total, seconds=0))

    async def aclose(self) -> None:
        """Close the double."""
        await self.double.aclose()


@asynccontextmanager
async def slow(
    screen: str, *held: str, size: tuple[int, int] = NARROW, ready: bool = False
) -> AsyncIterator[tuple[User, Slow, Time]]:
    """The program on a service that keeps the answers to the operations ``held`` back, from its start or once
    it is ``ready``."""
    session, double = remote()
    backend, time = Slow(double), Time()
    session = replace(session, service=Service(backend, embedded=False))
    if not ready:
        for name in held:
            double.hold(name)
    async with opened(session, screen=screen, size=size, ready=False, time=time) as user:
        if ready:
            await user.ready()
            for name in held:
                double.hold(name)
        else:
            await user.until(lambda: all(map(double.waiting, held)), "for the calls")
        yield user, backend, time


@pytest.mark.parametrize(
    ("size", "amount"), [(SMALL, "12.3 of 29.6 MB"), (NARROW, "12.3 of 29.6 MB"), (WIDE, "12.3 MB")]
)
async def test_a_first_read_says_how_long_it_takes_and_how_much_has_come(size: tuple[int, int], amount: str) -> None:
    async with slow("characters", "list-characters", size=size) as (user, backend, time):
        assert "Loading" not in user.screen
        time.pass_by(0.3)
        await user.sees("Loading characters… Esc cancels")
        time.pass_by(7.7)
        await user.sees("Loading characters… 8 s · Esc cancels")
        backend.receives("list-characters", 12.3, of=29.6)
        time.pass_by(1)
        await user.sees(f"Loading characters… {amount} · 9 s · Esc cancels")
        backend.receives("list-characters", 14.25)
        time.pass_by(1)
        await user.sees("Loading characters… 14.2 MB · 10 s · Esc cancels")
        backend.double.let_all_go()
        await user.sees("Elena Marsh", "loaded just now · 12")
        assert "Loading" not in user.screen


async def test_a_fast_answer_is_shown_without_a_word_before() -> None:
    async with slow("characters", "list-characters") as (user, backend, time):
        time.pass_by(0.2)
        backend.double.let_all_go()
        await user.sees("Elena Marsh")
        time.pass_by(5)
        await user.settle()
        assert "Loading" not in user.screen


@pytest.mark.parametrize(
    ("screen", "held", "what"),
    [
        ("characters", "list-characters", "characters"),
        ("narrative", "list-sections", "graph"),
        ("actions", "list-characters", "characters"),
    ],
)
@SIZES
async def test_escape_cancels_a_first_read(screen: str, held: str, what: str, size: tuple[int, int]) -> None:
    async with slow(screen, held, size=size) as (user, backend, time):
        time.pass_by(2)
        await user.sees(f"Loading {what}… 2 s · Esc cancels")
        await user.press("?")
        await user.at(Help)
        await user.press("escape", "escape")
        await user.sees("Loading was canceled. Press f5 to load the", f"{what}.")
        if screen == "narrative":
            assert not [word for word in (" edit ", " add ", " fold ", " filter ") if word in user.bottom_line]
        assert held in backend.canceled  # what is read beside it may have been under way as well
        backend.double.let_all_go()
        await user.press("f5")
        await user.ready()
        await user.sees("Elena Marsh")


@pytest.mark.parametrize(
    ("screen", "held"),
    [
        ("characters", "list-characters"),
        ("narrative", "list-sections"),
        ("narrative", "list-triggers"),
        ("actions", "list-characters"),
        ("estimator", "estimate"),
        ("estimator", "options"),
    ],
)
async def test_the_footer_offers_to_cancel_as_long_as_something_is_read(screen: str, held: str) -> None:
    async with slow(screen, held) as (user, backend, time):
        time.pass_by(0.3)
        await user.sees("esc cancel")
        backend.double.let_all_go()
        await user.ready()
        await user.settle()
        assert "esc cancel" not in user.screen


@pytest.mark.parametrize(
    ("screen", "held", "there"),
    [
        ("characters", "list-characters", "Elena Marsh"),
        ("narrative", "list-sections", "Welcome at the door"),
        ("estimator", "options", "Managed voice"),
    ],
)
@SIZES
async def test_a_refresh_keeps_what_is_there_and_says_how_long_it_takes(
    screen: str, held: str, there: str, size: tuple[int, int]
) -> None:
    async with slow(screen, held, size=size, ready=True) as (user, backend, time):
        await user.sees(there)
        await user.press("f5")
        await user.until(lambda: backend.double.waiting(held), "for the call")
        assert "Refreshing" not in user.screen
        time.pass_by(3)
        await user.sees("Refreshing… 3 s · Esc cancels", there)
        backend.receives(held, 0.5)
        time.pass_by(1)
        await user.sees("Refreshing…", "4 s", there)
        await user.press("down")
        await user.press("escape")
        await user.is_told("Canceled. Still showing the", "loaded earlier. Press f5 to refresh.")
        await user.misses("Refreshing…")
        assert held in backend.canceled  # what is read beside it may have been under way as well
        await user.uncovers(there)


async def test_the_read_before_a_review_says_how_much_has_come() -> None:
    async with slow("characters", "list-characters", size=WIDE, ready=True) as (user, backend, time):
        await user.press("e")
        await user.sees("Temperature")
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        await user.press("enter", "S")
        await user.until(lambda: backend.double.waiting("list-characters"), "for the call")
        backend.receives("list-characters", 0.5, of=0.6)
        time.pass_by(3)
        await user.sees("500 of 600 kB · 3 s")


async def test_the_turn_that_is_sent_says_how_long_its_reply_takes() -> None:
    async with slow("actions", "get-response", ready=True, size=WIDE) as (user, _, time):
        await user.press("e")
        await user.write("Hello.")
        await user.press("enter")
        await user.sees("Waiting for the reply… Esc cancels")
        time.pass_by(12)
        await user.sees("Waiting for the reply… 12 s · Esc cancels")
        await user.press("escape")
        await user.misses("12 s")


async def test_a_canceled_try_is_not_shown_as_under_way() -> None:
    """What F5 tries again while the service is lost."""
    async with slow("characters", "list-characters", ready=True) as (user, _, time):
        user.app.connection.state = Connection(trouble=ErrorKind.UNREACHABLE, tries=1)
        await user.press("f5")
        await user.until(lambda: "trying" in user.top_line)
        time.pass_by(1)
        await user.press("escape")
        await user.until(lambda: "f5 retries" in user.top_line)


async def test_the_time_of_a_step_begins_when_it_is_sent() -> None:
    async with slow("characters", "update-character", ready=True, size=WIDE) as (user, backend, time):
        await user.press("e")
        await user.sees("Temperature")
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        await user.press("enter", "S")
        await user.sees("0.6 → 0.9")
        time.pass_by(20)
        await user.press("y")
        await user.until(lambda: backend.double.waiting("update-character"), "for the step to be sent")
        time.pass_by(2)
        await user.sees("Step 1 of 1", " 2 s")
        assert "22 s" not in user.screen
        backend.double.let_all_go()
        await user.is_told("Applied: ")


async def test_the_time_in_a_report_is_no_time_of_the_step_that_follows() -> None:
    async with slow("characters", ready=True, size=WIDE) as (user, backend, time):
        await user.press("e")
        await user.sees("Temperature")
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        backend.double.failures["update-character"] = ServiceError(ErrorKind.INTERNAL, "Broken.", sent="no")
        await user.press("enter", "S")
        await user.sees("0.6 → 0.9")
        await user.press("y")
        await user.sees("applied: ")
        backend.double.failures.clear()
        backend.double.hold("list-characters")
        time.pass_by(30)
        reads = backend.double.waiting("list-characters")
        await user.press("r")
        await user.until(lambda: backend.double.waiting("list-characters") > reads, "for the read before the step")
        time.pass_by(2)
        await user.sees(" 2 s")
        assert "32 s" not in user.screen
        backend.double.let_all_go()
        await user.is_told("Applied: ")


def test_a_read_that_ended_as_it_was_due_is_not_shown() -> None:
    later, changed = mock.Mock(), mock.Mock()
    loading = Loading("Loading characters", changed=changed, later=later, ticks=lambda: 0.0)
    [(_, due)] = [call.args for call in later.call_args_list]
    loading.end()
    due()
    assert not loading.text()
    assert (later.call_count, changed.called) == (1, False)
