"""Detect damage in database files, and describe the resulting failures.

A damaged file makes SQLite fail in many ways. It can also make the program itself fail, for example if a record is no
longer JSON, or a number is stored where text is expected. :func:`problems` reads the whole file and lists the damage.
:func:`refusal` checks the file before it reports damage, so a bug in the program is never mistaken for damage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import dataclass
from chartui.core.jsontext import NotJson, Wire, loads
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    import sqlite3

#: The statements that migrate each version to the next; the first list turns an empty file into version 1.
Migrations = Sequence[Sequence[str]]

#: The commands that help with a file that cannot be read.
_WAY_OUT: Final = "'chartui store check' shows what is readable; 'chartui store backups' lists copies to restore."
#: Exceptions that a damaged row can cause when it is read. A bug in the program can raise the same exceptions.
DOUBTFUL: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError)


class DamagedRow(ValueError):
    """Raised if a row contains a value that the program never writes. The message does not quote the value."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of one kind of database file.

    A schema has a display name, the application ID in SQLite's header, and a list of versions. Each version is a list
    of statements, which run one by one in a single transaction that also sets the new version number. A failure
    therefore leaves no partial version behind. ``documents`` maps each JSON column (``table.column``) to a function
    that checks its values. ``repairs`` contains statements that make rows consistent after other rows were lost.
    ``content`` is the name of the main table. If this table is empty, the file contains no data that could be lost.
    """

    what: str
    application_id: int
    migrations: Migrations
    documents: Mapping[str, Callable[[Wire], bool]] = field(default_factory=lambda: MappingProxyType({}))
    repairs: Sequence[str] = ()
    content: str = ""


@dataclass(frozen=True, slots=True)
class RowColumn:
    """A table column: its name, the type of its values, and whether it allows NULL."""

    name: str
    kind: type
    nullable: bool


def of_kinds(row: Sequence[Any], kinds: Sequence[Any]) -> None:
    """Raise :class:`DamagedRow` unless every value in a row has the expected type."""
    for value, kind in zip(row, kinds, strict=True):
        if not isinstance(value, kind):
            raise DamagedRow("a value of the wrong type")


def is_object(value: Wire) -> bool:
    return isinstance(value, dict)


_KINDS: Final = {"TEXT": str, "INTEGER": int, "BLOB": bytes}


def columns(connection: sqlite3.Connection, table: str) -> tuple[RowColumn, ...]:
    """Return the writable columns of a table.

    For safety, the name of the table must be a constant in the program's code.
    """
    found = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return tuple(
        RowColumn(name, _KINDS[kind], not required and not key)
        for _, name, kind, required, _, key, hidden in found
        if not hidden
    )


def row_problem(schema: Schema, table: str, known: Sequence[RowColumn], row: Sequence[Any]) -> str | None:
    """Describe what is wrong with a row, or return None if it is a row that the program could have written."""
    for column, value in zip(known, row, strict=True):
        if value is None:
            if not column.nullable:
                return f"{column.name} is missing"
            continue
        if not isinstance(value, column.kind):
            return f"{column.name} holds a value of the wrong type"
        fits = schema.documents.get(f"{table}.{column.name}")
        if fits is None:
            continue
        try:
            if not (isinstance(value, str | bytes) and fits(loads(value))):
                return f"{column.name} lacks required content"
        except NotJson as error:
            return f"{column.name} is not JSON: {error}"
    return None


def problems(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    """Check every page, reference and row of a database. Yield a sentence for each problem."""
    import sqlite3

    seen: set[str] = set()
    for check in (_structure, _pages, _references, _rows):
        try:
            yield from check(connection, schema)
        except (sqlite3.Error, *DOUBTFUL) as error:
            if str(error) not in seen:
                seen.add(str(error))
                yield str(error)


def summary(found: Sequence[str]) -> str:
    """Summarize problems in a phrase. It names the first problem and says how many other problems there are."""
    more = len(found) - 1
    return found[0] if not more else f"{found[0]}; {more} more problem{'s' if more > 1 else ''}"


def _structure(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not 0 < version <= len(schema.migrations):
        yield f"version number {version} is not valid for a '{schema.what}' database"
        return
    if connection.execute("PRAGMA application_id").fetchone()[0] != schema.application_id:
        yield f"the file is not marked as a '{schema.what}' database"
    there = dict(connection.execute(_NAMES).fetchall())
    for name, statement in _expected(tuple(map(tuple, schema.migrations[:version]))).items():
        if name not in there:
            yield f"{name} is missing"
        elif there[name] != statement:
            yield f"{name} differs from the definition in the program"


_NAMES: Final = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'"


@cache
def _expected(migrations: tuple[tuple[str, ...], ...]) -> Mapping[str, str]:
    """Return the tables and indexes of a new file of these versions, with the statements that create them."""
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as pristine:
        for statements in migrations:
            for statement in statements:
                pristine.execute(statement)
        return dict(pristine.execute(_NAMES).fetchall())


def _pages(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    del schema
    for (text,) in connection.execute("PRAGMA integrity_check"):
        # A result can have many lines. Its first line names the database.
        yield from (line for line in text.splitlines() if line != "ok" and not line.startswith("***"))


def _references(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    del schema
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} refers to a missing row of {parent}"


def _rows(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in names:
        if table.startswith("sqlite_"):
            continue
        known = columns(connection, table)
        listed = ", ".join(column.name for column in known)
        rows = connection.execute(f"SELECT {listed} FROM {table}")  # noqa: S608 - names of the schema, checked before
        for number, row in enumerate(rows, 1):
            if problem := row_problem(schema, table, known, row):
                yield f"row {number} of {table}: {problem}"


def refusal(path: Path, error: Exception, found: Callable[[], Iterator[str]] = lambda: iter(())) -> ServiceError | None:
    """Describe ``error`` for the owner of the file. Return None if the error is due to a bug in the program.

    ``found`` checks the file for damage. It is called only if the error itself does not reveal the reason.
    """
    import sqlite3

    if isinstance(error, NotJson | DamagedRow):
        return _broken(f"{path} holds a damaged record: {error}. Nothing was changed. {_WAY_OUT}")
    if isinstance(error, OSError):
        return _broken(f"{path} cannot be used: {error.strerror or error}. Nothing was changed.")
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the error code without the details in its upper bytes
        if not code and "UTF-8" in str(error):
            code = sqlite3.SQLITE_CORRUPT  # the Python module itself raised the error, which has no code
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
            return ServiceError(ErrorKind.BUSY, f"{path} is in use by another program. Nothing was changed. Try again.")
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            reason = "is damaged" if code == sqlite3.SQLITE_CORRUPT else "is damaged or is not a database"
            return _broken(f"{path} {reason}. Nothing was changed. {_WAY_OUT}")
        reasons = {
            sqlite3.SQLITE_FULL: "the disk is full",
            sqlite3.SQLITE_READONLY: "the file is not writable",
            sqlite3.SQLITE_PERM: "permission denied",
            sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
            sqlite3.SQLITE_IOERR: "reading or writing failed",
        }
        if code in reasons:
            return _broken(f"{path} cannot be used: {reasons[code]}. Nothing was changed.")
    elif not isinstance(error, DOUBTFUL):
        return None
    first = next(found(), None)
    return None if first is None else _broken(f"{path} is damaged ({first}). Nothing was changed. {_WAY_OUT}")


def _broken(message: str) -> ServiceError:
    return ServiceError(ErrorKind.BROKEN, message)
