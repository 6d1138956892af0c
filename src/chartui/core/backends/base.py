"""The interface that all backends implement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, dumps, same
from chartui.core.spec.elements import Decoded, Unreadable
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation


class Cache(StrEnum):
    """Whether a response came from a cache or from the service."""

    NONE = "none"  # not cacheable, or not cached
    HIT = "hit"  # cached and still fresh
    REVALIDATED = "revalidated"  # cached and confirmed by the service


class Received(NamedTuple):
    """The progress of a download.

    ``bytes`` is the number of bytes transferred so far, and ``total`` is the announced size of the download, or None if
    it is unknown. ``seconds`` is the time since the call began.
    """

    bytes: int
    total: int | None
    seconds: float


#: Called on the event loop while an answer arrives, at most a few times a second.
Progress = Callable[[Received], None]


class Context(NamedTuple):
    """The context of a call: everything except its payload.

    ``origin`` is the part of the program that makes the call. ``refresh`` bypasses caches (decision 12). ``deadline``
    limits the duration of the whole call, including retries, in seconds. ``plan_id`` and ``step`` (counted from 0)
    identify the step of a plan. ``progress`` is called while the response of a remote service arrives.

    ``expected`` contains values as the caller last saw them. If the backend can compare them with the stored values
    inside its transaction, a difference is a conflict, and nothing is written (decision 37). ``before`` contains the
    current values if the caller has already read them, so that the journal does not read them again. ``before`` is
    empty if the values could not be read.

    ``typed`` marks a payload that :class:`~chartui.core.service.Service` has built from typed arguments. The shape of
    such a payload is not checked again. ``joins`` lets a read share the response of an identical read in progress. Do
    not set ``joins`` for a read whose result is used to detect a conflict.
    """

    origin: str = "library"
    plan_id: str | None = None
    step: int | None = None
    refresh: bool = False
    deadline: float | None = None
    expected: Mapping[str, Wire] | None = None
    before: Mapping[str, Wire] | None = None
    typed: bool = False
    joins: bool = False
    progress: Progress | None = None


class Meta(NamedTuple):
    """The metadata of a response.

    ``status`` is the HTTP status, or None if HTTP was not used. ``headers`` maps lowercase names to values. ``bytes``
    is the number of bytes received, and ``attempts`` is the number of attempts. ``cache`` says whether a cache was
    used.
    """

    status: int | None = None
    headers: Mapping[str, str] = MappingProxyType({})
    bytes: int = 0
    attempts: int = 1
    cache: Cache = Cache.NONE


class Answer(NamedTuple):
    """The response to an operation.

    It consists of the unchanged body in wire form, and the metadata. ``decoded`` contains the parts of a service's
    response that could be read (decision 69).
    """

    body: Wire
    meta: Meta = Meta()
    decoded: Decoded | None = None

    def read(self, row: Operation) -> Wire:
        """Return the body, decoded as specified by the operation ``row``."""
        return row.decode(self.body) if self.decoded is None else self.decoded.body

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        return () if self.decoded is None else self.decoded.unreadable


class Backend(Protocol):
    """Performs operations. A backend is the embedded store, a remote service, or a layer around another backend."""

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform ``operation``. Raises :class:`~chartui.core.spec.errors.ServiceError`."""
        ...

    async def aclose(self) -> None:
        """Close connections and files. Calling this twice is safe."""
        ...


class Layer:
    """A backend that wraps another backend. Closing a layer also closes the wrapped backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def aclose(self) -> None:
        await self._backend.aclose()


def check_expected(expected: Mapping[str, Wire] | None, present: Mapping[str, Wire], what: str) -> None:
    """Raise a conflict error if a field has changed since the caller last saw it (decision 37).

    The error message uses ``what`` as the name of the thing that contains the fields, such as a section.
    """
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
