"""``script/release``: two builds are equal, and nothing is written unless the installed program passes its checks."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chartui import __version__

ROOT = Path(__file__).parents[2]
NAMES = (f"chartui-{__version__}-py3-none-any.whl", f"chartui-{__version__}.tar.gz")
MOMENT = 1_790_000_000  # even, as the times in a wheel are

#: Stands in for an interpreter: makes an environment whose program prints a version, and compares pictures or fails to.
PYTHON = """#!/bin/sh
case "$*" in
-V) echo "Python 3.11.0" ;;
"-m venv "*)
    mkdir -p "$3/bin"
    printf '#!/bin/sh\\necho "$*" >>"{log}"\\n' >"$3/bin/python"
    printf '#!/bin/sh\\n[ "$1" = --version ] && echo "chartui {version}" || {{ echo "$*" >>"{log}"; {checks}; }}\\n' \\
        >"$3/bin/chartui"
    chmod +x "$3/bin/python" "$3/bin/chartui" ;;
esac
"""


class Checkout:
    """A clone of this checkout at a commit of its own, with an environment that borrows this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.log = folder / "log"
        self.git("clone", "--quiet", "--depth=1", f"file://{ROOT}", str(self.folder), cwd=folder)
        for name in ("script/release", "pyproject.toml"):
            (self.folder / name).write_bytes((ROOT / name).read_bytes())
        # The environment is there already.
        (self.folder / "script" / "setup").write_text("#!/bin/sh\n", encoding="utf-8")
        self.add(self.folder / ".venv" / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        self.git(*who, "commit", "--quiet", "--all", "--message=x")

    def git(self, *arguments: str, cwd: Path | None = None) -> None:
        date = f"{MOMENT} +0000"
        env = os.environ | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        subprocess.run(["git", *arguments], cwd=cwd or self.folder, env=env, timeout=60, check=True)

    def add(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def release(self, out: Path, *, checks: str = "true") -> tuple[int, str]:
        """The exit status, and what was reported."""
        python = self.log.with_name("python3")
        self.add(python, PYTHON.format(log=self.log, version=__version__, checks=checks))
        command = [self.folder / "script" / "release", out, python]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: there is no commit to build from")
    return Checkout(tmp_path_factory.mktemp("release"))


def test_a_release_is_built_checked_and_summed_up(checkout: Checkout, tmp_path: Path) -> None:
    out = tmp_path / "out"
    status, said = checkout.release(out)
    assert status == 0, said
    assert sorted(path.name for path in out.iterdir()) == ["SHA256SUMS", *NAMES]
    sums = [f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}" for name in NAMES]
    assert (out / "SHA256SUMS").read_text(encoding="utf-8").splitlines() == sums
    install, check = checkout.log.read_text(encoding="utf-8").splitlines()
    assert install.startswith("-m pip install ")
    assert install.endswith(NAMES[0])
    assert check.startswith("demo --check ")
    assert check.endswith("docs/pictures")

    with zipfile.ZipFile(out / NAMES[0]) as wheel:
        times = {datetime(*info.date_time, tzinfo=UTC).timestamp() for info in wheel.infolist()}
        [entry_points] = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
        assert "[pytest11]\nchartui = chartui.pytest_plugin\n" in wheel.read(entry_points).decode()
    assert times == {MOMENT}
    with tarfile.open(out / NAMES[1]) as sdist:
        assert {info.mtime for info in sdist.getmembers()} == {MOMENT}
        assert any(name.endswith("/examples/pytest/README.md") for name in sdist.getnames())


def test_nothing_is_written_if_the_installed_program_fails(checkout: Checkout, tmp_path: Path) -> None:
    status, said = checkout.release(tmp_path / "out", checks="exit 1")
    assert status == 1
    assert "the installed program failed" in said
    assert list((tmp_path / "out").iterdir()) == []


def test_changes_that_are_not_committed_are_refused(checkout: Checkout, tmp_path: Path) -> None:
    added = checkout.add(checkout.folder / "new.txt", "New.\n")
    status, said = checkout.release(tmp_path / "out")
    added.unlink()
    assert status == 1
    assert "commit your changes first" in said
