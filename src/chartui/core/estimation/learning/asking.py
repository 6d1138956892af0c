"""Asking a service politely: one call at a time, paced, waiting when it is busy or away, never twice the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from chartui.core.clock import Monotonic
from chartui.core.estimation.learning.kept import Kept, KeptAnswer
from chartui.core.estimation.learning.reading import Asked, Reading, read
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation

__all__ = ["PACE", "PATIENCE", "Asker", "Caller", "Changed", "Phase", "Progress", "Refused", "Sleep", "Told", "untold"]

#: Calls a second, unless something else is asked for.
PACE: Final = 5.0
#: Seconds that a service is waited for before learning is given up; what was measured is kept.
PATIENCE: Final = 300.0
#: Seconds until the next try, by the number of tries that failed; the last one from then on.
_WAITS: Final = (2.0, 4.0, 8.0, 15.0, 30.0)
#: Failures that may pass by themselves. The client has tried each of them three times already.
_PASSING: Final = frozenset({ErrorKind.RATE_LIMITED, ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT})
_AWAY: Final = frozenset({502, 503, 504})
#: How a service says that it does not take what was asked: by an error of E 7, or in an answer that looks like one.
_REFUSING: Final = frozenset({ErrorKind.INVALID, ErrorKind.REFUSED, ErrorKind.NOT_FOUND, ErrorKind.TOO_LARGE})

Sleep = Callable[[float], Awaitable[None]]


class Meta(Protocol):
    """How an answer came about."""

    @property
    def attempts(self) -> int:
        """How often the service was asked; 0 for an answer that was kept."""
        ...


class Answered(Protocol):
    """An answer of a service."""

    @property
    def body(self) -> Wire:
        """The body in wire form."""
        ...

    @property
    def meta(self) -> Meta:
        """How it came about."""
        ...


class Caller(Protocol):
    """What performs a row: :class:`chartui.core.service.Service` does."""

    async def call(self, row: Operation, payload: Mapping[str, Wire], *, refresh: bool = False) -> Answered:
        """Perform ``row``; raises :class:`~chartui.core.spec.errors.ServiceError`."""
        ...


class Phase(StrEnum):
    """What learning is at."""

    MEASURING = "measuring"  # finding the rates out
    TRYING = "trying"  # comparing configurations chosen at random
    WAITING = "waiting"  # for a service that is busy or away
    ANEW = "anew"  # the service's card is another now, so all begins again


class Progress(NamedTuple):
    """How far learning is.

    ``done`` of ``total`` answers are there; ``subject`` is what is being asked for, or why there is a wait of
    ``seconds``. ``worst`` is the largest error of the configurations tried so far, in credits; None before the first.
    """

    phase: Phase
    done: int
    total: int
    subject: str = ""
    seconds: float = 0.0
    worst: Decimal | None = None


Told = Callable[[Progress], None]


def untold(progress: Progress) -> None:
    """For whoever does not want to know."""


class Refused(Exception):
    """The service does not take a configuration; the message is its own words."""


class Changed(Exception):
    """The service answers with another rate card than before; the message says which to which."""


class Asker:
    """Asks one service, and remembers.

    ``pace`` is in calls a second, ``patience`` in seconds of waiting in a row. ``refresh`` goes past caches. ``told``
    is called before every question and every wait. What was answered once is not asked again.
    """

    def __init__(
        self,
        service: Caller,
        kept: Kept,
        *,
        pace: float,
        patience: float,
        sleep: Sleep,
        ticks: Monotonic,
        told: Told,
        refresh: bool = False,
    ) -> None:
        self._service = service
        self._kept = kept
        self._gap = 1 / pace
        self._patience = patience
        self._sleep = sleep
        self._ticks = ticks
        self._told = told
        self._refresh = refresh
        self._next = ticks()
        self._first: Reading | None = None
        self.progress = Progress(Phase.MEASURING, 0, 0)
        #: Questions that were put to the service now, and not taken from what was kept.
        self.made = 0

    async def options(self) -> Wire:
        """The answer to the question for the options; None where the service refuses it."""
        try:
            return await self._persistently(operation("options"), {})
        except Refused:
            return None

    async def estimate(self, asked: Asked) -> Reading:
        """What the service says of a configuration.

        Raises :class:`Refused` where it takes none such, :class:`Changed` where it says so with another rate card than
        before, and :class:`ServiceError` when it cannot be asked any further.
        """
        answer = self._kept.find(asked)
        if answer is None:
            self._told(self.progress)
            answer = await self._asked(asked)
            self.made += 1
        if answer.refused is not None:
            raise Refused(answer.refused)
        reading = read(asked, answer.body)
        self._compare(reading)
        if self._kept.find(asked) is None:
            self._kept.keep(asked, answer)
        return reading

    async def _asked(self, asked: Asked) -> KeptAnswer:
        try:
            return KeptAnswer(await self._persistently(operation("get-estimate"), asked))
        except Refused as refusal:
            answer = KeptAnswer(refused=str(refusal))
            self._kept.keep(asked, answer)
            return answer

    def _compare(self, reading: Reading) -> None:
        first = self._first = self._first or reading
        if (first.version, first.date) != (reading.version, reading.date):
            raise Changed(f"the service's rate card was {first.card}, and is {reading.card} now")

    async def _persistently(self, row: Operation, payload: Mapping[str, Wire]) -> Wire:
        """The body of an answer, however often it takes; raises :class:`Refused` and :class:`ServiceError`."""
        waited, tried = 0.0, 0
        while True:
            await self._keep_pace()
            try:
                answer = await self._service.call(row, payload, refresh=self._refresh)
            except ServiceError as error:
                failure = error
            else:
                if not answer.meta.attempts:  # kept by the client: nobody was asked
                    self._next = self._ticks()
                return answer.body
            if _is_refusal(failure):
                raise Refused(failure.message)
            wait = _wait(failure, tried)
            if wait is None or waited + wait > self._patience:
                raise failure
            self._told(self.progress._replace(phase=Phase.WAITING, subject=failure.message, seconds=wait))
            await self._sleep(wait)
            waited, tried = waited + wait, tried + 1

    async def _keep_pace(self) -> None:
        wait = self._next - self._ticks()
        if wait > 0:
            await self._sleep(wait)
        self._next = self._ticks() + self._gap


def _is_refusal(error: ServiceError) -> bool:
    # A redirection is refused as well, but by the client: it is about the address and not about what was asked.
    return error.kind in _REFUSING and not (error.status is not None and 300 <= error.status < 400)


def _wait(error: ServiceError, tried: int) -> float | None:
    """Seconds until the next try; None for a failure that does not pass by itself."""
    if error.kind not in _PASSING and error.status not in _AWAY:
        return None
    usual = _WAITS[min(tried, len(_WAITS) - 1)]
    return usual if error.retry_after is None else max(error.retry_after, 1.0)
