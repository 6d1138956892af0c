"""The file: who may read it, what it survives, and what is said when it cannot be used."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Account, Store
from chartui.core.backends.local.tables import SLICE
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Tier
from tests.core.local.embedded import Embedded, a_character

# -- the file ----------------------------------------------------------------------------------------------------------


def test_only_the_owner_can_read_any_of_the_files(path: Path) -> None:
    before = os.umask(0)
    try:
        store = Store(path)
        with store.writing() as tables:
            tables.characters.insert(a_character())
        names = {entry.name: entry.stat().st_mode & 0o777 for entry in path.parent.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert names == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_every_commit_is_on_the_disk_before_it_returns(store: Store) -> None:
    connection = store._database.connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def _garbage(path: Path) -> None:
    path.write_bytes(b"This is a letter, and no database at all.\n" * 100)


def _short_garbage(path: Path) -> None:
    path.write_bytes(b"x")


def _zeros(path: Path) -> None:
    path.write_bytes(b"\0" * 8192)


def _empty(path: Path) -> None:
    path.touch()


def _truncated(path: Path) -> None:
    _filled(path)
    os.truncate(path, path.stat().st_size // 2)


def _without_header(path: Path) -> None:
    _filled(path)
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def _filled(path: Path) -> None:
    store = Store(path)
    with store.writing() as tables:
        for number in range(50):
            tables.characters.insert(a_character(number))
    store.close()


@pytest.mark.parametrize("damage", [_garbage, _short_garbage, _zeros, _empty, _truncated, _without_header])
def test_what_is_no_store_is_refused_and_never_overwritten(path: Path, damage: Callable[[Path], None]) -> None:
    path.parent.mkdir()
    damage(path)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(ServiceError) as refused:
            Store(path)
        assert refused.value.kind is ErrorKind.BROKEN
        assert str(path) in refused.value.message
    assert path.read_bytes() == before


def test_a_folder_and_a_pipe_are_refused_without_waiting(path: Path) -> None:
    path.mkdir(parents=True)
    pipe = path.with_name("pipe.db")
    os.mkfifo(pipe)
    for wrong in (path, pipe):
        with pytest.raises(ServiceError, match=f"{wrong} is not a file") as refused:
            Store(wrong)
        assert refused.value.kind is ErrorKind.BROKEN


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    with pytest.raises(ServiceError) as refused:
        Store(tmp_path / "data" / "store.db")
    assert refused.value.kind is ErrorKind.BROKEN
    (tmp_path / "link.db").symlink_to(tmp_path / "nowhere" / "store.db")
    with pytest.raises(ServiceError, match="No such file"):
        Store(tmp_path / "link.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for this user")
def test_a_file_that_may_not_be_read_is_told(path: Path) -> None:
    Store(path).close()
    path.chmod(0)
    with pytest.raises(ServiceError) as refused:
        Store(path)
    assert refused.value.kind is ErrorKind.BROKEN


def test_a_flipped_byte_is_told_or_harmless_and_check_reads_everything(path: Path) -> None:
    _filled(path)
    sound = path.read_bytes()
    told: list[ServiceError] = []
    found: tuple[str, ...] = ()
    rolls = random.Random(7)
    for _ in range(60):
        damaged = bytearray(sound)
        damaged[rolls.randrange(100, len(sound))] ^= 1 << rolls.randrange(8)
        path.write_bytes(damaged)
        try:
            with closing(Store(path)) as store:
                with store.reading() as tables:
                    tables.characters.records("local")
                    tables.characters.summaries("local")
                found += store.check()
        except ServiceError as error:
            told.append(error)
    assert told
    assert all(error.kind is ErrorKind.BROKEN and str(path) in error.message for error in told)
    assert found


def test_text_that_cannot_be_decoded_is_told_as_damage(store: Store) -> None:
    _insert(store, 0)
    store._database.connection.execute("UPDATE characters SET backstory = CAST(X'ff' AS TEXT)")
    with pytest.raises(ServiceError, match="damaged") as refused, store.reading() as tables:
        tables.characters.get("local", "character-0")
    assert refused.value.kind is ErrorKind.BROKEN


def test_check_finds_nothing_in_a_sound_store_and_backup_makes_another(store: Store, tmp_path: Path) -> None:
    with store.writing() as tables:
        tables.characters.insert(a_character())
    assert store.check() == ()
    target = tmp_path / "copy.db"
    for _ in range(2):  # an earlier copy is replaced
        store.backup(target)
    assert target.stat().st_mode & 0o777 == 0o600
    with closing(Store(target)) as copy, copy.reading() as tables:
        assert len(tables.characters.records("local")) == 1
    with pytest.raises(ServiceError) as refused:
        store.backup(tmp_path / "nowhere" / "copy.db")
    assert refused.value.kind is ErrorKind.BROKEN


def _insert(store: Store, *numbers: int) -> None:
    with store.writing() as tables:
        for number in numbers:
            tables.characters.insert(a_character(number, description="x" * 5000))


# -- writing -----------------------------------------------------------------------------------------------------------


def test_a_change_that_raises_leaves_nothing(store: Store) -> None:
    def change() -> None:
        with store.writing() as tables:
            tables.characters.insert(a_character())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change()
    with store.reading() as tables:
        assert tables.characters.records("local") == []


def test_a_full_disk_changes_nothing_and_is_told(store: Store) -> None:
    with store.writing() as tables:
        tables.characters.insert(a_character(0))
    pages = store._database.connection.execute("PRAGMA page_count").fetchone()[0]
    store._database.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(ServiceError, match=r"disk is full\. Nothing was changed") as refused:
        _insert(store, *range(1, 100))
    assert refused.value.kind is ErrorKind.BROKEN
    store._database.connection.execute("PRAGMA max_page_count = 1000000")
    with store.writing() as tables:
        assert len(tables.characters.records("local")) == 1
        tables.characters.insert(a_character(1))


def test_another_writer_is_waited_for_and_then_told(store: Store) -> None:
    impatient = Store(store.path, busy_timeout=0.05)
    with store.writing() as tables:
        tables.characters.insert(a_character(0))
        with pytest.raises(ServiceError, match="in use by another program") as refused, impatient.writing():
            raise AssertionError("two at once")
        assert refused.value.kind is ErrorKind.BUSY
        with impatient.reading() as reading:  # readers never wait, and see what was committed
            assert reading.characters.records("local") == []
    with impatient.writing() as tables:
        assert len(tables.characters.records("local")) == 1
    impatient.close()


_WRITER = """
import sys
from pathlib import Path
from chartui.core.backends.local.store import Store
from tests.core.local.embedded import a_character
first, count = int(sys.argv[2]), int(sys.argv[3])
store = Store(Path(sys.argv[1]))
for number in range(first, first + count):
    with store.writing() as tables:
        tables.characters.insert(a_character(number))
    print(number, flush=True)
