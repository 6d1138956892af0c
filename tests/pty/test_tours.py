"""Tours in a real terminal: played, taken over, and made of keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.demos.tour import Perform
from chartui.demos.tour_file import read_tour
from tests.pty.terminal import CHARTUI, running


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files: whatever the program leaves there is seen."""
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    return path


def test_a_tour_is_played_with_captions_and_taken_over(scratch: Path, own_folders: Path) -> None:
    command = (CHARTUI, "demo", "support-look-up", "--play", "--speed", "100")
    with running(command, size=(90, 30), environment={"NO_COLOR": "1", "TZ": "Asia/Tokyo"}) as terminal:
        terminal.wait_for("esc quits")
        terminal.wait_for("End of the tour")
        terminal.wait_for_rest()
        assert len(list(scratch.iterdir())) == 1
        terminal.forget()
        terminal.type("E")  # takes over, and is not obeyed
        terminal.wait_for("You're in control now.")
        terminal.type("Q")
        terminal.wait_for("list-characters")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    assert list(scratch.iterdir()) == []
    assert list(own_folders.rglob("*")) == []


def test_a_viewer_goes_to_other_steps_and_tries_the_end(scratch: Path) -> None:
    with running((CHARTUI, "demo", "support-look-up"), size=(100, 30)) as terminal:
        terminal.wait_for("other keys take over")
        terminal.type(" 3\r")
        terminal.wait_for("The record shows", "3/6", "space resumes")
        terminal.forget()
        terminal.type("\x1b[D")  # the program is started again
        terminal.wait_for("The fuzzy filter finds", "2/6", "space resumes")
        assert "1 of 412" not in terminal.text
        terminal.type("+ ")
        terminal.wait_for("2×", "ctrl+t", "elnea mash", "1 of 412")  # the pressed keys are in sight
        terminal.type("7\r")
        terminal.wait_for("End of the tour", "Started with --read-only")
        assert len(list(scratch.iterdir())) == 1
        terminal.type("\r")
        terminal.wait_for("You're in control now.", "Welcome at the door")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    assert list(scratch.iterdir()) == []


def test_a_tutor_from_inside_returns_to_where_you_were(scratch: Path) -> None:
    with running((CHARTUI, "demo"), size=(80, 30)) as terminal:
        terminal.wait_for("credits per interaction")
        terminal.type("C")
        terminal.wait_for("Elena Marsh")
        terminal.wait_for_rest()
        terminal.forget()
        terminal.type(":")
        terminal.wait_for("Go to anything")
        terminal.type("learn\r")
        terminal.wait_for("This is what an interaction costs.")
        terminal.type("\x1b[C")
        terminal.wait_for("Press p to pin")
        terminal.forget()
        terminal.type("\x11")
        terminal.wait_for("Bran Alder")
        assert len(list(scratch.iterdir())) == 1
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    assert list(scratch.iterdir()) == []


def test_keys_become_a_tour_of_ones_own(scratch: Path, own_folders: Path) -> None:
    with running((CHARTUI, "demo", "--write", "mine")) as terminal:
        terminal.wait_for("Every key is recorded.")
        terminal.type("C")
        terminal.wait_for("Elena Marsh")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
        assert "chartui demo mine --play" in terminal.text
    tour = read_tour(own_folders / "config" / "tours" / "mine.toml")
    assert [step.actions for step in tour.steps] == [(Perform("show-characters"),)]
    assert list(scratch.iterdir()) == []
