"""What every text file of the project keeps to, checked on what is under version control."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = {".py", ".md", ".toml", ".txt", ".json", ".tcss", ".cfg", ".sh", ".yml", ".yaml", ""}

#: What must not be in any file, and why.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:home|root|Users|work|mnt)/[\w.-]+"),
    "a package index": re.compile(r"\b(?:py" + r"pi\.org|pythonhosted\.org|index-" + r"url\s*=)"),
    "an unfinished place": re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"),
    "a conflict mark": re.compile(r"^(?:<{7}|>{7}|={7})(?: |$)", re.MULTILINE),
    "a blank at the end of a line": re.compile(r"[ \t]+$", re.MULTILINE),
    "a carriage return": re.compile(r"\r"),
}


def _files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    if listed.returncode != 0:
        pytest.skip("not a checkout: there is no list of the project's files")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    # Pictures of screens and recordings end lines as the screen does.
    return [path for path in paths if path.suffix in TEXT and "__snapshots__" not in path.parts and path.is_file()]


def test_no_file_says_what_must_not_be_said() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {why}"
        for path in _files()
        for text in [path.read_text(encoding="utf-8")]
        for why, pattern in FORBIDDEN.items()
        for match in pattern.finditer(text)
    ]
    assert findings == []


def test_every_file_ends_with_its_last_line() -> None:
    bad = [
        str(path.relative_to(ROOT))
        for path in _files()
        for text in [path.read_text(encoding="utf-8")]
        if text and (not text.endswith("\n") or text.endswith("\n\n"))
    ]
    assert bad == []


def test_the_lock_names_no_package_index() -> None:
    lock = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pins = [line for line in lock.splitlines() if line and not line.lstrip().startswith("#")]
    assert len(pins) > 40
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]*==[\w.+!]+(?: ; .+)?", pin) for pin in pins)
