"""What is written about scenes holds: the examples can be read, and every rule is named."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from chartui.core.actions import replay, scene_file
from chartui.core.actions.lint import RULES, lint

PAGE = Path(__file__).parents[3] / "docs" / "scenes.md"


def example(kind: str, folder: Path) -> Path:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [text] = [block for block in blocks if f'format = "{kind}"' in block]
    path = folder / "example.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_scene_can_be_read_and_nothing_is_found_in_it(tmp_path: Path) -> None:
    turn = scene_file.read_scene(example(scene_file.FORMAT, tmp_path))
    assert (len(turn.actions), len(turn.objects), len(turn.people)) == (3, 2, 1)
    assert lint(turn) == ()


def test_the_recorded_turns_can_be_read(tmp_path: Path) -> None:
    made = replay.read_replay(example(replay.FORMAT, tmp_path))
    assert made is not None
    assert [one.after for one in made.turns] == [0, 1, 0]
    assert [one.turn.actions for one in made.turns] == [("Picks Up", "Opens"), ("Picks Up", "Opens"), ("Waits",)]


def test_every_rule_is_named() -> None:
    rows = "\n".join(f"| `{rule.id}` | {rule.severity.value} | {rule.why} |" for rule in RULES.values())
    text = PAGE.read_text(encoding="utf-8")
    made = re.sub(r"(\|---\|---\|---\|\n)(?:\|.*\n)+", lambda head: f"{head[1]}{rows}\n", text)
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(made, encoding="utf-8")
        pytest.skip("written")
    assert text == made
