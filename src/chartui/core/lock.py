"""The read-only lock of an open profile: who set it, and whether it is in force (DESIGN 7)."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Lock", "LockedBy"]


class LockedBy(StrEnum):
    """Who set the lock."""

    FLAG = "flag"  # --read-only
    ENVIRONMENT = "environment"  # CHARTUI_READ_ONLY
    PROFILE = "profile"  # the profile's own setting, or the user of this session


class Lock:
    """The lock of one session. Only one of the profile's own can be lifted, and that for this session alone."""

    def __init__(self, by: LockedBy | None = None) -> None:
        self._by = by

    def __repr__(self) -> str:
        return f"Lock({self._by})"

    @property
    def by(self) -> LockedBy | None:
        """Who set it; None while it is not in force."""
        return self._by

    def lift(self) -> bool:
        """Take it off, where it is the profile's own; tells whether it is off."""
        if self._by is LockedBy.PROFILE:
            self._by = None
        return self._by is None

    def fasten(self) -> None:
        """Put it on, again or for the first time; it can be lifted like a profile's own."""
        self._by = self._by or LockedBy.PROFILE
