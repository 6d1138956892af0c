"""One private SQLite file: opened with care, and changed in whole transactions only.

The embedded store, the journal and the drafts are such files. What was committed survives the death of the process; the
disk is told to keep it before a commit returns. SQLite itself is imported when the first of them is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, NoReturn, Protocol, TypeVar

from chartui.core.connection import connect
from chartui.core.jsontext import NotJson
from chartui.core.paths import private_folder
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    import sqlite3
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["Closable", "Database", "Migrations", "OwnThread", "Schema"]

#: The least bytes that a database of SQLite has.
_SMALLEST: Final = 512

#: What leads from each version to the next; the first list makes an empty file version 1.
Migrations = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Schema:
    """What kind of file it is: a word for people, its mark in SQLite's header, and its versions.

    A version is a list of statements. They are run one by one inside one transaction together with the new version
    number: a script run at once would commit what came before it, and a failure would leave half a version behind.
    """

    what: str
    application_id: int
    migrations: Migrations


class Database:
    """The database in the file ``path``, made when it is not there, in a folder that only its owner can enter.

    It belongs to the thread that opened it. ``busy_timeout`` is how long to wait for another process that writes, in
    seconds. Every method raises :class:`ServiceError`: ``busy`` when that was not enough, ``broken`` when the file
    cannot be used. A file of another kind is left alone.
    """

    def __init__(self, path: Path, schema: Schema, *, busy_timeout: float = 5.0) -> None:
        import sqlite3

        self.path = path
        try:
            _prepare(path, schema)
            self.connection = _connected(path, schema, busy_timeout)
        except (sqlite3.Error, OSError) as error:
            _refuse(path, error)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of everything."""
        with self._transaction("BEGIN"):
            yield self.connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One change, kept whole when the block ends and not at all when it raises."""
        # A reader that turns writer fails at once, whatever the time-out.
        with self._transaction("BEGIN IMMEDIATE"):
            yield self.connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        import sqlite3

        try:
            self.connection.execute(begin)
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself after some failures; another failure here would hide the first.
                if self.connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self.connection.execute("ROLLBACK")
                raise
        except (sqlite3.Error, NotJson) as error:
            _refuse(self.path, error)

    def check(self) -> tuple[str, ...]:
        """Read every page and every reference; returns what is wrong with the file, nothing when it is sound."""
        with self.reading() as connection:
            found = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                found.append(f"row {row} of {table} refers to nothing in {parent}")
        return tuple(found)

    def backup(self, target: Path) -> None:
        """Copy everything, as it is at this moment, into the file ``target``."""
        import sqlite3

        try:
            _copy(self.connection, target)
        except (sqlite3.Error, OSError) as error:
            _refuse(target, error)

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self.connection.close()


def _prepare(path: Path, schema: Schema) -> None:
    """See that ``path`` is a file that SQLite can be let near; make a new one where there is nothing."""
    private_folder(path.parent)
    if not path.exists():
        _create(path, schema)
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        # A pipe or a device would keep whoever opens it waiting.
        raise ServiceError(ErrorKind.BROKEN, f"{path} is not a file.")
    if found.st_size < _SMALLEST:
        # SQLite would take it for a new database and write over it. Not opened to look inside: closing a file drops
        # the locks that other connections of this process hold on it.
        raise ServiceError(ErrorKind.BROKEN, f"{path} is empty or no database at all; nothing was changed.")


def _create(path: Path, schema: Schema) -> None:
    """Make a new file that is complete when it gets its name, so that nobody ever opens half of one.

    Only its owner can read it, and SQLite gives the files it puts beside it the same mode.
    """
    from tempfile import mkstemp

    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(descriptor)
    try:
        _connected(Path(name), schema, 0).close()
        with suppress(FileExistsError):  # another process was faster
            os.link(name, path)
    finally:
        os.unlink(name)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _connected(path: Path, schema: Schema, busy_timeout: float) -> sqlite3.Connection:
    """A connection to the database in ``path``, at the newest version."""
    connection = connect(path, busy_timeout)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        _migrate(connection, path, schema)
        connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


# -- versions ----------------------------------------------------------------------------------------------------------


def _migrate(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Bring the open file to the newest version; a file that has data is copied before each step.

    Raises :class:`ServiceError` (kind ``broken``) for a file of another kind or of a newer version, and whatever a
    failing statement raises, with the file as it was before that step.
    """
    version = _version(connection)
    newest = len(schema.migrations)
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != schema.application_id:
        raise ServiceError(ErrorKind.BROKEN, f"{path} is a database of another program; nothing was changed.")
    if version > newest:
        raise ServiceError(
            ErrorKind.BROKEN,
            f"{path} was written by a newer version of chartui ({schema.what} version {version}, this one knows up to "
            f"{newest}): upgrade chartui. Nothing was changed.",
        )
    for target in range(version + 1, newest + 1):
        if target > 1:
            _copy(connection, path.with_name(f"{path.name}.version-{target - 1}.backup"))
        _step(connection, schema, target)


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _step(connection: sqlite3.Connection, schema: Schema, target: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < target:  # else another process was faster
            for statement in schema.migrations[target - 1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {schema.application_id}")
            connection.execute(f"PRAGMA user_version = {target}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy everything into ``target``, replacing an earlier copy only once the new one is complete.

    Readable by its owner alone. Raises ``OSError`` and ``sqlite3.Error``.
    """
    import sqlite3

    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    scratch.unlink(missing_ok=True)
    try:
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(scratch)) as copy:
            connection.backup(copy)
            # One file on its own: a copy that is kept needs no log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def _refuse(path: Path, error: Exception) -> NoReturn:
    """Raise what ``error`` means to whoever uses the file; a mistake of this program stays as it is."""
    import sqlite3

    if isinstance(error, NotJson):
        raise ServiceError(ErrorKind.BROKEN, f"{path} holds a damaged record: {error}.") from error
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        raise ServiceError(ErrorKind.BROKEN, f"{path} cannot be used: {reason}; nothing was changed.") from error
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extension that tells the details
    if not code and "UTF-8" in str(error):
        code = sqlite3.SQLITE_CORRUPT  # text that cannot be decoded: said by the Python module alone, without a code
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        message = f"{path} is in use by another program; nothing was changed. Try again."
        raise ServiceError(ErrorKind.BUSY, message) from error
    reasons = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_NOTADB: "it is not a database",
        sqlite3.SQLITE_CORRUPT: "it is damaged",
        sqlite3.SQLITE_READONLY: "it cannot be written to",
        sqlite3.SQLITE_PERM: "it may not be opened",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
        sqlite3.SQLITE_IOERR: "reading or writing failed",
    }
    if code in reasons:
        message = f"{path} cannot be used: {reasons[code]}; nothing was changed."
        raise ServiceError(ErrorKind.BROKEN, message) from error
    raise error


# -- threads -----------------------------------------------------------------------------------------------------------


class Closable(Protocol):
    """Something that is let go of when it is no longer needed."""

    def close(self) -> None:
        """Let go; safe to call twice."""
        ...


Owned = TypeVar("Owned", bound=Closable)
T = TypeVar("T")


class OwnThread(Generic[Owned]):
    """The one thread that opens, uses and closes what ``opener`` opens: a connection belongs to its thread.

    It is opened at the first use, and again at the first use after it was closed.
    """

    def __init__(self, opener: Callable[[], Owned], *, name: str) -> None:
        self._opener = opener
        self._name = name
        self._owned: Owned | None = None
        self._executor: ThreadPoolExecutor | None = None

    async def run(self, work: Callable[[Owned], T]) -> T:
        """Do ``work`` there; what it raises comes out here. Once begun it ends, whether or not it is waited for."""
        import asyncio

        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            self._executor = ThreadPoolExecutor(1, thread_name_prefix=self._name)
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._work, work)

    def _work(self, work: Callable[[Owned], T]) -> T:
        if self._owned is None:
            self._owned = self._opener()
        return work(self._owned)

    async def aclose(self) -> None:
        """Close it, after what was asked for before; safe to call twice."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        import asyncio

        await asyncio.get_running_loop().run_in_executor(executor, self._close)
        executor.shutdown(wait=False)

    def _close(self) -> None:
        owned, self._owned = self._owned, None
        if owned is not None:
            owned.close()
