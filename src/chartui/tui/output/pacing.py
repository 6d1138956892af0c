"""Limits the output in transit to what the line delivers without a noticeable delay.

The system cannot tell how much output has arrived, because every layer in between buffers some. The terminal can: it
answers a query only after it has processed everything before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

from chartui.core.classes import NamedTuple

#: Bytes between two queries, or seconds on a slower line; bytes in transit on any line.
ASK_AFTER: Final = 512
_ASK_SOONER: Final = 0.1
LEAST_WINDOW: Final = 640
#: Seconds without output after which so few bytes have arrived on any line, and need no query.
_PAUSE: Final = 0.5
#: Seconds to wait for an answer.
PATIENCE: Final = 5.0
#: The acceptable delay in seconds; the number of measurements that count.
_WAIT: Final = 0.03
_MEASURED: Final = 16


class _Query(NamedTuple):
    """A query after ``sent`` bytes; ``answered`` bytes had been confirmed at ``since``, before it.

    If it is not answered when it is ``due``, the line has become slower.
    """

    sent: int
    at: float
    answered: int
    since: float
    due: float


class Pacing:
    """Counts the bytes in transit. ``asks`` is set if the terminal answers queries."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.asks = False
        self._clock = clock
        self._sent = 0
        self._answered = 0
        self._answered_at = self._sent_at = self._begun = 0.0
        self._queries: deque[_Query] = deque()
        #: Bytes per second and seconds per round trip.
        self._measured: deque[tuple[float, float]] = deque(maxlen=_MEASURED)

    @property
    def waits(self) -> bool:
        """Whether a query has not been answered yet."""
        return bool(self._queries)

    @property
    def is_full(self) -> bool:
        """Whether frames should be held back. If every query has been answered, a frame of any size may be sent."""
        return self.waits and (self._sent - self._answered > self._window or self._clock() > self._queries[0].due)

    @property
    def _rate(self) -> float:
        """Bytes per second; 0 if unknown."""
        return max((rate for rate, _ in self._measured), default=0.0)

    @property
    def _trip(self) -> float:
        """Seconds until an answer is overdue on an idle line."""
        # Slightly more than was measured, so that the window, and with it the rate, can grow.
        return 1.25 * min((trip for _, trip in self._measured), default=PATIENCE) + _WAIT

    @property
    def _window(self) -> float:
        return max(LEAST_WINDOW, self._rate * self._trip)

    def send(self, size: int) -> bool:
        """Count a frame; return whether to send a query after it."""
        now = self._clock()
        if not self.waits and now - self._sent_at >= _PAUSE:
            self._answered = self._sent
        if self._sent == self._asked:
            self._begun = now
        self._sent, self._sent_at = self._sent + size, now
        if not self.asks or self._sent - self._asked < min(ASK_AFTER, self._rate * _ASK_SOONER or ASK_AFTER):
            return False
        # Measured from the first byte after the latest query, or from the latest answer if that is later.
        start = (self._answered, self._answered_at) if self.waits else (self._answered, self._begun)
        due = now + self._trip + (self._sent - self._answered) / (self._rate or LEAST_WINDOW)
        self._queries.append(_Query(self._sent, now, *start, due))
        return True

    @property
    def _asked(self) -> int:
        return self._queries[-1].sent if self._queries else self._answered

    def answer(self) -> None:
        """Note that the terminal has answered the oldest query."""
        self.asks = True
        if not self._queries:
            return
        query, now = self._queries.popleft(), self._clock()
        took = max(now - query.since, 1e-4)
        self._measured.append(((query.sent - query.answered) / took, max(now - query.at, 1e-4)))
        self._answered, self._answered_at = query.sent, now

    def give_up(self) -> None:
        """Stop waiting for answers, and send no queries until an answer arrives."""
        self.asks = False
        self.forget()

    def forget(self) -> None:
        """Forget what is in transit."""
        self._queries.clear()
        self._answered = self._sent
