"""The benchmarks run, and their probe counts right; how long things take is no test's business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = sorted(path.name for path in BENCHMARKS.glob("*.py") if path.name != "report.py")

#: Shows a text in pieces, asks the terminal what it can do, answers two keys, and ends on a third.
PROGRAM = r"""
import os, tty
tty.setraw(0)
def write(text): os.write(1, text.encode())
write("\x1b[2J\x1b[1;1Hre\x1b[1mad\x1b[0my\x1b[2;1Hin \x1b]0;title\x07%dx%d" % os.get_terminal_size())
while (key := os.read(0, 100)) != b"q":
    if key == b"?":
        write("\x1b[?2026$p")
        answer = os.read(0, 100)
        write("answer " + answer.hex())
    elif key.startswith(b"\x1b[B"):  # on a busy machine several arrive together
        write("down" * key.count(b"\x1b[B"))
raise SystemExit(7)
"""
FIRST = len("\x1b[2J\x1b[1;1Hre\x1b[1mad\x1b[0my\x1b[2;1Hin \x1b]0;title\x07" + "120x40")


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def probe(*arguments: str, program: str = PROGRAM) -> dict[str, Any]:
    done = run("probe.py", *arguments, "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_says_what_it_does(name: str) -> None:
    done = run(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage:" in done.stdout.lower()


def test_no_program_hides_a_module_of_the_standard_library() -> None:
    """Their folder comes first where modules are looked for, also for what they import."""
    assert {Path(name).stem for name in PROGRAMS} & sys.stdlib_module_names == set()


def test_a_program_is_ready_when_its_text_is_shown_whole() -> None:
    found = probe("--size", "120x40", "--until", "ready\nin 120x40$", "--quit", "q", "--text")
    start = found["start"]
    assert start["size"] == FIRST
    assert 0 < start["ready"] <= start["settled"]
    assert start["cpu"] > 0
    assert start["memory"] > 1_000_000
    assert found["text"].endswith("ready\nin 120x40")
    assert found["quit"]["status"] == 7


def test_keys_are_pressed_and_what_each_causes_is_counted() -> None:
    found = probe("--until", "ready", "--keys", "down x", "--hold", "down", "--quit", "q", "--text")
    caused, nothing = found["keys"]
    assert (caused["key"], caused["size"]) == ("down", len("down"))
    assert 0 < caused["first"] <= caused["last"]
    assert (nothing["size"], nothing["first"], nothing["last"]) == (0, None, None)
    assert found["hold"]["presses"] == 60
    assert found["hold"]["drain"] > 0
    assert found["hold"]["slowest"] > 0
    assert found["text"].count("down") == 1 + 60


def test_the_question_for_synchronized_output_is_answered() -> None:
    found = probe("--until", "ready", "--keys", "?", "--quit", "q", "--text")
    assert found["text"].endswith("answer " + b"\x1b[?2026;2$y".hex())


def test_a_program_left_alone_writes_nothing() -> None:
    assert probe("--until", "ready", "--idle", "0.2")["idle"]["size"] == 0


@pytest.mark.parametrize(
    ("program", "limit", "problem"),
    [
        pytest.param("print('something else')", "30", "it ended before 'ready' was shown", id="ends"),
        pytest.param("input('something else')", "0.5", "0.5 s passed before 'ready' was shown", id="never comes"),
    ],
)
def test_a_text_that_does_not_come_is_told_with_what_came(program: str, limit: str, problem: str) -> None:
    done = run("probe.py", "--until", "ready", "--limit", limit, "--", sys.executable, "-c", program)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(problem)
    assert "something else" in done.stderr


def test_a_program_that_does_not_exist_is_told() -> None:
    done = run("probe.py", "--until", "ready", "--", "no-such-program-anywhere")
    assert done.returncode == 1
    assert "no-such-program-anywhere: No such file" in done.stderr
