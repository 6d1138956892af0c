"""The connection of the open profile: trouble, age of the data, and the next retry.

:class:`Connection` is an immutable record of what is known; every recorded call may replace it. :class:`Watch` keeps
the current one and retries after a read got no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chartui.core.backends.base import Cache
from chartui.core.classes import NamedTuple
from chartui.core.clock import Monotonic, monotonic
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operation import Effect

if TYPE_CHECKING:
    from chartui.core.backends.recorder import Call, Recorder
    from chartui.tui.loading import Stoppable

#: No answer.
LOST: Final = frozenset({ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT})
#: Another API key may help.
KEY: Final = frozenset({ErrorKind.NO_KEY, ErrorKind.BAD_KEY})
#: The embedded store cannot be used.
STORE: Final = frozenset({ErrorKind.BUSY, ErrorKind.BROKEN})
#: Answers of the service itself that do not stop a screen from working: the newest answer counts.
_ANSWERED: Final = frozenset({ErrorKind.TIER, ErrorKind.RATE_LIMITED, ErrorKind.INTERNAL})
#: May pass on its own, so it is retried automatically.
_PASSING: Final = LOST | {ErrorKind.BUSY}
#: Seconds until the next try, by the number of failed tries; the last value repeats.
WAITS: Final = (5.0, 10.0, 20.0, 40.0, 60.0)


class Connection(NamedTuple):
    """The state of the connection, as known from the calls so far.

    ``trouble`` is the error that blocks every screen, or None. ``tries`` counts the failed tries in a row, ``next_try``
    is the time of the next one, and ``trying`` says whether one is in progress. ``answered`` says when each part of
    the program last read something, ``late`` the parts that have failed to read since. ``refusals`` holds the
    operations whose latest answer was a refusal, temporary or for this account, in the order of the answers, each with
    the part that asked and the kind. They do not affect other operations. Times are readings of one monotonic clock, in
    seconds.
    """

    trouble: ErrorKind | None = None
    tries: int = 0
    next_try: float | None = None
    trying: bool = False
    answered: Mapping[str, float] = MappingProxyType({})
    late: frozenset[str] = frozenset()
    refusals: Mapping[str, tuple[str, ErrorKind]] = MappingProxyType({})

    @property
    def lost(self) -> bool:
        return self.trouble in LOST

    def trouble_of(self, scope: str) -> ErrorKind | None:
        """The trouble of one part of the program."""
        return self.trouble or next((kind for by, kind in reversed(tuple(self.refusals.values())) if by == scope), None)

    def age(self, scope: str, now: float) -> float | None:
        """Seconds since a part last read something; None while its data is fresh or missing."""
        return now - self.answered[scope] if scope in self.late and scope in self.answered else None

    def wait(self, now: float) -> int | None:
        """Whole seconds until the next try; None when none is due."""
        return None if self.next_try is None else max(0, ceil(self.next_try - now))

    def asking(self) -> Connection:
        """The state with a try in progress, if there is anything to retry."""
        return self if self.trouble is None else self._replace(trying=True, next_try=None)

    def after(self, call: Call, now: float) -> Connection:
        """The state after ``call``; the same object if nothing changed."""
        if call.given_up or (call.meta is not None and call.meta.cache is Cache.HIT):
            return self
        error, read = call.error, call.operation.effect is Effect.READ
        if error is None:
            return self._answered(call, now) if read else self._without(call)
        if error.kind in KEY:
            return self._hindered(error.kind, call, now)
        if error.kind in LOST | STORE:
            # A change that got no answer reports that itself, and is never repeated automatically.
            return self._hindered(error.kind, call, now) if read else self
        if error.kind is ErrorKind.TIER or (read and error.kind in _ANSWERED):
            known = self._without(call)
            refusal = (call.context.origin, error.kind)
            return known._replace(refusals=MappingProxyType({**known.refusals, call.operation.name: refusal}))
        return self if error.status is None else self._without(call)

    def _hindered(self, kind: ErrorKind, call: Call, now: float) -> Connection:
        late = self.late | {call.context.origin} if call.operation.effect is Effect.READ else self.late
        same = self.trouble is kind or (self.trouble in LOST and kind in LOST)
        if same and not self.trying:
            # Already known: calls between two tries do not delay the next one.
            return self._replace(trouble=kind, late=late)
        tries = self.tries + 1 if same else 1
        wait = WAITS[min(tries, len(WAITS)) - 1]
        due = now + wait if kind in _PASSING else None
        return self._replace(trouble=kind, tries=tries, next_try=due, trying=False, late=late)

    def _answered(self, call: Call, now: float) -> Connection:
        origin, known = call.context.origin, self._without(call)
        answered = MappingProxyType({**known.answered, origin: now})
        return known._replace(answered=answered, late=known.late - {origin})

    def _without(self, call: Call) -> Connection:
        """The state without the trouble that an answer to ``call`` ends, or its operation's earlier refusal."""
        row, known = call.operation, self
        if row.name in self.refusals:
            refusals = {name: refusal for name, refusal in self.refusals.items() if name != row.name}
            known = self._replace(refusals=MappingProxyType(refusals))
        # The estimation rows need neither the key nor the store, so they show nothing about either.
        shown = self.trouble in LOST or row.tier is not None or row.path is None
        if known.trouble is None or not shown:
            return known
        return known._replace(trouble=None, tries=0, next_try=None, trying=False)


class Watch:
    """Keeps the connection of the open profile.

    ``retry`` asks again by reading what the current screen shows. ``changed`` is called with the previous connection
    when something visible has changed; ``ticked`` every second while there is trouble. ``later(seconds, do)`` starts a
    timer. ``later`` and ``ticks`` can be replaced in tests.
    """

    def __init__(
        self,
        *,
        retry: Callable[[], None],
        changed: Callable[[Connection], None],
        ticked: Callable[[], None],
        later: Callable[[float, Callable[[], None]], Stoppable],
    ) -> None:
        self.state = Connection()
        self.ticks: Monotonic = monotonic
        #: No input since the last automatic retry, so its result is not worth a message.
        self.unasked = False
        self._retry = retry
        self._changed = changed
        self._ticked = ticked
        self.later = later
        self._timer: Stoppable | None = None
        self._stop_listening: Callable[[], None] | None = None

    def begin(self, recorder: Recorder) -> None:
        """Watch the calls of a newly opened profile, and stop watching the one before."""
        self.end()
        self.state = Connection()
        self._stop_listening = recorder.listen(self._heard)

    def end(self) -> None:
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        self._stop_timer()

    def asking(self) -> None:
        """The user retries now: do not wait for the scheduled try."""
        self._become(self.state.asking())

    def canceled(self) -> None:
        """The current read was canceled: the next one is up to the user."""
        if self.state.trying:
            self._become(self.state._replace(trying=False))

    def _heard(self, call: Call) -> None:
        self._become(self.state.after(call, self.ticks()))

    def _become(self, state: Connection) -> None:
        before, self.state = self.state, state
        if state.trouble is None:
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.later(1.0, self._tick)
        if (before.trouble, before.next_try, before.trying, before.late, before.refusals) != (
            state.trouble,
            state.next_try,
            state.trying,
            state.late,
            state.refusals,
        ):
            self._changed(before)

    def _tick(self) -> None:
        self._timer = self.later(1.0, self._tick)
        if self.state.wait(self.ticks()) == 0:
            self.unasked = True
            self.asking()
            self._retry()
        else:
            self._ticked()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
