"""The embedded store: the rows of all accounts in one SQLite file.

A store belongs to the thread that opened it (:mod:`chartui.core.database`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from chartui.core.backends.local.schema import APPLICATION_ID, BUILT_IN_USER, DOCUMENTS, MIGRATIONS
from chartui.core.backends.local.tables import Characters, Narrative, Sessions
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
    # Characters whose account was lost stay with its name, without its key.
    repairs=("INSERT OR IGNORE INTO accounts (user_id, tier) SELECT DISTINCT user_id, 'free' FROM characters",),
    content="characters",
)


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
        rows = self._connection.execute("SELECT user_id, tier FROM accounts WHERE key_digest IS NOT NULL ORDER BY seq")
        return [Account(user_id, Tier(tier)) for user_id, tier in rows]

    def notes(self) -> list[Wire]:
        """Every account with the number of its characters, oldest first; no keys."""
        rows = self._connection.execute(
            "SELECT user_id, tier, (SELECT count(*) FROM characters c WHERE c.user_id = a.user_id)"
            " FROM accounts a ORDER BY seq"
        )
        return [{"user_id": user_id, "tier": tier, "characters": count} for user_id, tier, count in rows]


class Tables:
    """What a transaction works on: the rows of the store, by noun."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.accounts = Accounts(connection)
        self.characters = Characters(connection)
        self.narrative = Narrative(connection)
        self.sessions = Sessions(connection)


class Store:
    """The store in the file ``path``, made when it is not there, in a folder that only its owner can enter.

    ``busy_timeout`` is how long to wait for another process that writes, in seconds; ``before_writing`` is called with
    the connection before each change, ``reopened`` once another file in the place of a lost one is open. Every method
    raises :class:`ServiceError`: ``busy`` when the wait was not enough, ``broken`` when the file cannot be used, or was
    removed or replaced. A file that is not a store is left alone.
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
        """One change, kept whole when the block ends and not at all when it raises."""
        with self._database.writing() as connection:
            yield Tables(connection)

    def authenticate(self, key: str) -> Account | None:
        with self.reading() as tables:
            return tables.accounts.with_key(key)

    def add_account(self, tier: Tier, *, user_id: str | None = None) -> tuple[Account, str]:
        """Add an account; returns it with its key, which cannot be had again.

        Raises :class:`ServiceError` (kind ``conflict``) when the name is taken.
        """
        account = Account(user_id or random_ids(), tier)
        with self.writing() as tables:
            if tables.accounts.exists(account.user_id):
                raise ServiceError(ErrorKind.CONFLICT, f"There is an account {account.user_id!r} already.")
            return account, tables.accounts.insert(account)

    def new_key(self, user_id: str) -> tuple[Account, str]:
        """Give an account a new key, which cannot be had again; an earlier one stops working.

        The built-in account of embedded profiles has none until this is asked for it. Raises :class:`ServiceError`
        (kind ``not_found``).
        """
        with self.writing() as tables:
            renewed = tables.accounts.renew(user_id)
        if renewed is None:
            raise ServiceError(ErrorKind.NOT_FOUND, f"There is no account {user_id!r}.")
        return renewed

    def check(self) -> tuple[str, ...]:
        """Read every page and every reference; returns what is wrong with the file, nothing when it is sound."""
        return self._database.check()

    def backup(self, target: Path) -> None:
        """Copy the store, as it is at this moment, into the file ``target``."""
        self._database.backup(target)

    def close(self) -> None:
        self._database.close()
