"""``doctor`` looks and touches nothing; its report holds nothing that a stranger should not read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chartui.core.bookmark import bookmark_path
from chartui.core.spec.errors import ErrorKind, ServiceError

from .conftest import Run

PROFILES = """\
format = "chartui-profiles"
version = 1
default = "acme"

[profiles.acme]
base_url = "https://chars.acme.example"
key = { env = "ACME_KEY" }
"""


def everything(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


@pytest.mark.parametrize("profile", ["demo", "local"])
def test_it_creates_nothing(profile: str, run: Run, own_folders: Path) -> None:
    found = run("--profile", profile, "doctor", "--json")
    assert (found.status, found.value["service"]) == (0, {"answers": None, "problem": None})
    assert everything(own_folders) == {}


def test_it_changes_no_store_and_brings_none_up_to_date(run: Run, own_folders: Path) -> None:
    run("characters", "list")
    before = everything(own_folders / "data")
    assert run("doctor", "--json").value["service"]["answers"] is True
    assert everything(own_folders / "data").keys() == before.keys()
    with closing(sqlite3.connect(own_folders / "data" / "demo.db")) as connection:
        connection.execute("PRAGMA user_version = 0")
    before = everything(own_folders / "data")
    assert run("doctor", "--json").value["service"]["answers"] is None
    assert everything(own_folders / "data") == before


def test_it_reports_what_others_can_change(run: Run, own_folders: Path) -> None:
    config = own_folders / "config"
    config.mkdir(mode=0o700)
    own_folders.chmod(0o700)
    path = config / "profiles.toml"
    path.write_text(PROFILES)
    path.chmod(0o666)
    problem = f"others can write to {path}; run: chmod go-w {path}"
    found = run("doctor", "--json")
    assert (found.status, found.value["permissions"]["problems"]) == (1, [problem])
    assert problem in found.value["service"]["problem"]
    checked = run("config", "validate", "--json")
    assert (checked.status, [problem in one for one in checked.value["problems"]]) == (1, [True])
    assert (run("profiles", "list").status, run("characters", "list").status) == (2, 2)
    path.chmod(0o600)
    assert run("config", "validate").status == 0


def test_the_report_names_nobody_and_nothing(
    run: Run, own_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_KEY", "canary-key-271828")
    monkeypatch.setenv("LOGNAME", "dora-canary")
    monkeypatch.setenv("TERM_PROGRAM", f"{own_folders}/dora-canary/term")
    monkeypatch.setenv("TMUX", "/tmp/tmux-of-dora,1,0")
    config = own_folders / "config"
    config.mkdir(mode=0o700)
    (config / "profiles.toml").write_text(PROFILES)
    run("--profile", "demo", "characters", "list")
    report = tmp_path / "report.txt"

    def unreachable(*_: object) -> bool:
        raise ServiceError(ErrorKind.UNREACHABLE, "Unknown host chars.acme.example.")

    monkeypatch.setattr("chartui.cli.doctor._answers", unreachable)
    assert run("doctor", "--report", str(report)).status == 1
    text = report.read_text()
    for secret in ("acme", "canary", "dora", str(own_folders), str(tmp_path), "Elena", "ACME_KEY"):
        assert secret not in text
    for fact in (
        "chartui: ",
        "API key from: env",
        "profile reachable: no",
        "failure: unreachable",
        "remote: 1",
        "demo.db: ",
        "0600",
    ):
        assert fact in text
    assert "~/[user]/term" in text


def test_the_report_overwrites_nothing_unasked(run: Run, tmp_path: Path, own_folders: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_text("mine")
    refused = run("doctor", "--report", str(report))
    assert (refused.status, refused.out, report.read_text()) == (2, "", "mine")
    assert run("doctor", "--report", str(report), "--force").status == 0
    assert report.read_text() != "mine"
    assert run("doctor", "--report", str(own_folders / "data" / "report.txt")).status == 2


def test_a_bookmark_that_cannot_be_used_is_reported(run: Run) -> None:
    bookmark_path("local").parent.mkdir(parents=True, mode=0o700)
    bookmark_path("local").write_text("{}")
    result = run("--profile", "local", "doctor")
    assert result.status == 1
    assert "not a bookmark. The file is ignored and will be replaced when you next use the profile." in result.out


def test_over_ssh_it_says_what_compression_would_save(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
    shown = run("doctor").out
    assert "unknown; if compression is off, 'ssh -C' reduces" in shown
    assert "192.0.2" not in shown
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    assert "ssh -C" not in run("doctor").out
