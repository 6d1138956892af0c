"""What a handler is given, and the refusals that several of them make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chartui.core.backends.base import check_expected
from chartui.core.backends.local.store import Account, Tables
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.clock import Clock, Ids, timestamp
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError


@dataclass(frozen=True, slots=True)
class LocalCall:
    """One operation inside its transaction: on which rows, for whom, with what."""

    tables: Tables
    account: Account
    payload: Mapping[str, Any]
    expected: Mapping[str, Wire] | None
    clock: Clock
    ids: Ids

    def character(self) -> StoredCharacter:
        """The character that the payload names; raises kind ``not_found`` also for somebody else's (decision 56)."""
        character_id = self.payload["charID"] if "charID" in self.payload else self.payload["character_id"]
        found = self.tables.characters.get(self.account.user_id, character_id)
        if found is None:
            raise not_found("character", character_id)
        return found

    def now(self) -> str:
        return timestamp(self.clock())

    def expect(self, present: Mapping[str, Wire], what: str) -> None:
        """Raise kind ``conflict`` when a member is not as the caller last saw it (decision 37)."""
        check_expected(self.expected, present, what)


def invalid(member: str, message: str) -> ServiceError:
    return ServiceError(ErrorKind.INVALID, message, member=member)


def not_found(what: str, item_id: str) -> ServiceError:
    return ServiceError(ErrorKind.NOT_FOUND, f"There is no {what} with the id {item_id!r}.")
