"""One call of the remote backend, with everything seen that a test asks about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.credentials import Key
from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS

__all__ = ["ANSWERS", "KEY", "NOW", "PAYLOADS", "Outcome", "call", "profile_for", "remote"]

#: A key that must be seen nowhere but in its header.
KEY: Final = "marker-key-8f1d2c"
NOW: Final = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)

#: Something to send, by row: one of each class of retry and effect.
PAYLOADS: Final[Mapping[str, dict[str, Wire]]] = {
    "estimate": {"selections": {}, "assumptions": {}},
    "get-estimate": {"llm": "mdla_4o", "memory": True},
    "options": {},
    "list-characters": {},
    "list-sections": {"character_id": "c1"},
    "get-section": {"character_id": "c1", "section_id": "s1"},
    "list-triggers": {"character_id": "c1"},
    "list-models": {},
    "toggle-narrative": {"character_id": "c1", "is_narrative_driven": True},
    "update-character": {"charID": "c1", "temperature": 1},
    "create-section": {"character_id": "c1", "section_name": "a", "objective": "b"},
    "create-trigger": {"character_id": "c1", "trigger_name": "a", "trigger_message": "b"},
    "delete-section": {"character_id": "c1", "section_id": "s1"},
    "update-trigger": {"character_id": "c1", "trigger_id": "t1", "updated_data": {"destination_section": None}},
    "get-response": {"userText": "go", "charID": "c1", "sessionID": "-1", "actions": ["Go", "Stop"]},
}
#: A body that satisfies the row.
ANSWERS: Final[Mapping[str, str]] = {
    "list-characters": '{"characters": []}',
    "list-sections": "[]",
    "toggle-narrative": '{"STATUS": "Successful"}',
    "create-section": '{"section_id": "s1"}',
    "update-trigger": '{"STATUS": "Successful", "message": "trigger updated"}',
}


def profile_for(base_url: str, **settings: Any) -> Profile:
    quick: dict[str, Any] = {"connect_timeout": 0.5, "read_timeout": 0.5, "deadline": 5.0}
    return Profile(name="test", kind=ProfileKind.REMOTE, base_url=base_url, **{**quick, **settings})


def remote(
    base_url: str,
    *,
    fetch_key: Callable[[], Key | None] = lambda: Key(KEY),
    sleep: Callable[[float], Awaitable[None]] | None = None,
    ticks: Callable[[], float] = lambda: 0.0,
    **settings: Any,
) -> RemoteBackend:
    """A backend that neither sleeps nor gambles."""

    async def no_sleep(_: float) -> None:
        pass

    return RemoteBackend(
        profile_for(base_url, **settings),
        fetch_key,
        clock=lambda: NOW,
        sleep=sleep or no_sleep,
        random=lambda: 1.0,
        ticks=ticks,
    )


@dataclass(slots=True)
class Outcome:
    """How a call of ``row`` ended. ``waits`` are the seconds it wanted to wait between tries."""

    row: Operation
    answer: Answer | None = None
    failure: ServiceError | None = None
    waits: list[float] = field(default_factory=list)

    @property
    def error(self) -> ServiceError:
        """The failure, which there must be."""
        assert self.failure is not None, f"it succeeded: {self.answer}"
        return self.failure

    @property
    def body(self) -> Wire:
        """The body, which there must be."""
        assert self.answer is not None, f"it failed: {self.failure!r}"
        return self.answer.body

    @property
    def readable(self) -> Wire:
        assert self.answer is not None, f"it failed: {self.failure!r}"
        return self.answer.read(self.row)

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        assert self.answer is not None, f"it failed: {self.failure!r}"
        return self.answer.unreadable


async def call(
    base_url: str,
    row: str | Operation = "list-sections",
    payload: Mapping[str, Wire] | None = None,
    *,
    context: Context | None = None,
    **settings: Any,
) -> Outcome:
    """Perform one row on a backend of its own."""
    operation = OPERATIONS[row] if isinstance(row, str) else row
    outcome = Outcome(operation)

    async def remember(seconds: float) -> None:
        outcome.waits.append(seconds)

    settings.setdefault("sleep", remember)
    async with aclosing(remote(base_url, **settings)) as backend:
        try:
            sent = PAYLOADS[operation.name] if payload is None else payload
            outcome.answer = await backend.perform(operation, sent, context or Context())
        except ServiceError as error:
            outcome.failure = error
    return outcome
