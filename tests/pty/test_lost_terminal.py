"""A terminal that goes away, as a closed window does: the program ends, with what it was doing written down."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from chartui.core.journal import Outcome, PlanState
from tests.long import sampled
from tests.pty.journal import held, outcomes, plans, until
from tests.pty.terminal import CHARTUI, PATIENCE, Terminal, running

DEMO = (CHARTUI, "demo")
#: The program, waiting for a store that something else writes to for as long as a test does, and not for five seconds.
PATIENT = (
    sys.executable,
    "-c",
    "import sys; from chartui.core.backends.local.store import Store; from chartui.main import main; "
    f"Store.__init__.__kwdefaults__['busy_timeout'] = {PATIENCE}; sys.exit(main())",
)
STARTED = ("Configuration", "credits per interaction")
#: As after the signal of a terminal that hangs up.
HUNG_UP = 129
#: Every screen, several times over: more pictures than wait in the framework's queue.
SCREENS = "CNARE" * 8


def ended(terminal: Terminal) -> int:
    """The status it ends with, once its terminal is gone."""
    return terminal.process.wait(timeout=PATIENCE)


@pytest.mark.parametrize("signalled", [True, False], ids=["signalled", "not signalled"])
@pytest.mark.parametrize("command", [DEMO, ("timeout", "60", *DEMO)], ids=["alone", "under another"])
class TestHangUp:
    """The window is closed."""

    def test_while_nothing_happens(self, command: tuple[str, ...], signalled: bool) -> None:
        with running(command, signalled=signalled) as terminal:
            terminal.wait_for(*STARTED)
            terminal.wait_for_rest()
            terminal.hang_up()
            assert ended(terminal) == HUNG_UP

    def test_before_the_first_picture(self, command: tuple[str, ...], signalled: bool) -> None:
        with running(command, signalled=signalled) as terminal:
            terminal.wait_for_bytes(b"\x1b[?1049h")
            terminal.hang_up()
            assert ended(terminal) == HUNG_UP

    @pytest.mark.parametrize("seen", sampled(["Elena Marsh", "Welcome at the door", "Say"], "Elena Marsh"))
    def test_while_screens_are_switched(self, command: tuple[str, ...], signalled: bool, seen: str) -> None:
        with running(command, signalled=signalled) as terminal:
            terminal.wait_for(*STARTED)
            terminal.type(SCREENS)
            terminal.wait_for(seen)
            terminal.hang_up()
            assert ended(terminal) == HUNG_UP


def test_nothing_is_left_of_the_demo_data_and_no_fault_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_folders: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with running(DEMO, signalled=False) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type(SCREENS)
        terminal.wait_for("Elena Marsh")
        terminal.hang_up()
        assert ended(terminal) == HUNG_UP
    assert list(scratch.iterdir()) == []
    assert not (own_folders / "data" / "logs").exists()


@pytest.mark.parametrize("signalled", [True, False], ids=["signalled", "not signalled"])
def test_standard_output_may_be_a_pipe_that_nobody_reads(signalled: bool) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        with running(DEMO, signalled=signalled, stdout=theirs) as terminal:
            terminal.wait_for(*STARTED)
            terminal.type("q")
            assert terminal.end() == 0
            terminal.assert_restored()
        with running(DEMO, signalled=signalled, stdout=theirs) as terminal:
            terminal.wait_for(*STARTED)
            terminal.type(SCREENS)
            terminal.wait_for("Elena Marsh")
            terminal.hang_up()
            assert ended(terminal) == HUNG_UP
    finally:
        os.close(theirs)


# -- while a plan is carried out ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into the program by way of /proc")
@pytest.mark.parametrize("signalled", [True, False], ids=["signalled", "not signalled"])
def test_the_step_under_way_is_ended_and_written_down(signalled: bool, own_folders: Path) -> None:
    data = own_folders / "data"
    with running((*PATIENT, "--profile", "demo"), signalled=signalled) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("N")
        terminal.wait_for("Welcome at the door")
        terminal.type("T")
        terminal.wait_for("Cancel")
        with held(data / "demo.db") as let_go:
            terminal.type("y")
            until(lambda: (data / "journal.db").exists() and asyncio.run(outcomes(data / "journal.db")))
            assert asyncio.run(outcomes(data / "journal.db")) == [Outcome.OPEN]
            drawn_on = f"/proc/{terminal.process.pid}/fd/2"
            terminal.hang_up()
            until(lambda: os.readlink(drawn_on) == os.devnull)
            assert terminal.process.poll() is None
            let_go()
        assert ended(terminal) == HUNG_UP
    # Closed in order: no program is at it, and the last to leave has put the files together.
    assert [path.name for path in data.iterdir() if path.name.endswith(("-wal", "-shm"))] == []
    assert list((data / "journal.programs").iterdir()) == []
    assert asyncio.run(outcomes(data / "journal.db")) == [Outcome.DONE]
    assert asyncio.run(plans(data / "journal.db")) == [PlanState.DONE]
