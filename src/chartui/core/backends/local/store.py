"""The embedded store: one SQLite file, opened with care and changed in whole transactions only.

A store belongs to the thread that opened it. What was committed survives the death of the process; the disk is told to
keep it before a commit returns.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from chartui.core.backends.local.accounts import BUILT_IN_ACCOUNT, Account, Accounts
from chartui.core.backends.local.characters import Characters
from chartui.core.backends.local.narrative import Narrative
from chartui.core.backends.local.schema import MIGRATIONS, Migrations, copy_store, migrate
from chartui.core.backends.local.sessions import Sessions
from chartui.core.clock import random_ids
from chartui.core.jsontext import NotJson
from chartui.core.paths import private_folder
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import Tier

__all__ = ["BUILT_IN_ACCOUNT", "Account", "Store", "Tables"]

#: The least bytes that a database of SQLite has.
_SMALLEST: Final = 512
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_REASONS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_NOTADB: "it is not a database",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_READONLY: "it cannot be written to",
    sqlite3.SQLITE_PERM: "it may not be opened",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_IOERR: "reading or writing failed",
}


class Tables:
    """What a transaction works on: the rows of the store, by noun."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.accounts = Accounts(connection)
        self.characters = Characters(connection)
        self.narrative = Narrative(connection)
        self.sessions = Sessions(connection)


class Store:
    """The store in the file ``path``, made when it is not there, in a folder that only its owner can enter.

    ``busy_timeout`` is how long to wait for another process that writes, in seconds. Every method raises
    :class:`ServiceError`: ``busy`` when that was not enough, ``broken`` when the file cannot be used. A file that is
    not a store is left alone.
    """

    def __init__(self, path: Path, *, busy_timeout: float = 5.0, migrations: Migrations = MIGRATIONS) -> None:
        self.path = path
        try:
            _prepare(path, migrations)
            self._connection = _connected(path, busy_timeout, migrations)
        except (sqlite3.Error, OSError) as error:
            _refuse(path, error)
        self._tables = Tables(self._connection)

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """One consistent view of everything."""
        with self._transaction("BEGIN"):
            yield self._tables

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """One change, kept whole when the block ends and not at all when it raises."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield self._tables

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        try:
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself after some failures; another failure here would hide the first.
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise
        except (sqlite3.Error, NotJson) as error:
            _refuse(self.path, error)

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
        with self._transaction("BEGIN"):
            found = [text for (text,) in self._connection.execute("PRAGMA integrity_check") if text != "ok"]
            for table, row, parent, _ in self._connection.execute("PRAGMA foreign_key_check"):
                found.append(f"row {row} of {table} refers to nothing in {parent}")
        return tuple(found)

    def backup(self, target: Path) -> None:
        """Copy the store, as it is at this moment, into the file ``target``."""
        try:
            copy_store(self._connection, target)
        except (sqlite3.Error, OSError) as error:
            _refuse(target, error)

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self._connection.close()


def _prepare(path: Path, migrations: Migrations) -> None:
    """See that ``path`` is a file that SQLite can be let near; make a new store where there is nothing."""
    private_folder(path.parent)
    if not path.exists():
        _create(path, migrations)
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        # A pipe or a device would keep whoever opens it waiting.
        raise ServiceError(ErrorKind.BROKEN, f"{path} is not a file.")
    if found.st_size < _SMALLEST:
        # SQLite would take it for a new database and write over it. Not opened to look inside: closing a file drops
        # the locks that other connections of this process hold on it.
        raise ServiceError(ErrorKind.BROKEN, f"{path} is empty or no database at all; nothing was changed.")


def _create(path: Path, migrations: Migrations) -> None:
    """Make a new store that is complete when it gets its name, so that nobody ever opens half of one.

    Only its owner can read it, and SQLite gives the files it puts beside it the same mode.
    """
    from tempfile import mkstemp

    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(descriptor)
    try:
        _connected(Path(name), 0, migrations).close()
        with suppress(FileExistsError):  # another process was faster
            os.link(name, path)
    finally:
        os.unlink(name)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _connected(path: Path, busy_timeout: float, migrations: Migrations) -> sqlite3.Connection:
    """A connection to the store in ``path``, at the newest version."""
    # Transactions are begun by hand: a reader that turns writer fails at once, whatever the time-out.
    connection = sqlite3.connect(path, timeout=busy_timeout, isolation_level=None)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, path, migrations)
        connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse(path: Path, error: Exception) -> NoReturn:
    """Raise what ``error`` means to whoever uses the store; a mistake of this program stays as it is."""
    if isinstance(error, NotJson):
        raise ServiceError(ErrorKind.BROKEN, f"{path} holds a damaged record: {error}.") from error
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        raise ServiceError(ErrorKind.BROKEN, f"{path} cannot be used: {reason}; nothing was changed.") from error
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extension that tells the details
    if not code and "UTF-8" in str(error):
        code = sqlite3.SQLITE_CORRUPT  # text that cannot be decoded: said by the Python module alone, without a code
    if code in _BUSY:
        message = f"{path} is in use by another program; nothing was changed. Try again."
        raise ServiceError(ErrorKind.BUSY, message) from error
    if code in _REASONS:
        message = f"{path} cannot be used: {_REASONS[code]}; nothing was changed."
        raise ServiceError(ErrorKind.BROKEN, message) from error
    raise error
