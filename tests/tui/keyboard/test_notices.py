"""Messages in the corner go by themselves, however the clock runs."""

from __future__ import annotations

import time

import pytest
from textual.widgets._toast import Toast

from tests.tui.user import opened


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
