"""``chartui profiles``: what makes a profile less safe needs its name, and is refused while the program is locked."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest

from chartui.core.credentials import key_path
from chartui.core.profiles import profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import unlocking

from .conftest import Run

_URL = "https://service.example"
_WEAKER = [
    ("set work --read-write", "unlocking"),
    ("set work --no-production", "removing the production mark from"),
    ("set work --allow-act", "allowing turns on"),
    ("set work --url https://other.example", "changing the address of"),
    (f"add work --replace --url {_URL} --production --read-write", "unlocking"),
    (f"add work --replace --url {_URL}", "removing the production mark from"),
    ("add work --replace --url https://other.example --production", "changing the address of"),
    ("remove work", "removing"),
]
weaker = pytest.mark.parametrize(("words", "action"), _WEAKER, ids=[words for words, _ in _WEAKER])


@pytest.fixture(autouse=True)
def work(run: Run) -> None:
    assert run("profiles", "add", "work", "--url", _URL, "--production", "--key-env", "WORK_KEY").status == 0


@weaker
@pytest.mark.parametrize("lock", ["flag", "variable"])
def test_a_lock_of_the_program_cannot_be_got_round(
    words: str, action: str, lock: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = profiles_path().read_bytes()
    flag = ["--read-only"] if lock == "flag" else []
    if not flag:
        monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    result = run(*flag, "profiles", *words.split(), "--confirm", "work", "--json")
    who = "Started with --read-only" if flag else "CHARTUI_READ_ONLY is set"
    assert (result.status, result.error["code"]) == (2, "read_only")
    assert result.error["message"] == f"{who}: {action} 'work' is disabled."
    assert profiles_path().read_bytes() == before


@weaker
def test_it_takes_the_name(words: str, action: str, run: Run) -> None:
    before = profiles_path().read_bytes()
    for confirm in ([], ["--confirm", "demo"]):
        result = run("profiles", *words.split(), *confirm, "--json")
        assert (result.status, result.error["code"]) == (2, "unconfirmed")
        assert result.error["message"].endswith("Nothing was changed.")
    assert f"{action} 'work'" in run("profiles", *words.split()).err
    assert run("profiles", *words.split(), "--dry-run").status == 0
    assert profiles_path().read_bytes() == before
    assert run("profiles", *words.split(), "--confirm", "work").status == 0
    assert profiles_path().read_bytes() != before


def test_the_command_that_a_refusal_names_lifts_the_lock(run: Run) -> None:
    assert run(*unlocking(load_profiles().get("work")).split()[1:]).status == 0
    assert not load_profiles().get("work").read_only


@pytest.mark.parametrize(("typed", "status"), [("work\n", 0), ("wrok\n", 2), ("", 2)])
def test_at_a_terminal_the_name_is_asked_for(
    typed: str, status: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO(typed)
    stream.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", stream)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    result = run("profiles", "set", "work", "--read-write")
    assert result.status == status
    assert "Unlocking 'work': type the profile's name to confirm: " in result.err
    assert load_profiles().get("work").read_only is bool(status)


@pytest.mark.parametrize(
    "words",
    ["set work --color blue", "use work", "set local --no-read-write", f"add other --url {_URL} --read-write"],
)
def test_what_is_no_less_safe_needs_no_name(words: str, run: Run) -> None:
    assert run("--read-only", "profiles", *words.split()).status == 0


def test_a_key_is_not_stored_for_a_change_that_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-canary-1\n"))
    assert run("profiles", "set", "work", "--read-write", "--store-key").status == 2
    assert not key_path("work").exists()


def test_a_profile_that_another_program_locks_meanwhile_stays_locked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("profiles", "add", "far", "--url", _URL, "--read-write")

    def locks_it(text: str) -> str:
        change_profiles(lambda known: known.adding(replace(known.get("far"), read_only=True)))
        return "sk-canary-1\n"

    stream = io.StringIO()
    stream.readline = locks_it  # type: ignore[method-assign, assignment]
    monkeypatch.setattr(sys, "stdin", stream)
    result = run("profiles", "set", "far", "--read-write", "--store-key")
    assert (result.status, "must be confirmed with the profile's name" in result.err) == (2, True)
    assert load_profiles().get("far").read_only
    assert not key_path("far").exists()
