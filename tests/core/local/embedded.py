"""The embedded service, called one operation after another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from chartui.core.backends.base import Context
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.settings import new_record
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Account, Store
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.clock import seeded_ids
from chartui.core.jsontext import Wire
from chartui.core.spec.operations import operation

__all__ = ["Embedded", "a_character"]


class Embedded:
    """A backend on the store at ``path``. The clock moves on a second at every reading."""

    def __init__(self, path: Path, runner: asyncio.Runner, *, busy_timeout: float = 5.0) -> None:
        self.path = path
        self.opened = 0
        self._busy_timeout = busy_timeout
        self._runner = runner
        self._moment = datetime(2026, 9, 1, 12, 0, 0, tzinfo=UTC)
        self.backend = LocalBackend(self._open, clock=self._clock, ids=seeded_ids(1))

    def _open(self) -> Store:
        self.opened += 1
        return Store(self.path, busy_timeout=self._busy_timeout)

    def _clock(self) -> datetime:
        self._moment += timedelta(seconds=1)
        return self._moment

    def __call__(
        self,
        name: str,
        payload: Mapping[str, Wire] | None = None,
        *,
        expected: Mapping[str, Wire] | None = None,
        account: Account | None = None,
    ) -> Any:
        """Perform the row ``name``, its payload unchecked so far; returns the body."""
        backend = self.backend.for_account(account)
        context = Context(expected=expected)
        return self._runner.run(backend.perform(operation(name), payload or {}, context)).body

    def character(self, name: str = "Mira", **members: Wire) -> str:
        made: str = self("create-character", {"character_name": name, **members})["character_id"]
        return made

    def section(self, character_id: str, name: str = "Hall") -> str:
        payload = {"character_id": character_id, "section_name": name, "objective": "Greet."}
        made: str = self("create-section", payload)["section_id"]
        return made

    def trigger(self, character_id: str, name: str = "bell", **members: Wire) -> str:
        payload = {"character_id": character_id, "trigger_name": name, "trigger_message": "It rings.", **members}
        made: str = self("create-trigger", payload)["trigger_id"]
        return made

    def edit(self, character_id: str, section_id: str, **changes: Wire) -> Any:
        return self("edit-section", {"character_id": character_id, "section_id": section_id, "updated_data": changes})

    def close(self) -> None:
        self._runner.run(self.backend.aclose())


def a_character(number: int = 0, **given: Wire) -> StoredCharacter:
    """A character of the built-in account, made without the service."""
    return StoredCharacter(
        new_record(
            character_id=f"character-{number}",
            user_id=BUILT_IN_ACCOUNT.user_id,
            name=f"Character {number}",
            moment="2026-09-01T12:00:00",
            given=given,
        )
    )
