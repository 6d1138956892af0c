"""``chartui store`` and ``chartui profiles``."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from chartui.core.backends.local.store import Store

from .conftest import Run


@pytest.fixture
def remote_profile(own_folders: Path) -> str:
    (own_folders / "config").mkdir()
    (own_folders / "config" / "profiles.toml").write_text(
        'format = "chartui-profiles"\nversion = 1\n'
        "[profiles.far]\nbase_url = 'https://far.example'\nkey = { env = 'FAR_KEY' }\n"
    )
    return "far"


def test_seeding_makes_the_same_characters_for_the_same_seed(
    run: Run, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("store", "seed", "--characters", "7", "--sections", "5", "--seed", "3")
    assert run(*words).status == 0
    first = run("--profile", "local", "characters", "list", "--json").value["characters"]
    monkeypatch.setenv("CHARTUI_DATA_DIR", str(own_folders / "elsewhere"))
    assert run(*words, "--json").value["characters"] == 7
    assert run("--profile", "local", "characters", "list", "--json").value["characters"] == first
    assert len(first) == 7
    graph = run("--profile", "local", "narrative", "show", first[0]["character_id"], "--json").value
    assert len(graph["sections"]) == 5


def test_seeding_twice_with_one_seed_is_refused(run: Run) -> None:
    assert run("store", "seed", "--characters", "1", "--sections", "0").status == 0
    result = run("store", "seed", "--characters", "1", "--sections", "0", "--json")
    assert (result.status, result.error["code"]) == (3, "conflict")


@pytest.mark.parametrize("number", ["-1", "1.5", "many", "99999999999999999999999"])
def test_a_count_that_is_none_is_refused(number: str, run: Run, own_folders: Path) -> None:
    result = run("store", "seed", f"--characters={number}")
    assert (result.status, result.out) == (2, "")
    assert not (own_folders / "data").exists()


def test_an_account_gets_its_key_once(run: Run, own_folders: Path) -> None:
    added = run("store", "accounts", "--add", "enterprise", "--json").value
    assert (added["tier"], len(added["key"]) > 30) == ("enterprise", True)
    listed = run("store", "accounts", "--json")
    assert [account["tier"] for account in listed.value["accounts"]] == ["professional", "enterprise"]
    assert added["user_id"] in run("store", "accounts").out
    assert added["key"] not in listed.out
    assert all(added["key"].encode() not in path.read_bytes() for path in own_folders.rglob("*") if path.is_file())
    text = run("store", "accounts", "--add", "free")
    assert len(text.out.split()) == 1
    assert "shown only once" in text.err


@pytest.mark.parametrize("words", ["seed --characters 1", "accounts --add free"])
def test_read_only_holds_for_the_store_too(words: str, run: Run, own_folders: Path) -> None:
    result = run("store", *words.split(), "--read-only", "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "read_only")
    assert not (own_folders / "data").exists()


@pytest.mark.parametrize("words", ["seed", "accounts", "accounts --add free", "backup x.db"])
def test_a_remote_profile_has_no_store(words: str, run: Run, remote_profile: str) -> None:
    result = run("--profile", remote_profile, "store", *words.split())
    assert (result.status, result.out) == (2, "")
    assert "is a remote service" in result.err


@pytest.mark.parametrize("words", ["check", "backup x.db"])
def test_a_store_that_is_not_there_is_not_made(words: str, run: Run, own_folders: Path) -> None:
    result = run("store", *words.split())
    assert (result.status, result.out) == (2, "")
    assert "has no store yet" in result.err
    assert not (own_folders / "data").exists()


def test_check_tells_a_sound_store_from_a_damaged_one(run: Run, own_folders: Path) -> None:
    run("store", "seed", "--characters", "2", "--sections", "2")
    assert run("store", "check").status == 0
    sound = run("store", "check", "--json")
    assert (sound.status, sound.value["problems"]) == (0, [])
    with closing(sqlite3.connect(own_folders / "data" / "local.db")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM accounts")
    damaged = run("store", "check", "--json")
    assert damaged.status == 5
    assert damaged.value["problems"]
    assert set(damaged.value["problems"]) <= set(run("store", "check").out.splitlines())


def test_a_file_that_is_no_store_is_told_and_left_alone(run: Run, own_folders: Path) -> None:
    (own_folders / "data").mkdir()
    path = own_folders / "data" / "local.db"
    path.write_bytes(b"somebody's letter, which is long enough to be read as a page of something else" * 20)
    before = path.read_bytes()
    for words in (["store", "accounts"], ["store", "backup", "x.db"], ["--profile", "local", "characters", "list"]):
        result = run(*words, "--json")
        assert (result.status, result.out, result.error["code"]) == (5, "", "broken")
    assert path.read_bytes() == before


def test_a_store_that_is_in_use_is_told(run: Run, own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("store", "seed", "--characters", "1", "--sections", "0")
    monkeypatch.setattr("chartui.core.backends.local.store.Store", partial(Store, busy_timeout=0))
    with closing(sqlite3.connect(own_folders / "data" / "local.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        result = run("store", "accounts", "--add", "free", "--json")
    assert (result.status, result.error["code"], result.error["retryable"]) == (5, "busy", True)


def test_a_backup_is_a_store_of_its_own(
    run: Run, own_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("store", "seed", "--characters", "3", "--sections", "2")
    characters = run("--profile", "local", "characters", "list", "--json").out
    copy = tmp_path / "copy" / "local.db"
    copy.parent.mkdir()
    assert run("store", "backup", str(copy)).status == 0
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    monkeypatch.setenv("CHARTUI_DATA_DIR", str(copy.parent))
    assert run("--profile", "local", "characters", "list", "--json").out == characters


def test_profiles_tell_the_source_of_a_key(run: Run, remote_profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAR_KEY", "canary-key-271828")
    monkeypatch.setenv("CHARTUI_PROFILE", "far")
    result = run("profiles", "list")
    assert "the environment variable FAR_KEY" in result.out
    assert "canary" not in result.out
    [used] = [profile for profile in run("profiles", "list", "--json").value if profile["in_use"]]
    assert used == {
        "name": "far",
        "kind": "remote",
        "base_url": "https://far.example",
        "read_only": True,
        "production": False,
        "key_source": "the environment variable FAR_KEY",
        "in_use": True,
    }


def test_doctor_finds_the_store(run: Run, own_folders: Path) -> None:
    run("characters", "list")
    found = run("doctor", "--json", "--read-only")
    assert found.status == 0
    assert found.value["service"] == {"answers": True, "problem": None}
    assert found.value["profile"]["store"] == f"{own_folders}/data/demo.db (0600)"
    assert found.value["profile"]["read_only"] is True
    assert "chartui" in run("doctor").out


def test_doctor_says_what_is_wrong(run: Run, own_folders: Path) -> None:
    (own_folders / "data").mkdir()
    (own_folders / "data" / "demo.db").mkdir()
    found = run("doctor", "--json")
    assert found.status == 1
    assert "demo.db" in found.value["service"]["problem"]


def test_the_owner_of_what_is_made_here_gets_a_key_to_be_served_with(run: Run, own_folders: Path) -> None:
    first = run("store", "accounts", "--new-key", "local", "--json").value
    second = run("store", "accounts", "--new-key", "local", "--json").value
    assert (first["user_id"], first["tier"]) == ("local", "professional")
    with closing(Store(own_folders / "data" / "local.db")) as store:
        assert store.authenticate(first["key"]) is None
        account = store.authenticate(second["key"])
    assert account is not None
    assert account.user_id == "local"


def test_a_key_for_an_account_that_is_not_there_is_refused(run: Run) -> None:
    assert run("store", "accounts", "--new-key", "nobody", "--json").error["code"] == "not_found"
