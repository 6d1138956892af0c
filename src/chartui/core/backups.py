"""Daily copies of the store and the journal, made before the first change of a day; the oldest go first.

A copy holds what the day before left. It is made in the thread of its file, so no picture and no key waits for it, and
checked before it is kept: a damaged file never pushes a sound copy out.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    """One copy: where it is, the UTC day it was made on (``YYYY-MM-DD``), and its bytes."""

    path: Path
    day: str
    size: int


def backups_folder(path: Path) -> Path:
    """The folder for the copies of the file ``path``. Not created here."""
    return path.parent / "backups"


def backups_of(path: Path) -> tuple[Backup, ...]:
    """The daily copies of the file ``path``, newest first. Raises ``OSError``."""
    found = []
    with suppress(FileNotFoundError):
        for copy in backups_folder(path).iterdir():
            named = _NAME.fullmatch(copy.name)
            if named and named[1] == path.stem:
                found.append(Backup(copy, named[2], copy.stat().st_size))
    return tuple(sorted(found, key=lambda backup: backup.day, reverse=True))


class DailyBackup:
    """Keeps a copy of the file ``path`` when it is called first on a day: before a change, with the open connection.

    It raises nothing: a change is never held up because no copy could be made.
    """

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path = path
        self._schema = schema
        self._day = ""

    def __call__(self, connection: sqlite3.Connection) -> None:
        """Make the copy of today where there is none."""
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
            self._day = ""  # nothing to lose yet; the next change may find something
            return
        from chartui.core.config import load_config

        settings = load_config().backups
        most = settings.max_mb * _MB
        size = os.stat(self._path).st_size
        if not settings.enabled or size > most:
            return
        with _alone_in(private_folder(target.parent)) as alone:
            if not alone or target.exists():  # another program makes it, or was faster
                return
            for left in target.parent.glob(".*"):  # by a program that was killed
                left.unlink()
            copy_into(connection, target, self._schema)
            _thin_out(self._path, keep=settings.keep, most=most)


@contextmanager
def _alone_in(folder: Path) -> Iterator[bool]:
    """Let one program at a time work in ``folder``; gives whether this one does, without waiting."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def _thin_out(path: Path, *, keep: int, most: int) -> None:
    """Remove the oldest copies beyond ``keep``, and those that make all of them larger than ``most`` bytes."""
    total = 0
    for number, backup in enumerate(backups_of(path), 1):
        total += backup.size
        if number > keep or (number > 1 and total > most):
            backup.path.unlink()