store.close()
"""


def _writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_make_one_store_and_write_at_once(path: Path) -> None:
    writers = [_writer(path, first, 100) for first in (0, 100)]
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    with closing(Store(path)) as store, store.reading() as tables:
        found = {summary["character_id"] for summary in tables.characters.summaries("local")}
    assert found == {f"character-{number}" for number in range(200)}


def test_what_was_committed_survives_a_kill(path: Path) -> None:
    acknowledged: set[str] = set()
    rolls = random.Random(1)
    for turn in range(10):
        with _writer(path, turn * 100_000, 100_000) as writer:
            assert writer.stdout is not None
            for _ in range(rolls.randrange(1, 60)):
                acknowledged.add(f"character-{int(writer.stdout.readline())}")
            writer.kill()
            acknowledged.update(f"character-{int(line)}" for line in writer.stdout if line.endswith("\n"))
        with closing(Store(path)) as store:
            assert store.check() == ()
            with store.reading() as tables:
                found = {summary["character_id"] for summary in tables.characters.summaries("local")}
        assert acknowledged <= found
        assert len(found - acknowledged) <= turn + 1  # at most the one whose commit was never told, each time


# -- accounts ----------------------------------------------------------------------------------------------------------


def test_a_key_is_known_once_and_kept_as_a_digest(store: Store) -> None:
    made = {}
    for tier in Tier:
        account, key = store.add_account(tier)
        made[key] = account
        assert account == Account(account.user_id, tier)
        assert key not in repr(account)
    assert len(made) == 3
    for key, account in made.items():
        assert store.authenticate(key) == account
        assert key.encode() not in store.path.read_bytes() + store.path.with_name("store.db-wal").read_bytes()
    for wrong in ("", "x", next(iter(made))[:-1], "\ud800", "\0"):
        assert store.authenticate(wrong) is None


def test_the_built_in_account_is_there_and_has_no_key(store: Store) -> None:
    with store.reading() as tables:
        assert tables.accounts.notes() == [{"user_id": "local", "tier": "professional", "characters": 0}]
    assert Account("local", Tier.PROFESSIONAL) == BUILT_IN_ACCOUNT


def test_an_account_has_a_name_of_its_own(store: Store) -> None:
    store.add_account(Tier.FREE, user_id="ana")
    for taken in ("ana", "local"):
        with pytest.raises(ServiceError, match=taken) as refused:
            store.add_account(Tier.FREE, user_id=taken)
        assert refused.value.kind is ErrorKind.CONFLICT


# -- reading lists -----------------------------------------------------------------------------------------------------


def test_summaries_are_the_records_columns_whatever_they_hold(store: Store) -> None:
    odd = (
        a_character(0, is_narrative_driven=True, memory_settings={"enabled": True}),
        a_character(1, language_code=None, personalised_prompt_config=None, memory_settings=[1]),
        a_character(2, timestamp=5, last_interacted_with={"deep": ["\0"]}, is_narrative_driven="yes"),
    )
    odd[0].record["character_name"] = "a\0b\x1b[31m\u202e'\"\\"
    del odd[2].record["character_name"]
    with store.writing() as tables:
        for character in odd:
            tables.characters.insert(character)
    with store.reading() as tables:
        found = tables.characters.summaries("local")
    assert found == [
        {
            "character_id": "character-0",
            "character_name": "a\0b\x1b[31m\u202e'\"\\",
            "model": "mdlc-2.5-flash",
            "language_code": "en-US",
            "is_narrative_driven": True,
            "memory_enabled": True,
            "timestamp": "2026-09-01T12:00:00",
            "last_interacted_with": "2026-09-01T12:00:00",
        },
        {
            "character_id": "character-1",
            "character_name": "Character 1",
            "model": None,
            "language_code": None,
            "is_narrative_driven": False,
            "memory_enabled": None,
            "timestamp": "2026-09-01T12:00:00",
            "last_interacted_with": "2026-09-01T12:00:00",
        },
        {
            "character_id": "character-2",
            "character_name": None,
            "model": "mdlc-2.5-flash",
            "language_code": "en-US",
            "is_narrative_driven": "yes",
            "memory_enabled": False,
            "timestamp": 5,
            "last_interacted_with": {"deep": ["\0"]},
        },
    ]
    assert type(found[0]["is_narrative_driven"]) is bool


def test_descriptions_are_the_traits_whatever_is_written_there(store: Store) -> None:
    odd = (
        a_character(0, character_traits=None, speaking_style="plain text", character_emotions={"a": [1]}),
        a_character(
            1,
            character_traits={"personality_traits": {"openness": 5, "depth": Decimal("0.5"), "odd": [1]}},
            speaking_style={"description": ["X\0", None]},
        ),
    )
    del odd[1].record["character_emotions"]
    with store.writing() as tables:
        for character in odd:
            tables.characters.insert(character)
        tables.characters.save(replace(odd[1], backstory="Born at sea."))
    with store.reading() as tables:
        found = tables.characters.descriptions("local")
        assert tables.characters.descriptions("somebody else") == []
    assert found == [
        {"character_id": "character-0", "words": "", "scores": {}, "backstory": ""},
        {
            "character_id": "character-1",
            "words": "x\0",
            "scores": {"openness": 5, "depth": Decimal("0.5")},
            "backstory": "Born at sea.",
        },
    ]


def test_descriptions_of_many_come_in_the_order_of_their_characters(path: Path) -> None:
    with closing(Store(path)) as store:
        _insert(store, *range(2 * SLICE + 1))
        with store.reading() as tables:
            found = [row["character_id"] for row in tables.characters.descriptions("local")]
            assert found == [row["character_id"] for row in tables.characters.summaries("local")]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="nobody counts the bytes read")
def test_a_list_of_summaries_reads_no_records(path: Path) -> None:
    with closing(Store(path)) as store:
        _insert(store, *range(500))
    with closing(Store(path)) as store:
        before = _bytes_read()
        with store.reading() as tables:
            assert len(tables.characters.summaries("local")) == 500
        assert _bytes_read() - before < 500 * 400 < path.stat().st_size / 10


def _bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split()[1])


def test_the_order_is_that_of_creation_whatever_the_clock_says(embedded: Embedded) -> None:
    made = [embedded.character(f"{year}", record={"timestamp": f"{year}-01-01"}) for year in (2030, 1999, 2026)]
    assert [record["character_id"] for record in embedded("list-characters")["characters"]] == made
    embedded("rename-character", {"charID": made[0], "character_name": "zzz"})
    assert [row["character_id"] for row in embedded("summarize-characters")["characters"]] == made


def test_a_mistake_of_the_program_is_not_told_as_a_broken_store(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        _insert(store, 1, 1)
    with store.reading() as tables:
        assert tables.characters.records("local") == []
