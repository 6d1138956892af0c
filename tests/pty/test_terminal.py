"""The installed program in a real terminal: how it starts, and that it gives the terminal back however it ends."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pty.terminal import CHARTUI, Terminal, running

DEMO = (CHARTUI, "demo")
STARTED = ("Configuration", "credits per interaction")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files: whatever the program leaves there is seen."""
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    return path


def opened_store(terminal: Terminal) -> None:
    """Go where the store is needed, so that it is made."""
    terminal.wait_for(*STARTED)
    terminal.type("C")
    terminal.wait_for("Elena Marsh")


def test_it_starts_and_quits() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()


def test_escape_and_the_keys_directly_behind_it_are_obeyed() -> None:
    with running(DEMO, size=(120, 40)) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("A")
        terminal.wait_for("Scene")
        terminal.wait_for_rest()
        terminal.type("thello\x1bC")
        terminal.wait_for("Elena Marsh", "Bran Alder")
        terminal.wait_for_rest()
        terminal.forget()
        terminal.type("/\x1b[200~[Bran\x1b[201~\x1b[D\x1bOD")  # pasted text and arrows of both kinds
        terminal.wait_for("[Bran")
        terminal.type("\x1b[C\x1b?")
        terminal.wait_for("Keys")
        terminal.wait_for_rest()
        terminal.type("\x1bq")
        assert terminal.end() == 0


def test_a_dumb_terminal_gets_a_sentence_that_says_what_works() -> None:
    with running(DEMO, environment={"TERM": "dumb"}) as terminal:
        assert terminal.end() == 2
        sentence = " ".join(terminal.raw.decode().split())
        assert sentence.startswith("chartui: TERM=dumb: this terminal cannot show a full-screen program; use a command")


LOCALES = ("LC_ALL", "LC_CTYPE", "LANG", "CHARTUI_ASCII")


@pytest.mark.parametrize(
    ("locale", "plain"),
    [
        ({"LANG": "C"}, True),
        pytest.param({"LANG": "POSIX"}, True, marks=pytest.mark.long),
        ({"LC_CTYPE": "C"}, True),
        ({"LC_ALL": "C"}, True),
        pytest.param({"LANG": "C.UTF-8"}, False, marks=pytest.mark.long),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, False),
        ({}, False),
    ],
    ids=lambda value: "-".join(f"{name}={text}" for name, text in value.items()) if isinstance(value, dict) else "",
)
def test_the_locale_it_was_started_in_says_whether_ascii_is_drawn(locale: dict[str, str], plain: bool) -> None:
    """Whatever the interpreter makes of the locale C."""
    unset = [word for name in LOCALES for word in ("-u", name)]
    given = [f"{name}={text}" for name, text in locale.items()]
    with running(("env", *unset, *given, *DEMO)) as terminal:
        terminal.wait_for(*STARTED)
        terminal.wait_for_rest()
        assert terminal.text.isascii() is plain


def test_it_suspends_and_continues_where_it_was(tmp_path: Path) -> None:
    with running(("sh", "-i"), environment={"PS1": "ready> ", "ENV": ""}) as shell:
        shell.wait_for("ready>")
        shell.type(f"cd {tmp_path}; {CHARTUI} --profile demo\n")
        opened_store(shell)
        shell.forget()
        shell.type("\x1a")
        shell.wait_for("ready>")
        shell.assert_restored()
        shell.forget()
        shell.type(f"{CHARTUI} --profile demo store backup b.db; echo ended $?\n")  # not locked
        shell.wait_for("ended 0")
        shell.resize(100, 30)
        shell.forget()
        shell.type("fg\n")
        shell.wait_for("Elena Marsh")
        shell.type("N")
        shell.wait_for("Welcome at the door")
        shell.forget()
        shell.type("q")
        shell.wait_for_bytes(b"\x1b[?1049l")


def test_it_needs_no_more_than_a_poor_environment() -> None:
    with running(DEMO, environment={"TERM": "vt100", "LANG": "C", "NO_COLOR": "1"}) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_it_in_order(sent: signal.Signals, scratch: Path) -> None:
    with running(DEMO) as terminal:
        opened_store(terminal)
        assert [path.name.startswith("chartui-") for path in scratch.iterdir()] == [True]
        assert terminal.end(sent) == 128 + sent
        terminal.assert_restored()
    assert list(scratch.iterdir()) == []


def test_a_signal_while_the_first_picture_is_painted_ends_it_in_order() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h")
        assert terminal.end(signal.SIGTERM) == 128 + signal.SIGTERM
        terminal.assert_restored()


def test_the_demo_data_go_with_the_program(scratch: Path, own_folders: Path) -> None:
    with running(DEMO) as terminal:
        opened_store(terminal)
        assert len(list(scratch.iterdir())) == 1
        terminal.type("q")
        assert terminal.end() == 0
    assert list(scratch.iterdir()) == []
    assert list(own_folders.rglob("*.db")) == []


