"""The data types of the journal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Protocol

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError


class Outcome(StrEnum):
    """What is known about the outcome of a change."""

    OPEN = "open"  # recorded before sending; the outcome is not known yet
    DONE = "done"
    REFUSED = "refused"  # certainly nothing changed
    UNKNOWN = "unknown"  # sent, but without a clear answer


class PlanState(StrEnum):
    """The state of a plan.

    ``interrupted`` and ``partly done`` are never stored, because they are derived from the journal's entries.
    """

    RUNNING = "running"
    INTERRUPTED = "interrupted"  # its program ended
    DONE = "done"
    PARTLY_DONE = "partly done"  # every step was tried, some were refused
    STOPPED = "stopped"  # a step failed
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change in the journal.

    ``at`` and ``ended`` are UTC times in ISO 8601 format, to the millisecond. ``before`` contains the earlier values,
    keyed by their names in ``payload``. It is None if nothing could be read. ``character_id`` is also set for a
    character created by the change. ``answer`` is the body of the service's response or, if the body is large, its
    beginning. ``running`` is True if the change has no outcome yet and the program that made it is still working on it.
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
    """A value written from this machine, and when it was written."""

    value: Wire
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """A stored plan.

    ``plan`` is the plan in wire form, and ``total`` is the number of its steps. ``changed`` is the number of steps that
    changed something. ``state`` also depends on the journal entries of the steps. If all steps are known to be done,
    the plan is done, even if another state was recorded.
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
    """The parts of a call's context that the journal records."""

    @property
    def origin(self) -> str: ...

    @property
    def plan_id(self) -> str | None: ...

    @property
    def step(self) -> int | None: ...


#: Kinds of errors after which the change may have been made, even if the client reported otherwise.
_DOUBTFUL: Final = frozenset({ErrorKind.INTERNAL, ErrorKind.UNEXPECTED, ErrorKind.TIMEOUT, ErrorKind.UNREACHABLE})


def outcome_of(error: ServiceError) -> Outcome:
    """Return the outcome of a change that failed with ``error``.

    The outcome is ``refused`` if it is certain that nothing changed, and otherwise ``unknown``.
    """
    if error.sent == "no":
        return Outcome.REFUSED
    if error.sent == "unclear" or error.kind in _DOUBTFUL or (error.status or 0) >= 500:
        return Outcome.UNKNOWN
    return Outcome.REFUSED
