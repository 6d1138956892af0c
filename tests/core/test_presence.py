"""Which programs still run, whichever way they ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chartui.core.file_lock import Presence

_PROGRAM = """
import sys
from pathlib import Path
from chartui.core.file_lock import Presence
presence = Presence(Path(sys.argv[1]))
print(presence.own(), flush=True)
sys.stdin.readline()
presence.close()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "programs"


@contextmanager
def _program(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", _PROGRAM, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_asking_makes_nothing(folder: Path) -> None:
    assert not Presence(folder).alive("nobody")
    assert not folder.exists()


def test_a_program_is_seen_until_it_closes(folder: Path) -> None:
    one, other = Presence(folder), Presence(folder)
    name = one.own()
    assert one.own() == name
    assert one.alive(name)
    assert other.alive(name)
    assert other.own() != name
    assert one.alive(other.own())
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    for _ in range(2):
        one.close()
    assert not other.alive(name)
    other.close()
    assert list(folder.iterdir()) == []


def test_asking_twice_at_once_does_not_look_like_life(folder: Path) -> None:
    with _program(folder) as (process, name):
        process.kill()
        process.wait()
        asking = [Presence(folder) for _ in range(3)]
        assert [presence.alive(name) for presence in asking] == [False] * 3


def test_a_program_that_is_killed_is_gone_and_its_file_is_removed_by_the_next(folder: Path) -> None:
    presence = Presence(folder)
    with _program(folder) as (process, name):
        assert presence.alive(name)
        process.kill()
        process.wait()
        assert not presence.alive(name)
        assert (folder / name).exists()
    mine = presence.own()
    assert [path.name for path in folder.iterdir()] == [mine]
    presence.close()


def test_the_files_of_living_programs_are_left(folder: Path) -> None:
    with _program(folder) as (process, name):
        presence = Presence(folder)
        assert {path.name for path in folder.iterdir()} == {name}
        presence.own()
        assert presence.alive(name)
        presence.close()
        process.communicate("\n", timeout=60)
        assert not presence.alive(name)
        assert list(folder.iterdir()) == []
