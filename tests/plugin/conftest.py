"""Runs pytest in a process of its own, on a project outside this one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "pytest"


class Run(NamedTuple):
    """A finished run of pytest: its exit status, what it printed, and the numbers at its end."""

    status: int
    output: str
    errors: str

    @property
    def counts(self) -> dict[str, int]:
        last = self.output.strip().splitlines()[-1]
        return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|deselected)", last)}


Pytest = Callable[..., Run]


@pytest.fixture
def run_pytest(tmp_path: Path) -> Pytest:
    """Run pytest in a folder, with the plugin and no others but ``plugins``."""

    def run(folder: Path, *arguments: str, plugins: tuple[str, ...] = ()) -> Run:
        loaded = [f"-p{name}" for name in ("chartui.pytest_plugin", "no:cacheprovider", *plugins)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *loaded, *arguments],
            cwd=folder,
            env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example project."""
    leave_out = shutil.ignore_patterns("__pycache__", ".*")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "project", ignore=leave_out))
