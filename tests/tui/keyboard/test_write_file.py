"""Writing to a file, from every screen."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from chartui.core.jsontext import loads
from chartui.tui.shell.files import FileName
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.screen import Copyable, WorkScreen
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import User, opened, screen_classes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    path = tmp_path / "work"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def offering(monkeypatch: pytest.MonkeyPatch, *choices: Copyable) -> None:
    """Let every screen offer these texts."""

    def offered(screen: WorkScreen) -> Sequence[Copyable]:
        return choices

    for screen_class in screen_classes():
        monkeypatch.setattr(screen_class, "copy_choices", offered)


async def asked(user: User) -> None:
    """Press the key, and wait for the question for the name."""
    await user.press("W")
    await user.at(FileName)
    await user.sees("─ Write to file ─")


async def named(user: User, name: str) -> None:
    """Type a name instead of the one that is proposed."""
    await user.press("home", "ctrl+k", *name, "enter")


async def test_the_whole_name_is_cleared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Card", "text", ".txt"))
    async with opened() as user:
        await asked(user)
        await user.press("ctrl+u", *"other.txt", "enter")
        await user.is_told("Written: other.txt")
        assert [path.name for path in folder.iterdir()] == ["other.txt"]


@covers("write-file")
async def test_a_name_typed_with_its_ending_has_it_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Card", "text", ".txt"))
    async with opened() as user:
        await asked(user)
        await user.press(*"other.txt")
        await user.sees("other.txt ")
        await user.press("enter")
        await user.is_told("Written: other.txt")
        await asked(user)
        await user.press(*"LOUD.TXT", "enter")
        await user.is_told("Written: LOUD.TXT")
        assert sorted(path.name for path in folder.iterdir()) == ["LOUD.TXT", "other.txt"]


async def test_a_text_is_written_under_the_name_that_is_proposed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "é" * 616 + "!"
    offering(monkeypatch, Copyable("As Markdown, größer", text, ".md"))
    async with opened() as user:
        await asked(user)
        await user.sees("As Markdown, größer: 1 234 bytes", "as-markdown-groer.md", "Default folder:")
        await user.press("enter")
        await user.is_told("Written: as-markdown-groer.md, 1 234 bytes")
    assert (folder / "as-markdown-groer.md").read_text(encoding="utf-8") == f"{text}\n"
    assert [path.name for path in folder.iterdir()] == ["as-markdown-groer.md"]


async def test_what_is_typed_replaces_the_name_and_leaves_its_ending(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offering(monkeypatch, Copyable("The front", "a,b\n1,2\n", ".csv"))
    async with opened() as user:
        await asked(user)
        await user.press(*"mine", "enter")
        await user.is_told("Written: mine.csv, 8 bytes")
    assert (folder / "mine.csv").read_text() == "a,b\n1,2\n"


async def test_of_several_texts_one_is_chosen(folder: Path) -> None:
    async with opened() as user:
        await user.press("W")
        await user.sees("─ Write ─", "Total and lines", "chartui command")
        await user.press(*"json", "enter")
        await user.sees("estimate-response-as-json.json")
        await user.press("enter")
        await user.is_told("Written: estimate-response-as-json.json")
        estimate = user.estimator.now.estimate
        assert estimate is not None
        assert loads((folder / "estimate-response-as-json.json").read_text()) == estimate.raw


async def test_every_choice_has_an_ending_that_fits(folder: Path) -> None:
    async with opened(screen="requests") as user:
        await user.press("E")
        await user.ready()
        endings = {c.title: c.suffix for c in user.estimator.copy_choices()}
        assert endings == {
            "Total and lines": ".txt",
            "Estimate (Markdown)": ".md",
            "Estimate (CSV)": ".csv",
            "Estimate: response as JSON": ".json",
            "Estimate: chartui command": ".sh",
            "Estimate: curl command": ".sh",
        }


async def test_a_home_is_understood(own_folders: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Text", "a"))
    async with opened() as user:
        await asked(user)
        await named(user, "~/here.txt")
        await user.is_told("Written: ~/here.txt, 2 bytes")
    assert (own_folders / "here.txt").read_text() == "a\n"
    assert list(folder.iterdir()) == []


async def test_a_file_is_only_overwritten_after_a_question(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "kept.txt"
    path.write_text("what was there")
    path.chmod(0o640)
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened() as user:
        await asked(user)
        await named(user, "kept.txt")
        await user.at(Confirm)
        await user.sees("─ Overwrite ─", "› Cancel")
        await user.reads("Vertical", "already exists (14 bytes)")
        await user.press("enter")
        await user.at(FileName)
        assert path.read_text() == "what was there"
        await user.press("enter")
        await user.sees("› Cancel")
        await user.press("y")
        await user.is_told("Written: kept.txt, 4 bytes")
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


async def test_a_name_that_is_taken_is_not_proposed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "text.txt").write_text("mine")
    (folder / "text-2.txt").write_text("mine too")
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened() as user:
        await asked(user)
        await user.sees("text-3.txt")


async def test_a_folder_that_is_new_is_made_for_its_owner_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened() as user:
        await asked(user)
        await named(user, "deep/nowhere/a.txt")
        await user.is_told("Written: deep/nowhere/a.txt, 4 bytes")
    assert [stat.S_IMODE((folder / one).stat().st_mode) for one in ("deep", "deep/nowhere")] == [0o700, 0o700]


async def test_leaving_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened() as user:
        await asked(user)
        await user.press(*"abc", "escape")
        await user.at(WorkScreen)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("sub", "is a folder"),
        ("~nobody-here/a.txt", "Could not determine home directory"),
        ("  ", "Enter a file name"),
        ("x" * 300, "File name too long"),
        ("pipe", "not a regular file"),
        ("loop", "Too many levels of symbolic links"),
    ],
)
async def test_what_cannot_be_written_is_told_and_the_name_stays_to_be_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: str
) -> None:
    (folder / "sub").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened() as user:
        await asked(user)
        await named(user, name)
        await user.reads("Vertical", problem)
        assert user.is_at(FileName)
        await named(user, "right.txt")
        await user.is_told("Written:")
    assert (folder / "right.txt").read_text() == "new\n"
    assert sorted(path.name for path in folder.iterdir()) == ["loop", "pipe", "right.txt", "sub"]


async def test_a_disk_that_fails_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "kept.txt"
    path.write_text("what was there")
    offering(monkeypatch, Copyable("Text", "new"))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    async with opened() as user:
        await asked(user)
        monkeypatch.setattr("chartui.core.paths.os.fsync", full)
        await named(user, "kept.txt")
        await user.sees("› Cancel")
        await user.press("y")
        await user.reads("Vertical", "No space left on device")
        await user.reads("Vertical", "The existing file is unchanged")
    assert path.read_text() == "what was there"
    assert [p.name for p in folder.iterdir()] == ["kept.txt"]


async def test_without_a_working_directory_the_folder_is_given_too(
    folder: Path, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened() as user:
        folder.rmdir()
        await asked(user)
        await user.sees("working directory no longer exists")
        await user.press(*"a.txt", "enter")
        await user.sees("Nothing was written: No such file")
        await named(user, "~/a.txt")
        await user.is_told("Written:")
    assert (own_folders / "a.txt").read_text() == "new\n"


async def test_what_is_written_cannot_command_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Te\x1b[1mxt [/b]", "a\x1b[201~\rrm -rf x\x9b\u202e\nb\ud800"))
    async with opened() as user:
        await asked(user)
        await user.sees("Te␛[1mxt [/b]: ")
        await user.press("enter")
        await user.is_told("Written:")
    [path] = folder.iterdir()
    assert path.read_text(encoding="utf-8") == "a␛[201~␍rm -rf x⟨U+009B⟩⟨U+202E⟩\nb⟨U+D800⟩\n"


async def test_a_locked_profile_keeps_nobody_from_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Text", "new"))
    async with opened(demo(read_only=True)) as user:
        await asked(user)
        await user.press("enter")
        await user.is_told("Written:")
    assert (folder / "text.txt").exists()


async def test_where_there_is_nothing_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch)
    async with opened() as user:
        await user.press("W")
        await user.is_told("Nothing to write here yet.")


async def test_an_empty_text_makes_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, Copyable("Text", ""))
    async with opened() as user:
        await user.press("W")
        await user.is_told("Nothing to write because the text is empty.")
    assert list(folder.iterdir()) == []
