"""A disk that takes nothing ends a command with status 5 and a sentence, never as a fault of the program."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from chartui.core import database

from .conftest import Run

#: What is written by other means than SQLite's, and a database beside.
WRITING: Final[Mapping[str, list[str]]] = {
    "presets save": ["presets", "save", "Cheap"],
    "presets rename": ["presets", "rename", "Kept", "Other"],
    "estimate": ["estimate", "--save-preset", "Cheap"],
    "profiles add": ["profiles", "add", "work", "--url", "https://service.example", "--key-env", "WORK_KEY"],
    "profiles use": ["profiles", "use", "local"],
    "rates pin": ["rates", "pin-model", "mdla-5.x-mini", "mdla_4o"],
    "pull": ["pull", "{id}", "new.toml"],
    "narrative export": ["narrative", "export", "{id}", "new.dot"],
    "narrative walk": ["narrative", "walk", "--character", "{id}", "--save", "new.toml"],
    "act": ["act", "{id}", "Hello.", "--save-scene", "new.toml"],
    "doctor": ["doctor", "--report", "new.txt"],
}
REASONS: Final = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the disk reports an error",
}


def written(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.t*") if path.stat().st_size}


@pytest.mark.parametrize("code", REASONS, ids=errno.errorcode.get)
@pytest.mark.parametrize("words", WRITING.values(), ids=WRITING)
def test_a_file_that_the_disk_refuses(
    words: list[str], code: int, run: Run, demo_ids: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("presets", "save", "Kept").status == 0
    before = written(tmp_path)
    really = os.fsync

    def refusing(descriptor: int) -> None:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith(f".{os.getpid()}"):
            raise OSError(code, os.strerror(code))
        really(descriptor)

    monkeypatch.setattr(os, "fsync", refusing)
    result = run(*(word.format(id=demo_ids["Elena Marsh"]) for word in words), "--json")
    assert (result.status, result.out, result.error["code"]) == (5, "", "disk")
    assert result.error["message"].endswith(f"cannot be written: {REASONS[code]}. The file is unchanged.")
    assert written(tmp_path) == before


def test_a_folder_that_may_not_be_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(path: Path, *_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", refusing)
    for words in (["presets", "save", "Cheap"], ["characters", "list"], ["store", "seed"]):
        result = run(*words)
        assert result.status in (2, 5)
        assert "Permission denied" in result.err


class _Full(sqlite3.Connection):
    """Behaves as SQLite does on a full disk: the index of the log has no room there, and no page can be added."""

    alone = False

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        if sql == database._ALONE:
            self.alone = True
        if sql == "PRAGMA user_version" and not self.alone:
            raise _error("disk I/O error", sqlite3.SQLITE_IOERR_SHMSIZE)
        if sql == "COMMIT" and self.in_transaction and self.total_changes:
            raise _error("database or disk is full", sqlite3.SQLITE_FULL)
        return super().execute(sql, *rest)


def _error(message: str, code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch, demo_ids: dict[str, str], run: Run) -> str:
    """A full disk, with a store and a journal on it; gives the id of a character."""
    elena = demo_ids["Elena Marsh"]
    assert run("characters", "set", elena, "--temperature", "0.3", "--yes").status == 0
    really: Callable[..., sqlite3.Connection] = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **more: really(*given, **more, factory=_Full))
    return elena


def test_what_is_on_a_full_disk_can_be_read(full: str, run: Run) -> None:
    for words in (["characters", "list"], ["narrative", "show", full], ["history"], ["plans", "list"], ["pull", full]):
        result = run(*words)
        assert (result.status, bool(result.out)) == (0, True)


@pytest.mark.parametrize(
    "words",
    [
        ["characters", "set", "{id}", "--temperature", "0.4", "--yes"],
        ["characters", "rename", "{id}", "Other", "--yes"],
        ["narrative", "sections", "create", "{id}", "New", "An objective.", "--yes"],
        ["undo", "--yes"],
        ["store", "accounts", "--profile", "demo", "--new-key", "local"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_what_would_change_it_is_refused(words: list[str], full: str, run: Run) -> None:
    result = run(*(word.format(id=full) for word in words))
    assert (result.status, result.out) == (5, "")
    assert "the disk is full" in result.err
