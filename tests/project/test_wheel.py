"""The package as a user gets it: built, installed into an empty environment, started. No network is needed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "chartui"


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """What ``command`` writes to standard output; it must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of an environment that holds the wheel; what it depends on is borrowed from this one."""
    environment = tmp_path_factory.mktemp("installed") / "env"
    python = environment / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    if uv := shutil.which("uv"):
        run(uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python, wheel)
    else:
        run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel)
    (packages,) = environment.glob("lib/python*/site-packages")
    # A path in a .pth file comes after the environment's own packages, and .pth files found there are not read: so the
    # program itself comes from the wheel.
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return python.parent


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {
        f"chartui/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    themes = {f"chartui/themes/{path.name}" for path in (ROOT / "themes").glob("*.toml")}
    assert themes
    assert names == package | themes


def test_the_installed_program_is_the_one_from_the_wheel(installed: Path) -> None:
    where = run(installed / "python", "-c", "import chartui; print(chartui.__file__)", cwd=installed).strip()
    assert Path(where).is_relative_to(installed.parent)


def test_the_themes_arrive(installed: Path) -> None:
    code = (
        "from importlib.resources import files\n"
        "print(*sorted(t.name for t in (files('chartui') / 'themes').iterdir() if t.name.endswith('.toml')))"
    )
    arrived = run(installed / "python", "-c", code, cwd=installed).split()
    assert arrived == sorted(path.name for path in (ROOT / "themes").glob("*.toml"))
    assert arrived


def test_the_installed_program_says_its_version(installed: Path) -> None:
    from chartui import __version__

    assert run(installed / "chartui", "--version", cwd=installed).split() == ["chartui", __version__]


def test_the_installed_program_works(installed: Path) -> None:
    estimate = json.loads(run(installed / "chartui", "estimate", "--llm", "mdla_4o", "--json", cwd=installed))
    assert estimate["selections"]["llm"] == "mdla_4o"
    assert estimate["totals"]["credits"] > 0
