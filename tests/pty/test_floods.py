"""More than anybody types at once, in a real terminal: no text is lost, and keys are obeyed afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.long import sampled
from tests.pty.terminal import CHARTUI, Terminal, running

#: The backstory of the first character of the demo data, in characters.
LENGTH = 750
LINE = "She walks along the quay.\n"


@contextmanager
def editing() -> Iterator[Terminal]:
    """The editor, open on a backstory, with the cursor at its end."""
    with running((CHARTUI, "demo", "--screen", "characters"), size=(120, 40)) as terminal:
        terminal.wait_for("Elena Marsh")
        terminal.type("e")
        terminal.wait_for("Temperature", "0 to 1")
        terminal.type("\x1b[F\r")
        terminal.wait_for(f"{LENGTH} characters,", "restore")
        terminal.forget()
        yield terminal
        terminal.type("\x1b")
        terminal.wait_for("1 change staged: backstory")
        terminal.type("q")
        terminal.wait_for("are not applied")
        terminal.type("y")
        assert terminal.end() == 0
        terminal.assert_restored()


def counted(length: int) -> str:
    """How the editor states the length of its text."""
    return f"{length:,} characters".replace(",", " ")


def send(terminal: Terminal, text: str, shown: str) -> None:
    """Type a text that no pipe holds at once, and wait until ``shown`` says that all of it arrived."""
    writer = threading.Thread(target=terminal.type_all, args=(text,))
    writer.start()
    terminal.wait_for(shown)
    writer.join()


@pytest.mark.parametrize("lines", sampled([300, 667], 300))
def test_thousands_of_keys_at_once_are_all_written(lines: int) -> None:
    keys = "a quiet night,\r" * lines
    with editing() as terminal:
        send(terminal, keys, counted(LENGTH + len(keys)))


@pytest.mark.parametrize("lines", sampled([4_000, 40_000], 4_000))
def test_a_long_text_is_pasted_and_the_next_key_is_obeyed(lines: int) -> None:
    text = LINE * lines
    length = LENGTH + len(text)
    with editing() as terminal:
        send(terminal, f"\x1b[200~{text}\x1b[201~", counted(length))
        terminal.forget()
        terminal.type("z")
        terminal.wait_for(counted(length + 1))


@pytest.mark.parametrize("count", sampled([1_000, 10_000], 1_000))
def test_thousands_of_moves_of_the_mouse_leave_the_keys_alone(count: int) -> None:
    with running((CHARTUI, "demo", "--screen", "characters"), size=(120, 40)) as terminal:
        terminal.wait_for("Elena Marsh")
        moves = "".join(f"\x1b[<35;{1 + number % 120};{1 + number % 40}M" for number in range(count))
        send(terminal, moves + "E", "Configuration")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
