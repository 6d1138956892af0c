"""Opening an SQLite file so that it can be read even where the disk takes nothing more."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    import sqlite3

__all__ = ["connect"]

#: With the index of the log in memory, where no other program has the file open.
_ALONE: Final = "PRAGMA locking_mode = EXCLUSIVE"


def connect(path: Path, busy_timeout: float) -> sqlite3.Connection:
    """A connection whose transactions are begun by hand; ``busy_timeout`` is in seconds. Raises ``sqlite3.Error``.

    A file with a log beside it (WAL) needs a second file for the log's index, even to be read. On a full disk the
    index is kept in memory instead. On a read-only file system a file without a log is opened as one that nothing can
    change. Changes are then refused one by one, by SQLite.
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
    """Whether a file lies on a read-only file system, and has no log that would have to be read with it."""
    found = Path(os.path.realpath(path))
    log = found.with_name(f"{found.name}-wal")
    return bool(os.statvfs(found).f_flag & os.ST_RDONLY) and not (log.exists() and log.stat().st_size)
