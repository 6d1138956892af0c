"""When a request is sent again, and after how long."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from chartui.core.backends.remote.replies import Retrying, TryAgain, retry_after
from chartui.core.spec.errors import ErrorKind, Sent, ServiceError
from chartui.core.spec.operation import Retry

pytestmark = pytest.mark.anyio


def _fails(times: int, error: ServiceError) -> Callable[[], object]:
    left = [times]

    async def attempt() -> str:
        if left[0] == 0:
            return "done"
        left[0] -= 1
        raise TryAgain(error)

    return attempt


async def _run(
    failures: int, error: ServiceError, retry: Retry = Retry.ALWAYS, *, chance: float = 1.0, deadline: float = 20.0
) -> tuple[object, list[float]]:
    now = [0.0]
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    policy = Retrying(sleep, lambda: chance, lambda: now[0])
    try:
        return await policy.run(_fails(failures, error), retry=retry, deadline=deadline), waits  # type: ignore[arg-type]
    except ServiceError as failure:
        return failure, waits


def _error(sent: Sent = "unclear", after: float | None = None) -> ServiceError:
    return ServiceError(ErrorKind.UNREACHABLE, "no", retry_after=after, sent=sent)


async def test_what_works_at_once_is_tried_once() -> None:
    assert await _run(0, _error()) == (("done", 1), [])


async def test_three_tries_with_growing_waits() -> None:
    assert await _run(2, _error()) == (("done", 3), [0.25, 0.5])
    error = _error()
    assert await _run(3, error) == (error, [0.25, 0.5])


async def test_the_wait_is_anything_up_to_its_limit() -> None:
    assert await _run(2, _error(), chance=0.0) == (("done", 3), [0.0, 0.0])
    assert await _run(2, _error(), chance=0.5) == (("done", 3), [0.125, 0.25])


@pytest.mark.parametrize(("sent", "tries"), [("no", 3), ("unclear", 1), ("yes", 1)])
async def test_what_makes_something_is_repeated_only_when_it_was_not_sent(sent: Sent, tries: int) -> None:
    _, waits = await _run(9, _error(sent), Retry.IF_NOT_SENT)
    assert len(waits) == tries - 1


@pytest.mark.parametrize("last", [TryAgain, lambda error: error], ids=["may pass", "for good"])
async def test_a_try_that_may_have_arrived_stays_in_doubt_whatever_comes_after(
    last: Callable[[ServiceError], Exception],
) -> None:
    failures = [TryAgain(_error("unclear")), TryAgain(_error("no")), last(_error("no"))]

    async def attempt() -> str:
        raise failures.pop(0)

    async def sleep(_: float) -> None:
        pass

    with pytest.raises(ServiceError) as caught:
        await Retrying(sleep, lambda: 0.0, lambda: 0.0).run(attempt, retry=Retry.ALWAYS, deadline=20.0)
    assert (caught.value.sent, caught.value.attempts) == ("unclear", 3)


async def test_a_wait_beyond_the_deadline_ends_it() -> None:
    error = _error(after=6.0)
    assert await _run(9, error, deadline=10.0) == (error, [6.0])


async def test_the_failure_carries_no_other() -> None:
    failure, _ = await _run(9, _error())
    assert isinstance(failure, ServiceError)
    assert failure.__context__ is None
    assert failure.__cause__ is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 7 ", 7.0),
        ("Sun, 01 Nov 2026 12:01:00 GMT", 60.0),
        ("Sunday, 01-Nov-26 12:01:00 GMT", 60.0),
        ("Sun, 01 Nov 2026 12:01:00 -0000", 60.0),
        ("Sun, 01 Nov 2020 12:01:00 GMT", 0.0),
        (None, None),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("1e9", None),
        ("٣", None),
        ("1234567890", None),
        ("soon", None),
        ("Sun, 01 Nov 99999 12:01:00 GMT", None),
        ("Sun, 01 Nov 2026 12:01:00 +9999999", None),
    ],
)
def test_retry_after_is_read_in_both_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)) == seconds
