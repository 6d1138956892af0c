"""Damaged files: what can be read of them is counted, saved into a new file, and a copy takes their place."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, SCHEMA, Store
from chartui.core.recovery import DataFile, examine, restore, salvage
from chartui.core.spec.errors import ErrorKind, ServiceError

_PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> DataFile:
    path = tmp_path / "local.db"
    with closing(Store(path)) as store:
        seed(store, BUILT_IN_ACCOUNT, characters=50, sections=4, seed=1)
    return DataFile(path, SCHEMA)


def _execute(file: DataFile, *statements: str) -> None:
    with closing(sqlite3.connect(file.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement)


def _overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


def _names(path: Path) -> list[str]:
    with closing(Store(path)) as store, store.reading() as tables:
        return [str(one["character_name"]) for one in tables.characters.summaries(BUILT_IN_ACCOUNT.user_id)]


def test_a_sound_file_is_said_to_be_and_stays_as_it_is(file: DataFile) -> None:
    before = file.path.read_bytes()
    found = examine(file)
    assert found.problems == ()
    assert (found.readable["characters"], found.readable["sections"]) == (50, 4)
    assert file.path.read_bytes() == before


def test_a_record_that_is_broken_costs_itself_alone(file: DataFile, tmp_path: Path) -> None:
    names = _names(file.path)
    _execute(file, "UPDATE sections SET decisions = '[{]' WHERE seq = 2")
    _execute(file, "UPDATE characters SET record = '[]', backstory = NULL WHERE seq = 10")
    found = examine(file)
    assert "row 10 of characters: record lacks required content" in found.problems
    assert any(problem.startswith("row 2 of sections: decisions is not JSON") for problem in found.problems)
    assert (found.readable["characters"], found.readable["sections"]) == (49, 3)
    before = file.path.read_bytes()
    saved = salvage(file, tmp_path / "saved.db")
    assert file.path.read_bytes() == before
    assert len(saved.lost) == 2
    assert _names(tmp_path / "saved.db") == [*names[:9], *names[10:]]


def test_all_pages_but_the_damaged_one_are_read(file: DataFile, tmp_path: Path) -> None:
    with closing(sqlite3.connect(file.path)) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    _overwrite(file.path, pages // 2 * _PAGE, b"\xff" * _PAGE)
    saved = salvage(file, tmp_path / "saved.db")
    assert 40 <= saved.rows["characters"] < 50
    assert len(_names(tmp_path / "saved.db")) == saved.rows["characters"]
    assert examine(DataFile(tmp_path / "saved.db", SCHEMA)).problems == ()


def _leaves(path: Path, name: str) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (name,))
        return [(page - 1) * _PAGE for (page,) in found]


def _ids(path: Path) -> dict[int, str]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT seq, character_id FROM characters"))


def test_rows_that_cannot_be_read_are_counted_and_named(file: DataFile, tmp_path: Path) -> None:
    ids = _ids(file.path)
    for leaf in _leaves(file.path, "characters")[10:13]:
        _overwrite(file.path, leaf, b"\xff" * _PAGE)
    lost = salvage(file, tmp_path / "saved.db").lost
    missing = sorted(ids.keys() - _ids(tmp_path / "saved.db").keys())
    assert missing
    assert list(lost[: len(missing)]) == [
        f"row {seq} of characters (character_id {ids[seq]}): could not be read" for seq in missing
    ]
    assert lost[len(missing)].startswith(f"characters: unreadable rows: {len(missing)} (")


def test_only_some_of_many_lost_rows_are_listed(file: DataFile, tmp_path: Path) -> None:
    for leaf in _leaves(file.path, "characters")[1:-1]:
        _overwrite(file.path, leaf, b"\xff" * _PAGE)
    saved = salvage(file, tmp_path / "saved.db")
    missing = 50 - saved.rows["characters"]
    listed = [line for line in saved.lost if line.startswith("row ") and " of characters (" in line]
    assert len(listed) == 20 < missing
    assert any(f"unreadable rows: {missing}, first 20 listed" in line for line in saved.lost)


def test_a_number_of_lost_rows_that_is_not_known_is_not_made_up(file: DataFile, tmp_path: Path) -> None:
    indexes = ("character_lists", "sqlite_autoindex_characters_1")
    for leaf in (
        _leaves(file.path, "characters")[10],
        *(leaf for name in indexes for leaf in _leaves(file.path, name)),
    ):
        _overwrite(file.path, leaf, b"\xff" * _PAGE)
    lost = salvage(file, tmp_path / "saved.db").lost
    assert any(line.startswith("characters: the number of unreadable rows is unknown (") for line in lost)


def test_a_damaged_copy_is_refused_in_one_sentence(file: DataFile, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with closing(Store(file.path)) as store:
        store.backup(copy)
    [repeated, *leaves] = _leaves(copy, "characters")
    for leaf in leaves:  # pages that are sound and in the wrong place give one line each
        _overwrite(copy, leaf, copy.read_bytes()[repeated : repeated + _PAGE])
    with pytest.raises(ServiceError, match=r"cannot be restored because it is damaged \(.+; \d+ more problems\)") as refused:
        restore(copy, [file])
    assert "\n" not in refused.value.message
    assert "***" not in refused.value.message
    assert len(refused.value.message) < 400 + len(str(copy))


def test_a_destroyed_header_costs_nothing(file: DataFile, tmp_path: Path) -> None:
    names = _names(file.path)
    _overwrite(file.path, 0, b"\0" * 100)
    assert examine(file).problems == ("file is not a database",)
    assert salvage(file, tmp_path / "saved.db").lost == ()
    assert _names(tmp_path / "saved.db") == names


def test_characters_outlive_their_account(file: DataFile, tmp_path: Path) -> None:
    _execute(file, "UPDATE characters SET user_id = 'other' WHERE seq <= 5", "DELETE FROM accounts")
    assert salvage(file, tmp_path / "saved.db").rows["characters"] == 50
    assert len(_names(tmp_path / "saved.db")) == 45


def test_a_copy_takes_the_place_of_the_file_which_is_kept(file: DataFile, tmp_path: Path) -> None:
    with closing(Store(file.path)) as store:
        store.backup(tmp_path / "copy.db")
        seed(store, BUILT_IN_ACCOUNT, characters=3, sections=0, seed=2)
    after = _names(file.path)
    done = restore(tmp_path / "copy.db", [file])
    assert done.file is file
    assert done.kept is not None
    assert (len(_names(file.path)), _names(done.kept)) == (50, after)
    again = restore(done.kept, [file])  # and the way back, within the same second
    assert again.kept not in (None, done.kept)
    assert _names(file.path) == after


def test_a_file_that_another_program_has_open_is_not_replaced(file: DataFile, tmp_path: Path) -> None:
    with closing(Store(file.path)) as store:
        store.backup(tmp_path / "copy.db")
    code = (
        "import sys; from pathlib import Path; from chartui.core.backends.local.store import Store\n"
        "store = Store(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, str(file.path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        before = file.path.read_bytes()
        for work in (lambda: restore(tmp_path / "copy.db", [file]), lambda: salvage(file, tmp_path / "saved.db")):
            with pytest.raises(ServiceError, match="in use by another program") as refused:
                work()
            assert refused.value.kind is ErrorKind.BUSY
        assert file.path.read_bytes() == before
        other.communicate("")
    assert not (tmp_path / "saved.db").exists()
    restore(tmp_path / "copy.db", [file])


@pytest.mark.parametrize("damage", ["damaged", "stranger", "text", "folder", "itself", "missing"])
def test_only_a_sound_copy_is_restored(damage: str, file: DataFile, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with closing(Store(file.path)) as store:
        store.backup(copy)
    match damage:
        case "damaged":
            _execute(DataFile(copy, SCHEMA), "UPDATE characters SET record = '[]' WHERE seq = 10")
        case "stranger":
            _execute(DataFile(copy, SCHEMA), "PRAGMA application_id = 7")
        case "text":
            copy.write_text("A letter. " * 1000)
        case "folder":
            copy.unlink()
            copy.mkdir()
        case "itself":
            copy = file.path
        case _:
            copy.unlink()
    before = file.path.read_bytes()
    with pytest.raises(ServiceError) as refused:
        restore(copy, [file])
    assert refused.value.kind in (ErrorKind.BROKEN, ErrorKind.CONFLICT)
    assert file.path.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_structure_whose_text_is_damaged_is_reported(file: DataFile, tmp_path: Path) -> None:
    data = file.path.read_bytes()
    at = data.index(b"CREATE TABLE characters")
    _overwrite(file.path, at, b"CREATE \xccA\xcc\xa0 characters")
    assert examine(file).problems
    assert salvage(file, tmp_path / "saved.db").lost
