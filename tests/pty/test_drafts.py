"""What is staged when the program ends by force: it asks nobody, and finds the draft again at its next start."""

from __future__ import annotations

import signal

import pytest

from tests.pty.terminal import CHARTUI, PATIENCE, Terminal, running

COMMAND = (CHARTUI, "--profile", "demo", "--screen", "characters")


def stage(terminal: Terminal) -> None:
    """Change the temperature of the first character, and wait until that is kept."""
    terminal.wait_for("Elena Marsh", "Bran Alder")
    terminal.type("e")
    terminal.wait_for("Temperature", "0 to 1")
    terminal.type("j0.9\r")
    terminal.wait_for("1 change staged: temperature. S")


@pytest.mark.parametrize("how", ["hang up", "SIGTERM", "SIGQUIT"])
def test_what_is_staged_is_there_again(how: str) -> None:
    with running(COMMAND) as terminal:
        stage(terminal)
        if how == "hang up":
            terminal.hang_up()
            assert terminal.process.wait(timeout=PATIENCE) == 128 + signal.SIGHUP
        else:
            number = signal.Signals[how]
            assert terminal.end(number) == 128 + number
    with running(COMMAND) as terminal:
        terminal.wait_for("Restored staged changes to")  # in a message, of which lines are broken
        terminal.type("e")
        terminal.wait_for("was 0.6")
        terminal.type("q")
        terminal.wait_for("Staged changes to Elena Marsh are not applied")
        terminal.type("y")
        assert terminal.end() == 0
        terminal.assert_restored()


def test_the_interrupt_key_does_not_leave() -> None:
    with running(COMMAND) as terminal:
        stage(terminal)
        terminal.type("\x03q")
        terminal.wait_for("Quit?")
        terminal.type("y")
        assert terminal.end() == 0
