"""Ways in which a database file is damaged, each drawn from a source of chance."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

__all__ = ["WAYS"]

PAGE: Final = 4096
#: What may stand where a text, a number or a document was.
_VALUES: Final = (
    "",
    "{",
    '{"character_id": 1}',
    "[]",
    "[1, [2], null]",
    "[null]",
    '[{"nothing": 1}]',
    "{}",
    "null",
    "true",
    "1e999999",
    "[" * 200,
    '"\\ud800"',
    "text \x00 and more",
    b"\xff\xfe",
    b"",
    -1,
    2**63 - 1,
    1.5,
    float("inf"),
)


def _flips(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 8, 64))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _noise(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    noise = chance.randbytes(chance.choice((4, 100, 2000)))
    data[at : at + len(noise)] = noise
    path.write_bytes(data)


def _truncation(path: Path, chance: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def _zeroed_page(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(max(1, len(data) // PAGE)) * PAGE
        data[at : at + PAGE] = bytes(len(data[at : at + PAGE]))
    path.write_bytes(data)


def _swapped_pages(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    first, second = (chance.randrange(max(1, len(data) // PAGE)) * PAGE for _ in range(2))
    one, other = data[first : first + PAGE], data[second : second + PAGE]
    data[first : first + PAGE], data[second : second + PAGE] = other, one
    path.write_bytes(data)


def _header(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 2, 10))):
        data[chance.randrange(100)] = chance.randrange(256)
    path.write_bytes(data)


def _first_page(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 5))):
        data[chance.randrange(100, PAGE)] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _log(path: Path, chance: Random) -> None:
    """The log beside the file: half of it, or damaged; where there is none, noise takes its name."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and chance.random() < 0.8:
        chance.choice((_truncation, _flips, _noise))(log, chance)
    else:
        log.write_bytes(chance.randbytes(chance.choice((10, 5000))))


def _value(path: Path, chance: Random) -> None:
    _set(path, chance, lambda _: chance.choice(_VALUES))


def _text(path: Path, chance: Random) -> None:
    """Some characters of one text: a name of a member may be another one, or the text JSON no longer."""

    def changed(before: object) -> object:
        text = list(before if isinstance(before, str) else str(before))
        for _ in range(chance.choice((1, 1, 3))):
            if text:
                text[chance.randrange(len(text))] = chance.choice('x0"{}[]:,\\ é\x00')
        return "".join(text)

    _set(path, chance, changed)


def _set(path: Path, chance: Random, change: Callable[[object], object]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        table = chance.choice([name for name in tables if connection.execute(f"SELECT 1 FROM {name}").fetchone()])
        column = chance.choice([row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})") if not row[6]])
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        rowid, before = chance.choice(rows)
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (change(before), rowid))
        except sqlite3.Error:  # a value that even SQLite does not take there
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))


def _structure(path: Path, chance: Random) -> None:
    """A table or an index that is missing, or a version that is none."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        kind, name = chance.choice(
            connection.execute(
                "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'"
            ).fetchall()
        )
        connection.execute("PRAGMA foreign_keys = OFF")
        match chance.randrange(3):
            case 0:
                connection.execute(f"DROP {kind} {name}")
            case 1:
                connection.execute(f"PRAGMA user_version = {chance.choice((0, -1, 99))}")
            case _:
                connection.execute(f"PRAGMA application_id = {chance.choice((0, 1))}")


WAYS: Final[tuple[Callable[[Path, Random], None], ...]] = (
    _flips,
    _noise,
    _truncation,
    _zeroed_page,
    _swapped_pages,
    _header,
    _first_page,
    _log,
    _value,
    _text,
    _structure,
)
