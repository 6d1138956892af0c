"""All failures, grouped into a few kinds. Refusals by the service have separate kinds.

The operation's row maps each kind to its status and wire format (:mod:`chartui.core.spec.operations`), and the remote
client maps them back. Failures that only a client sees (no answer, an unreadable answer, a refusal before sending) have
further kinds. Every failure that leaves the core is a :class:`ServiceError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class ErrorKind(StrEnum):
    """The reason why an operation failed."""

    # reported by the service (E 7, C 7, decisions 27, 50 and 51)
    NO_KEY = "no_key"
    BAD_KEY = "bad_key"
    TIER = "tier"
    INVALID = "invalid"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    INTERNAL = "internal"
    # reported by a service, although no row lists it
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    # seen by the client: no answer, or an unreadable one
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    UNEXPECTED = "unexpected"
    # refused locally, before anything was sent
    READ_ONLY = "read_only"
    UNCONFIRMED = "unconfirmed"
    NOT_AVAILABLE = "not_available"
    UNSAFE = "unsafe"
    # the embedded store
    BUSY = "busy"
    BROKEN = "broken"


class ErrorShape(StrEnum):
    """The wire format of an error: the member with the message, or plain text."""

    LOWER = "error"
    UPPER = "ERROR"
    API = "API_ERROR"
    TEXT = "text"


#: Whether the request reached the service; if unclear, it may have taken effect.
Sent = Literal["no", "yes", "unclear"]

#: Kinds raised locally, before anything was sent.
_BEFORE_SENDING = frozenset({ErrorKind.READ_ONLY, ErrorKind.UNCONFIRMED, ErrorKind.NOT_AVAILABLE, ErrorKind.UNSAFE})


@dataclass(eq=False)
class ServiceError(Exception):
    """Raised if an operation failed.

    ``message`` is one sentence, in the service's own words if available, and is not sanitized. ``status`` is the HTTP
    status, if any. ``member`` is the name of the refused request member, if known. ``retry_after`` is in seconds.
    ``sent`` says whether the request may have taken effect, and ``attempts`` is the number of tries. ``answer`` is the
    unreadable text received for a turn, sanitized and cut. It is kept because the turn may have cost credits (decision
    70).
    """

    kind: ErrorKind
    message: str
    status: int | None = None
    member: str | None = None
    retry_after: float | None = None
    sent: Sent = "yes"
    attempts: int = 1
    answer: str = ""

    def __post_init__(self) -> None:
        super().__init__(self.message)
        if self.kind in _BEFORE_SENDING:
            self.sent = "no"

    def __str__(self) -> str:
        return self.message

    @property
    def refused_before_sending(self) -> bool:
        """Whether the request was refused locally, so that it never reached the service."""
        return self.kind in _BEFORE_SENDING
