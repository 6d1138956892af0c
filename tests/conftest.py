"""What holds for every test: nothing of the person who runs them gets in, and nothing of theirs gets out."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

#: The Python that the screen snapshots are made with: the lowest that the program runs on.
SNAPSHOT_PYTHON = (3, 11)

#: Variables that would change what the program does or shows.
_FOREIGN = ("NO_COLOR", "FORCE_COLOR", "PYTHONPATH")
_FOREIGN_PREFIXES = ("CHARTUI_", "TEXTUAL_", "XDG_")
#: Where the processes of a parallel run put their pictures together.
_SNAPSHOTS = "TEXTUAL_SNAPSHOT_TEMPDIR"
#: What the person who runs the tests may say about them: how often the program is killed (tests/kill).
_KEPT = (_SNAPSHOTS, "CHARTUI_KILLS", "CHARTUI_EDITS", "CHARTUI_DAMAGED", "CHARTUI_SEED")
#: What the page about failed snapshots may quote: it prints the whole environment.
_HARMLESS = ("PATH", "HOME", "TERM", "CI", "LANG")
_HARMLESS_PREFIXES = ("PYTEST_", "TEXTUAL_")


def _remove_foreign_variables() -> None:
    for name in list(os.environ):
        if name not in _KEPT and (name in _FOREIGN or name.startswith(_FOREIGN_PREFIXES)):
            del os.environ[name]
    # The parser of commands looks for translations of every sentence of its own, which is a fifth of a command's time.
    os.environ["LANGUAGE"] = "C"
    # Whatever proxy there is, the loopback interface is not behind it.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost,::1"


_remove_foreign_variables()
#: How many folders of each name this process has made.
_folders_made: Counter[str] = Counter()

# The same examples at every run, so that a run says something about the change and not about its luck. Those who look
# for what no run has met yet say `--hypothesis-profile default`.
settings.register_profile("long", deadline=None, derandomize=True, database=None)
settings.register_profile("same", settings.get_profile("long"), max_examples=25)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked long as well: before a release")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked long, unless it is asked for."""
    if config.getoption("long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if not item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("update_snapshots", False) and sys.version_info[:2] != SNAPSHOT_PYTHON:
        wanted = ".".join(map(str, SNAPSHOT_PYTHON))
        raise pytest.UsageError(f"Snapshots are made with Python {wanted} only, so that they never move by themselves.")
    if settings.get_current_profile_name() == "same":
        if config.getoption("long"):
            settings.load_profile("long")
        # Constants of every module that happens to be loaded are tried as well, in one process others than in the next.
        providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected: what that makes is kept until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests make only, and seldom: else a fifth of their time goes by with that."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own, named as pytest names it, which for every test reads the names of all it has made."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{_folders_made[name]}"
    _folders_made[name] += 1
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own: no file of the user is read or written. Gives the folder."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CHARTUI_CONFIG_DIR", str(home / "config"))
    monkeypatch.setenv("CHARTUI_DATA_DIR", str(home / "data"))
    return home


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    for name in list(os.environ):
        if name not in _HARMLESS and not name.startswith(_HARMLESS_PREFIXES):
            del os.environ[name]


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how much of the contract was run: a figure for the record that nobody counts by hand."""
    runs = {
        report.nodeid.partition("[")[2].rstrip("]")
        for outcome in ("passed", "failed", "error")
        for report in terminalreporter.stats.get(outcome, [])
        if report.nodeid.startswith("tests/contract/test_cases.py::test_case[")
    }
    if runs:
        cases = {run.partition("-")[2] for run in runs}
        terminalreporter.write_line(f"contract: {len(cases)} cases, {len(runs)} runs on the paths to the store")


@pytest.fixture
def anyio_backend() -> str:
    """The program runs on asyncio."""
    return "asyncio"
