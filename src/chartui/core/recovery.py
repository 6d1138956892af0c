"""Recover from damaged database files. Examine a file, salvage its readable rows, or restore a copy.

A damaged file is never changed. Rows are read from a copy, which is made while no other program has the file open.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from chartui.core import drafts, seen
from chartui.core.classes import dataclass
from chartui.core.damage import DOUBTFUL, RowColumn, Schema, columns, problems, refusal, row_problem, summary
from chartui.core.database import BESIDE, copy_into, name_beside, opened
from chartui.core.journal.records import SCHEMA as JOURNAL
from chartui.core.paths import keep_names, private_folder
from chartui.core.profiles import Profile
from chartui.core.session import drafts_path, journal_path, seen_path, store_path
from chartui.core.spec.errors import ErrorKind, ServiceError


@dataclass(frozen=True, slots=True)
class DataFile:
    """A database file, with its path and its schema."""

    path: Path
    schema: Schema

    @property
    def what(self) -> str:
        """The noun for the file: ``store``, ``journal``, ``drafts`` or ``seen``."""
        return self.schema.what


def data_files(profile: Profile) -> tuple[DataFile, ...]:
    """Return the database files of a profile.

    They are its store, if it has one, and the files shared by all profiles.
    """
    shared = (
        DataFile(journal_path(), JOURNAL),
        DataFile(drafts_path(), drafts.SCHEMA),
        DataFile(seen_path(), seen.SCHEMA),
    )
    if not profile.embedded:
        return shared
    from chartui.core.backends.local.store import SCHEMA

    return (DataFile(store_path(profile), SCHEMA), *shared)


#: The errors that reading a damaged file can raise. A decoding error occurs if SQLite's error message quotes damaged
#: text.
_UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
#: Position and number of SQLite's lock bytes: each program that has the database open holds a lock there.
_LOCKS: Final = (0x4000_0000, 512)
#: The maximum number of rows looked up one by one if a table cannot be read in order.
_PROBED: Final = 1_000_000
#: The maximum number of lost rows listed for each table.
_LISTED: Final = 20
#: The byte ranges of SQLite's header that are the same in all sound files of a kind and version.
_CONSTANT: Final = ((0, 24), (44, 48), (52, 72))


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The problems found in a file, and the number of readable rows in each table.

    There are no problems if the file is intact.
    """

    problems: tuple[str, ...]
    readable: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """The number of rows salvaged from a file for each table, and messages about the unreadable parts of the file."""

    rows: Mapping[str, int]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A restored file. ``kept`` is the new path of the replaced file, or None if no file was replaced."""

    file: DataFile
    kept: Path | None


def examine(file: DataFile) -> Findings:
    """Check a whole file for damage, and count its readable rows.

    Raises :class:`ServiceError` (``busy``) if the file is damaged and in use.
    """
    with _failures_of(file.path), closing(_read_only(file.path)) as connection:
        found = tuple(problems(connection, file.schema))
        if not found:
            return Findings(problems=(), readable=_counts(connection, file.schema))
    with TemporaryDirectory(prefix="chartui-") as scratch:
        salvaged = salvage(file, Path(scratch) / "salvaged.db")
    return Findings(problems=found, readable=salvaged.rows)


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _counts(connection: sqlite3.Connection, schema: Schema) -> dict[str, int]:
    with closing(sqlite3.connect(":memory:")) as pristine:
        for statements in schema.migrations[: _version(connection, schema)]:
            for statement in statements:
                pristine.execute(statement)
        names = _tables(pristine)
    return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}  # noqa: S608


# -- salvaging ---------------------------------------------------------------------------------------------------------


def salvage(file: DataFile, target: Path) -> Salvaged:
    """Write every readable row of a damaged file to the file ``target``. The damaged file stays unchanged.

    Raises :class:`ServiceError`: ``busy`` if another program has the file open, or ``broken`` if nothing can be
    written.
    """
    with _failures_of(target), TemporaryDirectory(prefix=".chartui-", dir=target.parent) as scratch:
        damaged, new = Path(scratch) / "damaged.db", Path(scratch) / "new.db"
        with _alone_with(file.path):
            shutil.copyfile(file.path, damaged)
            log = file.path.with_name(file.path.name + BESIDE[0])
            if log.exists():
                shutil.copyfile(log, damaged.with_name(damaged.name + BESIDE[0]))
        version = _mended(damaged, file.schema)
        schema = replace(file.schema, migrations=file.schema.migrations[:version])
        opened(new, schema, 0).close()
        with closing(sqlite3.connect(new, isolation_level=None)) as sound:
            lost = tuple(_fill(sound, damaged, schema))
            rows = {name: sound.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in _tables(sound)}  # noqa: S608
            copy_into(sound, target)
    return Salvaged(rows=rows, lost=lost)


def _mended(damaged: Path, schema: Schema) -> int:
    """Repair the header of a copy if SQLite cannot read it. Return the file's version."""
    newest = len(schema.migrations)
    with suppress(*_UNREADABLE), closing(sqlite3.connect(damaged)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return _version(connection, schema)
    with TemporaryDirectory(prefix="chartui-") as scratch:
        path = Path(scratch) / "pristine.db"
        opened(path, schema, 0).close()
        header = path.read_bytes()[:100]
    data = bytearray(damaged.read_bytes())
    for begin, end in _CONSTANT:
        data[begin:end] = header[begin:end]
    page = int.from_bytes(header[16:18], "big")
    data[28:32] = (len(data) // page).to_bytes(4, "big")
    data[32:40] = bytes(8)  # free pages are not needed to read the other pages
    damaged.write_bytes(data)
    return newest


def _version(connection: sqlite3.Connection, schema: Schema) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    newest = len(schema.migrations)
    return version if 0 < version <= newest else newest


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
    )
    return [name for (name,) in found]


def _fill(sound: sqlite3.Connection, damaged: Path, schema: Schema) -> Iterator[str]:
    """Copy every readable row. Yields a message for each loss."""
    with closing(sqlite3.connect(damaged, isolation_level=None)) as old:
        old.text_factory = bytes  # text that cannot be decoded affects only its own row
        sound.execute("BEGIN")
        for table in _tables(sound):
            yield from _fill_table(sound, old, schema, table)
    for statement in schema.repairs:
        sound.execute(statement)
    while orphans := sound.execute("PRAGMA foreign_key_check").fetchall():
        for table, rowid, parent, _ in orphans:
            sound.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608 - a name of the schema
            yield f"row {rowid} of {table}: the referenced row of {parent} is lost"
    sound.execute("COMMIT")


def _fill_table(sound: sqlite3.Connection, old: sqlite3.Connection, schema: Schema, table: str) -> Iterator[str]:
    known = columns(sound, table)
    listed = ", ".join(column.name for column in known)
    places = ", ".join("?" * len(known))
    filled = False
    seen: set[int] = set()
    try:
        for rowid, *values in _rows(old, table, listed, seen):
            row = [_decoded(column, value) for column, value in zip(known, values, strict=True)]
            problem = row_problem(schema, table, known, row)
            if problem is not None:
                yield f"row {rowid} of {table}: {problem}"
                continue
            if not filled:  # rows of the damaged file replace those of the new file
                sound.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of the schema
                filled = True
            try:
                sound.execute(f"INSERT INTO {table} ({listed}) VALUES ({places})", row)  # noqa: S608
            except (sqlite3.Error, *DOUBTFUL) as error:
                yield f"row {rowid} of {table}: {error}"
    except _UNREADABLE as error:
        yield from _unread(old, table, seen, error)


def _unread(old: sqlite3.Connection, table: str, seen: Collection[int], error: Exception) -> Iterator[str]:
    """Yield messages about unreadable rows. ``seen`` holds the rowids of the readable ones."""
    indexed, whole = _indexed(old, table)
    lost = sorted(indexed.keys() - seen)
    for rowid in lost[:_LISTED]:
        yield f"row {rowid} of {table}{indexed[rowid]}: could not be read"
    listed = f", first {_LISTED} listed" if len(lost) > _LISTED else ""
    if whole:
        number = f"unreadable rows: {len(lost)}{listed}"
    elif lost:
        number = f"unreadable rows: at least {len(lost)}{listed}"
    else:
        number = "the number of unreadable rows is unknown"
    yield f"{table}: {number} ({error})"


def _indexed(old: sqlite3.Connection, table: str) -> tuple[dict[int, str], bool]:
    """Return the rowids in the indexes of a table, each with a description of the row's ID if the index contains it.

    Also return whether one of the indexes could be read to its end and therefore lists every row.
    """
    found: dict[int, str] = {}
    whole = False
    with suppress(*_UNREADABLE):
        for _, name, *_ in old.execute(f"PRAGMA index_list({table})").fetchall():
            index = name.decode()
            members = [member.decode() for _, _, member in old.execute(f'PRAGMA index_info("{index}")') if member]
            member = next((member for member in reversed(members) if member.endswith("_id")), None)
            select = f'SELECT rowid, {member or "NULL"} FROM {table} INDEXED BY "{index}"'  # noqa: S608 - of the schema
            with suppress(*_UNREADABLE):
                for rowid, value in old.execute(select):
                    words = f" ({member} {value.decode(errors='replace')})" if isinstance(value, bytes) else ""
                    found[rowid] = found.get(rowid) or words
                whole = True
    return found, whole


def _decoded(column: RowColumn, value: Any) -> Any:
    if column.kind is str and isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return value


def _rows(old: sqlite3.Connection, table: str, listed: str, seen: set[int]) -> Iterator[Sequence[Any]]:
    """Yield the readable rows with their rowids: first forwards, then backwards from the end, then one by one.

    Their rowids are added to ``seen``. Finally raises an error of :data:`_UNREADABLE` if a row could not be read.
    """
    select = f"SELECT rowid, {listed} FROM {table} NOT INDEXED"  # noqa: S608 - names of the schema
    failure: Exception | None = None
    reached: list[int] = []
    for order in ("ASC", "DESC"):
        last = None
        try:
            for row in old.execute(f"{select} ORDER BY rowid {order}"):
                last = row[0]
                if last not in seen:
                    seen.add(last)
                    yield row
        except _UNREADABLE as error:
            failure = error
            reached += [] if last is None else [last]
            continue
        return
    if failure is not None:
        if len(reached) == 2:
            first, end = reached
            for rowid in range(first + 1, min(end, first + _PROBED)):
                with suppress(*_UNREADABLE):
                    for row in old.execute(f"{select} WHERE rowid = ?", (rowid,)).fetchall():
                        seen.add(rowid)
                        yield row
        raise failure


# -- restoring ---------------------------------------------------------------------------------------------------------


def restore(source: Path, files: Sequence[DataFile]) -> Restored:
    """Restore a file from the copy ``source``.

    The copy replaces the file of the same kind in ``files``, and the replaced file is kept under another name. Raises
    :class:`ServiceError`: ``busy`` if another program has the file open, or ``broken`` if ``source`` is damaged or not
    one of the program's files.
    """
    with _failures_of(source):
        if not stat.S_ISREG(source.stat().st_mode):
            raise ServiceError(ErrorKind.BROKEN, f"{source} is not a regular file.")
        with closing(_read_only(source)) as connection:
            file = _kind_of(source, connection, files)
            path = file.path
            if path.exists() and path.samefile(source):
                raise ServiceError(
                    ErrorKind.CONFLICT, f"{source} is the file to be replaced, not a copy of it. Nothing was changed."
                )
            scratch = private_folder(path.parent) / f".{path.name}.restored.{os.getpid()}"
            copy_into(connection, scratch)
    try:
        with _failures_of(path), _alone_with(path):
            kept = _set_aside(path)
            scratch.replace(path)
            keep_names(path.parent)
    finally:
        scratch.unlink(missing_ok=True)
    return Restored(file=file, kept=kept)


def _kind_of(source: Path, connection: sqlite3.Connection, files: Sequence[DataFile]) -> DataFile:
    """Return the file that ``source`` is a sound copy of. Raises :class:`ServiceError` if there is none."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    file = next((file for file in files if file.schema.application_id == mark), None)
    if file is None:
        known = ", ".join(file.what for file in files)
        raise ServiceError(ErrorKind.BROKEN, f"{source} is not a copy of a known file ({known}). Nothing was changed.")
    found = tuple(problems(connection, file.schema))
    if found:
        message = f"{source} cannot be restored because it is damaged ({summary(found)}). Nothing was changed."
        raise ServiceError(ErrorKind.BROKEN, message)
    return file


def _set_aside(path: Path) -> Path | None:
    """Rename the current file and its log, so that nothing is left at ``path``."""
    log, index = (path.with_name(path.name + beside) for beside in BESIDE)
    kept = None
    if path.exists():
        kept = name_beside(path, "replaced")
        os.link(path, kept)
        if log.exists() and log.stat().st_size:
            os.link(log, kept.with_name(kept.name + BESIDE[0]))
    log.unlink(missing_ok=True)
    index.unlink(missing_ok=True)
    return kept


# -- other programs ----------------------------------------------------------------------------------------------------


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    """Hold SQLite's locks on a file, whatever its content. Raises :class:`ServiceError` (``busy``) if it is in use.

    Do not use this in a process that has the file open: closing it would drop the locks of all its connections.
    """
    import fcntl

    if not path.exists():
        yield
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        begin, length = _LOCKS
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, begin)
        except OSError as error:
            message = f"{path} is in use by another program. Close it first. Nothing was changed."
            raise ServiceError(ErrorKind.BUSY, message) from error
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _failures_of(path: Path) -> Iterator[None]:
    try:
        yield
    except (*_UNREADABLE, OSError) as error:
        refused = refusal(path, error)
        if refused is None:
            raise ServiceError(ErrorKind.BROKEN, f"{path} cannot be used: {error}. Nothing was changed.") from error
        raise refused from error
