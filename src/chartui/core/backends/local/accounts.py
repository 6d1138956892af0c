"""Accounts: whose characters they are, and what may be done with them (decisions 29 and 56)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
from dataclasses import dataclass

from chartui.core.backends.local.schema import BUILT_IN_USER
from chartui.core.jsontext import Wire
from chartui.core.spec.operation import Tier

__all__ = ["BUILT_IN_ACCOUNT", "Account", "Accounts"]


@dataclass(frozen=True, slots=True)
class Account:
    """An owner of characters. Its key is known to nobody but whoever was given it."""

    user_id: str
    tier: Tier


#: Acts for embedded profiles.
BUILT_IN_ACCOUNT = Account(BUILT_IN_USER, Tier.PROFESSIONAL)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


class Accounts:
    """The table of accounts, inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def insert(self, account: Account) -> str:
        """Add an account and return its new key, which is kept nowhere: only its digest is."""
        key = secrets.token_urlsafe(32)
        self._connection.execute(
            "INSERT INTO accounts (user_id, tier, key_digest) VALUES (?, ?, ?)",
            (account.user_id, account.tier.value, _digest(key)),
        )
        return key

    def renew(self, user_id: str) -> tuple[Account, str] | None:
        """Give the account ``user_id`` a new key, the only one it then has; None when there is no such account."""
        key = secrets.token_urlsafe(32)
        renewed = self._connection.execute(
            "UPDATE accounts SET key_digest = ? WHERE user_id = ? RETURNING tier", (_digest(key), user_id)
        ).fetchone()
        return (Account(user_id, Tier(renewed[0])), key) if renewed else None

    def exists(self, user_id: str) -> bool:
        """Tell whether there is an account of this name."""
        found = self._connection.execute("SELECT 1 FROM accounts WHERE user_id = ?", (user_id,))
        return found.fetchone() is not None

    def with_key(self, key: str) -> Account | None:
        """The account of ``key``. Every account is compared, in constant time, so that timing tells nothing."""
        digest = _digest(key)
        found = None
        for user_id, tier, known in self._connection.execute("SELECT user_id, tier, key_digest FROM accounts"):
            if known is not None and hmac.compare_digest(known, digest):
                found = Account(user_id, Tier(tier))
        return found

    def with_a_key(self) -> list[Account]:
        """The accounts that can be asked for over HTTP, oldest first."""
        rows = self._connection.execute("SELECT user_id, tier FROM accounts WHERE key_digest IS NOT NULL ORDER BY seq")
        return [Account(user_id, Tier(tier)) for user_id, tier in rows]

    def notes(self) -> list[Wire]:
        """Every account with the number of its characters, oldest first; no keys."""
        rows = self._connection.execute(
            "SELECT user_id, tier, (SELECT count(*) FROM characters c WHERE c.user_id = a.user_id)"
            " FROM accounts a ORDER BY seq"
        )
        return [{"user_id": user_id, "tier": tier, "characters": count} for user_id, tier, count in rows]
