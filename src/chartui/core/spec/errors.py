"""What can go wrong, as a short list of kinds.

The service's own refusals have a kind; the row of the operation gives each kind its status and shape on the wire
(:mod:`chartui.core.spec.operations`), and the remote client reads them back. What only a client can see (no answer, an
answer that makes no sense, it was refused before sending) has kinds of its own. Every failure that leaves the core is
one :class:`ServiceError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class ErrorKind(StrEnum):
    """Why an operation did not do what was asked."""

    # said by the service (E 7, C 7, decisions 27, 50 and 51)
    NO_KEY = "no_key"
    BAD_KEY = "bad_key"
    TIER = "tier"
    INVALID = "invalid"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    INTERNAL = "internal"
    # said by a service, but by no row of ours
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    # seen by the client: nothing came back, or nothing that makes sense
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    UNEXPECTED = "unexpected"
    # refused here, before anything was sent
    READ_ONLY = "read_only"
    UNCONFIRMED = "unconfirmed"
    NOT_AVAILABLE = "not_available"
    UNSAFE = "unsafe"
    # the embedded store
    BUSY = "busy"
    BROKEN = "broken"


class ErrorShape(StrEnum):
    """How an error is written on the wire: under which member of an object, or as plain text."""

    LOWER = "error"
    UPPER = "ERROR"
    API = "API_ERROR"
    TEXT = "text"


#: Whether the request reached the service: an unclear one may have taken effect.
Sent = Literal["no", "yes", "unclear"]

#: Kinds raised on this machine before any byte left it.
_BEFORE_SENDING = frozenset({ErrorKind.READ_ONLY, ErrorKind.UNCONFIRMED, ErrorKind.NOT_AVAILABLE, ErrorKind.UNSAFE})


@dataclass(eq=False)
class ServiceError(Exception):
    """An operation failed.

    ``message`` is one sentence for a person (a service's own words where it gave any; not yet cleaned for display).
    ``status`` is the HTTP status when there was one. ``member`` names the request member that was refused, where that
    is known. ``retry_after`` is in seconds. ``sent`` tells whether the request may have taken effect, and ``attempts``
    how often it was tried. ``answer`` is the text that came where a turn was answered with something that cannot be
    read, cleaned and capped: it may have cost credits (decision 70).
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
        """True when this machine refused, so the service has seen nothing."""
        return self.kind in _BEFORE_SENDING
