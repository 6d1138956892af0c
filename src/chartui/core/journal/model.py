"""What the journal holds, as others see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from chartui.core.jsontext import Wire
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError


class Outcome(StrEnum):
    """How a change ended, as far as is known here."""

    OPEN = "open"  # meant, and nothing known since
    DONE = "done"
    REFUSED = "refused"  # surely nothing changed
    UNKNOWN = "unknown"  # sent, and no clear answer


class PlanState(StrEnum):
    """How far a plan has come; ``interrupted`` and ``partly done`` are never kept, they follow from the record."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"  # by the end of its program
    DONE = "done"
    PARTLY_DONE = "partly done"  # every step was tried, some were refused
    STOPPED = "stopped"  # by a step that failed
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change. ``at`` and ``ended`` are ISO 8601 in UTC, to the millisecond.

    ``before`` holds what was there, by the members' names in ``payload``; None where nothing could be read.
    ``character_id`` is also known for a character that the change made. ``answer`` is the answer's
    body, or the beginning of a large one. ``running`` says of an open entry that its program still works on it.
    """

    number: int
    at: str
    place: Place
    operation: str
    character_id: str | None
    payload: Mapping[str, Wire]
    before: Mapping[str, Wire] | None
    origin: str
    plan_id: str | None
    step: int | None
    outcome: Outcome
    error: str
    answer: Wire
    ended: str | None
    running: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A value that was written from here, and when."""

    value: Wire
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """A plan as it was kept: ``plan`` is its document in wire form, ``total`` the number of its steps.

    ``changed`` counts the steps that changed something. ``state`` is what the entries of the steps say, where they say
    more than what was written down last: a plan whose every step is known to be done is done.
    """

    id: str
    title: str
    place: Place
    at: str
    state: PlanState
    plan: Wire
    total: int
    changed: int

    @property
    def alive(self) -> bool:
        return self.state is PlanState.RUNNING


class Asked(Protocol):
    """What the journal wants to know of a call's context."""

    @property
    def origin(self) -> str: ...

    @property
    def plan_id(self) -> str | None: ...

    @property
    def step(self) -> int | None: ...


#: Failures after which a change may have been made all the same, whatever the client could tell.
_DOUBTFUL: Final = frozenset({ErrorKind.INTERNAL, ErrorKind.UNEXPECTED, ErrorKind.TIMEOUT, ErrorKind.UNREACHABLE})


def outcome_of(error: ServiceError) -> Outcome:
    """What a failed change is known to have come to: ``refused`` only when surely nothing changed, else ``unknown``."""
    if error.sent == "no":
        return Outcome.REFUSED
    if error.sent == "unclear" or error.kind in _DOUBTFUL or (error.status or 0) >= 500:
        return Outcome.UNKNOWN
    return Outcome.REFUSED
