"""Messages have lines of their own above the footer, cover nothing, and go by themselves or by a click."""

from __future__ import annotations

import pytest

from chartui.tui.app import Severity
from chartui.tui.tour.player import messages
from chartui.tui.widgets.bars import FooterBar
from chartui.tui.widgets.messages import MessageBar
from tests.tui.characters import kept, stage_temperature
from tests.tui.user import NARROW, SMALL, WIDE, opened

SCREENS = ["estimator", "characters", "narrative", "actions", "requests"]


async def test_a_message_goes_by_itself_however_the_clock_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(screen="characters") as user:
        monkeypatch.setattr("textual.notifications.time", lambda: 0.0)
        before = user.screen
        user.app.message_seconds = 0.2
        user.app.tell("Something happened.")
        await user.is_told("Something happened.")
        await user.misses("Something happened.")
        assert user.screen == before


async def test_information_without_a_title_replaces_the_last() -> None:
    async with opened(screen="characters") as user:
        user.app.tell("The first.")
        user.app.tell("The second.")
        await user.is_told("The second.")
        assert messages(user.app) == ["The second."]


async def test_of_undone_and_redone_steps_only_the_last_is_in_sight() -> None:
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("down", "plus")
        for key, message in (("z", "Undone: Change reasoning level"), ("z", "Undone: Change temperature")):
            await user.press(key)
            await user.is_told(message)
        assert messages(user.app) == ["Undone: Change temperature"]
        await user.press("Z", "Z", "Z")
        await user.is_told("Nothing to redo.")
        assert messages(user.app) == ["Nothing to redo."]


async def test_equal_messages_are_one_and_different_warnings_are_not() -> None:
    async with opened(screen="characters") as user:
        for message in ("The first problem.", "The second problem.", "The first problem."):
            user.app.tell(message, title="Settings", severity="warning")
        await user.until(lambda: len(messages(user.app)) == 2, "for the warnings")
        await user.settle()
        assert [text.split(" ", 1)[1] for text in messages(user.app)] == [
            "Settings The second problem.",
            "Settings The first problem.",
        ]


async def test_a_click_takes_a_message_away() -> None:
    async with opened(screen="characters") as user:
        user.app.tell("The first problem.", severity="warning")
        user.app.tell("The second problem.", severity="error")
        await user.is_told("The first problem.", "The second problem.")
        await user.pilot.click(MessageBar, offset=(5, 0))
        await user.misses("The first problem.")
        assert messages(user.app) == ["✗ The second problem."]


@pytest.mark.parametrize("severity", ["information", "error"])
async def test_a_message_is_cut_only_at_a_quarter_of_the_window(severity: Severity) -> None:
    async with opened(screen="characters") as user:
        text = " ".join(f"{number} and more" for number in range(28))
        user.app.tell(text, severity=severity)
        await user.is_told(text)
        user.app.tell(text * 2, severity=severity)
        await user.until(lambda: messages(user.app)[-1].endswith("…"), "for the cut")
        assert len(user.app.screen.query_one(MessageBar).told) == user.app.size.height // 4


async def test_the_last_message_and_the_most_important_other_one_are_in_sight() -> None:
    async with opened(screen="characters", size=SMALL) as user:
        for number in range(4):
            user.app.tell(f"Warning {number}.", severity="warning")
            user.app.tell(f"Information {number}.")
        await user.is_told("Information 3.")
        await user.settle()
        assert messages(user.app) == ["▲ Warning 3. +3", "Information 3."]


@pytest.mark.parametrize("screen", SCREENS)
async def test_escape_with_nothing_to_close_dismisses_what_is_in_sight(screen: str) -> None:
    async with opened(screen=screen, size=SMALL) as user:
        for number in range(3):
            user.app.tell(f"Problem {number}.", severity="warning")
        await user.is_told("Problem 2.")
        assert "esc dismiss" in user.bottom_line
        await user.press("escape")
        assert messages(user.app) == ["▲ Problem 0."]
        await user.press("escape")
        assert messages(user.app) == []
        assert "esc dismiss" not in user.bottom_line


async def test_escape_closes_what_is_open_before_it_dismisses() -> None:
    async with opened(kept(), screen="characters") as user:
        await user.press("/", "e")
        user.app.tell("Something is wrong.", severity="warning")
        await user.is_told("Something is wrong.")
        await user.press("escape")
        assert len(messages(user.app)) == 1
        await user.press("escape")
        assert messages(user.app) == []


@pytest.mark.parametrize("size", [SMALL, NARROW])
@pytest.mark.parametrize("screen", SCREENS)
async def test_messages_cover_nothing(screen: str, size: tuple[int, int]) -> None:
    async with opened(screen=screen, size=size) as user:
        await user.press("question_mark")
        for dialog in (True, False):
            for severity in ("warning", "error"):
                user.app.tell("Something is wrong with what was done here. " * 4, severity=severity)
            await user.until(lambda: messages(user.app), "for the messages")
            await user.settle()
            front = user.app.screen
            bar, keys = front.query_one(MessageBar), front.query_one(FooterBar)
            assert bar.region.bottom == keys.region.y == user.app.size.height - 1
            others = front.query("#panes, Dialog > Vertical, TopBar, UnreadableBar, SheetView, LineView").results()
            covered = [each for each in others if each.display and each.region.overlaps(bar.region)]
            assert not covered
            if dialog:
                await user.press("escape")


async def test_staged_changes_stay_in_sight_beside_messages() -> None:
    async with opened(kept(), screen="characters", size=NARROW) as user:
        await stage_temperature(user)
        user.app.tell("The first problem.", severity="warning")
        user.app.tell("The second problem.", severity="error")
        await user.is_told("The first problem.", "The second problem.")
        await user.settle()
        assert "1 change staged" in user.screen


async def test_the_row_with_the_cursor_stays_in_sight_and_nothing_scrolls_back() -> None:
    async with opened(screen="narrative") as user:
        height = len(user.pane("#tree").splitlines())
        await user.press(*["down"] * (height - 2))
        here = user.narrative.here
        user.app.tell("Something happened.")
        await user.is_told("Something happened.")
        marked = user.line("▌", "#tree")
        user.app.clear_notifications()
        await user.settle()
        assert user.line("▌", "#tree").strip() == marked.strip()
        assert user.narrative.here is here


async def test_a_dialog_opens_without_information_over_it_and_with_warnings() -> None:
    async with opened(kept(), screen="characters", size=NARROW) as user:
        await stage_temperature(user)
        user.app.tell("Something was done.")
        user.app.tell("Something is wrong.", severity="warning")
        await user.is_told("Something was done.", "Something is wrong.")
        await user.press("S")
        await user.sees("0.6 → 0.9", "› Cancel")
        await user.until(lambda: len(messages(user.app)) == 1, "for the information to go")
        assert "Something is wrong." in messages(user.app)[0]


async def test_the_report_after_applying_stays() -> None:
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("S")
        await user.sees("0.6 → 0.9")
        await user.press("y")
        await user.is_told("Applied: temperature 0.6 → 0.9")
        await user.settle()
        assert any("Applied: temperature 0.6 → 0.9" in message for message in messages(user.app))
