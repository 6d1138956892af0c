"""What reaches the terminal, byte for byte, when something is copied; and what goes into a file instead."""

from __future__ import annotations

import base64
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from tests.pty.terminal import CHARTUI, Terminal, running

#: What the estimator says as a command.
COMMAND = "chartui estimate --profile demo"


def copies(environment: Mapping[str, str], *told: str) -> bytes:
    """Copy the estimate as a command in a terminal with this environment; everything that was written from then on."""
    plain = {"TMUX": "", "STY": "", **environment}
    with running((CHARTUI, "demo"), size=(120, 40), environment=plain) as terminal:
        terminal.wait_for("Configuration", "credits per interaction")
        terminal.type("y")
        terminal.wait_for("chartui command")
        terminal.forget()
        terminal.type("command\r")
        terminal.wait_for(*told)
        return _leaving(terminal)


def _leaving(terminal: Terminal) -> bytes:
    terminal.type("q")
    assert terminal.end() == 0
    terminal.assert_restored()
    return terminal.fresh


def clipped(data: bytes) -> list[str]:
    """The texts for the clipboard that a terminal finds in ``data``."""
    return [base64.b64decode(found, validate=True).decode() for found in re.findall(rb"\x1b\]52;c;([^\a]*)\a", data)]


def test_a_terminal_gets_one_sequence() -> None:
    written = copies({}, "(31 characters)", "(OSC")
    assert clipped(written) == [COMMAND]
    assert b"\x1bP" not in written


def test_tmux_gets_it_plain_and_wrapped() -> None:
    written = copies({"TMUX": "/tmp/tmux-0/default,1,0"}, "(31 characters)", "tmux). If")
    wrapped = re.compile(rb"\x1bPtmux;((?:\x1b\x1b|[^\x1b])*)\x1b\\")
    [inner] = wrapped.findall(written)
    # What tmux hands on to its terminal, and what it reads itself.
    assert clipped(inner.replace(b"\x1b\x1b", b"\x1b")) == [COMMAND]
    assert clipped(wrapped.sub(b"", written)) == [COMMAND]


def test_screen_gets_it_in_pieces() -> None:
    written = copies({"STY": "1.pts-0.host", "TERM": "screen-256color"}, "(31 characters)", "screen)")
    pieces = re.findall(rb"\x1bP(.*?)\x1b\\", written, re.DOTALL)
    assert all(len(piece) <= 252 for piece in pieces)
    assert clipped(b"".join(pieces)) == [COMMAND]
    assert clipped(re.sub(rb"\x1bP.*?\x1b\\", b"", written, flags=re.DOTALL)) == []


def test_a_terminal_without_a_clipboard_gets_nothing_and_a_file_gets_it(own_folders: Path) -> None:
    written = copies({"TERM": "linux"}, "(31 characters) to")
    assert b"]52;" not in written
    folder = own_folders / "data" / "clipboard"
    [path] = folder.iterdir()
    assert path.read_text() == COMMAND
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
