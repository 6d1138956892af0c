"""Tours are looked at where they take a picture, and not at every picture in between."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pty.terminal import CHARTUI
from tests.tui.drawing import draw_when_looked_at

#: Everything that a picture or a film must not depend on.
SURROUNDINGS = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "TZ": "Asia/Tokyo",
    "TERM": "dumb",
    "COLUMNS": "40",
    "NO_COLOR": "1",
    "PYTHONHASHSEED": "77",
    "TEXTUAL_THEME": "nord",
    "TEXTUAL_ANIMATIONS": "full",
    "CHARTUI_READ_ONLY": "1",
}


@pytest.fixture(autouse=True)
def _drawn_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_when_looked_at(monkeypatch)


@pytest.fixture
def demo_elsewhere(tmp_path: Path) -> Callable[..., None]:
    """Runs ``chartui demo`` in a process of its own, in other surroundings and in the folder of the test."""

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [CHARTUI, "demo", *arguments],
            env=SURROUNDINGS | {"HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout

    return run
