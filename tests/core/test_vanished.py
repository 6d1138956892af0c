"""Files that are removed or replaced while the program has them open: no change is acknowledged into nothing."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chartui.core.backends.base import Context
from chartui.core.damage import Schema
from chartui.core.database import Database
from chartui.core.drafts import Drafts
from chartui.core.journal import Journal
from chartui.core.profiles import Place
from chartui.core.seen import Seen
from chartui.core.spec.errors import ErrorKind, ServiceError

pytestmark = pytest.mark.anyio

_NOTES = Schema("notes", 0x4E4F5445, (("CREATE TABLE notes (text TEXT NOT NULL UNIQUE)",),))
_PLACE = Place("local", "embedded")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.db"


def _write(database: Database, text: str) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def _texts(database: Database) -> list[str]:
    with database.reading() as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY text")]


def _in_file(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY text")]


def _remove(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def test_a_removed_file_takes_no_change_and_its_contents_are_saved(path: Path) -> None:
    with closing(Database(path, _NOTES)) as database:
        _write(database, "kept")
        _remove(path)
        with pytest.raises(
            ServiceError, match=r"was removed while the program was using it\. Nothing was changed"
        ) as lost:
            _write(database, "lost")
        assert (lost.value.kind, lost.value.sent) == (ErrorKind.BROKEN, "no")
        [rescued] = path.parent.glob("notes.db.rescued-*")
        assert str(rescued) in lost.value.message
        assert _in_file(rescued) == ["kept"]
        for _ in range(2):  # and no new file is made behind the user's back
            with pytest.raises(ServiceError, match="was removed"):
                _texts(database)
        assert not path.exists()


def test_a_file_that_is_put_back_is_opened_again(path: Path) -> None:
    with closing(Database(path, _NOTES)) as database:
        _write(database, "one")
        away = path.with_name("away")
        away.mkdir()
        for file in path.parent.glob("notes.db*"):
            file.rename(away / file.name)
        with pytest.raises(ServiceError, match="was removed"):
            _write(database, "lost")
        for file in away.iterdir():
            file.rename(path.with_name(file.name))
        _write(database, "two")
        assert _texts(database) == ["one", "two"]


def test_a_replaced_file_is_reported_before_it_is_used(path: Path) -> None:
    other = path.with_name("other.db")
    with closing(Database(other, _NOTES)) as database:
        _write(database, "other")
    with closing(Database(path, _NOTES)) as database:
        _write(database, "mine")
        _remove(path)
        other.rename(path)
        with pytest.raises(ServiceError, match="was replaced by another file"):
            _write(database, "lost")
        assert _texts(database) == ["other"]
        _write(database, "kept")
    assert _in_file(path) == ["kept", "other"]


@pytest.mark.parametrize("beside", ["-wal", "-shm"])
def test_without_the_files_beside_it_nothing_acknowledged_is_lost(beside: str, path: Path) -> None:
    with closing(Database(path, _NOTES)) as database:
        _write(database, "kept")
        path.with_name(path.name + beside).unlink()
        with pytest.raises(ServiceError, match="lost its companion files"):
            _write(database, "lost")
        assert _texts(database) == ["kept"]
        _write(database, "later")
    assert _in_file(path) == ["kept", "later"]


def test_a_file_that_goes_while_it_is_changed_leaves_the_outcome_open(path: Path) -> None:
    def change(database: Database) -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO notes VALUES ('doubtful')")
            _remove(path)

    with closing(Database(path, _NOTES)) as database:
        with pytest.raises(ServiceError, match="The last change may be missing") as lost:
            change(database)
        assert lost.value.sent == "unclear"
    [rescued] = path.parent.glob("notes.db.rescued-*")
    assert _in_file(rescued) == ["doubtful"]


def test_a_copy_without_a_log_of_its_own_can_be_used(path: Path) -> None:
    copy = path.with_name("copy.db")
    with closing(Database(path, _NOTES)) as database:
        _write(database, "one")
        database.backup(copy)
    with closing(Database(copy, _NOTES)) as database:
        _write(database, "two")
        assert _texts(database) == ["one", "two"]


def test_the_log_of_a_removed_file_is_never_played_into_a_new_one(path: Path) -> None:
    with closing(Database(path, _NOTES)) as database:
        _write(database, "old")
        shutil.copy(f"{path}-wal", f"{path}-wal.copy")
    path.unlink()
    Path(f"{path}-wal.copy").rename(f"{path}-wal")
    with closing(Database(path, _NOTES)) as database:
        assert _texts(database) == []
    assert [file.name.partition(".left-")[0] for file in path.parent.glob("*.left-*")] == ["notes.db-wal"]


async def test_journal_drafts_and_seen_notice_it_too(tmp_path: Path) -> None:
    journal, drafts = Journal(tmp_path / "journal.db"), Drafts(tmp_path / "drafts.db")
    seen = Seen(tmp_path / "seen.db")

    async def intend() -> object:
        return await journal.intend(
            _PLACE, "update-character", {"charID": "a"}, before=None, context=Context(origin="test")
        )

    async def save() -> object:
        return await drafts.save(_PLACE, "a", "settings", {})

    async def remember() -> None:
        await seen.remember(_PLACE, "a", "Ada", {"character_name": "Ada"})

    for file, change in (("journal", intend), ("drafts", save), ("seen", remember)):
        await change()
        _remove(tmp_path / f"{file}.db")
        with pytest.raises(ServiceError, match=rf"{file}\.db was removed"):
            await change()
    for open_file in (journal, drafts, seen):
        await open_file.aclose()
