"""A refused change names the lock that holds, in one of three sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chartui.core.lock import CAUSES, Lock, LockedBy, refusal
from tests.cli.conftest import Run
from tests.project.pages import ROOT

CHANGES = (
    ("call", "create-character", "--data", '{"name": "Ada"}', "--yes"),
    ("characters", "create", "Ada", "--yes"),
    ("store", "seed", "--characters", "1"),
)


@pytest.mark.parametrize("by", LockedBy)
@pytest.mark.parametrize("words", CHANGES, ids=" ".join)
def test_a_command_names_the_lock(
    words: tuple[str, ...], by: LockedBy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag: tuple[str, ...] = ()
    match by:
        case LockedBy.FLAG:
            flag = ("--read-only",)
        case LockedBy.ENVIRONMENT:
            monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
        case LockedBy.PROFILE:
            assert run("profiles", "set", "local", "--no-read-write").status == 0
    result = run("--profile", "local", *flag, *words)
    assert (result.status, result.out) == (2, "")
    assert re.search(rf"{CAUSES[by]}: .+ is disabled\.", result.err), result.err
    unlocks = "Use chartui profiles set local --read-write --confirm local to unlock it."
    assert (unlocks in result.err) is (by is LockedBy.PROFILE)


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        (LockedBy.PROFILE, "Read-only profile: undo is disabled. Use ! to unlock it."),
        (LockedBy.FLAG, "Started with --read-only: undo is disabled."),
        (LockedBy.ENVIRONMENT, "CHARTUI_READ_ONLY is set: undo is disabled."),
    ],
)
def test_there_are_three_sentences(by: LockedBy, sentence: str) -> None:
    assert refusal(by, "undo", "!") == sentence
    assert Lock(by, lambda: "!").refusal("undo") == sentence


def test_without_a_lock_there_is_none() -> None:
    assert Lock().refusal("undo") == Lock().cause == ""


def test_they_are_written_in_one_module_alone() -> None:
    variants = re.compile(r"is disabled\.|[Tt]his profile is read-only|Read-only:|is read-only: nothing")
    source = ROOT / "src" / "chartui"
    found = {path.relative_to(source) for path in source.rglob("*.py") if variants.search(path.read_text())}
    assert found == {Path("core/lock.py")}
