"""Make daily copies of the store and the journal before the first change of each day.

If there are too many copies, or they take up too much space, the oldest ones are removed. A copy contains the state
before the first change of its day. Copies are made in the thread that owns the file, so the interface never waits. Each
copy is checked before it is kept, so a damaged file never replaces a good copy.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.core.classes import dataclass
from chartui.core.clock import system_clock
from chartui.core.damage import Schema
from chartui.core.database import DamagedCopy, copy_into
from chartui.core.file_lock import try_lock
from chartui.core.paths import private_folder

if TYPE_CHECKING:
    import sqlite3

_LOG: Final = logging.getLogger("chartui.backups")
_NAME: Final = re.compile(r"(.+)-(\d{4}-\d\d-\d\d)\.db")
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Backup:
    """A daily copy of a file. It has a path, the UTC day on which it was made (``YYYY-MM-DD``), and a size in bytes."""

    path: Path
    day: str
    size: int


def backups_folder(path: Path) -> Path:
    """Return the folder for the daily copies of the file ``path``. The folder is not created."""
    return path.parent / "backups"


def backups_of(path: Path) -> tuple[Backup, ...]:
    """Return the daily copies of the file ``path``, newest first. Raises ``OSError`` if the folder cannot be read."""
    found = []
    with suppress(FileNotFoundError):
        for copy in backups_folder(path).iterdir():
            named = _NAME.fullmatch(copy.name)
            if named and named[1] == path.stem:
                found.append(Backup(copy, named[2], copy.stat().st_size))
    return tuple(sorted(found, key=lambda backup: backup.day, reverse=True))


class DailyBackup:
    """Copies the file ``path`` once a day, before the first change of the day.

    The copy is made through the open database connection. No errors are raised, so a failed copy never blocks a change.
    """

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path = path
        self._schema = schema
        self._day = ""

    def __call__(self, connection: sqlite3.Connection) -> None:
        import sqlite3

        today = f"{system_clock().astimezone(UTC):%Y-%m-%d}"
        if today == self._day:
            return
        self._day = today
        target = backups_folder(self._path) / f"{self._path.stem}-{today}.db"
        if target.exists():
            return
        try:
            self._keep(connection, target)
        except (sqlite3.Error, OSError, DamagedCopy) as error:
            _LOG.debug("%s could not be backed up: %s", self._path, error)

    def _keep(self, connection: sqlite3.Connection, target: Path) -> None:
        if connection.execute(f"SELECT 1 FROM {self._schema.content} LIMIT 1").fetchone() is None:  # noqa: S608 - ours
            self._day = ""  # The file has no content yet, so check again before the next change.
            return
        from chartui.core.config import load_config

        settings = load_config().backups
        most = settings.max_mb * _MB
        size = os.stat(self._path).st_size
        if not settings.enabled or size > most:
            return
        with _alone_in(private_folder(target.parent)) as alone:
            if not alone or target.exists():  # another program is making the copy or has made it
                return
            for left in target.parent.glob(".*"):  # left behind by a program that was killed
                left.unlink()
            copy_into(connection, target, self._schema)
            _thin_out(self._path, keep=settings.keep, most=most)


@contextmanager
def _alone_in(folder: Path) -> Iterator[bool]:
    """Let one program at a time work in ``folder``.

    Yields False, without waiting, if another program is working there.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def _thin_out(path: Path, *, keep: int, most: int) -> None:
    """Remove the oldest copies until at most ``keep`` remain and they take at most ``most`` bytes."""
    total = 0
    for number, backup in enumerate(backups_of(path), 1):
        total += backup.size
        if number > keep or (number > 1 and total > most):
            backup.path.unlink()
