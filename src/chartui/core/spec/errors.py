"""The ways in which an operation can fail, grouped by kind.

All failures are raised as :class:`ServiceError`. Some kinds are errors returned by a service. The table of operations
maps each of these kinds to a status and a wire format (:mod:`chartui.core.spec.operations`), and the remote client maps
the status and format back to a kind. The other kinds occur only in a client: there was no response, the response was
unreadable, or the request was rejected before it was sent.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from chartui.core.classes import dataclass


class ErrorKind(StrEnum):
    """The reasons an operation can fail."""

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
    """The wire format of an error: plain text, or JSON with the message in the field named by the enum value."""

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
    """Raised when an operation fails.

    ``message`` is one sentence, in the service's own words if available. It is not sanitized. ``status`` is the HTTP
    status, if any. ``member`` is the name of the rejected request field, if known. ``retry_after`` is the number of
    seconds to wait. ``sent`` says whether the request reached the service, and ``attempts`` is the number of tries. If
    the reply to a turn could not be read, ``answer`` contains the sanitized and truncated reply, because the turn may
    have cost credits (decision 70).
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
        """Whether the request was rejected on this machine, before anything was sent."""
        return self.kind in _BEFORE_SENDING
