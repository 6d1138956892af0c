"""Copying, from every screen."""

from __future__ import annotations

import base64
import re
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from chartui.tui.widgets.screen import WorkScreen
from tests.tui.keyboard import covers
from tests.tui.user import User, opened


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with a clipboard, and nothing between it and the program."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for variable in ("TMUX", "STY"):
        monkeypatch.delenv(variable, raising=False)


def offering(monkeypatch: pytest.MonkeyPatch, *choices: tuple[str, str]) -> None:
    """Let every screen offer these texts."""

    def offered(screen: WorkScreen) -> Sequence[tuple[str, str]]:
        return choices

    for screen_class in WorkScreen.__subclasses__():
        monkeypatch.setattr(screen_class, "copy_choices", offered)


def written(user: User, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the program writes to the terminal's clipboard."""
    texts: list[str] = []

    def write(data: str) -> None:
        if "]52;" in data:
            texts.append(data)

    monkeypatch.setattr(user.app._driver, "write", write)
    return texts


@covers("copy")
async def test_one_text_is_copied_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, ("Total", "12.5 crédits"))
    async with opened() as user:
        sequences = written(user, monkeypatch)
        await user.press("y")
        await user.is_told("Copied 12 characters to the terminal's clipboard (OSC 52).", "Total")
        assert sequences == [f"\x1b]52;c;{base64.b64encode('12.5 crédits'.encode()).decode()}\a"]


async def test_of_several_texts_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, ("As text", "first"), ("As JSON", "second"))
    async with opened() as user:
        await user.press("y")
        await user.sees("─ Copy ─", "As text", "As JSON", "6 characters")
        await user.press("down", "enter")
        await user.is_told("Copied 6 characters")
        assert user.app.clipboard == "second"


async def test_leaving_the_choice_copies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, ("As text", "first"), ("As JSON", "second"))
    async with opened() as user:
        sequences = written(user, monkeypatch)
        await user.press("y", "escape")
        await user.settle()
        assert sequences == []
        assert user.app.clipboard == ""


async def test_where_there_is_nothing_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch)
    async with opened() as user:
        await user.press("y")
        await user.is_told("There is nothing to copy here yet.")


async def test_what_is_copied_cannot_command_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, ("Text", "a\x1b[201~\rrm -rf x\x9b\u202e\nb\ud800"))
    async with opened() as user:
        sequences = written(user, monkeypatch)
        await user.press("y")
        await user.is_told("Copied")
        [sequence] = sequences
        copied = base64.b64decode(sequence.removeprefix("\x1b]52;c;").removesuffix("\a")).decode()
        assert copied == "a␛[201~␍rm -rf x⟨U+009B⟩⟨U+202E⟩\nb⟨U+D800⟩"


async def test_a_file_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> None:
    monkeypatch.setenv("TERM", "linux")
    (own_folders / "data").mkdir()
    (own_folders / "data" / "clipboard").write_text("in the way")
    offering(monkeypatch, ("Text", "a"))
    async with opened() as user:
        await user.press("y")
        await user.is_told("Nothing was copied:")


async def test_a_terminal_without_a_clipboard_gets_a_file(monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> None:
    monkeypatch.setenv("TERM", "linux")
    offering(monkeypatch, ("Text", "a\nb"))
    async with opened() as user:
        sequences = written(user, monkeypatch)
        await user.press("y")
        await user.is_told("Copied 3 characters to")
        assert sequences == []
    [path] = (own_folders / "data" / "clipboard").iterdir()
    assert path.read_text() == "a\nb"
    assert re.fullmatch(r"[0-9]{8}T[0-9]{6}Z-0000\.txt", path.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
