"""The sentences of the tables: the planner makes of each what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.actions import planner_score
from tests.core.actions.commands import TABLE, read_commands

TABLES = (TABLE, *(TABLE.with_name(f"commands_{name}.toml") for name in ("later", "blind", "players")))
COMMANDS = [command for table in TABLES for command in read_commands(table)]


def test_a_sentence_becomes_its_sequence() -> None:
    found = [(command, command.mistake()) for command in COMMANDS]
    # One that is not missed any more is said to be right from now on.
    wrong = [
        f"{command.place}: {command.say}: {mistake or 'remove its miss'}"
        for command, mistake in found
        if bool(mistake) != bool(command.miss)
    ]
    assert not wrong, "\n".join(wrong)


def test_few_are_missed() -> None:
    missed = [command for command in COMMANDS if command.miss]
    assert len(missed) <= len(COMMANDS) * 0.05


def test_a_file_of_sentences_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "more.toml"
    path.write_text(
        '[yard]\nlike = "forge"\nactions = ["Rolls"]\n'
        'rolling = [{ say = "Roll the hammer.", steps = ["Rolls Hammer"] }, { say = "Roll it.", steps = ["Rolls"] }]\n'
    )
    planner_score.main(path)
    out = capsys.readouterr().out
    assert "rolling          1 of 2" in out
    assert "yard: rolling: “Roll it.”" in out
    assert "1 of 2 right (50.0%)" in out
