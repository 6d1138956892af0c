"""Private SQLite files that are opened safely and changed only in whole transactions.

The embedded store, the journal and the drafts are such files. Committed changes survive a crash of the process, because
changes are synced to disk before a commit returns. SQLite is imported only when the first file is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from chartui.core.clock import system_clock
from chartui.core.damage import DOUBTFUL, Schema, problems, refusal, summary
from chartui.core.paths import private_folder
from chartui.core.spec.errors import ErrorKind, Sent, ServiceError

if TYPE_CHECKING:
    import sqlite3

#: Keeps the index of the log in memory. This requires that no other program has the file open.
_ALONE: Final = "PRAGMA locking_mode = EXCLUSIVE"


def connect(path: Path, busy_timeout: float) -> sqlite3.Connection:
    """Open a connection on which transactions are started manually.

    ``busy_timeout`` is in seconds. Raises ``sqlite3.Error`` if the file cannot be opened. A file with a write-ahead log
    needs a second file for the log's index, even if it is only read. If the second file cannot be written because the
    disk is full, the index is kept in memory. On a read-only file system, a file without a log is opened as immutable,
    and SQLite rejects every change.
    """
    import sqlite3

    def opened(query: str, *preparations: str) -> sqlite3.Connection:
        uri = f"file:{quote(str(path))}{query}"
        connection = sqlite3.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None)
        try:
            for preparation in preparations:
                connection.execute(preparation)
            connection.execute("PRAGMA user_version").fetchone()  # the first statement that opens the files
        except BaseException:  # on any failure or interrupt: the connection must not stay open
            connection.close()
            raise
        return connection

    try:
        return opened("")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode in (sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_FULL):
            return opened("", _ALONE)
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or not _is_settled(path):
            raise
        return opened("?immutable=1")


def _is_settled(path: Path) -> bool:
    """Return whether a file is on a read-only file system and has no log."""
    found = Path(os.path.realpath(path))
    log = found.with_name(f"{found.name}-wal")
    return bool(os.statvfs(found).f_flag & os.ST_RDONLY) and not (log.exists() and log.stat().st_size)


#: The minimum size of a SQLite database, in bytes.
_SMALLEST: Final = 512
#: The suffixes of SQLite's companion files of an open database.
BESIDE: Final = ("-wal", "-shm")

#: Device and inode of a database and its companion files; None for a missing file.
_Identity = tuple[tuple[int, int] | None, ...]


class Database:
    """The database in the file ``path``.

    If the file is missing, it is created in a folder that only its owner can access. Only the thread that opened a
    database may use it. ``busy_timeout`` is the maximum time, in seconds, to wait for another process that is writing.
    ``before_writing`` is called with the open connection before each change, so that a copy can be made. ``reopened``
    is called after the file has been replaced and the new file has been opened. Every method can raise
    :class:`ServiceError`: kind ``busy`` after ``busy_timeout``, or ``broken`` if the file is unusable, or was removed
    or replaced after it was opened. A file of a different kind is never changed.
    """

    def __init__(
        self,
        path: Path,
        schema: Schema,
        *,
        busy_timeout: float = 5.0,
        before_writing: Callable[[sqlite3.Connection], None] | None = None,
        reopened: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self._schema = schema
        # SQLite keeps the companion files next to the database itself, even if it was opened through a link.
        self._names = (str(path), *(f"{os.path.realpath(path)}{beside}" for beside in BESIDE))
        self._busy_timeout = busy_timeout
        self._before_writing = before_writing
        self._reopened = reopened
        self._open()

    def _open(self) -> None:
        import sqlite3

        try:
            _prepare(self.path, self._schema)
            before = _identity(self._names)[0]
            self.connection = opened(self.path, self._schema, self._busy_timeout)
            self._identity = _identity(self._names)
        except (sqlite3.Error, OSError, *DOUBTFUL) as error:
            self._refuse(error)
            raise
        self._gone = before != self._identity[0]  # otherwise, the file was replaced between the two checks
        if self._gone:
            self._lose("no")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._transaction("BEGIN"):
            yield self.connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run a block in a transaction.

        The transaction is committed when the block ends, or rolled back if the block raises an error.
        """
        self._reopen()
        if self._before_writing is not None:
            self._before_writing(self.connection)
        # A read transaction that turns into a write fails immediately, whatever the time-out.
        with self._transaction("BEGIN IMMEDIATE"):
            yield self.connection
        if self._moved():
            self._lose("unclear")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        import sqlite3

        self._reopen()
        try:
            self.connection.execute(begin)
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:  # also after an interrupt, since the transaction must end
                # After some failures SQLite has already rolled back; another failure here would hide the first.
                if self.connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self.connection.execute("ROLLBACK")
                raise
        except (sqlite3.Error, *DOUBTFUL) as error:
            self._refuse(error)
            raise

    def _refuse(self, error: Exception) -> None:
        """Raise a :class:`ServiceError` that describes ``error``, or return if it is a bug of the program."""
        refused = refusal(self.path, error, lambda: _problems_in(self.path, self._schema))
        if refused is not None:
            raise refused from error

    # -- files that vanish ---------------------------------------------------------------------------------------------

    def _reopen(self) -> None:
        """Check that the open file is still the one at ``path``. A replacement is opened at the next call."""
        if not self._gone:
            if self._moved():
                self._lose("no")
        elif self.path.exists():
            self._open()
            self._reopened()
        else:
            raise self._lost("was removed", "no")

    def _moved(self) -> bool:
        return any(then not in (None, now) for now, then in zip(_identity(self._names), self._identity, strict=True))

    def _lose(self, sent: Sent) -> None:
        """Close a file that is no longer the one at ``path``. Raises :class:`ServiceError`."""
        present = _identity(self._names)
        self._gone = True
        if present[0] is None:
            what = "was removed"
        elif present[0] != self._identity[0]:
            what = "was replaced by another file"
        else:
            what = "lost its companion files (-wal, -shm)"
        kept = self._rescued(present)
        self.connection.close()
        raise self._lost(what, sent, kept)

    def _rescued(self, present: _Identity) -> Path | None:
        """Save a copy of the content of the open file, which stays readable until it is closed.

        Returns None if no copy could be saved.
        """
        import sqlite3

        with suppress(sqlite3.Error, OSError):
            if present[0] == self._identity[0] and all(
                now in (None, then) for now, then in zip(present, self._identity, strict=True)
            ):
                # No other program has opened the database without its log, so the contents of the log can be written to
                # the database.
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                return None
            target = name_beside(self.path, "rescued")
            copy_into(self.connection, target)
            return target
        return None

    def _lost(self, what: str, sent: Sent, kept: Path | None = None) -> ServiceError:
        changed = "Nothing was changed." if sent == "no" else "The last change may be missing."
        if kept is not None:
            changed += f" Its contents were saved: 'chartui store restore {kept}' restores them."
        if what == "was removed":
            changed += " Put the file back, or restore a backup: 'chartui store backups' lists them."
        else:
            changed += " Refresh or try again to open the current file."
        message = f"{self.path} {what} while the program was using it. {changed}"
        return ServiceError(ErrorKind.BROKEN, message, sent=sent)

    # -- care ----------------------------------------------------------------------------------------------------------

    def check(self) -> tuple[str, ...]:
        """Check every page, reference and row of the database.

        Return the problems found, or an empty tuple if there are none.
        """
        with self.reading() as connection:
            return tuple(problems(connection, self._schema))

    def backup(self, target: Path) -> None:
        """Copy the current contents of the database to the file ``target``, unless the database is damaged."""
        import sqlite3

        self._reopen()
        try:
            copy_into(self.connection, target, self._schema)
        except DamagedCopy as error:
            message = (
                f"{self.path} is damaged ({error}). No backup was made. 'chartui store salvage FILE' saves what can be"
                " read; 'chartui store backups' lists the copies to restore from."
            )
            raise ServiceError(ErrorKind.BROKEN, message) from error
        except (sqlite3.Error, OSError) as error:
            refused = refusal(target, error)
            if refused is None:
                raise
            raise refused from error

    def close(self) -> None:
        """Close the file. Calling this twice is safe."""
        self.connection.close()


