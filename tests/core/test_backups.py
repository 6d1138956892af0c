"""Daily backups: one on each day with a change, of what the day before left; the oldest go first."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from chartui.core.backups import DailyBackup, backups_of
from chartui.core.clock import Source, taken_from
from chartui.core.damage import Schema
from chartui.core.database import Database

_NOTES = Schema("notes", 0x4E4F5445, (("CREATE TABLE notes (text TEXT NOT NULL)",),), content="notes")
_BEGIN = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.db"


def _write(path: Path, *texts: str, day: int = 0) -> None:
    with taken_from(Source(lambda: _BEGIN + timedelta(days=day))):
        daily = DailyBackup(path, _NOTES)
        with closing(Database(path, _NOTES, before_writing=daily)) as database:
            for text in texts:
                with database.writing() as connection:
                    connection.execute("INSERT INTO notes VALUES (?)", (text,))


def _days(path: Path) -> list[str]:
    return [backup.day for backup in backups_of(path)]


def _texts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes")]


def _setting(own_folders: Path, **settings: object) -> None:
    (own_folders / "config").mkdir()
    lines = [f"{name} = {str(value).lower()}" for name, value in settings.items()]
    text = 'format = "chartui-config"\nversion = 1\n[backups]\n' + "\n".join(lines)
    (own_folders / "config" / "config.toml").write_text(text)


def test_the_first_change_of_a_day_keeps_what_the_day_before_left(path: Path) -> None:
    _write(path, "monday")
    _write(path, "tuesday", "evening", day=1)
    _write(path, "later", day=1)
    [backup] = backups_of(path)
    assert (backup.day, _texts(backup.path)) == ("2026-11-02", ["monday"])
    assert backup.path.stat().st_mode & 0o777 == 0o600
    assert backup.path.parent.stat().st_mode & 0o777 == 0o700


def test_an_empty_file_is_not_worth_a_copy(path: Path) -> None:
    _write(path, "one", "two")
    [backup] = backups_of(path)
    assert _texts(backup.path) == ["one"]


def test_seven_are_kept_and_the_oldest_goes_first(path: Path) -> None:
    for day in range(10):
        _write(path, str(day), day=day)
    assert _days(path) == [f"2026-11-{day:02}" for day in range(10, 3, -1)]


def test_settings_say_how_many_and_whether_any(path: Path, own_folders: Path) -> None:
    _setting(own_folders, keep=2)
    for day in range(5):
        _write(path, str(day), day=day)
    assert _days(path) == ["2026-11-05", "2026-11-04"]
    (own_folders / "config" / "config.toml").write_text(
        'format = "chartui-config"\nversion = 1\n[backups]\nenabled = false\n'
    )
    _write(path, "off", day=9)
    assert _days(path) == ["2026-11-05", "2026-11-04"]


def test_all_copies_together_stay_below_the_size(path: Path, own_folders: Path) -> None:
    _setting(own_folders, max_mb=1)
    for day in range(5):
        _write(path, "x" * 100_000, day=day)
    assert 1 < len(_days(path)) < 4
    assert sum(backup.size for backup in backups_of(path)) <= 1_000_000
    before = _days(path)
    _write(path, "x" * 900_000, day=5)
    _write(path, "too large by now", day=6)
    assert _days(path)[-1] >= before[-1]
    assert "2026-11-07" not in _days(path)


def test_a_damaged_file_pushes_no_sound_copy_out(path: Path) -> None:
    _write(path, *(str(number) * 3000 for number in range(8)))
    for day in range(1, 8):
        _write(path, "more", day=day)
    before = _days(path)
    with path.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xff" * 4096)
    with closing(sqlite3.connect(path)) as connection:
        DailyBackup(path, _NOTES)(connection)
    assert _days(path) == before


def test_a_copy_that_could_not_be_restored_is_not_kept(path: Path) -> None:
    _write(path, "one")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")  # the pages are sound, and no program of ours can use the file
        DailyBackup(path, _NOTES)(connection)
    assert _days(path) == []
    assert not list((path.parent / "backups").iterdir())


def test_several_programs_make_one(path: Path) -> None:
    _write(path, "one")
    start = Barrier(6)

    def program() -> None:
        start.wait()
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            DailyBackup(path, _NOTES)(connection)

    threads = [Thread(target=program) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(backups_of(path)) == 1
    assert len(list((path.parent / "backups").iterdir())) == 1


def test_a_change_is_made_though_no_copy_can_be(path: Path) -> None:
    _write(path, "one")
    (path.parent / "backups").write_text("a file where the folder should be")
    _write(path, "two", day=1)
    assert _texts(path) == ["one", "two"]
