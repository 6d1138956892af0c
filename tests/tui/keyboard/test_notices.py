"""Messages in the corner go by themselves, however the clock runs."""

from __future__ import annotations

import time

import pytest
from textual.widgets._toast import Toast

from chartui.tui.tour.player import messages
from tests.tui.characters import kept, stage_temperature
from tests.tui.user import NARROW, WIDE, opened


async def test_a_message_that_ends_while_it_is_shown_anew_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine, or when the clock is set, between asking whether it is over and how long it stays."""
    async with opened(screen="characters") as user:
        asked = Toast.__init__

        def late(toast: Toast, notification: object) -> None:
            with monkeypatch.context() as patch:
                now = time.time()
                patch.setattr("textual.notifications.time", lambda: now + 60)
                asked(toast, notification)  # type: ignore[arg-type]

        monkeypatch.setattr(Toast, "__init__", late)
        user.app.tell("Something happened.")
        await user.until(lambda: user.app.screen.query(Toast), "for the message")
        await user.until(lambda: not user.app.screen.query(Toast), "for the message to go")
        await user.press("down")
        assert "Characters" in user.screen


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
        await user.until(lambda: len(user.app.screen.query("Toast")) == 2, "for the warnings")
        await user.settle()
        assert [text.split(" ", 1)[1] for text in messages(user.app)] == [
            "Settings The second problem.",
            "Settings The first problem.",
        ]


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
        await user.is_told("Save the settings of Elena Marsh")
        await user.settle()
        assert any("Save the settings of Elena Marsh" in message for message in messages(user.app))
