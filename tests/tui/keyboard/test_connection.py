"""A service that goes away and comes back while one works on it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chartui.core.backends.base import Context
from chartui.core.backends.recorder import Call, excerpt
from chartui.core.session import open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import operation
from chartui.tui.connection import WAITS
from tests.long import sampled
from tests.tui.serving import Service, Time
from tests.tui.user import NARROW, WIDE, User, opened

SIZES = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])


@asynccontextmanager
async def at(
    service: Service, screen: str = "characters", *, size: tuple[int, int] = NARROW, ready: bool = True
) -> AsyncIterator[tuple[User, Time]]:
    """The program on ``service``, and the time it lives by."""
    time = Time()
    async with opened(open_session(service.profile()), screen=screen, size=size, ready=False) as user:
        user.app.connection.ticks, user.app.connection.later = time.ticks, time.later
        if ready:
            await user.ready()
        yield user, time


async def waits(user: User, seconds: int) -> None:
    await user.until(lambda: f"unreachable · retry in {seconds} s" in user.top_line, f"for the next try in {seconds} s")


# -- a server that is lost ---------------------------------------------------------------------------------------------


def names(user: User) -> str:
    """The first names of the list: a message takes room below."""
    return "\n".join(line[:36].rstrip() for line in user.pane("#list").splitlines()[:10])


@SIZES
async def test_the_last_data_stay_and_the_next_try_is_counted_down(service: Service, size: tuple[int, int]) -> None:
    async with at(service, size=size) as (user, time):
        listed = names(user)
        assert "Elena Marsh" in listed
        service.stop()
        time.pass_by(130)
        await user.press("f5")
        await waits(user, 5)
        assert names(user) == listed
        assert "loaded 2 min ago" in user.bottom_line
        time.pass_by(1)
        await waits(user, 4)
        time.pass_by(3)
        await waits(user, 1)


async def test_the_age_of_the_list_is_the_same_at_the_border_and_at_the_bottom(service: Service) -> None:
    async with at(service, size=WIDE) as (user, time):
        time.pass_by(660)
        asked = sum(service.asked.values())
        await user.press("down", "enter", "]", "]", "]")
        await user.until(lambda: sum(service.asked.values()) > asked, "for details, which are newer than the list")
        await user.ready()
        await user.press("escape")
        service.stop()
        time.pass_by(240)
        await user.press("f5")
        await waits(user, 5)
        await user.sees("refresh failed · loaded over 15 min ago")
        assert "loaded 15 min ago" in user.bottom_line


async def test_it_is_asked_again_by_itself_less_and_less_often(service: Service) -> None:
    async with at(service) as (user, time):
        service.stop()
        await user.press("f5")
        for wait, following in zip(WAITS, (*WAITS[1:], WAITS[-1]), strict=True):
            await waits(user, int(wait))
            time.pass_by(wait)
            await waits(user, int(following))


async def test_what_is_told_is_told_once_and_not_at_every_try(service: Service) -> None:
    async with at(service) as (user, time):
        service.stop()
        await user.press("f5")
        await user.is_told("cannot be reached", "The previous list is still shown.")
        await waits(user, 5)
        time.pass_by(5)
        await waits(user, 10)
        await user.settle()
        [first] = user.app._notifications
        await user.press("f5")  # somebody asks, so somebody is answered
        await waits(user, 20)
        await user.until(lambda: [told for told in user.app._notifications if told is not first])


@pytest.mark.parametrize("screen", ["estimator", "characters", "narrative"])
async def test_it_comes_back_by_itself(service: Service, screen: str) -> None:
    async with at(service, screen) as (user, time):
        before = user.screen
        service.stop()
        await user.press("f5")
        await waits(user, 5)
        service.start()
        time.pass_by(5)
        await user.misses("unreachable", "read less than")
        await user.ready()
        user.app.clear_notifications()
        await user.until(lambda: user.screen.splitlines()[:-6] == before.splitlines()[:-6], "for the screen as it was")


@SIZES
async def test_it_starts_without_a_server_and_shows_everything_once_there_is_one(
    service: Service, size: tuple[int, int]
) -> None:
    service.stop()
    async with at(service, size=size, ready=False) as (user, time):
        await waits(user, 5)
        assert "ago" not in user.bottom_line  # nothing was read yet, so nothing is old
        service.start()
        time.pass_by(5)
        await user.sees("Elena Marsh")
        await user.misses("unreachable")


async def test_f5_does_not_wait_for_the_next_try(service: Service) -> None:
    async with at(service) as (user, _):
        service.stop()
        await user.press("f5")
        await waits(user, 5)
        service.start()
        await user.press("f5")
        await user.misses("unreachable")


async def test_another_screen_knows_it_too_and_is_read_again_when_it_is_over(service: Service) -> None:
    async with at(service) as (user, time):
        await user.press("E")
        await user.ready()
        service.stop()
        await user.press("right")
        await waits(user, 5)
        await user.press("C")
        assert "unreachable · retry in 5 s" in user.top_line
        await user.press("f5")
        await waits(user, 10)
        service.start()
        time.pass_by(10)
        await user.misses("unreachable")
        await user.press("E")
        await user.ready()
        await user.misses("Not estimated")


async def test_keys_between_two_tries_do_not_put_the_next_one_off(service: Service) -> None:
    async with at(service, "estimator") as (user, time):
        service.stop()
        await user.press("right")
        await waits(user, 5)
        time.pass_by(4)
        await user.press("right")
        await user.ready()
        await waits(user, 1)


async def test_while_all_is_well_no_timer_runs_but_that_of_the_lists_age(service: Service) -> None:
    async with at(service) as (user, time):
        [age] = time.timers
        assert age.due == time.now + 300
        service.stop()
        await user.press("f5")
        await waits(user, 5)
        assert len([t for t in time.timers if not t.stopped and t is not age]) == 1
        service.start()
        await user.press("f5")
        await user.misses("unreachable")
        await user.until(lambda: age.stopped, "for the list that was read again")
        assert [t.due for t in time.timers if not t.stopped] == [time.now + 300]


# -- a key that is refused, a tier that is too low ---------------------------------------------------------------------


async def test_a_refused_key_is_not_a_lost_server(service: Service) -> None:
    async with at(service) as (user, _):
        service.renew_key()
        await user.press("f5")
        await user.until(lambda: "API key rejected" in user.top_line)
        assert "unreachable" not in user.top_line
        await user.press("E")
        await user.ready()
        await user.sees("credits per interaction")  # this service needs no key
        assert "API key rejected" in user.top_line


async def test_the_top_line_follows_the_newest_answer() -> None:
    def call(error: ServiceError | None) -> Call:
        asked = operation("list-characters")
        body = excerpt({}) if error is None else None
        payload, context = excerpt({}), Context(origin="characters")
        return Call(
            number=1, at="", seconds=0, operation=asked, payload=payload, context=context, body=body, error=error
        )

    answers = (
        (ErrorKind.TIER, 403, "needs a higher tier"),
        (ErrorKind.RATE_LIMITED, 429, "too many requests · f5 retries"),
        (ErrorKind.INTERNAL, 500, "service error · f5 retries"),
        (ErrorKind.REFUSED, 418, "temporary store"),
        (ErrorKind.TIER, 403, "needs a higher tier"),
    )
    async with opened(screen="characters", size=WIDE) as user:
        for kind, status, words in answers:
            user.app.connection._heard(call(ServiceError(kind, "No.", status=status)))
            await user.until(lambda words=words: words in user.top_line, f"for {words}")  # type: ignore[misc]
        user.app.connection._heard(call(None))
        await user.until(lambda: "needs a higher tier" not in user.top_line)
