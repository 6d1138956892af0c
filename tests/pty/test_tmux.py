"""Inside tmux, which keeps a picture of its own: it holds what the emulator of the tests shows."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unicodedata import category

import pytest

from tests.emulator import Cell, Emulator
from tests.pty.terminal import CHARTUI, ESCAPE, PATIENCE, running

SETTINGS: Final = "set -g status off\nset -g default-terminal screen-256color\nset -s escape-time 10\n"
SIZE: Final = (80, 24)
ENVIRONMENT: Final = {"COLORTERM": "", "LC_ALL": "C.UTF-8"}
DOWN: Final = "\x1b[B"
#: The keys of each step, and a text that they bring.
WALK: Final = (
    ("", "credits per interaction"),
    (DOWN * 3, "credits per interaction"),
    ("C", "Elena Marsh"),
    (DOWN * 4, "Elena Marsh"),
    ("/", "go to list"),
    ("an", "go to list"),
    (ESCAPE, "Elena Marsh"),
    ("?", "Keys and symbols"),
    (ESCAPE, "Elena Marsh"),
    ("N", "Narrative"),
    ("E", "credits per interaction"),
)

Picture = Sequence[Sequence[Cell]]


class Pane:
    """The program in a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "socket"
        self._settings = folder / "tmux.conf"
        self._settings.write_text(SETTINGS)

    def run(self, *words: str) -> str:
        command = ["tmux", "-u", "-S", str(self._socket), "-f", str(self._settings), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def type(self, keys: str) -> None:
        self.run("send-keys", "-H", *(f"{byte:02x}" for byte in keys.encode()))

    @property
    def picture(self) -> Picture:
        """The cells that tmux holds."""
        shown = Emulator(*SIZE)
        shown.feed("\x1b[?1049h\x1b[?7l" + self.run("capture-pane", "-epN").rstrip("\n").replace("\n", "\r\n"))
        return shown.seen


@contextmanager
def pane(folder: Path, *command: str) -> Iterator[Pane]:
    made = Pane(folder)
    columns, lines = map(str, SIZE)
    variables = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
    command = command or (str(CHARTUI), "demo")
    made.run("new-session", "-d", "-x", columns, "-y", lines, "env", *variables, *command)
    try:
        yield made
    finally:
        made.run("kill-server")


def differing(one: Picture, other: Picture) -> list[tuple[str, str]]:
    """The rows that differ, except those with vowel signs, to which tmux gives a cell of their own."""
    rows = [
        ("".join(cell.sign for cell in row), "".join(cell.sign for cell in also))
        for row, also in zip(one, other, strict=True)
    ]
    return [
        texts
        for texts, row, also in zip(rows, one, other, strict=True)
        if row != also and not any(category(sign) == "Mc" for sign in "".join(texts))
    ]


def wait_for(inside: Pane, holds: Callable[[Pane], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds(inside):
        assert time.monotonic() < deadline, inside.run("capture-pane", "-pN")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.usefixtures("own_folders")
def test_a_window_that_has_grown_is_left_as_it_was(tmp_path: Path) -> None:
    def drawn_up_to(column: int) -> Callable[[Pane], bool]:
        return lambda inside: any(len(row.rstrip()) > column for row in inside.run("capture-pane", "-p").splitlines())

    with pane(tmp_path, "sh", "-c", f"echo before; {CHARTUI} demo; echo after; cat") as inside:
        wait_for(inside, drawn_up_to(SIZE[0] - 2))
        inside.run("resize-window", "-x", "130", "-y", "40")
        wait_for(inside, drawn_up_to(128))
        inside.type("q")
        wait_for(inside, lambda inside: inside.run("display-message", "-p", "#{alternate_on}") == "0\n")
        wait_for(inside, lambda inside: "after" in inside.run("capture-pane", "-p"))
        assert inside.run("capture-pane", "-p", "-S", "-").split() == ["before", "after"]


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.usefixtures("own_folders")
def test_tmux_holds_what_the_emulator_shows(tmp_path: Path) -> None:
    with running((CHARTUI, "demo"), size=SIZE, environment=ENVIRONMENT) as terminal, pane(tmp_path) as inside:
        for keys, brought in WALK:
            if keys:
                terminal.forget()
                terminal.type(keys)
                inside.type(keys)
            terminal.wait_for(brought)
            terminal.wait_for_rest()
            deadline = time.monotonic() + PATIENCE
            while found := differing(inside.picture, terminal.screen.seen):
                assert time.monotonic() < deadline, f"after {keys!r}: {found}"