def name_beside(path: Path, why: str) -> Path:
    """Return an unused path in the folder of ``path``. The file name includes the reason and the current UTC time."""
    base = f"{path.name}.{why}-{system_clock().astimezone(UTC):%Y%m%dT%H%M%SZ}"
    names = (path.with_name(f"{base}-{number}" if number else base) for number in count())
    return next(name for name in names if not name.exists())


def _identity(names: Iterable[str]) -> _Identity:
    return tuple(map(_one_identity, names))


def _one_identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _problems_in(path: Path, schema: Schema) -> Iterator[str]:
    """Yield the problems of the file, using a separate connection, since the failed one may be in a transaction."""
    import sqlite3

    if not path.exists():  # connecting would create the file
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield from problems(connection, schema)


def _prepare(path: Path, schema: Schema) -> None:
    """Check that SQLite can safely open ``path``, and create it if missing."""
    private_folder(path.parent)
    if not path.exists():
        _create(path, schema)
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        # Opening a pipe or a device would block.
        raise ServiceError(ErrorKind.BROKEN, f"{path} is not a file.")
    if found.st_size < _SMALLEST:
        # SQLite would treat such a file as a new database and overwrite it. The file is not opened to check its
        # contents, because closing it would drop the locks that other connections of this process hold on it.
        raise ServiceError(ErrorKind.BROKEN, f"{path} is empty or not a database. Nothing was changed.")


