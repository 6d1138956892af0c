"""The user's own editor in a real terminal: it has the terminal to itself, and the program takes it back."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.pty.terminal import CHARTUI, running

#: Says that it is there, outlives an interrupt, and adds the line that is typed. It waits for both at once, on a pipe
#: that the system writes to: an interrupt just before it begins to read would be told of only after the line.
EDITOR = """\
import os, pathlib, select, signal, sys
told, tells = os.pipe()
os.set_blocking(tells, False)
signal.set_wakeup_fd(tells)
signal.signal(signal.SIGINT, lambda *_: None)
print("EDITING", flush=True)
while sys.stdin not in select.select([sys.stdin, told], [], [])[0]:
    os.read(told, 1)
    print("INTERRUPTED", flush=True)
line = input()
with pathlib.Path(sys.argv[1]).open("a") as file:
    file.write(f"\\n{line}\\n")
"""


def test_the_editor_has_the_terminal_and_gives_it_back(tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text(EDITOR)
    editor = {"VISUAL": f"{sys.executable} {script}"}
    with running((CHARTUI, "demo", "--screen", "characters"), size=(120, 40), environment=editor) as terminal:
        terminal.wait_for("Elena Marsh")
        terminal.type("e")
        terminal.wait_for("Temperature", "0 to 1")
        terminal.forget()
        terminal.type("x")
        terminal.wait_for("EDITING")
        assert b"\x1b[?1049l" in terminal.fresh  # on the terminal's own screen, without mouse and paste marks
        assert b"\x1b[?2004l" in terminal.fresh
        terminal.type("\x03")
        terminal.wait_for("INTERRUPTED")
        terminal.forget()
        terminal.type("She keeps a parrot.\r")
        terminal.wait_for("1 change staged", "was 750 characters")
        assert b"\x1b[?1049h" in terminal.fresh
        terminal.forget()
        terminal.type("S")
        terminal.wait_for("Apply settings to Elena Marsh", "She keeps a parrot.")
        terminal.type("y")
        terminal.wait_for("Applied: ")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
