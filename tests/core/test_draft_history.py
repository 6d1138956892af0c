"""Histories of staged edits on the disk: a row per step, what was kept by an earlier version, two programs."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.drafts import Drafts
from chartui.core.edit_history import EARLIER, EditHistory
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

pytestmark = pytest.mark.anyio

HERE = Place("work", "https://one.example")
ROW = (HERE, "c1", "settings")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "drafts.db"


@pytest.fixture
async def drafts(path: Path) -> AsyncIterator[Drafts]:
    opened = Drafts(path)
    yield opened
    await opened.aclose()


def rows(path: Path) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT number, title FROM steps ORDER BY draft, number").fetchall()


async def test_undo_continues_in_the_next_program_where_it_stopped(path: Path, drafts: Drafts) -> None:
    history = EditHistory().stage({"a": Decimal("0.5")}, "one").stage({"a": [1]}, "two").stage({"a": "x"}, "three")
    await drafts.save_history(*ROW, history.moved(-1))
    after = Drafts(path)
    found = await after.load(*ROW)
    assert found is not None
    assert found.history == history.moved(-1)
    assert found.document == {"a": [1]}
    assert (found.history.can_undo, found.history.can_redo) == ("two", "three")
    assert found.history.moved(-1).document == {"a": Decimal("0.5")}
    await after.aclose()


async def test_a_step_is_one_row_and_nothing_else_is_written(path: Path, drafts: Drafts) -> None:
    large = {"texts": {f"t{number}": "A text. " * 20 for number in range(2000)}}
    history = EditHistory.of(large)
    saved = await drafts.save_history(*ROW, history)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE writes (size INTEGER)")
        for event in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TRIGGER {event}_noted AFTER {event} ON steps "
                "BEGIN INSERT INTO writes VALUES (length(new.title) + length(new.changes)); END"
            )
        connection.commit()
    for number in range(10):
        large = {"texts": {**large["texts"], f"t{number}": "Another text."}}
        before, history = history, history.stage(large, f"Change {number}")
        saved = await drafts.save_history(*ROW, history, since=before, revision=saved.revision)
    before, history = history, history.moved(-1)
    saved = await drafts.save_history(*ROW, history, since=before, revision=saved.revision)
    with closing(sqlite3.connect(path)) as connection:
        written = [size for (size,) in connection.execute("SELECT size FROM writes")]
    assert len(written) == 10
    assert max(written) < 300
    found = await drafts.load(*ROW)
    assert found is not None
    assert found.history == history


async def test_a_new_step_removes_the_rows_of_what_could_be_redone(path: Path, drafts: Drafts) -> None:
    history = EditHistory().stage(1, "one").stage(2, "two").stage(3, "three")
    saved = await drafts.save_history(*ROW, history)
    other = history.moved(-1).moved(-1).stage(4, "four")
    await drafts.save_history(*ROW, other, since=history, revision=saved.revision)
    assert rows(path) == [(0, "one"), (1, "four")]
    await drafts.discard(*ROW)
    assert rows(path) == []


async def test_what_was_undone_is_no_draft_and_can_be_redone(drafts: Drafts) -> None:
    await drafts.save_history(*ROW, EditHistory.of("text", "one").moved(-1))
    assert await drafts.load(*ROW) is None
    assert await drafts.all(HERE) == ()
    [found] = await drafts.all(HERE, undone=True)
    assert (found.document, found.history.can_redo) == (None, "one")


async def test_a_history_that_another_program_changed_is_not_written_over(path: Path, drafts: Drafts) -> None:
    other = Drafts(path)
    history = EditHistory.of("mine", "one")
    saved = await drafts.save_history(*ROW, history, revision=0)
    theirs = await other.save(*ROW, "theirs", revision=saved.revision)
    with pytest.raises(ServiceError, match="Another program has changed this draft") as refused:
        await drafts.save_history(*ROW, history.stage("more", "two"), since=history, revision=saved.revision)
    assert refused.value.kind is ErrorKind.CONFLICT
    assert await drafts.load(*ROW) == theirs
    await other.aclose()


_VERSION_1 = """
CREATE TABLE drafts (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL, profile TEXT NOT NULL, base TEXT NOT NULL, character_id TEXT NOT NULL, part TEXT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (profile, base, character_id, part)
);
PRAGMA application_id = 1667781732;
PRAGMA user_version = 1;
"""


async def test_drafts_of_an_earlier_version_are_read_and_reverted_whole(path: Path, drafts: Drafts) -> None:
    path.parent.mkdir(mode=0o700)
    document = """{"changes": {"temperature": "0.70", "quote": "it's \\u202e"}, "number": 0.50}"""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_VERSION_1)
        values = [("c1", document), ("c2", '"other"'), ("c3", "1")]
        connection.executemany(
            "INSERT INTO drafts VALUES (NULL, 'now', 'work', ?, ?, 'settings', ?)",
            [(HERE.base, character_id, text) for character_id, text in values],
        )
        connection.execute("DELETE FROM drafts WHERE character_id = 'c3'")
        connection.commit()
    first, second = await drafts.all(HERE)
    assert (first.revision, second.revision, second.document) == (1, 2, "other")
    assert first.document == {"changes": {"temperature": "0.70", "quote": "it's \u202e"}, "number": Decimal("0.5")}
    assert (first.history.can_undo, first.history.moved(-1).document) == (EARLIER, None)
    # A number that was given to a draft is not given again.
    saved = await drafts.save_history(*ROW, first.history.moved(-1), since=first.history, revision=first.revision)
    assert saved.revision == 4


async def test_steps_that_do_not_follow_from_one_another_are_a_damaged_file(path: Path, drafts: Drafts) -> None:
    await drafts.save_history(*ROW, EditHistory().stage({"a": 1}, "one").stage({"a": 2}, "two"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM steps WHERE number = 0")
        connection.commit()
    with pytest.raises(ServiceError, match=r"drafts\.db holds a damaged record: the steps of the draft") as refused:
        await drafts.load(*ROW)
    assert refused.value.kind is ErrorKind.BROKEN
