"""``chartui store check``, ``salvage``, ``restore`` and ``backups``, and what is said of a missing file."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from chartui.core.profiles import BUILT_IN
from chartui.core.server.http import STORE_ERROR
from chartui.core.session import store_path
from tests.served import serving

from .conftest import Run

LOCAL = ("--profile", "local")


@pytest.fixture
def used(run: Run, own_folders: Path) -> Path:
    """A data folder with a store and a journal, each with a backup; gives the folder."""
    run("store", "seed", "--characters", "4", "--sections", "2")
    for temperature in ("0.3", "0.4"):
        assert run(*LOCAL, "characters", "set", _first(run), "--temperature", temperature, "--yes").status == 0
    return own_folders / "data"


def _first(run: Run) -> str:
    character_id: str = run(*LOCAL, "characters", "list", "--json").value["characters"][0]["character_id"]
    return character_id


def _damage(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"x" * 64)


def test_check_names_every_file_and_what_can_be_read(run: Run, used: Path) -> None:
    found = run("store", "check", "--json").value["files"]
    assert [(one["kind"], one["state"]) for one in found] == [
        ("store", "sound"),
        ("journal", "sound"),
        ("drafts", "missing"),
        ("seen", "missing"),
    ]
    _damage(used / "journal.db")
    result = run("store", "check")
    assert result.status == 5
    assert "journal.db: file is not a database" in result.out.splitlines()
    [journal] = [one for one in run("store", "check", "--json").value["files"] if one["kind"] == "journal"]
    assert (journal["state"], journal["readable"]["entries"]) == ("damaged", 2)


def test_a_damaged_store_is_named_with_the_way_out_and_brought_back(run: Run, used: Path, tmp_path: Path) -> None:
    before = run(*LOCAL, "characters", "list").out
    _damage(used / "local.db")
    for words in (("characters", "list"), ("characters", "create", "Ada", "--yes")):
        result = run(*LOCAL, *words)
        assert (result.status, result.out) == (5, "")
        assert str(used / "local.db") in result.err
        assert "chartui --profile local store check" in result.err
    saved = run("store", "salvage", str(tmp_path / "saved.db"), "--json")
    assert (saved.status, saved.value["rows"]["characters"], saved.value["lost"]) == (0, 4, [])
    done = run("store", "restore", str(tmp_path / "saved.db"), "--json").value
    assert (done["kind"], Path(done["replaced"]).read_bytes()[:64]) == ("store", b"x" * 64)
    assert run(*LOCAL, "characters", "list").out == before


def test_a_backup_is_listed_and_restored_by_its_name(run: Run, used: Path) -> None:
    listed = run("store", "backups", "--json").value["backups"]
    assert [one["kind"] for one in listed] == ["store", "journal"]
    assert Path(listed[0]["file"]).name in run("store", "backups").out
    assert run("store", "restore", Path(listed[0]["file"]).name).status == 0
    record = run(*LOCAL, "characters", "show", _first(run), "--json").value
    assert "0.4" not in str(record["personalised_prompt_config"]["TEMPERATURE"])
    assert sorted(path.name.partition("-")[0] for path in used.glob("local.db*")) == ["local.db", "local.db.replaced"]


def test_the_history_is_read_beside_a_broken_store(run: Run, used: Path) -> None:
    _damage(used / "local.db")
    result = run(*LOCAL, "history", "--json")
    assert (result.status, len(result.value["changes"])) == (0, 2)


def test_beside_a_broken_journal_characters_are_read_and_not_changed(run: Run, used: Path) -> None:
    first = _first(run)
    _damage(used / "journal.db")
    before = run(*LOCAL, "characters", "show", first, "--json")
    assert before.status == 0
    result = run(*LOCAL, "characters", "set", first, "--temperature", "0.9", "--yes")
    assert (result.status, result.out) == (5, "")
    assert str(used / "journal.db") in result.err
    assert run(*LOCAL, "characters", "show", first, "--json").value == before.value


@pytest.mark.parametrize("words", ["characters list", "store seed --characters 1 --sections 0"])
def test_a_new_store_in_the_place_of_a_known_one_is_reported(words: str, run: Run, used: Path) -> None:
    (used / "local.db").unlink()
    checked = run("store", "check")
    assert checked.status == 5
    assert "the history contains changes made to it" in checked.out
    result = run(*LOCAL, *words.split())
    assert result.status == 0
    assert "warning" in result.err
    assert "store backups'" in result.err
    assert "warning" not in run(*LOCAL, "characters", "list").err  # said once, when it was made


def test_a_store_that_nothing_is_known_of_is_made_without_a_word(run: Run) -> None:
    assert run(*LOCAL, "characters", "list").err.strip() == "0 characters"


def test_the_first_change_of_a_new_store_warns_of_nothing(run: Run) -> None:
    created = run(*LOCAL, "characters", "create", "Mara", "--yes")
    assert created.status == 0
    assert "warning" not in created.err


def test_a_server_whose_store_is_removed_acknowledges_nothing(run: Run, used: Path, tmp_path: Path) -> None:
    first = _first(run)
    key = run("store", "accounts", "--new-key", "local", "--json").value["key"]
    assert run("store", "backup", str(tmp_path / "copy.db")).status == 0
    with serving("--profile", "local") as (_, ready):

        def change(temperature: float) -> httpx.Response:
            payload = {"charID": first, "temperature": temperature}
            headers = {"SERVICE-API-KEY": key}
            return httpx.post(f"{ready['base_url']}/character/update", json=payload, headers=headers, trust_env=False)

        assert change(0.5).status_code == 200
        for file in used.glob("local.db*"):
            file.unlink()
        for _ in range(2):
            refused = change(0.6)
            assert (refused.status_code, refused.json()) == (500, {"ERROR": STORE_ERROR})
        [rescued] = used.glob("local.db.rescued-*")
        assert run("store", "restore", str(rescued)).status == 0
        # Who asks first is refused once more: what was read before came from another file.
        assert {change(0.7).status_code, change(0.7).status_code} <= {500, 200}
        assert change(0.7).status_code == 200
    record = run(*LOCAL, "characters", "show", first, "--json").value
    assert str(record["personalised_prompt_config"]["TEMPERATURE"]) == "0.7"


def test_restoring_is_a_change(run: Run, used: Path) -> None:
    before = (used / "local.db").read_bytes()
    [name, *_] = [Path(one["file"]).name for one in run("store", "backups", "--json").value["backups"]]
    result = run("store", "restore", name, "--read-only", "--json")
    assert (result.status, result.error["code"]) == (2, "read_only")
    assert (used / "local.db").read_bytes() == before


@pytest.mark.parametrize("verb", ["backup", "salvage"])
def test_a_copy_goes_into_a_new_file_or_over_one_with_force(verb: str, run: Run, used: Path, tmp_path: Path) -> None:
    assert used.is_dir()
    mine = tmp_path / "mine.db"
    mine.write_text("mine")
    for target, reason in (
        (mine, "--force overwrites it"),
        (tmp_path / "nodir" / "x.db", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (used / "x.db", "choose another folder"),
    ):
        result = run("store", verb, str(target))
        assert (result.status, result.out) == (2, "")
        assert reason in result.err
        assert str(target) in result.err
    assert mine.read_text() == "mine"
    assert run("store", verb, str(mine), "--force").status == 0
    assert run("store", "restore", str(mine)).status == 0


@pytest.mark.parametrize("verb", ["backup", "salvage", "restore"])
@pytest.mark.parametrize(("name", "reason"), [("", "is empty"), ("-", "cannot be written to standard output")])
def test_a_database_needs_the_name_of_a_file(
    verb: str, name: str, reason: str, run: Run, used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(used.parent)
    before = sorted(used.parent.iterdir())
    result = run("store", verb, name)
    assert (result.status, result.out) == (2, "")
    assert reason in result.err
    assert sorted(used.parent.iterdir()) == before


@pytest.mark.parametrize("row", [True, False], ids=["row", "page"])
def test_a_damaged_store_replaces_no_backup(row: bool, run: Run, used: Path, tmp_path: Path) -> None:
    good = tmp_path / "good.db"
    assert run("store", "backup", str(good)).status == 0
    before = good.read_bytes()
    with closing(sqlite3.connect(used / "local.db")) as connection, connection:
        [(page,)] = connection.execute(
            "SELECT max(pageno) FROM dbstat WHERE name = 'characters' AND pagetype = 'leaf'"
        ).fetchall()
        if row:
            connection.execute("UPDATE characters SET record = '[]' WHERE seq = 2")
    if not row:
        with (used / "local.db").open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 4096)
    for words in ([str(good), "--force"], [str(tmp_path / "other.db")]):
        result = run("store", "backup", *words)
        assert (result.status, result.out) == (5, "")
        assert "No backup was made" in result.err
        assert "chartui store salvage" in result.err
        assert str(used / "local.db") in result.err
    assert good.read_bytes() == before
    assert not (tmp_path / "other.db").exists()
    assert not list(tmp_path.glob(".*.db*"))


def test_only_a_regular_file_is_restored(run: Run, used: Path, tmp_path: Path) -> None:
    before = (used / "local.db").read_bytes()
    os.mkfifo(tmp_path / "fifo")
    for source in ("/dev/zero", str(tmp_path / "fifo"), str(tmp_path)):
        result = run("store", "restore", source)
        assert (result.status, result.out) == (2, "")
        assert f"{source} cannot be restored: not a regular file" in result.err
    assert (used / "local.db").read_bytes() == before


def test_a_section_whose_name_is_no_text_is_reported(run: Run) -> None:
    assert run("store", "seed", "--characters", "1", "--sections", "3", "--profile", "local").status == 0
    [character] = run("characters", "list", "--profile", "local", "--json").value["characters"]
    with closing(sqlite3.connect(store_path(BUILT_IN["local"]))) as connection, connection:
        connection.execute("UPDATE sections SET section_name = x'ff00'")
    result = run("narrative", "show", character["character_id"], "--profile", "local", "--json")
    assert (result.status, result.out) == (5, "")
    assert "local.db" in result.error["message"]
