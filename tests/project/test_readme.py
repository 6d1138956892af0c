"""The README does what it says: what it shows is run, and what it only names is understood."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartui.cli.parser import parse

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = Path(sys.executable).with_name("chartui")


def blocks(kind: str) -> list[str]:
    """The contents of the fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def sessions() -> list[list[tuple[str, str]]]:
    """The console blocks: pairs of a command and what it writes."""
    return [
        [(command, shown) for command, _, shown in (part.partition("\n") for part in block.split("$ ")[1:])]
        for block in blocks("console")
    ]


def named() -> Iterator[str]:
    """The command lines of the program in the other blocks."""
    for block in blocks("sh"):
        yield from (line for line in block.splitlines() if line.startswith("chartui "))


def pattern_of(shown: str) -> str:
    """``shown`` as a pattern in which ``…`` stands for anything, on a line of its own for any lines."""
    pattern = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", shown))
    return rf"{pattern}\s*"


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session[0][0])
def test_what_is_shown_is_what_comes(session: list[tuple[str, str]]) -> None:
    for command, shown in session:
        words = shlex.split(command)
        assert words[0] == "chartui"
        done = subprocess.run(
            [PROGRAM, *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        fits = re.fullmatch(pattern_of(shown), done.stdout, re.DOTALL) is not None
        assert fits, f"{command}\n{done.stdout}"


@pytest.mark.parametrize("line", named())
def test_what_is_named_is_understood(line: str) -> None:
    arguments = parse(shlex.split(line)[1:])
    assert arguments.handler is not None or arguments.demo


def test_there_is_something_to_check() -> None:
    assert len(sessions()) >= 4
    assert len(list(named())) >= 8


def test_the_two_commands_are_there() -> None:
    for command in ("script/demo", "script/test"):
        assert command in blocks("sh")[0] + blocks("sh")[1]
        assert (ROOT / command).stat().st_mode & 0o111


def test_every_file_it_names_is_there() -> None:
    for name in re.findall(r"`([A-Z]+\.md|script/\w+)`", README):
        assert (ROOT / name).exists(), name
