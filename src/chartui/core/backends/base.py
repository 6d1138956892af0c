"""The interface that all backends implement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from chartui.core.jsontext import Wire, dumps, same
from chartui.core.spec.elements import Decoded, Unreadable
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation


class Cache(StrEnum):
    """Whether an answer came from a cache."""

    NONE = "none"  # not cacheable, or not cached
    HIT = "hit"  # cached and still fresh
    REVALIDATED = "revalidated"  # cached and confirmed by the service


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """How much of an answer has arrived.

    ``bytes`` is the number of bytes transferred, and ``total`` is the announced number (None if not announced).
    ``seconds`` is the time since the call began.
    """

    bytes: int
    total: int | None
    seconds: float


#: Called on the event loop while an answer arrives, at most a few times a second.
Progress = Callable[[Received], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The context of a call: everything but its payload. ``origin`` is the part of the program that makes the call.

    ``refresh`` bypasses caches (decision 12). ``deadline`` limits the whole call including retries, in seconds.
    ``expected`` contains members as the caller last saw them. If the backend can compare them with the stored values
    inside its transaction, a difference is a conflict, and nothing is written (decision 37). ``before`` contains the
    current values if the caller has already read them, so that the journal does not have to. It is empty if they could
    not be read. ``plan_id`` and ``step`` (counted from 0) identify the step of a plan. ``typed`` marks a payload built
    by :class:`~chartui.core.service.Service` from typed arguments; its shape is not checked again. ``progress`` is
    called while the answer of a remote service arrives. ``joins`` lets a read share the answer of an identical read in
    progress. Do not set ``joins`` for a read whose result is used to detect a conflict.
    """

    origin: str = "library"
    plan_id: str | None = None
    step: int | None = None
    refresh: bool = False
    deadline: float | None = None
    expected: Mapping[str, Wire] | None = None
    before: Mapping[str, Wire] | None = None
    typed: bool = False
    joins: bool = field(default=False, compare=False)
    progress: Progress | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """The metadata of an answer: status (None without HTTP), headers with lowercase names, number of bytes received,
    number of attempts, and use of the cache.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    bytes: int = 0
    attempts: int = 1
    cache: Cache = Cache.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to an operation: its body, unchanged and in wire form, and its metadata.

    ``decoded`` contains the readable parts of a service's answer (decision 69).
    """

    body: Wire
    meta: Meta = field(default_factory=Meta)
    decoded: Decoded | None = None

    def read(self, row: Operation) -> Wire:
        """Return the body, decoded as the operation ``row`` describes."""
        return row.decode(self.body) if self.decoded is None else self.decoded.body

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        return () if self.decoded is None else self.decoded.unreadable


class Backend(Protocol):
    """Performs operations. A backend is the embedded store, a remote service, or a layer around one of them."""

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform ``operation``. Raises :class:`~chartui.core.spec.errors.ServiceError`."""
        ...

    async def aclose(self) -> None:
        """Close connections and files. Calling this twice is safe."""
        ...


def check_expected(expected: Mapping[str, Wire] | None, present: Mapping[str, Wire], what: str) -> None:
    """Raise a conflict error if a member of ``what`` has changed since the caller last saw it (decision 37)."""
    changed = [name for name, seen in (expected or {}).items() if not same(seen, present.get(name))]
    if changed:
        values = "; ".join(f"{name} is now {_shown(present.get(name))}" for name in changed)
        raise ServiceError(
            ErrorKind.CONFLICT,
            f"The {what} has changed since you read it: {values}. Nothing was written.",
            member=changed[0],
            sent="no",
        )


def _shown(value: Wire) -> str:
    text = dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
