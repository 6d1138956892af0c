"""The ways of a text out of the program: its limits, its file, and what is said about it."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chartui.tui.clipboard import KEPT, LIMIT, copy, sequence

XTERM = {"TERM": "xterm-256color"}
TMUX = {**XTERM, "TMUX": "/tmp/tmux-0/default,1,0"}
SCREEN = {"TERM": "screen", "STY": "1.host"}
ROOM = (LIMIT - 8) // 4 * 3  # bytes of text in the longest sequence


def moment() -> datetime:
    return datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def files(home: Path) -> list[Path]:
    return sorted((home / "data" / "clipboard").glob("*"))


@pytest.mark.parametrize("environ", [XTERM, TMUX])
def test_the_longest_text_goes_to_the_terminal_and_a_longer_one_to_a_file(
    environ: dict[str, str], own_folders: Path
) -> None:
    written: list[str] = []
    said = copy("x" * ROOM, written.append, environ=environ, clock=moment)
    assert said.startswith("Sent 56 238 characters to the terminal's clipboard (OSC 52")
    assert len(written) == 1
    assert files(own_folders) == []
    said = copy("x" * (ROOM + 1), written.append, environ=environ, clock=moment)
    [path] = files(own_folders)
    assert said == f"Too long for the terminal's clipboard: 56 239 characters saved to {path}"
    assert path.read_text() == "x" * (ROOM + 1)
    assert len(written) == 1


def test_screen_takes_less_and_in_pieces() -> None:
    assert sequence("x" * ROOM, SCREEN) is None
    found = sequence("é" * 25_000, SCREEN)
    assert found is not None
    assert len(found.data) <= LIMIT
    pieces = re.findall("\x1bP(.*?)\x1b\\\\", found.data, re.DOTALL)
    assert "".join(f"\x1bP{piece}\x1b\\" for piece in pieces) == found.data
    assert max(map(len, pieces)) + 4 <= 256
    inner = "".join(pieces)
    assert base64.b64decode(inner.removeprefix("\x1b]52;c;").removesuffix("\a")).decode() == "é" * 25_000


def test_inside_both_tmux_is_taken() -> None:
    found = sequence("a", {**TMUX, **SCREEN})
    assert found is not None
    assert found.way == "OSC 52 through tmux"


def test_what_helps_tmux_is_said_and_only_there() -> None:
    said = [copy("a", lambda _: None, environ=environ, clock=moment) for environ in (XTERM, TMUX, SCREEN)]
    assert said == [
        "Sent 1 character to the terminal's clipboard (OSC 52).",
        "Sent 1 character to the terminal's clipboard (OSC 52 through tmux). "
        "If nothing was copied, add “set -g allow-passthrough on” to tmux.conf.",
        "Sent 1 character to the terminal's clipboard (OSC 52 through screen).",
    ]


def test_a_file_can_be_asked_for(own_folders: Path) -> None:
    def write(_: str) -> None:
        raise AssertionError("the terminal was to be left alone")

    said = copy("a", write, to_file=True, environ=XTERM, clock=moment)
    [path] = files(own_folders)
    assert said == f"Copied 1 character to {path}"


def test_the_last_files_are_kept(own_folders: Path) -> None:
    for number in range(KEPT + 3):
        copy(f"text {number}", lambda _: None, to_file=True, environ=XTERM, clock=moment)
    assert [path.read_text() for path in files(own_folders)] == [f"text {n}" for n in range(3, KEPT + 3)]
    assert files(own_folders)[0].name == "20261121T093000Z-0003.txt"
