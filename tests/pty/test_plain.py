"""Plain mode in a real terminal: only lines of text are written, whatever the window and the output are."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from chartui.core.config import config_path
from tests.pty.terminal import CHARTUI, ESCAPE, Terminal, running

PLAIN = (CHARTUI, "demo", "--plain")
STARTED = ("Screen: Estimator", "credits per interaction")
#: The screens and some of their dialogs: the keys, and what is said then.
WALK = (
    ("\x1b[B\r", "Memory: off"),
    ("C", "Name: Elena Marsh"),
    ("e", "Tab: Settings"),
    ("+", "Model: "),
    (ESCAPE, "Characters, list"),
    (":", "Dialog: Go to anything"),
    (ESCAPE, "Screen: Characters"),
    ("?", "Dialog: Keys and symbols"),
    ("\x0c", "Everywhere"),
    (ESCAPE, "Screen: Characters"),
    ("N", "Welcome at the door"),
    ("w", "Tab: Walk"),
    ("A", "Speak to: Elena Marsh"),
    ("Q", "Screen: Requests"),
    ("H", "Dialog: History"),
    (ESCAPE, "Screen: Requests"),
    ("@", "Dialog: Theme"),
    (ESCAPE, "Screen: Requests"),
    ("P", "Dialog: "),
    (ESCAPE, "Screen: Requests"),
)


def assert_plain(raw: bytes) -> None:
    """No control character but line ends, and no frame."""
    text = raw.decode()
    assert set(re.findall(r"[\x00-\x1f\x7f-\x9f]", text)) <= {"\r", "\n"}
    assert not re.search("[\u2500-\u259f\u2800-\u28ff]", text)


def step(terminal: Terminal, keys: str, said: str) -> None:
    terminal.forget()
    terminal.type(keys)
    terminal.wait_for(said)


@pytest.mark.parametrize("size", [(80, 24), (20, 5)], ids=["80x24", "20x5"])
def test_all_screens_are_lines_of_text(size: tuple[int, int]) -> None:
    with running(PLAIN, size=size) as terminal:
        terminal.wait_for(*STARTED)
        for keys, said in WALK:
            step(terminal, keys, said)
        terminal.resize(60, 20)
        step(terminal, "E", "Screen: Estimator")
        step(terminal, "q", "Staged changes to Elena Marsh are not applied yet.")
        terminal.type("y")
        assert terminal.end() == 0
    assert_plain(terminal.raw)


def test_keys_typed_ahead_are_obeyed() -> None:
    with running(PLAIN) as terminal:
        terminal.type("C/bran\r")
        terminal.wait_for("Name: Bran Alder")
        terminal.type("q")
        assert terminal.end() == 0
    assert_plain(terminal.raw)


def test_the_lines_go_to_a_pipe_and_the_keys_come_from_the_terminal() -> None:
    reading, writing = os.pipe()
    with running((*PLAIN, "--ascii"), stdout=writing, environment={"TERM": "dumb"}) as terminal:
        os.close(writing)
        with open(reading, "rb", buffering=0) as pipe:
            log = b""
            while b"credits per interaction" not in log:
                log += pipe.read(4096) or pytest.fail(log.decode())
            terminal.type("C")
            while b"Screen: Characters" not in log:
                log += pipe.read(4096) or pytest.fail(log.decode())
            terminal.type("q")
            while piece := pipe.read(4096):
                log += piece
        assert terminal.end() == 0
    assert terminal.raw == b""
    assert log.isascii()
    assert_plain(log)


@pytest.mark.parametrize("way", ["settings", "variable"])
def test_it_is_switched_on_by_the_settings_or_a_variable(way: str) -> None:
    if way == "settings":
        config_path().parent.mkdir()
        config_path().write_text('format = "chartui-config"\nversion = 1\nplain = true\n')
    with running(PLAIN[:2], environment={"CHARTUI_PLAIN": "1"} if way == "variable" else None) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("q")
        assert terminal.end() == 0
    assert_plain(terminal.raw)


def test_the_keys_have_to_come_from_a_terminal() -> None:
    found = subprocess.run(PLAIN, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "the terminal UI needs a terminal on standard input; " in found.stderr
