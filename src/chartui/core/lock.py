"""The read-only lock of an open profile: what set it, whether it holds, and how a refused change says so (DESIGN 7)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

__all__ = ["CAUSES", "READ_ONLY_VARIABLE", "Lock", "LockedBy", "disabled", "program_locked_by", "refusal"]

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


#: What holds, in words.
CAUSES: Final[Mapping[LockedBy, str]] = {
    LockedBy.FLAG: "Started with --read-only",
    LockedBy.ENVIRONMENT: f"{READ_ONLY_VARIABLE} is set",
    LockedBy.PROFILE: "Read-only profile",
}


def disabled(by: LockedBy, action: str) -> str:
    """That ``action`` is refused, and what holds."""
    return f"{CAUSES[by]}: {action} is disabled."


def refusal(by: LockedBy, action: str, key: str) -> str:
    """Why ``action`` is refused, and for a profile's own lock, which alone can be lifted, the ``key`` that lifts it."""
    sentence = disabled(by, action)
    return f"{sentence} {key} unlocks it." if by is LockedBy.PROFILE else sentence


class Lock:
    """The lock of one session. Only the profile's own can be lifted, and that for this session alone.

    ``key`` says what lifts it: a key of the terminal UI, or a command.
    """

    def __init__(self, by: LockedBy | None = None, key: Callable[[], str] = lambda: "!") -> None:
        self._by = by
        self._key = key

    def __repr__(self) -> str:
        return f"Lock({self._by})"

    @property
    def by(self) -> LockedBy | None:
        """Who set it; None while it is not in force."""
        return self._by

    @property
    def cause(self) -> str:
        """What holds; empty while nothing does."""
        return "" if self._by is None else CAUSES[self._by]

    def refusal(self, action: str) -> str:
        """Why ``action`` is refused; empty while the lock is not in force."""
        return "" if self._by is None else refusal(self._by, action, self._key())

    def lift(self) -> bool:
        """Take it off, where it is the profile's own; tells whether it is off."""
        if self._by is LockedBy.PROFILE:
            self._by = None
        return self._by is None

    def fasten(self) -> None:
        """Put it on, again or for the first time; it can be lifted like a profile's own."""
        self._by = self._by or LockedBy.PROFILE
