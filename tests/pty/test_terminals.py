"""The program in terminals that show less, byte for byte: all its screens, and windows that are too small."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from tests.pty.terminal import CHARTUI, ESCAPE, Terminal, running

_SET = re.compile(rb"\x1b\[([0-9;:]*)m")
_USUAL = {"LC_ALL": "C.UTF-8", "COLORTERM": "", "NO_COLOR": "", "CHARTUI_ASCII": ""}
#: A key that leads somewhere, and what is seen there.
_WAY = (
    ("[", "first in this session"),
    ("[", "Interactions"),
    ("[", "What-if"),
    ("C", "Elena Marsh"),
    ("N", "Welcome at the door"),
    ("M", "Map"),
    ("A", "Scene"),
    ("Q", "Requests"),
    ("?", "Keys"),
    (ESCAPE, "Requests"),
    (":", "Go to anything"),
    (ESCAPE, "Requests"),
    ("@", "Theme"),
    (ESCAPE, "Requests"),
)


def _colors(raw: bytes) -> Iterator[str]:
    """What is said about colors: ``few`` for one of sixteen, ``many`` for one of 256, ``true`` for any."""
    for found in _SET.finditer(raw):
        codes = [int(code or 0) for code in re.split(rb"[;:]", found[1])]
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                kind = codes.pop(0)
                yield "true" if kind == 2 else "many"
                del codes[: 3 if kind == 2 else 1]
            elif 30 <= code <= 49 or 90 <= code <= 107:
                yield "few"


def _through_all_screens(terminal: Terminal) -> None:
    terminal.wait_for("Configuration", "credits per interaction")
    for key, seen in _WAY:
        terminal.forget()
        terminal.type(key)
        if key != ESCAPE:
            terminal.wait_for(seen)
        terminal.wait_for_rest()
    terminal.type("q")
    assert terminal.end() == 0
    terminal.assert_restored()


@pytest.mark.parametrize(
    ("environment", "colors", "plain"),
    [
        pytest.param({"TERM": "xterm"}, {"few"}, False, marks=pytest.mark.long),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, {"true"}, False),
        pytest.param({"TERM": "screen", "LC_ALL": "C"}, {"few"}, True, marks=pytest.mark.long),
        pytest.param({"TERM": "tmux-256color", "NO_COLOR": "1"}, set(), False, marks=pytest.mark.long),
        pytest.param({"TERM": "linux"}, {"few"}, True, marks=pytest.mark.long),
        ({"TERM": "linux", "NO_COLOR": "1"}, set(), True),
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, Mapping) else "",
)
def test_a_terminal_is_sent_what_it_can_show(environment: Mapping[str, str], colors: set[str], plain: bool) -> None:
    with running((CHARTUI, "demo"), environment=_USUAL | dict(environment)) as terminal:
        _through_all_screens(terminal)
        assert set(_colors(terminal.raw)) == colors
        assert terminal.raw.isascii() == plain


def test_a_window_that_is_too_small_says_that_a_question_waits() -> None:
    with running((CHARTUI, "demo"), size=(80, 24), environment=_USUAL) as terminal:
        terminal.wait_for("Configuration", "10.297")
        terminal.type("C")
        terminal.wait_for("Elena Marsh")
        terminal.type("e")
        terminal.wait_for("Temperature", "Backstory")
        terminal.type("\x1b[B+")
        terminal.wait_for("S apply")
        terminal.resize(40, 12)
        terminal.wait_for("q asks before")
        terminal.type("q")
        terminal.wait_for("A question waits:")
        terminal.resize(80, 24)
        terminal.wait_for("Quit?")
        terminal.type("y")
        assert terminal.end() == 0


def test_a_window_that_is_too_small_says_so_and_loses_nothing() -> None:
    with running((CHARTUI, "demo"), size=(40, 10), environment=_USUAL) as terminal:
        terminal.wait_for("a window of 60x20", "one is 40x10")
        terminal.type("C")
        terminal.wait_for_rest()
        terminal.forget()
        terminal.resize(60, 20)
        terminal.wait_for("Configuration", "10.297")
        terminal.wait_for_rest()
        assert "Elena Marsh" not in terminal.text
        terminal.type("C")
        terminal.wait_for("Elena Marsh")
        for columns in range(59, 54, -1):
            terminal.resize(2, 1)
            terminal.resize(columns, 20)  # the program may read the earlier size at the signal for this one
            terminal.wait_for(f"this one is {columns}x20")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
