"""The embedded store, which holds the data of all accounts in one SQLite file.

Only the thread that opened a store may use it (:mod:`chartui.core.database`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from chartui.core.backends.local.schema import APPLICATION_ID, BUILT_IN_USER, DOCUMENTS, MIGRATIONS
from chartui.core.backends.local.tables import Characters, Narrative, Sessions, found
from chartui.core.classes import dataclass
from chartui.core.clock import random_ids
from chartui.core.damage import Migrations, Schema
from chartui.core.database import Database
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Tier

SCHEMA: Final = Schema(
    "store",
    APPLICATION_ID,
    MIGRATIONS,
    documents=DOCUMENTS,
    # The name of a missing account is restored from its characters, but its API key cannot be restored.
    repairs=("INSERT OR IGNORE INTO accounts (user_id, tier) SELECT DISTINCT user_id, 'free' FROM characters",),
    content="characters",
)


@dataclass(frozen=True, slots=True)
class Account:
    """An account, which owns characters. Only a digest of the account's API key is stored."""

    user_id: str
    tier: Tier


#: The account that embedded profiles use.
BUILT_IN_ACCOUNT = Account(BUILT_IN_USER, Tier.PROFESSIONAL)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


class Accounts:
    """Reads and changes the accounts table inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def insert(self, account: Account) -> str:
        """Add an account and return its new API key. Only a digest of the API key is stored."""
        key = secrets.token_urlsafe(32)
        self._connection.execute(
            "INSERT INTO accounts (user_id, tier, key_digest) VALUES (?, ?, ?)",
            (account.user_id, account.tier.value, _digest(key)),
        )
        return key

    def renew(self, user_id: str) -> tuple[Account, str] | None:
        """Replace the API key of the account ``user_id`` and return the new one.

        Returns None if the account does not exist.
        """
        key = secrets.token_urlsafe(32)
        renewed = self._connection.execute(
            "UPDATE accounts SET key_digest = ? WHERE user_id = ? RETURNING tier", (_digest(key), user_id)
        ).fetchone()
        return (Account(user_id, Tier(renewed[0])), key) if renewed else None

    def exists(self, user_id: str) -> bool:
        return found(self._connection, "SELECT 1 FROM accounts WHERE user_id = ?", user_id)

    def with_key(self, key: str) -> Account | None:
        """Return the account with the API key ``key``, or None if the API key is invalid.

        ``key`` is compared with the API key of every account in constant time, so the response time reveals nothing
        about valid API keys.
        """
        digest = _digest(key)
        account = None
        for user_id, tier, known in self._connection.execute("SELECT user_id, tier, key_digest FROM accounts"):
            if known is not None and hmac.compare_digest(known, digest):
                account = Account(user_id, Tier(tier))
        return account

    def with_a_key(self) -> list[Account]:
        rows = self._connection.execute("SELECT user_id, tier FROM accounts WHERE key_digest IS NOT NULL ORDER BY seq")
        return [Account(user_id, Tier(tier)) for user_id, tier in rows]

    def notes(self) -> list[Wire]:
        """Return all accounts, oldest first, each with its number of characters. API keys are not included."""
        rows = self._connection.execute(
            "SELECT user_id, tier, (SELECT count(*) FROM characters c WHERE c.user_id = a.user_id)"
            " FROM accounts a ORDER BY seq"
        )
        return [{"user_id": user_id, "tier": tier, "characters": count} for user_id, tier, count in rows]


class Tables:
    """Reads and changes the tables of the store inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.accounts = Accounts(connection)
        self.characters = Characters(connection)
        self.narrative = Narrative(connection)
        self.sessions = Sessions(connection)


class Store:
    """The embedded store in the file ``path``.

    If the file is missing, it is created in a folder that only its owner can access. ``busy_timeout`` is the maximum
    time, in seconds, to wait for another process that is writing. ``before_writing`` is called with the connection
    before each change. ``reopened`` is called after a lost file has been replaced and opened again.

    Every method can raise :class:`ServiceError`: kind ``busy`` after ``busy_timeout``, or ``broken`` if the file is
    unusable or has been removed or replaced. A file that is not a store is never changed.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy_timeout: float = 5.0,
        migrations: Migrations = MIGRATIONS,
        before_writing: Callable[[sqlite3.Connection], None] | None = None,
        reopened: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        schema = replace(SCHEMA, migrations=migrations)
        self._database = Database(
            path, schema, busy_timeout=busy_timeout, before_writing=before_writing, reopened=reopened
        )

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        with self._database.reading() as connection:
            yield Tables(connection)

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction. It is committed when the block ends, and rolled back if the block raises an error."""
        with self._database.writing() as connection:
            yield Tables(connection)

    def authenticate(self, key: str) -> Account | None:
        with self.reading() as tables:
            return tables.accounts.with_key(key)

    def add_account(self, tier: Tier, *, user_id: str | None = None) -> tuple[Account, str]:
        """Add an account. Return it with its API key, which cannot be retrieved later.

        Raises :class:`ServiceError` (kind ``conflict``) if the name is taken.
        """
        account = Account(user_id or random_ids(), tier)
        with self.writing() as tables:
            if tables.accounts.exists(account.user_id):
                raise ServiceError(ErrorKind.CONFLICT, f"Account {account.user_id!r} already exists.")
            return account, tables.accounts.insert(account)

    def new_key(self, user_id: str) -> tuple[Account, str]:
        """Replace the API key of an account.

        Return the new API key, which cannot be retrieved later. The old API key stops working. The built-in account of
        embedded profiles has no API key until this method is called. Raises :class:`ServiceError` (kind ``not_found``)
        if the account does not exist.
        """
        with self.writing() as tables:
            renewed = tables.accounts.renew(user_id)
        if renewed is None:
            raise ServiceError(ErrorKind.NOT_FOUND, f"Account {user_id!r} does not exist.")
        return renewed

    def check(self) -> tuple[str, ...]:
        """Check every page and reference in the store.

        Return the problems found, or an empty tuple if there are none.
        """
        return self._database.check()

    def backup(self, target: Path) -> None:
        """Copy the current state of the store into the file ``target``."""
        self._database.backup(target)

    def close(self) -> None:
        self._database.close()
