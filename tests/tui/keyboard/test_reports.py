"""“Done.” appears only when nothing on the screen says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tui.characters import stage_temperature
from tests.tui.sessions import demo, doubled
from tests.tui.user import WIDE, User, opened


def marks_when_told(
    user: User, monkeypatch: pytest.MonkeyPatch, staged: Callable[[], object]
) -> list[tuple[str, bool]]:
    """Each message from now on, and whether anything was still marked as staged when it was sent."""
    tell, seen = user.app.tell, []

    def listen(message: str, **how: Any) -> None:
        seen.append((message, bool(staged())))
        tell(message, **how)

    monkeypatch.setattr(user.app, "tell", listen)
    return seen


async def test_settings_are_no_longer_staged_when_they_are_reported_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        told = marks_when_told(user, monkeypatch, lambda: user.characters.staged)
        await user.press("S")
        await user.sees("Apply settings to Elena Marsh")
        await user.press("y")
        await user.is_told("Applied: ")
        assert [staged for _, staged in told] == [False]
        assert double.count("update-character") == 1


async def test_a_story_is_no_longer_staged_when_it_is_reported_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("f2", *"Mine", "enter")
        await user.until(lambda: user.narrative.staged, "for the change")
        told = marks_when_told(user, monkeypatch, lambda: user.narrative.staged)
        await user.press("S")
        await user.sees("Change the story of Elena Marsh")
        await user.press("y")
        await user.is_told("Applied: ")
        assert [staged for _, staged in told] == [False]
        assert not user.narrative.edits
