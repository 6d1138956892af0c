"""The arguments of the store's handlers, and errors that several handlers raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chartui.core.backends.base import check_expected
from chartui.core.backends.local.store import Account, Tables
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.classes import dataclass
from chartui.core.clock import Clock, Ids, timestamp
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError


@dataclass(frozen=True, slots=True)
class LocalCall:
    """An operation inside a transaction. It contains the tables, the account and the payload."""

    tables: Tables
    account: Account
    payload: Mapping[str, Any]
    expected: Mapping[str, Wire] | None
    clock: Clock
    ids: Ids

    def character(self) -> StoredCharacter:
        """Return the character with the ID in the payload.

        Raises :class:`ServiceError` (kind ``not_found``) if the character does not exist or belongs to another account
        (decision 56).
        """
        character_id = self.payload["charID"] if "charID" in self.payload else self.payload["character_id"]
        found = self.tables.characters.get(self.account.user_id, character_id)
        if found is None:
            raise not_found("character", character_id)
        return found

    def now(self) -> str:
        return timestamp(self.clock())

    def expect(self, present: Mapping[str, Wire], what: str) -> None:
        check_expected(self.expected, present, what)


def invalid(member: str, message: str) -> ServiceError:
    return ServiceError(ErrorKind.INVALID, message, member=member)


def not_found(what: str, item_id: str) -> ServiceError:
    return ServiceError(ErrorKind.NOT_FOUND, f"No {what} has the ID {item_id!r}.")
