"""The window around the program: its title, links, the mouse, and a screen that is drawn again."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from chartui.core.config import config_path
from tests.pty.terminal import CHARTUI, running

DEMO = (CHARTUI, "demo")
STARTED = ("Configuration", "credits per interaction")
#: What keeps the earlier title, and what brings it back.
KEPT, BACK = b"\x1b[22;2t", b"\x1b[23;2t"
MOUSE = b"\x1b[?1000h"


def settings(text: str) -> None:
    config_path().parent.mkdir()
    config_path().write_text(f'format = "chartui-config"\nversion = 1\n{text}')


def titles(raw: bytes) -> list[str]:
    return [title.decode() for title in re.findall(rb"\x1b\]2;([^\x1b]*)\x1b\\", raw)]


def test_the_title_names_profile_and_character_and_is_given_back() -> None:
    with running(DEMO) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("C")
        terminal.wait_for_bytes("chartui – demo – Elena Marsh".encode())
        terminal.type("q")
        assert terminal.end() == 0
    assert titles(terminal.raw) == ["chartui – demo", "chartui – demo – Elena Marsh", ""]
    assert terminal.raw.count(KEPT) == terminal.raw.count(BACK) == 1
    assert terminal.raw.index(KEPT) < terminal.raw.index(b"\x1b]2;") < terminal.raw.index(BACK)
    assert MOUSE in terminal.raw


def test_an_ascii_terminal_has_an_ascii_title() -> None:
    with running((*DEMO, "--ascii")) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("q")
        assert terminal.end() == 0
    assert titles(terminal.raw) == ["chartui - demo", ""]


@pytest.mark.parametrize("off", ["settings", "console"])
def test_a_title_is_not_set_where_it_is_not_wanted(off: str) -> None:
    settings("[terminal]\ntitle = false\nmouse = false\n" if off == "settings" else "")
    with running(DEMO, environment={"TERM": "linux"} if off == "console" else None) as terminal:
        terminal.wait_for(*STARTED)
        terminal.type("q")
        assert terminal.end() == 0
    assert titles(terminal.raw) == []
    assert KEPT not in terminal.raw
    assert (MOUSE in terminal.raw) == (off == "console")


@pytest.mark.parametrize("how", ["key", "same size", "suspended"])
@pytest.mark.parametrize("differences", ["1", "0"])
def test_the_screen_is_drawn_again(how: str, differences: str) -> None:
    """After another program has written over it, the terminal was replaced, or the program was continued."""
    with running(DEMO, environment={"CHARTUI_DIFFERENCES": differences}) as terminal:
        terminal.wait_for(*STARTED)
        terminal.wait_for_rest()
        before = terminal.screen.seen
        terminal.screen.feed("\x1b[m\x1b[H\x1b[2J\x1b[31mSystem goes down\x1b[m")
        terminal.forget()
        if how == "key":
            terminal.type("\x0c")
        elif how == "same size":
            terminal.process.send_signal(signal.SIGWINCH)
        else:
            terminal.process.send_signal(signal.SIGTSTP)
            terminal.wait_for_bytes(b"\x1b[?1049l")
            terminal.wait_until_stopped()  # until then, the signal to continue would be lost
            terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for(*STARTED)
        terminal.wait_for_rest()
        assert terminal.screen.seen == before


@pytest.mark.parametrize("links", [True, False])
def test_a_command_links_files_on_a_terminal_only(links: bool, tmp_path: Path) -> None:
    settings(f"[terminal]\nlinks = {str(links).lower()}\n")
    words = (CHARTUI, "config", "path")
    with running(words) as terminal:
        assert terminal.end() == 0
    assert (b"\x1b]8;;file://" in terminal.raw) == links
    assert str(config_path()).encode() in terminal.raw
    for json in ((), ("--json",)):
        assert b"\x1b" not in subprocess.run([*words, *json], capture_output=True, check=True).stdout
    with running((*words, "--json")) as terminal:
        assert terminal.end() == 0
    assert b"\x1b" not in terminal.raw
