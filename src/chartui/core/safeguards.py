"""What protects a profile from unintended changes, and what a change to the profiles takes away from that protection.

A lock that any command can lift protects nothing. So a change that unlocks a profile, takes its production mark off,
allows turns on it, moves it to another service, or removes it needs the profile's name, and is refused altogether under
``--read-only`` and ``CHARTUI_READ_ONLY``. So does another source for the key of a production profile: it may be a
command to run, or the key of another account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from chartui.core.lock import program_locked_by, refusal
from chartui.core.spec.errors import ErrorKind, ServiceError

__all__ = ["Guarded", "Loss", "listed", "losses", "refuse_under_lock"]


class Guarded(Protocol):
    """What protects a profile (:class:`chartui.core.profiles.Profile`)."""

    @property
    def base_url(self) -> str | None: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def allow_act(self) -> bool: ...
    @property
    def production(self) -> bool: ...
    @property
    def key(self) -> object: ...  # its source, which is only compared


class Loss(NamedTuple):
    """A safeguard that a change takes away: of which ``profile``, and by which ``action``, such as "unlocking 'x'"."""

    profile: str
    action: str


def losses(before: Mapping[str, Guarded], after: Mapping[str, Guarded]) -> tuple[Loss, ...]:
    """The safeguards that are lost between two states of the profiles by name; empty if none becomes less safe.

    A new profile takes nothing away, nor does one that replaces another and is at least as safe.
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
        yield "removing the production mark of"
    if after.allow_act and not before.allow_act:
        yield "allowing turns on"
    if (before.read_only or before.production) and before.base_url != after.base_url:
        yield "changing the address of"
    if before.production and before.key != after.key:
        yield "changing the key source of"


def listed(lost: Iterable[Loss]) -> str:
    """The actions as one phrase, to begin a sentence with."""
    text = " and ".join(loss.action for loss in lost)
    return text[:1].upper() + text[1:]


def refuse_under_lock(lost: Iterable[Loss], *, flag: bool) -> None:
    """Raise :class:`ServiceError` (kind ``read_only``) if anything is ``lost`` under a lock of the whole program.

    ``flag`` says that ``--read-only`` was given.
    """
    by = program_locked_by(flag)
    for loss in lost:
        if by is not None:
            raise ServiceError(ErrorKind.READ_ONLY, refusal(by, loss.action, ""))