def _create(path: Path, schema: Schema) -> None:
    """Create a new file and give it its name once it is complete, so that no program opens an incomplete file.

    Only its owner can read it, and SQLite gives its companion files the same mode.
    """
    from tempfile import mkstemp

    with _alone_in(path.parent) as folder:
        if path.exists():  # another process has created the file
            return
        _set_aside(path)
        descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(descriptor)
        try:
            opened(Path(name), schema, 0).close()
            with suppress(FileExistsError):  # a broken link, which the next check reports
                os.link(name, path)
        finally:
            os.unlink(name)
        os.fsync(folder)


@contextmanager
def _alone_in(folder: Path) -> Iterator[int]:
    """Let one program at a time create a file in ``folder``. Yields the lock's file descriptor. Raises ``OSError``."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _set_aside(path: Path) -> None:
    """Rename files left by a removed database, since SQLite would replay their log into the new one."""
    log, index = (path.with_name(path.name + beside) for beside in BESIDE)
    index.unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        log.rename(name_beside(log, "left"))


def opened(path: Path, schema: Schema, busy_timeout: float) -> sqlite3.Connection:
    """Open the database at ``path`` and upgrade it to the newest version."""
    connection = connect(path, busy_timeout)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        _migrate(connection, path, schema)
        connection.execute("PRAGMA journal_mode = WAL")
        _version(connection)  # a first read creates the companion files, so their loss is noticed
    except BaseException:  # on any failure or interrupt: the connection must not stay open
        connection.close()
        raise
    return connection


# -- versions ----------------------------------------------------------------------------------------------------------


def _migrate(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Upgrade the open file to the newest version. A file with data is copied before each step.

    Raises :class:`ServiceError` (kind ``broken``) for a file of another kind or a newer version, and the error of a
    failing statement. The failed step then leaves the file unchanged.
    """
    version = _version(connection)
    newest = len(schema.migrations)
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != schema.application_id:
        raise ServiceError(ErrorKind.BROKEN, f"{path} is another program's database. Nothing was changed.")
    if version > newest:
        raise ServiceError(
            ErrorKind.BROKEN,
            f"{path} was written by a newer version of chartui ({schema.what} version {version}; this one supports up "
            f"to {newest}). Upgrade chartui. Nothing was changed.",
        )
    for target in range(version + 1, newest + 1):
        if version:  # otherwise, the file is new
            copy_into(connection, path.with_name(f"{path.name}.version-{target - 1}.backup"))
        _step(connection, schema, target)


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _step(connection: sqlite3.Connection, schema: Schema, target: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < target:  # otherwise, another process has upgraded the file
            for statement in schema.migrations[target - 1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {schema.application_id}")
            connection.execute(f"PRAGMA user_version = {target}")
        connection.execute("COMMIT")
    except BaseException:  # also after an interrupt, since the transaction must end
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class DamagedCopy(Exception):
    """Raised if a copy of a database is damaged, which means that the original is damaged too.

    The message names the first problem.
    """


def copy_into(connection: sqlite3.Connection, target: Path, schema: Schema | None = None) -> None:
    """Copy the whole database to ``target``. An earlier copy is replaced only when the new copy is complete.

    If ``schema`` is given, the copy is checked first, and :class:`DamagedCopy` is raised if the copy is damaged. Only
    the owner of the copy can read it. Raises ``OSError`` or ``sqlite3.Error`` if the database cannot be
    copied.
    """
    import sqlite3

    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    scratch.unlink(missing_ok=True)
    try:
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(scratch)) as copy:
            connection.backup(copy)
            # A copy is a single file, because it needs no log.
            copy.execute("PRAGMA journal_mode = DELETE")
            if schema is not None and (found := tuple(problems(copy, schema))):
                raise DamagedCopy(summary(found))
        scratch.replace(target)
    finally:
        # If the disk is full, SQLite does not remove the journal of the failed transaction.
        for beside in ("", "-journal", *BESIDE):
            scratch.with_name(scratch.name + beside).unlink(missing_ok=True)
