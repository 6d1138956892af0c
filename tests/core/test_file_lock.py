"""Files that several programs change at the same time: no change is lost, and no program waits forever.

``FILE_LOCK_PROCESSES=20 FILE_LOCK_ROUNDS=100`` in the environment makes the competition as long as that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from chartui.core import file_lock
from chartui.core.config import config_path, keep_theme
from chartui.core.estimation.pins import change_pins, load_pins
from chartui.core.file_lock import locked, rewrite
from chartui.core.paths import pins_path
from chartui.core.presets import Preset, PresetError, Presets, presets_folder
from chartui.core.profiles import Profile, ProfileKind, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles

_PROCESSES = int(os.environ.get("FILE_LOCK_PROCESSES", "4"))
_ROUNDS = int(os.environ.get("FILE_LOCK_ROUNDS", "6"))

#: A program that changes its own entry in every round, and says how often the entry was not as it had left it.
_COMPETITOR = """
import sys
from chartui.core.estimation.pins import change_pins
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles

what, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
lost = 0

def seen(value, turn):
    global lost
    lost += value != turn - 1

def profiles(turn):
    def change(known):
        found = known.by_name.get(name)
        seen(0 if found is None else found.deadline, turn)
        url = "https://service.example"
        return known.adding(Profile(name=name, kind=ProfileKind.REMOTE, base_url=url, deadline=turn))
    change_profiles(change)

def pins(turn):
    def change(table):
        seen(int(table.models.get(name, 0)), turn)
        return table.with_model(name, str(turn))
    change_pins(change)

print("ready", flush=True)
sys.stdin.readline()
for turn in range(1, rounds + 1):
    {"profiles": profiles, "pins": pins}[what](turn)
print(lost)
"""
_HOLDER = """
import sys
from pathlib import Path
from chartui.core.file_lock import locked

with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def _started(script: str, *words: str) -> subprocess.Popen[str]:
    """A program that has said that it is ready, and waits for a line."""
    command = [sys.executable, "-c", script, *words]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


@pytest.mark.parametrize("what", ["profiles", "pins"])
def test_no_change_is_lost_between_programs(what: str) -> None:
    programs = [_started(_COMPETITOR, what, f"code-{number}", str(_ROUNDS)) for number in range(_PROCESSES)]
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("\n")
        program.stdin.flush()
    assert [program.communicate()[0] for program in programs] == ["0\n"] * _PROCESSES
    names = {f"code-{number}" for number in range(_PROCESSES)}
    if what == "pins":
        assert load_pins().models == dict.fromkeys(names, str(_ROUNDS))
    else:
        kept = load_profiles().by_name
        assert {name: kept[name].deadline for name in names} == dict.fromkeys(names, _ROUNDS)


def test_no_change_is_lost_between_threads() -> None:
    start = Barrier(8)

    def add(name: str) -> None:
        profile = Profile(name=name, kind=ProfileKind.REMOTE, base_url="https://service.example")
        start.wait()
        change_profiles(lambda known: known.adding(profile))

    names = [f"work-{number}" for number in range(8)]
    threads = [Thread(target=add, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(names) <= load_profiles().by_name.keys()


def test_a_name_is_given_to_one_preset_only() -> None:
    start, refused = Barrier(8), []

    def save(note: str) -> None:
        start.wait()
        try:
            Presets().save(Preset(name="Kiosk", note=note))
        except PresetError as error:
            refused.append(str(error))

    threads = [Thread(target=save, args=(f"{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 7
    assert all("already" in text for text in refused)
    assert [kept.preset.name for kept in Presets().all() if kept.preset is not None] == ["Kiosk"]


def test_every_file_that_is_rewritten_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    class WaitsError(Exception):
        pass

    def waits(_: float) -> None:
        raise WaitsError

    def pin() -> None:
        change_pins(lambda pins: pins.with_model("our-own-13b", "mdla_5_4"))

    monkeypatch.setattr(file_lock, "sleep", waits)
    Presets().save(Preset(name="Lobby"))
    changes: dict[Path, tuple[Callable[[], object], ...]] = {
        profiles_path(): (lambda: change_profiles(lambda known: known.using("local")),),
        config_path(): (lambda: keep_theme("daylight"),),
        pins_path(): (pin,),
        presets_folder(): (
            lambda: Presets().save(Preset(name="Kiosk")),
            lambda: Presets().rename("Lobby", "Hall"),
            lambda: Presets().remove("Hall"),
        ),
    }
    for path, writers in changes.items():
        for change in writers:
            before = _content(path)
            with locked(path), pytest.raises(WaitsError):
                change()
            assert _content(path) == before
            change()
            assert _content(path) != before


def _content(path: Path) -> dict[str, bytes]:
    files = path.iterdir() if path.is_dir() else [path] if path.exists() else []
    return {file.name: file.read_bytes() for file in files}


def test_a_program_that_keeps_the_lock_is_named_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "profiles.toml"
    holder = _started(_HOLDER, str(path))
    with pytest.raises(TimeoutError) as caught, locked(path, wait=0.02):
        pass
    assert (caught.value.filename, caught.value.strerror) == (
        str(path),
        "another program has kept the file locked for 0.02 s",
    )
    holder.communicate("\n")
    rewrite(path, lambda: b"mine", wait=0)
    assert path.read_bytes() == b"mine"


def test_the_lock_of_a_killed_program_is_free(tmp_path: Path) -> None:
    path = tmp_path / "profiles.toml"
    holder = _started(_HOLDER, str(path))
    holder.kill()
    holder.communicate()
    rewrite(path, lambda: b"mine", wait=0)
    assert path.read_bytes() == b"mine"


def test_a_link_stays_and_has_the_lock_of_its_file(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "profiles.toml", tmp_path / "config" / "profiles.toml"
    rewrite(real, lambda: b"old")
    link.parent.mkdir()
    link.symlink_to(real)
    with locked(real), pytest.raises(TimeoutError), locked(link, wait=0):
        pass
    rewrite(link, lambda: b"new")
    assert (link.is_symlink(), real.read_bytes()) == (True, b"new")


def test_a_change_that_fails_leaves_the_file_and_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "here" / "x.toml"
    rewrite(path, lambda: b"old")

    def fails() -> bytes:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rewrite(path, fails)
    rewrite(path, lambda: None, wait=0)
    assert path.read_bytes() == b"old"
    assert {file.name for file in path.parent.iterdir()} == {"x.toml", ".x.toml.lock"}


def test_a_folder_that_cannot_be_used_is_told_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("no folder")
    path = tmp_path / "config" / "x.toml"
    with pytest.raises(OSError, match=r"lock file \.x\.toml\.lock: ") as caught:
        rewrite(path, lambda: b"")
    assert caught.value.filename == str(path)
