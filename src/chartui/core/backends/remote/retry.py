"""When a request is sent again, and after how long.

Nearly every operation is a POST and none takes an idempotency key, so the row decides: what may safely be repeated is
tried three times; what makes something new only when the first request surely did not reach the service.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from random import random
from typing import Final, TypeVar

from chartui.core.clock import Monotonic, monotonic
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Retry

__all__ = ["Retrying", "TryAgain", "retry_after"]

T = TypeVar("T")

TRIES: Final = 3
#: Full jitter between nothing and this many seconds, doubled at each try up to the limit.
FIRST_WAIT: Final = 0.25
LONGEST_WAIT: Final = 2.0
#: A service that asks for more patience than this is not waited for; the user is told when to come back. Seconds.
LONGEST_OBEYED: Final = 10.0


class TryAgain(Exception):
    """A request failed in a way that may pass by itself; ``error`` is what the user is told when it does not."""

    def __init__(self, error: ServiceError) -> None:
        super().__init__()
        self.error = error


@dataclass(frozen=True, slots=True)
class Retrying:
    """The policy, with its sources of time and chance."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random
    ticks: Monotonic = monotonic

    async def run(self, attempt: Callable[[], Awaitable[T]], *, retry: Retry, deadline: float) -> tuple[T, int]:
        """What ``attempt`` returns, and how many tries it took, within ``deadline`` seconds.

        Raises the :class:`ServiceError` of the last try when no further one is allowed or would come in time. It says
        ``unclear`` when any try may have reached the service, even if the last one did not.
        """
        end = self.ticks() + deadline
        tried, unclear = 0, False
        while True:
            tried += 1
            # Raised outside the handlers: a chained failure would carry frames of the HTTP client, and those the key.
            try:
                return await attempt(), tried
            except TryAgain as again:
                error, wait = again.error, self._wait(again.error, tried, retry)
            except ServiceError as failure:
                error, wait = failure, None
            if wait is None or self.ticks() + wait >= end:
                if unclear and error.sent == "no":
                    error.sent = "unclear"
                error.attempts = tried
                raise error
            unclear = unclear or error.sent == "unclear"
            await self.sleep(wait)

    def _wait(self, error: ServiceError, tried: int, retry: Retry) -> float | None:
        """Seconds until the next try; None when there is none."""
        if tried >= TRIES or (retry is Retry.IF_NOT_SENT and error.sent != "no"):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= LONGEST_OBEYED else None
        return self.random() * min(LONGEST_WAIT, FIRST_WAIT * float(2 ** (tried - 1)))


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait, from a ``Retry-After`` header in either of its forms; None for anything else."""
    if value is None:
        return None
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:  # "-0000": in UTC, says the grammar
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
