"""How much may be under way to a terminal: as much as its line carries without a noticeable wait.

The system does not tell how much of the output has arrived, since everything in between keeps some. The terminal does:
it answers a question only after it has shown what came before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final, NamedTuple

#: Bytes after which the terminal is asked, and that may be under way before the line was measured.
ASK_AFTER: Final = 512
FIRST_WINDOW: Final = 1024
#: Seconds until a terminal that does not answer is not waited for.
PATIENCE: Final = 5.0
#: Seconds that frames may wait in line, and how many measurements count.
_WAIT: Final = 0.05
_MEASURED: Final = 8


class _Question(NamedTuple):
    """A question behind the byte number ``sent``, and how far the answers had come ``since`` a time before it."""

    sent: int
    at: float
    answered: int
    since: float


class Pacing:
    """The bytes under way; with ``asks``, the terminal is known to answer."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.asks = False
        self._clock = clock
        self._sent = 0
        self._answered = 0
        self._answered_at = 0.0
        self._questions: deque[_Question] = deque()
        #: Bytes per second, and seconds of a round trip.
        self._measured: deque[tuple[float, float]] = deque(maxlen=_MEASURED)

    @property
    def waits(self) -> bool:
        """Whether a question is not answered yet."""
        return bool(self._questions)

    @property
    def is_full(self) -> bool:
        """Whether nothing more should be sent now. A frame may always follow those that were answered."""
        return self.waits and self._sent - self._answered > self._window

    @property
    def _window(self) -> float:
        if not self._measured:
            return FIRST_WINDOW
        rate = max(rate for rate, _ in self._measured)
        # A little more than is on its way during a round trip, so that a line which carries more shows it.
        return rate * (1.25 * min(trip for _, trip in self._measured) + _WAIT)

    def send(self, size: int) -> bool:
        """Count a frame; returns whether to ask behind it."""
        before = self._sent
        self._sent += size
        if not self.asks or self._sent - self._asked < min(ASK_AFTER, self._window):
            return False
        now = self._clock()
        begun = (self._answered, self._answered_at) if self.waits else (before, now)
        self._questions.append(_Question(self._sent, now, *begun))
        return True

    @property
    def _asked(self) -> int:
        return self._questions[-1].sent if self._questions else self._answered

    def answer(self) -> None:
        """The terminal has answered the oldest question."""
        self.asks = True
        if not self._questions:
            return
        question, now = self._questions.popleft(), self._clock()
        took = max(now - question.since, 1e-4)
        self._measured.append(((question.sent - question.answered) / took, max(now - question.at, 1e-4)))
        self._answered, self._answered_at = question.sent, now

    def give_up(self) -> None:
        """Wait for no answer any more, and ask nothing until one comes."""
        self.asks = False
        self.forget()

    def forget(self) -> None:
        """Nothing is under way any more."""
        self._questions.clear()
        self._answered = self._sent
