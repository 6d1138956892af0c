"""One private SQLite file: whose it is, which kind it is, and the thread that works on it."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from chartui.core.damage import Schema
from chartui.core.database import Database, copy_into
from chartui.core.own_thread import OwnThread
from chartui.core.spec.errors import ErrorKind, ServiceError

pytestmark = pytest.mark.anyio

_NOTES = Schema("notes", 0x4E4F5445, (("CREATE TABLE notes (text TEXT NOT NULL UNIQUE)",),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.db"


def _write(database: Database, text: str) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def _texts(database: Database) -> list[str]:
    with database.reading() as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY text")]


def test_importing_what_uses_it_does_not_import_sqlite() -> None:
    code = (
        "import sys, chartui.core.database, chartui.core.journal, chartui.core.session\n"
        "print({'sqlite3', 'asyncio', 'concurrent.futures', 'fcntl'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout == "set()\n"


def test_only_the_owner_can_read_any_of_its_files(path: Path) -> None:
    with closing(Database(path, _NOTES)) as database:
        _write(database, "a")
        modes = {entry.name: entry.stat().st_mode & 0o777 for entry in path.parent.iterdir()}
    assert modes == {"notes.db": 0o600, "notes.db-wal": 0o600, "notes.db-shm": 0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_of_another_kind_is_refused_and_left_alone(path: Path) -> None:
    with closing(Database(path, _NOTES)) as database:
        _write(database, "a")
    before = path.read_bytes()
    with pytest.raises(ServiceError, match="another program") as refused:
        Database(path, Schema("songs", 1, _NOTES.migrations))
    assert refused.value.kind is ErrorKind.BROKEN
    assert path.read_bytes() == before


def test_a_newer_version_is_told_by_the_files_own_name(path: Path) -> None:
    newer = Schema("notes", _NOTES.application_id, (*_NOTES.migrations, ("CREATE TABLE more (x)",)))
    Database(path, newer).close()
    with pytest.raises(ServiceError, match="notes version 2; this one supports up to 1") as refused:
        Database(path, _NOTES)
    assert refused.value.kind is ErrorKind.BROKEN


def test_what_fails_beside_the_file_is_not_blamed_on_it(path: Path) -> None:
    def failing(database: Database) -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO notes VALUES ('lost')")
            Path("/nowhere/at/all").read_bytes()

    with closing(Database(path, _NOTES)) as database:
        with pytest.raises(FileNotFoundError):
            failing(database)
        assert _texts(database) == []


class _Thing:
    """Remembers in which thread it was made, used and closed."""

    def __init__(self) -> None:
        self.threads = [threading.get_ident()]
        self.closed = 0

    def use(self) -> int:
        self.threads.append(threading.get_ident())
        return len(self.threads)

    def close(self) -> None:
        self.threads.append(threading.get_ident())
        self.closed += 1


async def test_a_thing_is_opened_used_and_closed_in_one_thread_of_its_own() -> None:
    made: list[_Thing] = []

    def opener() -> _Thing:
        made.append(_Thing())
        return made[-1]

    thread = OwnThread(opener, name="thing")
    assert made == []
    assert await asyncio.gather(*(thread.run(_Thing.use) for _ in range(5))) == [2, 3, 4, 5, 6]
    await thread.aclose()
    await thread.aclose()
    [thing] = made
    assert len(set(thing.threads)) == 1
    assert thing.threads[0] != threading.get_ident()
    assert thing.closed == 1
    assert await thread.run(_Thing.use) == 2  # a new one
    await thread.aclose()
    assert [thing.closed for thing in made] == [1, 1]


async def test_closing_waits_for_what_was_asked_for_before() -> None:
    done: list[str] = []
    going = threading.Event()

    def slow(_: _Thing) -> None:
        going.wait(10)
        done.append("work")

    thread = OwnThread(_Thing, name="thing")
    working = asyncio.ensure_future(thread.run(slow))
    await asyncio.sleep(0)
    closing_it = asyncio.ensure_future(thread.aclose())
    await asyncio.sleep(0)
    going.set()
    await closing_it
    assert done == ["work"]
    await working


async def test_what_cannot_be_opened_is_told_and_tried_again() -> None:
    failures = [ServiceError(ErrorKind.BUSY, "busy")]

    def opener() -> _Thing:
        if failures:
            raise failures.pop()
        return _Thing()

    thread = OwnThread(opener, name="thing")
    with pytest.raises(ServiceError, match="busy"):
        await thread.run(_Thing.use)
    assert await thread.run(_Thing.use) == 2
    await thread.aclose()


async def test_work_that_began_ends_though_nobody_waits(path: Path) -> None:
    begun, going = threading.Event(), threading.Event()

    def slow(database: Database) -> None:
        begun.set()
        going.wait(10)
        _write(database, "kept")

    thread = OwnThread(lambda: Database(path, _NOTES), name="notes")
    working = asyncio.ensure_future(thread.run(slow))
    await asyncio.to_thread(begun.wait, 10)
    working.cancel()
    going.set()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert await thread.run(_texts) == ["kept"]
    await thread.aclose()


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    class Full(sqlite3.Connection):
        """Behaves as on a full disk: the journal of the copy stays."""

        def backup(self, target: sqlite3.Connection, **_: object) -> None:
            [(_, _, name)] = target.execute("PRAGMA database_list").fetchall()
            Path(f"{name}-journal").write_bytes(b"rest")
            raise sqlite3.OperationalError("database or disk is full")

    folder = tmp_path / "copies"
    folder.mkdir()
    with closing(sqlite3.connect(":memory:", factory=Full)) as connection, pytest.raises(sqlite3.OperationalError):
        copy_into(connection, folder / "copy.db")
    assert list(folder.iterdir()) == []
