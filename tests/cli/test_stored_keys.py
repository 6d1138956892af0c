"""``chartui profiles``: a stored key goes with the last profile that uses it, and no sooner."""

from __future__ import annotations

import io
import sys

import pytest

from chartui.core.credentials import key_path

from .conftest import Run

_URL = "https://service.example"


@pytest.fixture(autouse=True)
def qa(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-canary-1\n"))
    assert run("profiles", "add", "qa", "--url", _URL, "--store-key").status == 0
    assert key_path("qa").exists()


@pytest.mark.parametrize("option", ["file", "command"])
def test_a_key_that_another_profile_uses_is_kept(option: str, run: Run) -> None:
    path = key_path("qa")
    named = ["--key-file", str(path)] if option == "file" else ["--key-command", f"cat {path}"]
    run("profiles", "add", "qb", "--url", _URL, *named)
    result = run("profiles", "remove", "qa", "--confirm", "qa")
    assert (result.status, path.exists()) == (0, True)
    assert f"the stored API key {path} is kept because it is still used by profile 'qb'" in result.err


def test_the_profile_that_still_uses_it_is_in_the_json(run: Run) -> None:
    run("profiles", "add", "qb", "--url", _URL, "--key-file", str(key_path("qa")))
    removed = run("profiles", "remove", "qa", "--confirm", "qa", "--json").value
    assert removed == {"removed": "qa", "key_file": None, "key_file_used_by": ["qb"]}


@pytest.mark.parametrize("words", ["set qa --key-env QA_KEY", f"add qa --replace --url {_URL} --key-ask"])
def test_a_stored_key_goes_when_its_profile_takes_another_source(words: str, run: Run) -> None:
    path = key_path("qa")
    planned = run("profiles", *words.split(), "--dry-run")
    assert (f"the stored API key {path} would be removed" in planned.err, path.exists()) == (True, True)
    changed = run("profiles", *words.split())
    assert (f"the stored API key {path} was removed" in changed.err, path.exists()) == (True, False)


def test_a_changed_source_says_so_in_json(run: Run) -> None:
    changed = run("profiles", "set", "qa", "--key-env", "QA_KEY", "--json").value
    assert changed["stored_key"] == {"key_file": str(key_path("qa")), "key_file_used_by": []}


def test_a_stored_key_that_was_shared_goes_with_its_profile_later(run: Run) -> None:
    path = key_path("qa")
    run("profiles", "add", "qb", "--url", _URL, "--key-file", str(path))
    run("profiles", "set", "qa", "--key-env", "QA_KEY")
    assert path.exists()
    run("profiles", "set", "qb", "--key-env", "QB_KEY")
    removed = run("profiles", "remove", "qa", "--confirm", "qa")
    assert (f"the stored API key {path} was removed" in removed.err, path.exists()) == (True, False)


@pytest.mark.parametrize("words", ["set qa --color blue", "set qa --store-key", "use qa"])
def test_other_changes_leave_the_key(words: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-canary-2\n"))
    assert run("profiles", *words.split()).status == 0
    assert key_path("qa").exists()


def test_another_key_source_of_a_production_profile_takes_its_name(run: Run) -> None:
    run("profiles", "set", "qa", "--production")
    refused = run("profiles", "set", "qa", "--key-command", "pass show qa")
    assert (refused.status, key_path("qa").exists()) == (2, True)
    assert "changing the API key source of 'qa' needs --confirm qa" in refused.err
    assert run("profiles", "set", "qa", "--key-command", "pass show qa", "--confirm", "qa").status == 0
