"""Files are written whole or not at all, and nobody else's are touched."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartui.core.paths import file_stem, write_file, write_private


@pytest.fixture
def usual_mask() -> Iterator[None]:
    """New files are readable by everybody and writable by their owner."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "home")


# -- what a user asked for ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("usual_mask")
def test_a_new_file_is_as_readable_as_the_users_others(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    write_file(path, b"a,b\n")
    assert (path.read_bytes(), mode(path)) == (b"a,b\n", 0o644)
    assert names(tmp_path) == ["costs.csv"]


def test_a_file_that_is_there_is_replaced_only_when_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        write_file(path, b"new")
    assert path.read_bytes() == b"mine"
    write_file(path, b"new", replace=True)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["costs.csv"]


def test_to_replace_what_is_not_there_writes_it(tmp_path: Path) -> None:
    write_file(tmp_path / "costs.csv", b"new", replace=True)
    assert (tmp_path / "costs.csv").read_bytes() == b"new"


@pytest.mark.usefixtures("usual_mask")
@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o666])
def test_what_is_replaced_keeps_its_permissions(permissions: int, tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_bytes(b"mine")
    path.chmod(permissions)
    write_file(path, b"new", replace=True)
    assert (path.read_bytes(), mode(path)) == (b"new", permissions)


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "costs.csv").write_bytes(b"mine")
    link = tmp_path / "link.csv"
    link.symlink_to(folder / "costs.csv")
    write_file(link, b"new", replace=True)
    assert link.is_symlink()
    assert (folder / "costs.csv").read_bytes() == b"new"


def test_a_link_to_nothing_is_where_the_file_goes(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "costs.csv")
    write_file(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "costs.csv").read_bytes() == b"new"


@pytest.mark.parametrize("replace", [False, True])
def test_what_is_no_ordinary_file_is_left_alone(replace: bool, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="no ordinary file"):
        write_file(pipe, b"new", replace=replace)
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, b"new", replace=replace)
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "nowhere" / "costs.csv", b"new", replace=replace)
    assert names(tmp_path) == ["pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        write_file(tmp_path / "loop", b"new")
    assert names(tmp_path) == ["loop"]


def test_who_takes_the_name_meanwhile_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "costs.csv"
    synchronize = os.fsync

    def somebody_else(descriptor: int) -> None:
        path.write_bytes(b"theirs")
        synchronize(descriptor)

    monkeypatch.setattr(os, "fsync", somebody_else)
    with pytest.raises(FileExistsError):
        write_file(path, b"mine")
    assert path.read_bytes() == b"theirs"
    assert names(tmp_path) == ["costs.csv"]


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_system_without_links(taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "costs.csv"

    def no_links(self: Path, target: Path) -> None:
        if taken:
            path.write_bytes(b"theirs")
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    if taken:
        with pytest.raises(FileExistsError):
            write_file(path, b"mine")
    else:
        write_file(path, b"mine")
    assert path.read_bytes() == (b"theirs" if taken else b"mine")
    assert names(tmp_path) == ["costs.csv"]


@pytest.mark.parametrize("replace", [False, True])
def test_a_disk_that_is_full_changes_nothing(replace: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "costs.csv"
    if replace:
        path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, b"new", replace=replace)
    assert names(tmp_path) == (["costs.csv"] if replace else [])
    assert not replace or path.read_bytes() == b"old"


# -- the program's own -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("usual_mask")
def test_what_is_private_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "config" / "secrets.toml"
    write_private(path, b"old")
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    path.chmod(0o644)
    write_private(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
    assert names(path.parent) == ["secrets.toml"]


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("What if: Output Tokens?", "what-if-output-tokens"),
        ("Élodie d'Arc", "elodie-d-arc"),
        ("../../etc/passwd", "etc-passwd"),
        ("角色", "export"),
        ("", "export"),
        ("a" * 100, "a" * 60),
    ],
)
def test_a_name_for_a_file_is_one_that_every_system_takes(title: str, stem: str) -> None:
    assert file_stem(title, otherwise="export") == stem
