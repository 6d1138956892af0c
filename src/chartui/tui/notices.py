"""Messages in the corner of the screen, as the framework keeps them, with time that does not run backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.notifications import Notification

__all__ = ["Notice"]

#: Seconds that are left of a message that is about to go.
_LEAST: Final = 0.01


@dataclass
class Notice(Notification):
    """A message that always has some time left.

    The framework asks whether a message is over, and how long it will be shown, one after the other. Between the two it
    may end: on a busy machine, or when the clock is set. A timer for less than no time never comes to its end, and the
    program with it hears no key any more.
    """

    @property
    def time_left(self) -> float:
        """Seconds until it goes."""
        return max(_LEAST, super().time_left)

    @property
    def has_expired(self) -> bool:
        """Whether it is over."""
        return super().time_left <= 0
