"""Files are written whole or not at all, and nobody else's are touched."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from chartui.core.paths import file_stem, write_file, write_output, write_private
from chartui.main import main


@pytest.fixture
def usual_mask() -> Iterator[None]:
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
    with pytest.raises(OSError, match="not a regular file"):
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


# -- the program's own folders and files -------------------------------------------------------------------------------


@pytest.fixture
def no_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_mask")
def test_every_folder_that_is_made_is_private(tmp_path: Path) -> None:
    write_private(tmp_path / "a" / "b" / "c" / "file", b"")
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


@pytest.mark.usefixtures("no_mask")
def test_no_folder_of_the_program_is_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CHARTUI_CONFIG_DIR", "CHARTUI_DATA_DIR"):
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    assert main(["--profile", "local", "store", "seed", "--characters", "1", "--sections", "1"]) == 0
    assert main(["presets", "save", "Cheap"]) == 0
    assert main(["profiles", "add", "work", "--url", "https://service.example", "--key-env", "WORK_KEY"]) == 0
    made = [path for path in home.rglob("*") if path.is_dir()]
    assert {path.name for path in made} >= {".config", ".local", "share", "chartui", "presets"}
    assert {mode(path) for path in made} == {0o700}
    assert {mode(path) for path in home.rglob("*") if path.is_file()} == {0o600}


@pytest.mark.parametrize("name", ["config/profiles.toml", "data/journal.db", "data/new.toml", "data/keys/work"])
@pytest.mark.parametrize("replace", [False, True])
def test_what_a_user_asked_for_never_takes_the_place_of_the_programs_own(
    replace: bool, name: str, own_folders: Path
) -> None:
    path = own_folders / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"before")
    link = own_folders / "link.toml"
    link.symlink_to(path)
    for asked in (path, link):
        with pytest.raises((PermissionError, FileExistsError)):
            write_output(asked, b"after", replace=replace)
    assert path.read_bytes() == b"before"
    path.unlink()
    with pytest.raises(PermissionError, match="is reserved for chartui's own files"):
        write_output(path, b"after", replace=replace)
    assert not path.exists()


def test_a_full_disk_names_the_file_that_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "costs.csv").write_bytes(b"before")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for write in (write_private, partial(write_output, replace=True)):
        with pytest.raises(OSError, match="No space left") as caught:
            write(tmp_path / "costs.csv", b"after")
        assert caught.value.filename == str(tmp_path / "costs.csv")
    assert names(tmp_path) == ["costs.csv"]
    assert (tmp_path / "costs.csv").read_bytes() == b"before"
