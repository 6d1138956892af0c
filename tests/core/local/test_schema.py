"""Migrations: all of one version or nothing of it, and a copy of the file before each."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chartui.core.backends.local.schema import APPLICATION_ID, MIGRATIONS
from chartui.core.backends.local.store import Store
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.core.local.embedded import a_character

_NEXT = (
    "ALTER TABLE characters ADD COLUMN color TEXT",
    "UPDATE characters SET color = 'grey'",
    "CREATE TABLE pictures (seq INTEGER PRIMARY KEY)",
)
_AFTER = ("CREATE TABLE sounds (seq INTEGER PRIMARY KEY)",)


def _dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()
        names = connection.execute("SELECT character_id, record FROM characters").fetchall()
    return [str(version), *(row[0] for row in rows), *map(str, names)]


@pytest.fixture
def filled(path: Path) -> Path:
    store = Store(path)
    with store.writing() as tables:
        tables.characters.insert(a_character())
    store.close()
    return path


def test_a_new_store_has_the_newest_version_and_the_mark(store: Store) -> None:
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert [entry.name for entry in store.path.parent.iterdir() if "backup" in entry.name] == []


def test_an_older_file_is_brought_up_to_date_step_by_step_with_a_copy_before_each(filled: Path) -> None:
    before = _dump(filled)
    store = Store(filled, migrations=(*MIGRATIONS, _NEXT, _AFTER))
    with store.reading() as tables:
        assert tables.characters.get("local", "character-0") is not None
    store.close()

    after = _dump(filled)
    assert after[0] == str(len(MIGRATIONS) + 2)
    first = filled.with_name(f"{filled.name}.version-{len(MIGRATIONS)}.backup")
    second = filled.with_name(f"{filled.name}.version-{len(MIGRATIONS) + 1}.backup")
    assert _dump(first) == before
    assert _dump(second)[0] == str(len(MIGRATIONS) + 1)
    assert first.stat().st_mode & 0o777 == second.stat().st_mode & 0o777 == 0o600
    assert not first.with_name(f"{first.name}-wal").exists()
    Store(first, migrations=MIGRATIONS).close()  # a copy is a store


@pytest.mark.parametrize("failing", range(len(_NEXT) + 1))
def test_a_step_that_fails_at_any_statement_leaves_the_old_version(filled: Path, failing: int) -> None:
    before = _dump(filled)
    broken = (*_NEXT[:failing], "INSERT INTO nowhere VALUES (1)", *_NEXT[failing:])
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        Store(filled, migrations=(*MIGRATIONS, broken))
    assert _dump(filled) == before

    # The next start works, with the old program and with a mended one.
    Store(filled).close()
    Store(filled, migrations=(*MIGRATIONS, _NEXT)).close()
    assert _dump(filled)[0] == str(len(MIGRATIONS) + 1)


def test_a_later_step_that_fails_keeps_the_earlier_ones(filled: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        Store(filled, migrations=(*MIGRATIONS, _NEXT, ("not SQL",)))
    assert _dump(filled)[0] == str(len(MIGRATIONS) + 1)


@pytest.mark.parametrize("failing", range(len(MIGRATIONS[0]) + 1))
def test_a_new_store_that_cannot_be_made_leaves_nothing_behind(path: Path, failing: int) -> None:
    broken = (*MIGRATIONS[0][:failing], "not SQL", *MIGRATIONS[0][failing:])
    with pytest.raises(sqlite3.OperationalError):
        Store(path, migrations=(broken,))
    assert list(path.parent.iterdir()) == []
    Store(path).close()


def test_a_newer_version_is_refused_and_left_alone(filled: Path) -> None:
    Store(filled, migrations=(*MIGRATIONS, _NEXT)).close()
    before = filled.read_bytes()
    with pytest.raises(ServiceError, match="Upgrade chartui") as refused:
        Store(filled)
    assert refused.value.kind is ErrorKind.BROKEN
    assert str(filled) in refused.value.message
    assert filled.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")
    before = path.read_bytes()
    with pytest.raises(ServiceError, match="another program") as refused:
        Store(path)
    assert refused.value.kind is ErrorKind.BROKEN
    assert path.read_bytes() == before
