"""A read in progress on a screen: how long it has taken, and how much it has received."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from rich.cells import cell_len

from chartui.core.backends.base import Progress, Received
from chartui.core.clock import Monotonic

#: Seconds after which work is shown; most ends sooner.
SHOWN_AFTER: Final = 0.3
#: Below this many bytes an amount would read 0 kB.
_WORTH: Final = 500
_WAY_OUT: Final = "Esc cancels"


def under_way(title: str, so_far: str = "", way_out: str = _WAY_OUT) -> str:
    """The text of work in progress: its title without the ellipsis, how far it is, and how to cancel it."""
    return f"{title}… {' · '.join(filter(None, (so_far, way_out)))}".rstrip()


class Stoppable(Protocol):
    """A timer."""

    def stop(self) -> None: ...


class Elapsed:
    """How long something has taken so far, in whole seconds of ``ticks``, and how much it has received."""

    def __init__(self, ticks: Monotonic) -> None:
        self._ticks = ticks
        self._calls = 0
        self.restart()

    def restart(self) -> None:
        """Start again from zero: another step begins, or a dialog was open meanwhile."""
        self._begun = self._ticks()
        self._received: dict[int, Received] = {}

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return self._ticks() - self._begun

    def call(self) -> Progress:
        """The progress callback for another call: the amounts of all calls are added up."""
        self._calls += 1
        number = self._calls

        def report(received: Received) -> None:
            self._received[number] = received

        return report

    def texts(self) -> list[str]:
        """The amount and the time, from the longest wording to the shortest; what is not known yet is left out."""
        parts = self._received.values()
        came, totals = sum(part.bytes for part in parts), [part.total for part in parts]
        total = None if None in totals else sum(filter(None, totals))
        time = f"{int(self.seconds)} s" if self.seconds >= 1 else ""
        amounts = [_amount(came, total), _amount(came, None)] if max(came, total or 0) >= _WORTH else []
        return list(dict.fromkeys(" · ".join(filter(None, (amount, time))) for amount in (*amounts, "")))


def _amount(came: int, total: int | None) -> str:
    """The bytes received, of the total if that is known: ``12.3 of 29.6 MB``."""
    size, unit, decimals = (1_000_000, "MB", 1) if max(came, total or 0) >= 1_000_000 else (1_000, "kB", 0)
    of = f" of {total / size:.{decimals}f}" if total else ""
    return f"{came / size:.{decimals}f}{of} {unit}"


class Loading:
    """A read of a screen: nothing is shown of a fast one, and another text every second of a slow one.

    ``title`` is what is done, without its ellipsis. ``changed`` is called when another text is due; ``later(seconds,
    do)`` starts a timer.
    """

    def __init__(
        self,
        title: str,
        *,
        changed: Callable[[], None],
        later: Callable[[float, Callable[[], None]], Stoppable],
        ticks: Monotonic,
    ) -> None:
        self.title = title
        self.elapsed = Elapsed(ticks)
        self.shown = False
        self._changed = changed
        self._later = later
        self._timer: Stoppable | None = later(SHOWN_AFTER, self._tick)

    def _tick(self) -> None:
        if self._timer is None:  # it was due when the work ended
            return
        self.shown = True
        self._timer = self._later(1 - self.elapsed.seconds % 1, self._tick)
        self._changed()

    def end(self) -> None:
        self.shown = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def text(self, width: int | None = None, *, escape_cancels: bool = True) -> str:
        """What is under way, how far it is and how to cancel it, in at most ``width`` cells where some wording fits."""
        if not self.shown:
            return ""
        texts = [
            under_way(self.title, text, way_out)
            for way_out in ((_WAY_OUT, "") if escape_cancels else ("",))
            for text in self.elapsed.texts()
        ]
        return next((text for text in texts if width is None or cell_len(text) <= width), texts[-1])