def test_ctrl_c_is_a_key_like_any_other() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("\x03\x03")
        terminal.type("N")
        terminal.wait_for("Welcome at the door")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()


def test_keys_that_come_before_the_first_picture_are_not_lost() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h")
        terminal.type("N")
        terminal.wait_for("Welcome at the door")
        terminal.type("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("exported", [{}, {"COLUMNS": "80", "LINES": "24"}], ids=["", "exported"])
def test_it_follows_the_size_of_the_window(exported: dict[str, str]) -> None:
    with running(DEMO, environment=exported) as terminal:
        terminal.wait_for(*STARTED)
        terminal.forget()
        terminal.resize(120, 40)
        terminal.wait_for("per 1 000")
        terminal.wait_for_rest()
        for columns, lines in ((20, 5), (1, 1), (300, 90)):
            terminal.resize(columns, lines)
        terminal.wait_for_rest()
        terminal.forget()
        terminal.resize(120, 40)
        terminal.wait_for("Configuration", "per 1 000")
        terminal.wait_for_rest()
        assert terminal.screen.rows[1].endswith("─╮")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()


def test_nothing_is_written_while_nothing_happens() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("C")
        terminal.wait_for("Elena Marsh")
        terminal.type("/marsh")
        terminal.wait_for("1 of 12")
        terminal.wait_for_rest(1.2)
        terminal.type("\r")


def test_a_move_costs_a_few_lines_and_no_screen() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("N")
        terminal.wait_for("Objective")
        terminal.wait_for_rest()
        terminal.forget()
        terminal.type("jkjkq")
        assert terminal.end() == 0
        assert len(terminal.fresh) < 10_000


# -- without a terminal ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", ["stdin", "stderr"])
def test_without_a_terminal_it_says_what_to_use_instead(closed: str, scratch: Path) -> None:
    control, own = pty.openpty()
    streams = {"stdin": own, "stderr": own, "stdout": own, closed: subprocess.PIPE}
    try:
        done = subprocess.Popen([str(word) for word in DEMO], start_new_session=True, text=True, **streams)  # type: ignore[call-overload]
        _, written = done.communicate(timeout=120)
        if closed != "stderr":
            written = os.read(control, 4096).decode()
    finally:
        os.close(own)
        os.close(control)
    assert done.returncode == 2
    sentence = " ".join(written.split())
    assert sentence.startswith("chartui: the terminal UI needs a terminal")
    assert "'chartui characters list'" in sentence
    assert list(scratch.iterdir()) == []


# -- crashes -----------------------------------------------------------------------------------------------------------

CANARY = "canary-key-7f3a91"
#: Opens the program on a service that goes wrong in a way nobody foresaw, with a key in its variables.
CRASHING = """
import sys
from dataclasses import replace
import chartui.core.session as sessions
from chartui.core.service import Service

real = sessions.open_session

class Faulty:
    def __init__(self, backend):
        self.backend = backend

    async def perform(self, operation, payload, context):
        api_key = {canary!r}
        if operation.name == {operation!r}:
            raise RuntimeError("an index was out of range")
        return await self.backend.perform(operation, payload, context)

    async def aclose(self):
        await self.backend.aclose()

def opened(*args, **kwargs):
    session = real(*args, **kwargs)
    return replace(session, service=Service(Faulty(session.recorder), embedded=True))

sessions.open_session = opened
from chartui.main import main
sys.exit(main(["demo"]))
"""


@pytest.mark.parametrize(
    ("operation", "keys"),
    [
        ("estimate", ""),  # in the first picture
        ("summarize-characters", "C"),  # while a screen is opened
        ("get-character", "C\r"),  # in a worker
        ("toggle-narrative", "Ty"),  # in a worker behind a question
        ("list-sections", "N"),
    ],
)
def test_a_crash_gives_the_terminal_back_and_shows_no_variables(
    operation: str, keys: str, scratch: Path, own_folders: Path
) -> None:
    script = CRASHING.format(canary=CANARY, operation=operation)
    environment = {"CHARTUI_API_KEY": CANARY}
    with running([sys.executable, "-c", script], environment=environment) as terminal:
        if keys:
            terminal.wait_for(*STARTED)
        if operation == "toggle-narrative":
            terminal.type("N")
            terminal.wait_for("Welcome at the door")
            terminal.type(keys[0])
            terminal.wait_for("Cancel")
            keys = keys[1:]
        terminal.type(keys)
        assert terminal.end() == 70
        terminal.assert_restored()
        left = terminal.raw.rfind(b"\x1b[?1049l")
        said = terminal.raw[left:].decode()
    assert "internal error (RuntimeError); report written to" in said
    assert "Traceback" not in said
    (report,) = (own_folders / "data" / "logs").iterdir()
    assert "an index was out of range" in report.read_text()
    for text in (terminal.raw.decode("utf-8", "replace"), report.read_text()):
        assert CANARY not in text
        assert "api_key" not in text
    assert list(scratch.iterdir()) == []
