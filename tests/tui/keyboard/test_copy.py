"""Copying, from every screen."""

from __future__ import annotations

import base64
import re
import stat
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from chartui.core.config import Config
from chartui.core.jsontext import loads
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.outline import render
from chartui.tui.widgets.screen import Copyable, WorkScreen
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import SMALL, WIDE, User, opened, screen_classes


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with a clipboard, and nothing between it and the program."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for variable in ("TMUX", "STY"):
        monkeypatch.delenv(variable, raising=False)


def offering(monkeypatch: pytest.MonkeyPatch, *choices: tuple[str, ...]) -> None:
    """Let every screen offer these texts."""

    def offered(screen: WorkScreen) -> Sequence[Copyable]:
        return [Copyable(*choice) for choice in choices]

    for screen_class in screen_classes():
        monkeypatch.setattr(screen_class, "copy_choices", offered)


def written(user: User, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the program writes to the clipboard."""
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
        await user.is_told("Sent “Total” (12 characters) to the terminal's clipboard (OSC 52).")
        assert sequences == [f"\x1b]52;c;{base64.b64encode('12.5 crédits'.encode()).decode()}\a"]


async def test_of_several_texts_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, ("As text", "first"), ("As JSON", "second"))
    async with opened() as user:
        await user.press("y")
        await user.sees("─ Copy ─", "As text", "As JSON", "6 characters")
        await user.press("down", "enter")
        await user.is_told("(6 characters)")
        assert user.app.clipboard == "second"


async def test_what_takes_its_time_is_made_once_it_is_chosen_and_beside_the_keyboard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[tuple[str, bool]] = []

    def making(text: str) -> str:
        made.append((text, threading.current_thread() is threading.main_thread()))
        return text

    texts = ("first", "second", "")
    choices = [Copyable(f"Text {number}", partial(making, text)) for number, text in enumerate(texts)]
    for screen_class in screen_classes():
        monkeypatch.setattr(screen_class, "copy_choices", lambda _: choices)
    monkeypatch.chdir(tmp_path)
    async with opened() as user:
        await user.press("y")
        await user.sees("─ Copy ─", "Text 0", "Text 1")
        assert made == []
        await user.press("down", "enter")
        await user.is_told("(6 characters)")
        assert (user.app.clipboard, made) == ("second", [("second", False)])
        await user.press("y", "down", "down", "enter")
        await user.is_told("Nothing to copy because the text is empty.")
        await user.press("W", "enter")
        await user.sees("Write to file", "6 bytes")
        await user.press("enter")
        await user.is_told("Written: ", "6 bytes")
        assert made == [("second", False), ("", False), ("first", False)]
    assert [path.read_text() for path in tmp_path.glob("*.txt")] == ["first\n"]


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
        await user.is_told("Nothing to copy here yet.")


async def test_what_is_copied_cannot_command_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    offering(monkeypatch, ("Text", "a\x1b[201~\rrm -rf x\x9b\u202e\nb\ud800"))
    async with opened() as user:
        sequences = written(user, monkeypatch)
        await user.press("y")
        await user.is_told("Sent")
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


async def test_the_settings_can_ask_for_a_file(monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> None:
    offering(monkeypatch, ("Text", "a"))
    async with opened(config=Config(clipboard="file")) as user:
        sequences = written(user, monkeypatch)
        await user.press("y")
        await user.is_told("(1 character) to")
        assert sequences == []
    assert [path.read_text() for path in (own_folders / "data" / "clipboard").iterdir()] == ["a"]


async def test_a_terminal_without_a_clipboard_gets_a_file(monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> None:
    monkeypatch.setenv("TERM", "linux")
    offering(monkeypatch, ("Text", "a\nb"))
    async with opened() as user:
        sequences = written(user, monkeypatch)
        await user.press("y")
        await user.is_told("(3 characters) to")
        assert sequences == []
    [path] = (own_folders / "data" / "clipboard").iterdir()
    assert path.read_text() == "a\nb"
    assert re.fullmatch(r"[0-9]{8}T[0-9]{6}Z-0000\.txt", path.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


# -- what the screens offer --------------------------------------------------------------------------------------------


async def copied(user: User, label: str) -> str:
    """Copy what the present screen offers under ``label``."""
    await user.press("y")
    await user.sees("─ Copy ─")
    await user.write(label)
    await user.press("enter")
    await user.is_told("Sent", label)
    return user.app.clipboard


async def test_the_estimate_is_copied_as_text_as_json_and_as_a_command() -> None:
    async with opened() as user:
        await user.press("right")
        await user.ready()
        text = await copied(user, "Total and lines")
        total, _, *lines = text.splitlines()
        estimate = user.estimator.now.estimate
        assert estimate is not None
        amount, latency = total.split(", ")
        assert amount.endswith(" credits per interaction")
        assert latency.endswith(" ms")
        shown = user.pane("#result")
        assert amount in shown
        assert f"{latency} end to end" in shown
        assert [line.split("  ")[0] for line in lines[: len(estimate.lines)]] == [line.label for line in estimate.lines]
        assert f"Model           {estimate.selections.llm if estimate.selections else ''}" in lines
        assert "Input tokens    4000 tokens" in lines
        assert "Memory          on" in lines
        assert loads(await copied(user, "Estimate: response as JSON")) == estimate.raw
        command = await copied(user, "Estimate: chartui command")
        assert command == f"chartui estimate --profile demo --llm {user.estimator.now.chosen['llm']}"


async def test_while_a_quantity_is_no_number_there_is_no_command() -> None:
    async with opened() as user:
        await user.press(*["down"] * 6, *"1.2.", "enter", "y")
        await user.sees("─ Copy ─", "Total and lines")
        assert "as a command" not in user.screen


async def test_a_character_is_copied_by_id_name_and_record() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("down", "down")
        await user.sees("─ Avery Cole │")
        current = user.characters.current
        assert current is not None
        assert await copied(user, "ID") == current.character_id
        assert await copied(user, "Name") == "Avery Cole"
        record = await session.service.character(current.character_id)
        assert record is not None
        assert loads(await copied(user, "Record as JSON")) == record.raw


async def test_a_record_that_was_not_read_is_not_offered() -> None:
    async with opened(screen="characters") as user:
        await user.press("y")
        await user.sees("─ Copy ─", "ID", "Name")
        assert "The record" not in user.screen


async def test_a_section_and_its_graph_are_copied() -> None:
    async with opened(screen="narrative") as user:
        outline = user.narrative.outline
        node = user.narrative.row
        assert node is not None
        assert node.section is not None
        assert await copied(user, "ID of the section") == node.section
        assert await copied(user, "Objective of the section") == outline.graph.sections[node.section].objective
        assert await copied(user, "Graph as text") == render(outline)


async def test_a_trigger_is_copied_by_its_id_and_message() -> None:
    async with opened(screen="narrative") as user:
        outline = user.narrative.outline
        trigger = next(iter(outline.graph.triggers.values()))
        row = next(i for i, node in enumerate(outline.nodes) if node.kind is Kind.TRIGGER)
        await user.press(*["down"] * row)
        assert await copied(user, "ID of the trigger") == trigger.trigger_id
        assert await copied(user, "Message of the trigger") == trigger.trigger_message


async def test_an_empty_account_has_nothing_to_copy() -> None:
    for screen in ("characters", "narrative"):
        async with opened(demo(fill_store=lambda store: None), screen=screen) as user:
            await user.press("y")
            await user.is_told("Nothing to copy here yet.")


@pytest.mark.parametrize("key", ["y", "D", "S", "z", "d"])
async def test_a_filter_without_matches_is_the_reason_given(key: str) -> None:
    async with opened(screen="characters") as user:
        await user.press("/", *"qqqq", "enter", key)
        await user.is_told("No character matches the filter. Esc clears it.")


async def test_text_that_is_selected_goes_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(screen="characters") as user:
        sequences = written(user, monkeypatch)
        await user.press("slash", *"marsh", "shift+home", "ctrl+c")
        await user.is_told("Sent “Selection” (5 characters)")
        assert sequences == [f"\x1b]52;c;{base64.b64encode(b'marsh').decode()}\a"]


@pytest.mark.parametrize(
    ("screen", "keys", "first"),
    [
        ("estimator", "", "Total and lines"),
        ("estimator", "]]", "Models, ranked (Markdown)"),
        ("characters", "", "ID"),
        ("characters", "ij", "Value of Name"),
        ("characters", "J", "Selected value as JSON"),
        ("characters", "$", "Cost as a chartui command"),
        ("narrative", "", "ID of the section"),
        ("narrative", "i", "Selected line"),
        ("narrative", "M", "Map as text"),
        ("narrative", "l", "Findings in the story"),
        ("narrative", "w1", "Replayable walk: Elena Marsh"),
        ("actions", "", "Scene file"),
        ("actions", "i", "Turn as curl"),
        ("characters", "Q", "As a chartui command"),
    ],
)
async def test_the_first_text_is_what_has_the_keys(screen: str, keys: str, first: str) -> None:
    async with opened(demo(), screen=screen, size=WIDE) as user:
        await user.press(*keys)
        await user.rests()
        for key, title in (("y", "─ Copy ─"), ("W", "─ Write ─")):
            await user.press(key)
            await user.sees(title)
            assert user.choices[0].label == first
            await user.press("escape")
            await user.back()


async def test_the_report_that_covers_a_walk_is_the_first_text() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("w", "b", "enter")
        await user.sees("Sections never reached")
        report = user.narrative.copy_choices()[0]
        assert report.title == "Report as shown"
        assert report.text.startswith("200 walks of 200 steps, seed 1\n")
        assert "\nSections never reached  " in report.text


async def test_the_filtered_list_is_copied_as_a_table() -> None:
    async with opened(screen="characters", size=SMALL) as user:
        await user.press("slash", *"flash", "enter")
        await user.until(lambda: len(user.characters.names) == 2, "for the matches")
        await user.press("y")
        await user.write("list csv")
        await user.press("enter")
        await user.is_told("List of 2 characters (CSV)")
        head, *rows = user.clipboard.splitlines()
        assert head.split(",")[:3] == ["id", "name", "model"]
        assert [row.split(",")[1] for row in rows] == user.characters.names


@pytest.mark.parametrize(
    ("view", "words"),
    [("view-rank", "flash"), ("view-explore", "flash"), ("view-trail", "first"), ("view-subscriptions", "pro")],
)
async def test_the_rows_of_a_filter_are_copied_and_counted(view: str, words: str) -> None:
    async with opened(size=WIDE) as user:
        await user.finds(view)
        await user.press("slash", *words, "enter")
        found = re.search(rf"/ {words} +(\d+) of (\d+)", user.screen)
        assert found is not None, user.screen
        assert found[1] != "0"
        await user.press("y")
        await user.paste(f"{found[1]} of {found[2]} rows CSV")
        await user.press("enter")
        await user.is_told(f", {found[1]} of {found[2]} rows (CSV)")
        rows = user.clipboard.splitlines()[1:]
        assert len(rows) == int(found[1])
        assert all(words in row.lower() for row in rows)
