"""Every command that writes a file which its words name: what exists stays, unless ``--force`` says otherwise."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from chartui.cli.parser import NOUNS, build_parser

from .conftest import C1, Run, Scripted

#: The words of each, before its file.
WRITING: Final[Mapping[str, list[str]]] = {
    "store backup": ["--profile", "demo", "store", "backup"],
    "store salvage": ["--profile", "demo", "store", "salvage"],
    "pull": ["pull", "{id}"],
    "narrative export": ["narrative", "export", "{id}", "--format", "dot"],
    "narrative path": ["narrative", "path", "{id}", "The gallery", "--save"],
    "narrative walk": ["narrative", "walk", "--character", "{id}", "--save"],
    "act": ["act", "{id}", "Hello.", "--save-scene"],
    "demo": ["demo", "learn", "--cast"],
    "doctor": ["doctor", "--report"],
    "rates export": ["rates", "export"],
    "rates learn": ["--profile", "work", "rates", "learn", "--output"],
}


def forcing(parser: argparse.ArgumentParser, *words: str) -> list[str]:
    """The commands that have ``--force``."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    found = [" ".join(words)] if "--force" in parser._option_string_actions else []
    return found + [
        one for action in below for name, inner in action.choices.items() for one in forcing(inner, *words, name)
    ]


def test_none_of_them_is_missing_here() -> None:
    assert sorted(forcing(build_parser(NOUNS))) == sorted(WRITING)


@pytest.fixture
def words(run: Run, demo_ids: dict[str, str], own_folders: Path, request: pytest.FixtureRequest) -> list[str]:
    (own_folders / "config").mkdir(mode=0o700)
    profiles = 'format = "chartui-profiles"\nversion = 1\n\n[profiles.work]\nbase_url = "https://service.example"\n'
    (own_folders / "config" / "profiles.toml").write_text(profiles)
    return [word.format(id=demo_ids["Elena Marsh"]) for word in WRITING[request.param]]


every = pytest.mark.parametrize("words", WRITING, indirect=True)


@every
def test_an_existing_file_is_kept(words: list[str], run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("mine")
    refused = run(*words, str(path))
    assert (refused.status, refused.out, path.read_text()) == (2, "", "mine")
    assert "--force overwrites it" in refused.err


@pytest.mark.parametrize("words", [name for name in WRITING if name != "rates learn"], indirect=True)
def test_force_overwrites_it(words: list[str], run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert run(*words, str(path)).status == 0  # over a bundle alone goes a bundle
    before = path.stat().st_ino
    assert run(*words, str(path), "--force").status == 0
    assert path.stat().st_ino != before


@every
@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("name", ["data/demo.db", "data/journal.db", "config/profiles.toml", "data/new.db"])
def test_a_file_of_the_program_is_never_taken(
    words: list[str], force: list[str], name: str, run: Run, own_folders: Path
) -> None:
    path = own_folders / name
    before = path.read_bytes() if path.exists() else None
    assert run(*words, str(path), *force).status == 2
    assert (path.read_bytes() if path.exists() else None) == before
    if name == "data/demo.db":
        assert run("--profile", "demo", "store", "check").status == 0


@every
@pytest.mark.parametrize("target", ["pipe", "/dev/null", "folder"])
def test_only_a_regular_file_is_written(words: list[str], target: str, run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    refused = run(*words, str(tmp_path / target), "--force")
    assert (refused.status, refused.out) == (2, "")
    assert "cannot be written" in refused.err


def test_a_recording_is_refused_before_anything_is_sent(run: Run, own_folders: Path, scripted: Any) -> None:
    backend: Scripted = scripted(get_response={"response": "Yes.", "sessionID": "s1"})
    refused = run("act", C1, "Go.", "--record", str(own_folders / "data" / "record.toml"))
    assert (refused.status, backend.calls) == (2, [])
    assert "is reserved for chartui's own files" in refused.err


# -- what is read ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["call", "list-characters", "--data", "@/dev/zero"],
        ["characters", "set", "{id}", "--backstory", "@/dev/zero", "--yes"],
        ["push", "/dev/zero", "--yes"],
        ["diff", "/dev/zero"],
        ["act", "{id}", "Hi.", "--scene", "/dev/zero"],
        ["act", "--replay", "/dev/zero"],
        ["narrative", "walk", "/dev/zero"],
        ["estimate", "--preset", "/dev/zero"],
        ["estimate", "--rate-card", "/dev/zero"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_file_without_an_end_is_not_read_to_it(words: list[str], run: Run, demo_ids: dict[str, str]) -> None:
    refused = run(*(word.format(id=demo_ids["Elena Marsh"]) for word in words))
    assert (refused.out, refused.status in (2, 3)) == ("", True)
    assert "larger than" in refused.err


def test_a_scene_may_come_through_a_pipe(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    scene = 'format = "chartui-scene"\nversion = 1\ntext = "Mira waves."\n'
    writer = threading.Thread(target=lambda: pipe.write_text(scene))
    writer.start()
    result = run("act", C1, "--scene", str(pipe), "--fields", "--json")
    writer.join()
    assert (result.status, "Mira waves." in result.out) == (0, True)
