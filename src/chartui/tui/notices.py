"""Messages in the corner of the screen, as the framework keeps them, with time that does not run backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.notifications import Notification

#: Seconds that are left of a message that is about to go.
_LEAST: Final = 0.01


@dataclass
class Notice(Notification):
    """A message that always has some time left.

    The framework asks whether a message is over, and how long it will be shown, one after the other. Between the two it
    may end: on a busy machine, or when the clock is set. A timer for less than no time never comes to its end, and the
    program with it hears no key any more.

    ``topic`` names the kind of step that it reports: only the last report of one is in sight. Without a topic it
    takes the place of an equal message only.
    """

    topic: str = ""

    def replaces(self, other: Notification) -> bool:
        """Whether ``other`` goes when this one comes."""
        if isinstance(other, Notice) and self.topic and self.topic == other.topic:
            return True
        return (self.title, self.message, self.severity) == (other.title, other.message, other.severity)

    @property
    def time_left(self) -> float:
        return max(_LEAST, super().time_left)

    @property
    def has_expired(self) -> bool:
        return super().time_left <= 0
