"""The read-only lock of an open profile: who set it, and whether it is in force (DESIGN 7)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

__all__ = ["READ_ONLY_VARIABLE", "Lock", "LockedBy", "program_locked_by"]

#: Sets the lock for every profile.
READ_ONLY_VARIABLE: Final = "CHARTUI_READ_ONLY"
_OFF: Final = frozenset({"", "0", "false", "no", "off"})


class LockedBy(StrEnum):
    """Who set the lock."""

    FLAG = "flag"  # --read-only
    ENVIRONMENT = "environment"  # CHARTUI_READ_ONLY
    PROFILE = "profile"  # the profile's own setting, or the user of this session


def program_locked_by(flag: bool, environ: Mapping[str, str] = os.environ) -> LockedBy | None:
    """What locks every profile: ``--read-only`` (``flag``), or any word in the variable but an explicit no."""
    if flag:
        return LockedBy.FLAG
    off = environ.get(READ_ONLY_VARIABLE, "").strip().lower() in _OFF
    return None if off else LockedBy.ENVIRONMENT


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
