"""What is read has a limit, the program's own files are regular ones, and those that it obeys are safe from others."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from chartui.core import files
from chartui.core.backends.remote.http import _certificates
from chartui.core.config import load_config
from chartui.core.credentials import KeySource, SourceKind, resolve
from chartui.core.estimation.pins import load_pins
from chartui.core.files import UnsafeFile, check_safe, dangers, read_named, read_own
from chartui.core.presets import Presets
from chartui.core.profiles import Profile, ProfileError, ProfileKind
from chartui.core.profiles_file import load_profiles
from chartui.core.spec.errors import ServiceError
from tests.faults.server import CERTS

PROFILES = b'format = "chartui-profiles"\nversion = 1\n'
SETTINGS = b'format = "chartui-config"\nversion = 1\nscreen = "actions"\n'


@pytest.fixture
def config(own_folders: Path) -> Path:
    """The folder of the settings, with the modes that it usually has."""
    folder = own_folders / "config"
    folder.mkdir(mode=0o700)
    for path in (own_folders, own_folders.parent):
        path.chmod(0o700)
    return folder


def write(path: Path, data: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(data)
    path.chmod(mode)
    return path


# -- limits and pipes --------------------------------------------------------------------------------------------------


def test_an_own_file_is_never_a_pipe_or_a_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # which nobody writes to: reading it would wait for ever
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            read_own(path, 100)
    with pytest.raises(FileNotFoundError):
        read_own(tmp_path / "nothing", 100)


def test_a_named_file_may_be_a_pipe_and_has_a_limit(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"said"))
    writer.start()
    assert read_named(pipe, 4) == b"said"
    writer.join()
    with pytest.raises(OSError, match="larger than 2 MiB"):
        read_named(Path("/dev/zero"), 2 << 20)


def test_the_files_of_the_program_may_be_no_pipes(config: Path, own_folders: Path) -> None:
    presets = own_folders / "data" / "presets"
    presets.mkdir(parents=True)
    for path in (config / "profiles.toml", config / "config.toml", config / "pins.toml", presets / "a.toml"):
        os.mkfifo(path)
    with pytest.raises(ProfileError, match="not a regular file"):
        load_profiles()
    assert "not a regular file" in load_config().problems[0]
    assert "not a regular file" in load_pins().problems[0]
    assert "not a regular file" in Presets().all()[0].fault


# -- who may change what is obeyed -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "letters"), [(0o602, "o"), (0o666, "go"), (0o620, "g"), (0o644, None), (0o600, None)])
def test_a_file_that_others_can_write_is_not_obeyed(
    mode: int, letters: str | None, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_is_private", lambda gid: False)
    profiles = write(config / "profiles.toml", PROFILES, mode)
    settings = write(config / "config.toml", SETTINGS, mode)
    if letters is None:
        load_profiles()
        assert (load_config().screen, load_config().problems) == ("actions", ())
        return
    with pytest.raises(ProfileError, match=f"can write to .*run: chmod {letters}-w {profiles}"):
        load_profiles()
    refused = load_config()
    assert refused.screen is None
    assert refused.problems[0].endswith(f"run: chmod {letters}-w {settings}.")


def test_its_folder_and_those_above_count_as_well(config: Path, own_folders: Path) -> None:
    path = write(config / "profiles.toml", PROFILES)
    config.chmod(0o777)
    own_folders.chmod(0o722)
    assert [danger.rpartition("run: ")[2] for danger in dangers(path)] == [
        f"chmod go-w {config}",
        f"chmod go-w {own_folders}",
    ]
    own_folders.chmod(0o1777)  # as /tmp is: nobody can take the place of what belongs to another user
    config.chmod(0o755)
    check_safe(path)


def test_a_link_is_as_safe_as_both_its_ends(config: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (config / "profiles.toml").symlink_to(write(shared / "profiles.toml", PROFILES))
    with pytest.raises(UnsafeFile, match=f"chmod go-w {shared}"):
        check_safe(config / "profiles.toml")


def test_a_group_of_ones_own_may_write(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(config / "profiles.toml", PROFILES, 0o660)
    monkeypatch.setattr(files, "_is_private", lambda gid: gid == path.stat().st_gid)
    load_profiles()


def test_a_group_with_other_members_is_not_private(monkeypatch: pytest.MonkeyPatch) -> None:
    import grp
    import pwd

    me = pwd.getpwuid(os.geteuid())
    other = pwd.struct_passwd(("other", "x", 4242, 77, "", "/", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwall", lambda: [me, other])

    def group(*members: str) -> grp.struct_group:
        return grp.struct_group(("team", "x", 4711, list(members)))

    for members, private in (((), True), ((me.pw_name,), True), ((me.pw_name, "other"), False)):
        monkeypatch.setattr(grp, "getgrgid", lambda gid, members=members: group(*members))
        assert files._is_private(4711) is private
        assert files._is_private(77) is False  # the other's first group


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_file_of_another_user_is_not_obeyed(config: Path) -> None:
    path = write(config / "profiles.toml", PROFILES)
    os.chown(path, 12345, -1)
    with pytest.raises(ProfileError, match="belongs to another user"):
        load_profiles()


def test_a_key_in_a_folder_that_others_can_write_is_not_sent(config: Path) -> None:
    path = write(config / "key", b"the-long-key\n")
    source = KeySource(SourceKind.FILE, (str(path),))
    assert resolve(source, None, profile="work") is not None
    config.chmod(0o777)
    with pytest.raises(ServiceError, match=f"can be replaced by other users: .*chmod go-w {config}"):
        resolve(source, None, profile="work")


def test_certificates_that_others_can_change_are_not_trusted(config: Path) -> None:
    path = write(config / "authority.pem", (CERTS / "authority.pem").read_bytes(), 0o666)
    profile = Profile(name="work", kind=ProfileKind.REMOTE, base_url="https://service.example", ca_file=path)
    with pytest.raises(ServiceError, match=f"chmod go-w {path}"):
        _certificates(profile)
    path.chmod(0o644)
    _certificates(profile)
