"""A service that is not there: characters and sections in memory, and failures where a test wants them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import Journaled
from chartui.core.journal import Journal
from chartui.core.jsontext import Wire
from chartui.core.plans.executor import Assumed, Executor, Progress
from chartui.core.plans.plan import Plan
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation

__all__ = ["PLACE", "Bench", "Fault", "Pretended"]

PLACE = Place("work", "https://service.example")


class Fault(Enum):
    """What happens to a change: what the client is told of it, and whether it was made all the same."""

    NONE = None
    INVALID = ServiceError(ErrorKind.INVALID, "That is not taken.")
    CONFLICT = ServiceError(ErrorKind.CONFLICT, "Somebody was faster.")
    AWAY = ServiceError(ErrorKind.UNREACHABLE, "No answer.", sent="no")
    KEY = ServiceError(ErrorKind.BAD_KEY, "The key is refused.")
    LIMIT = ServiceError(ErrorKind.RATE_LIMITED, "Too many requests.")
    LOST = ServiceError(ErrorKind.TIMEOUT, "No answer in time, and the change was made.", sent="unclear")
    SILENT = ServiceError(ErrorKind.TIMEOUT, "No answer in time, and nothing was made.", sent="unclear")
    FAILED = ServiceError(ErrorKind.INTERNAL, "Internal failure.", status=500)


@dataclass
class Pretended:
    """Holds what is there, what happens next to a change, and what was asked; ``sent`` names changes by their step."""

    temperatures: dict[str, Wire]
    faults: list[Fault] = field(default_factory=list)
    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    sent: list[int | None] = field(default_factory=list)
    answered: list[int | None] = field(default_factory=list)
    backstories: dict[str, Wire] = field(default_factory=dict)

    async def perform(self, operation: Operation, payload: Mapping[str, Any], context: Context) -> Answer:
        """Answer, change, or fail."""
        if operation.effect is Effect.READ:
            self.read.append(operation.name)
            return Answer(body=self._read(operation.name, payload))
        self.sent.append(context.step)
        fault = self.faults.pop(0) if self.faults else Fault.NONE
        body = self._change(operation.name, payload) if fault in (Fault.NONE, Fault.LOST) else None
        if fault is not Fault.NONE:
            raise replace(fault.value)
        self.answered.append(context.step)
        return Answer(body=body)

    async def aclose(self) -> None:
        """Nothing is open."""

    def _read(self, name: str, payload: Mapping[str, Any]) -> Wire:
        if name == "list-characters":
            return {"characters": [self._record(character_id) for character_id in self.temperatures]}
        if name == "list-sections":
            return list(self.sections.values())
        if payload["section_id"] not in self.sections:
            raise ServiceError(ErrorKind.NOT_FOUND, "There is no such section.", status=404)
        return self.sections[payload["section_id"]]

    def _record(self, character_id: str) -> Wire:
        config = {"MODEL": "m", "TEMPERATURE": self.temperatures[character_id]}
        return {"character_id": character_id, "personalised_prompt_config": config}

    def _change(self, name: str, payload: Mapping[str, Any]) -> Wire:
        match name:
            case "update-character":
                if "temperature" in payload:
                    self.temperatures[payload["charID"]] = payload["temperature"]
                if "backstory" in payload:
                    self.backstories[payload["charID"]] = payload["backstory"]
            case "create-section":
                made = {"section_id": f"s{len(self.sections)}", "decisions": None, **payload}
                self.sections[made["section_id"]] = made
                return {"section_id": made["section_id"]}
            case "edit-section":
                self.sections[payload["section_id"]].update(payload["updated_data"])
            case "delete-section":
                del self.sections[payload["section_id"]]
        return {"STATUS": "SUCCESS"}


class Bench:
    """An executor on a pretended remote service, with a journal in ``folder``."""

    def __init__(self, folder: Path, pretended: Pretended, place: Place = PLACE) -> None:
        self.pretended = pretended
        self.journal = Journal(folder / "journal.db")
        backend = Journaled(pretended, lambda: self.journal, place, embedded=False)
        self.service = Service(backend, embedded=False)
        self.executor = Executor(self.service, self.journal, place)

    async def run(self, plan: Plan, *, cancel_at: int | None = None) -> Progress:
        """Carry out; gives how it ended. It is canceled after the step that is told as number ``cancel_at``, from 0."""
        return await self._ended(lambda cancel: self.executor.run(plan, cancel=cancel), cancel_at)

    async def resume(
        self, plan_id: str, *, assume: Mapping[int, Assumed] | None = None, cancel_at: int | None = None
    ) -> Progress:
        return await self._ended(lambda cancel: self.executor.resume(plan_id, assume=assume, cancel=cancel), cancel_at)

    async def _ended(self, begin: Callable[[Any], AsyncIterator[Progress]], cancel_at: int | None) -> Progress:
        import asyncio

        cancel = asyncio.Event()
        told: list[Progress] = []
        async for progress in begin(cancel):
            told.append(progress)
            if cancel_at is not None and len(told) == cancel_at + 2:
                cancel.set()
        assert [progress.finished for progress in told] == [False] * (len(told) - 1) + [True]
        return told[-1]

    async def aclose(self) -> None:
        await self.journal.aclose()
