"""What a failing test prints: the screen as it was seen, and not the whole state behind it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEST = """
async def test_{number}() -> None:
    async with opened(screen="characters") as user:
        {assertion}
"""
ASSERTIONS = (
    "assert user.characters.staged",
    "assert not user.characters.summaries",
    "assert user.characters.summaries == None",
    "assert [str(one) for one in COMMANDS] == [user.characters.summaries] * 3",
    "assert 'Zed' in user.screen",
    "user.line('Zed')",
)


def test_a_failure_at_the_keyboard_shows_the_screen_and_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = tmp_path / "test_failing.py"
    tests = [TEST.format(number=number, assertion=assertion) for number, assertion in enumerate(ASSERTIONS)]
    imports = "from chartui.commands import COMMANDS\nfrom tests.tui.user import opened\n"
    test.write_text(imports + "".join(tests))
    # Where it takes itself to run for a server that keeps the log, the framework cuts nothing.
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    plugins = ("-p", "tests.conftest", "-p", "tests.tui.conftest", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", "--rootdir", ".", *plugins, str(test)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    _, *failures = re.split(r"^_+ test_\d _+$", done.stdout.partition("short test summary")[0], flags=re.MULTILINE)
    assert len(failures) == len(ASSERTIONS)
    for assertion, failure in zip(ASSERTIONS, failures, strict=True):
        assert len(failure) < 4_000, (assertion, len(failure))
        assert re.search(r"│[ ▌]*Elena Marsh.*│", failure), assertion
