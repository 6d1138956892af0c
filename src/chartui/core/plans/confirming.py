"""Whether what was saved is what is there: read back where a service gives it back, and said where it does not."""

from __future__ import annotations

from typing import NamedTuple

from chartui.core.plans.wording import LABELS

__all__ = ["Confirmation"]


class Confirmation(NamedTuple):
    """The members that were saved: those that came back as they were sent, those that cannot be read back (decision
    25), and those that came back as something else, each with what is there.
    """

    as_sent: tuple[str, ...]
    unseen: tuple[str, ...]
    other: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """What to say of it; empty where everything is as it was sent."""
        said = []
        if self.other:
            told = ", ".join(f"{LABELS.get(member, member)} is {there}" for member, there in self.other)
            said.append(f"Not as it was sent when it was read back: {told}.")
        if self.unseen:
            if self.as_sent:
                said.append(f"Read back as sent: {_listed(self.as_sent)}.")
            said.append(f"Cannot be confirmed, since this service does not give it back: {_listed(self.unseen)}.")
        return " ".join(said)


def _listed(members: tuple[str, ...]) -> str:
    return ", ".join(LABELS.get(member, member) for member in members)
