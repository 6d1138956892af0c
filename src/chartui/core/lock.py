"""Protect profiles from unintended changes (DESIGN 7).

This module implements the read-only lock of an open profile. It determines the cause and the state of the lock, and the
message for a refused change. It also protects the safeguards themselves, because a lock that any command can remove
would protect nothing. Therefore, the profile's name is required as confirmation for a change that unlocks the profile,
removes its production mark, allows turns on it, moves it to another service, or deletes it. Such a change is always
refused under ``--read-only`` and ``CHARTUI_READ_ONLY``. The same applies to a new API key source for a production
profile, because the source may run a command or supply another account's API key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final, Protocol

from chartui.core.classes import NamedTuple
from chartui.core.spec.errors import ErrorKind, ServiceError

#: The environment variable that locks every profile.
_READ_ONLY_VARIABLE: Final = "CHARTUI_READ_ONLY"
_OFF: Final = frozenset({"", "0", "false", "no", "off"})


class LockedBy(StrEnum):
    """The cause of a profile's lock."""

    FLAG = "flag"  # --read-only
    ENVIRONMENT = "environment"  # CHARTUI_READ_ONLY
    PROFILE = "profile"  # the profile's own setting, or the user of this session


def program_locked_by(flag: bool, environ: Mapping[str, str] = os.environ) -> LockedBy | None:
    """Return what locks every profile, or None if nothing does.

    ``flag`` says whether ``--read-only`` was given, which locks every profile. ``CHARTUI_READ_ONLY`` also locks every
    profile unless it is unset, empty, or has a value such as ``0`` or ``off``.
    """
    if flag:
        return LockedBy.FLAG
    off = environ.get(_READ_ONLY_VARIABLE, "").strip().lower() in _OFF
    return None if off else LockedBy.ENVIRONMENT


#: The causes in words.
CAUSES: Final[Mapping[LockedBy, str]] = {
    LockedBy.FLAG: "Started with --read-only",
    LockedBy.ENVIRONMENT: f"{_READ_ONLY_VARIABLE} is set",
    LockedBy.PROFILE: "Read-only profile",
}


def disabled(by: LockedBy, action: str) -> str:
    """Return a message that says that ``action`` is disabled, and why."""
    return f"{CAUSES[by]}: {action} is disabled."


def refusal(by: LockedBy, action: str, key: str) -> str:
    """Return a message that says that ``action`` is refused, and why.

    ``key`` is the keyboard key or the command that removes a profile's own lock.
    """
    sentence = disabled(by, action)
    return f"{sentence} Use {key} to unlock it." if by is LockedBy.PROFILE else sentence


class Lock:
    """The read-only lock of one session.

    Only a profile's own lock can be removed, and only for this session. ``key`` is a function that returns the keyboard
    key or the command that unlocks the session.
    """

    def __init__(self, by: LockedBy | None = None, key: Callable[[], str] = lambda: "!") -> None:
        self._by = by
        self._key = key

    def __repr__(self) -> str:
        return f"Lock({self._by})"

    @property
    def by(self) -> LockedBy | None:
        return self._by

    @property
    def cause(self) -> str:
        """The cause of the lock, or an empty string if the session is not locked."""
        return "" if self._by is None else CAUSES[self._by]

    def refusal(self, action: str) -> str:
        """Return a message that says that ``action`` is refused, or an empty string if the session is not locked."""
        return "" if self._by is None else refusal(self._by, action, self._key())

    def unlock(self) -> bool:
        """Remove the lock if it is the profile's own lock. Returns whether the session is now unlocked."""
        if self._by is LockedBy.PROFILE:
            self._by = None
        return self._by is None

    def fasten(self) -> None:
        """Lock the session. The new lock can be removed in the same way as a profile's own lock."""
        self._by = self._by or LockedBy.PROFILE


class Guarded(Protocol):
    """The attributes of a :class:`chartui.core.profiles.Profile` that serve as safeguards."""

    @property
    def base_url(self) -> str | None: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def allow_act(self) -> bool: ...
    @property
    def production(self) -> bool: ...
    @property
    def key(self) -> object: ...  # the source of the API key, which is only compared


class Loss(NamedTuple):
    """A safeguard that a change would remove.

    ``profile`` is the profile that the safeguard protects, and ``action`` describes the removal, such as
    "unlocking 'x'".
    """

    profile: str
    action: str


def losses(before: Mapping[str, Guarded], after: Mapping[str, Guarded]) -> tuple[Loss, ...]:
    """Return the safeguards that a change removes.

    The result is empty if no profile becomes less safe. The states before and after the change are mappings from names
    to profiles. Adding a profile removes no safeguard, and neither does replacing a profile with an equally safe one.
    """
    return tuple(
        Loss(name, f"{action} '{name}'")
        for name, profile in before.items()
        for action in _losses(profile, after.get(name))
    )


def _losses(before: Guarded, after: Guarded | None) -> Iterator[str]:
    if after is None:
        yield "removing"
        return
    if before.read_only and not after.read_only:
        yield "unlocking"
    if before.production and not after.production:
        yield "removing the production mark from"
    if after.allow_act and not before.allow_act:
        yield "allowing turns on"
    if (before.read_only or before.production) and before.base_url != after.base_url:
        yield "changing the address of"
    if before.production and before.key != after.key:
        yield "changing the API key source of"


def listed(lost: Iterable[Loss]) -> str:
    text = " and ".join(loss.action for loss in lost)
    return text[:1].upper() + text[1:]


def refuse_under_lock(lost: Iterable[Loss], *, flag: bool) -> None:
    """Refuse a change that removes safeguards while every profile is locked.

    ``lost`` contains the safeguards that the change would remove, and ``flag`` says whether ``--read-only`` was given.
    Raises :class:`ServiceError` (kind ``read_only``) if ``lost`` is not empty and ``--read-only`` or
    ``CHARTUI_READ_ONLY`` locks every profile.
    """
    by = program_locked_by(flag)
    for loss in lost:
        if by is not None:
            raise ServiceError(ErrorKind.READ_ONLY, refusal(by, loss.action, ""))
