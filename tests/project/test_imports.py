"""What gets imported when, seen from a fresh interpreter: the static contracts cannot see imports inside functions."""

from __future__ import annotations

import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chartui

VALIDATION = {"pydantic", "pydantic_core"}
HTTP = {"httpx", "httpcore", "uvicorn", "h11", "python_multipart", "multipart", "websockets"}
SCREEN = {"textual", "rich"}
STORE = {"sqlite3"}
HEAVY = {"networkx", "numpy", "requests", "yaml"}
#: What only the settings or a key ask for.
ASKED_FOR = {
    "chartui.commands.tabs",
    "chartui.core.own_commands",
    "chartui.tui.shell.link",
    "chartui.tui.shell.own_commands",
}


def loaded_by(statements: str) -> set[str]:
    """The modules that a fresh interpreter holds after ``statements``."""
    code = f"{statements}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def modules_below(package: str) -> list[str]:
    """``package`` and every module in it, found without importing any."""
    parts = package.split(".")[1:]
    paths = [f"{chartui.__path__[0]}/{'/'.join(parts)}"]
    return [package, *(found.name for found in _walk(paths, f"{package}."))]


def _walk(paths: list[str], prefix: str) -> list[pkgutil.ModuleInfo]:
    found: list[pkgutil.ModuleInfo] = []
    for module in pkgutil.iter_modules(paths, prefix):
        found.append(module)
        if module.ispkg:
            inner = [f"{path}/{module.name.rpartition('.')[2]}" for path in paths]
            found.extend(_walk(inner, f"{module.name}."))
    return found


def importing(*modules: str) -> str:
    return "\n".join(f"import {module}" for module in modules)


@pytest.mark.parametrize(
    ("statements", "forbidden"),
    [
        pytest.param(importing("chartui.main"), VALIDATION | HTTP | SCREEN | STORE | HEAVY, id="the entry point"),
        pytest.param(
            importing("chartui.core.service"),
            VALIDATION | HTTP | SCREEN | STORE | HEAVY | {"asyncio", "platformdirs"},
            id="the service",
        ),
        pytest.param(
            importing(*modules_below("chartui.core.spec.models")),
            VALIDATION | HTTP | SCREEN | STORE | HEAVY,
            id="the models",
        ),
        pytest.param(importing(*modules_below("chartui.core")), SCREEN | HEAVY, id="the whole core"),
        pytest.param(importing(*modules_below("chartui.cli")), SCREEN | HTTP | HEAVY, id="the command line"),
        pytest.param(
            "from chartui.main import main; main(['demo', '--list'])",
            VALIDATION | HTTP | SCREEN | STORE | HEAVY,
            id="the list of tours",
        ),
        pytest.param(
            "from chartui.cli.parser import parse; parse(['--screen', 'characters'])",
            {"chartui.cli.characters", "chartui.cli.character_changes", "chartui.core.plans"},
            id="a screen to start with",
        ),
        pytest.param(importing("chartui.tui.app"), VALIDATION | HTTP | HEAVY | ASKED_FOR, id="the terminal UI's shell"),
        pytest.param(
            importing("chartui.tui.app", "chartui.tui.screens.estimator.screen"),
            {"chartui.core.fuzzy", "chartui.core.recent", "chartui.core.unsupported", "chartui.commands.synonyms"}
            | {"chartui.tui.shell.palette", "chartui.tui.shell.palette_entries", "chartui.tui.shell.help"},
            id="the first screen",
        ),
        pytest.param(importing(*modules_below("chartui.tui")), VALIDATION | HTTP | HEAVY, id="the whole terminal UI"),
        pytest.param(
            importing("chartui.core.backends.remote.http", "click"), SCREEN | HEAVY, id="the HTTP client beside click"
        ),
    ],
)
def test_an_import_does_not_bring(statements: str, forbidden: set[str]) -> None:
    assert loaded_by(statements) & forbidden == set()


def test_what_is_looked_for_would_be_found() -> None:
    """The subprocess sees installed packages, so an empty intersection above says something."""
    assert loaded_by("import pydantic, httpx") >= {"pydantic", "httpx"}


def test_the_palette_of_the_framework_is_imported_only_if_it_is_asked_for() -> None:
    lean = "from chartui.tui.framework import import_framework; import_framework()"
    assert not {"textual.command", "textual.widgets._select"} & loaded_by(f"{lean}; import chartui.tui.run")
    assert "textual.widgets._option_list" in loaded_by(
        f"{lean}; import textual.command; assert textual.command.CommandPalette.is_open"
    )


def test_data_classes_and_named_tuples_are_declared_in_the_short_way() -> None:
    """The standard library takes twice as long for a class."""
    modules = Path(chartui.__path__[0]).rglob("*.py")
    imported = r"^from (dataclasses|typing) import (\([^)]*|.*)\b(dataclass|NamedTuple)\b"
    standard = re.compile(rf"{imported}|\(typing\.NamedTuple|dataclasses\.dataclass\(", re.MULTILINE)
    assert [path.name for path in modules if standard.search(path.read_text())] == ["classes.py"]
