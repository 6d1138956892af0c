"""The embedded store: the rows of all accounts in one SQLite file.

A store belongs to the thread that opened it (:mod:`chartui.core.database`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from chartui.core.backends.local.schema import APPLICATION_ID, DOCUMENTS, MIGRATIONS
from chartui.core.backends.local.tables import BUILT_IN_ACCOUNT, Account, Accounts, Characters, Narrative, Sessions
from chartui.core.clock import random_ids
from chartui.core.database import Database, Migrations, Schema
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Tier

__all__ = ["BUILT_IN_ACCOUNT", "SCHEMA", "Account", "Store", "Tables"]

SCHEMA: Final = Schema(
    "store",
    APPLICATION_ID,
    MIGRATIONS,
    documents=DOCUMENTS,
    # Characters whose account was lost stay with its name, without its key.
    repairs=("INSERT OR IGNORE INTO accounts (user_id, tier) SELECT DISTINCT user_id, 'free' FROM characters",),
    content="characters",
)


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
        """One consistent view of everything."""
        with self._database.reading() as connection:
            yield Tables(connection)

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """One change, kept whole when the block ends and not at all when it raises."""
        with self._database.writing() as connection:
            yield Tables(connection)

    def authenticate(self, key: str) -> Account | None:
        """The account of ``key``, or None."""
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
        """Let go of the file; safe to call twice."""
        self._database.close()
