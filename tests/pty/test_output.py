"""What the installed program sends to a terminal: how much for each step, and that a slow reader is not left behind."""

from __future__ import annotations

import subprocess
from typing import Final

import pytest

from tests.emulator import Kind
from tests.pty.terminal import CHARTUI, ESCAPE, Terminal, running

CHARACTERS: Final = 300
LIST: Final = (CHARTUI, "--profile", "local", "--screen", "characters")
ENVIRONMENT: Final = {"COLORTERM": "", "LC_ALL": "C.UTF-8"}
MODERN: Final = Kind(margins=True, modes={2026: 2, 69: 2})
RATE: Final = 2_000
PORTION: Final = RATE // 30
DOWN: Final = "\x1b[B"
HOME: Final = "\x1b[H"
#: The keys of each step, and its bytes at 80x24; a quarter more is accepted.
STEPS: Final = (
    ("one cursor step", DOWN, 240),
    ("20 steps at once", DOWN * 20, 3_600),
    ("a step that scrolls", DOWN, 300),
    ("the first character", HOME, 1_400),
    ("the filter", "/", 400),
    ("four letters", "dahl", 1_400),
    ("the filter cleared", ESCAPE, 2_000),
    ("a record", "\r", 1_800),
    ("the estimator", "E", 2_800),
    ("the characters", "C", 2_400),
    ("the help", "?", 2_800),
)


@pytest.fixture
def store(own_folders: object) -> None:
    seed = (CHARTUI, "--profile", "local", "store", "seed", "--characters", str(CHARACTERS))
    subprocess.run(seed, check=True, capture_output=True)


@pytest.mark.usefixtures("store")
def test_each_step_sends_little() -> None:
    """The least of three runs counts: a busy machine may draw several frames for one step."""
    least: dict[str, int] = {}
    limits = {"start": 2_900, **{name: most for name, _, most in STEPS}}
    for _ in range(3):
        for name, size in _sizes().items():
            least[name] = min(size, least.get(name, size))
        too_many = {name: size for name, size in least.items() if size > 1.25 * limits[name]}
        if not too_many:
            return
    assert too_many == {}


def _sizes() -> dict[str, int]:
    """The bytes of the start and of each step, by name."""
    with running(LIST, environment=ENVIRONMENT, kind=MODERN) as terminal:
        terminal.wait_for(f"{CHARACTERS} ")
        terminal.wait_for_rest(0.5)
        sizes = {"start": len(terminal.fresh)}
        for name, keys, _ in STEPS:
            terminal.forget()
            terminal.type(keys)
            terminal.wait_for_rest(0.4)
            sizes[name] = len(terminal.fresh)
    return sizes


@pytest.mark.usefixtures("store")
def test_a_slow_reader_sees_the_last_picture_soon() -> None:
    """A terminal that reads 2 kB a second, with 30 keys a second: it has the last picture two seconds later.

    Both are counted in bytes: a portion is read for each key.
    """
    with running(LIST, environment=ENVIRONMENT, kind=MODERN) as terminal:
        terminal.wait_for(f"{CHARACTERS} ")
        terminal.wait_for_rest(0.5)
        read = 0
        for _ in range(60):
            terminal.type(DOWN)
            read += terminal.read_some(PORTION)
        assert read > 30 * PORTION
        behind = silent = 0
        while silent < 20:  # it rests for a moment before the next frame is due
            came = terminal.read_some(PORTION)
            behind, silent = behind + came, 0 if came else silent + 1
        last = terminal.screen.seen
        terminal.type("\x0c")
        terminal.wait_for_rest(0.5)
        assert terminal.screen.seen == last
        assert behind < 2 * RATE


def test_nothing_is_asked_of_a_terminal_that_does_not_answer() -> None:
    with running((CHARTUI, "demo"), environment=ENVIRONMENT) as terminal:
        terminal.wait_for("credits per interaction")
        walk(terminal)
        assert terminal.raw.count(b"$p") == 2  # the framework's own


def test_every_answer_has_come_before_the_terminal_is_given_back() -> None:
    with running((CHARTUI, "demo"), environment=ENVIRONMENT, kind=MODERN) as terminal:
        terminal.wait_for("credits per interaction")
        walk(terminal)
        asked = terminal.raw.rindex(b"\x1b[?2026$p")
        assert terminal.raw.count(b"\x1b[?2026$p") > 1
        assert asked < terminal.raw.rindex(b"\x1b[?1049l")
        terminal.assert_restored()


def walk(terminal: Terminal) -> None:
    for key in "CNARE":
        terminal.type(key)
        terminal.wait_for_rest()
    terminal.type("q")
    assert terminal.end() == 0
