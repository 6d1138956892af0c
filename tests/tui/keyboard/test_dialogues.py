"""A dialogue takes nothing with it but itself, and a program that ends beneath one has no more to say."""

from __future__ import annotations

import asyncio
import gc

import pytest

from chartui.core.session import Session
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.shell import profiles
from chartui.tui.shell.help import Help
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.review import Review
from tests.tui.sessions import demo, doubled
from tests.tui.user import User, opened


async def at_work(user: User) -> None:
    await user.at(EstimatorScreen)
    await user.settle()


async def test_what_lies_over_a_dialogue_stays_when_that_goes() -> None:
    async with opened() as user:
        await user.press("question_mark")
        under = user.app.screen
        assert isinstance(under, Help)
        answers: list[bool | None] = []
        over = Confirm("Over it", "It is asked whether this stays.", "It stays")
        await user.app.push_screen(over, answers.append)
        under.dismiss()
        await user.settle()
        assert user.app.screen is over
        await user.press("y")
        await at_work(user)
        assert answers == [True]
        under.dismiss()
        over.dismiss(False)
        await user.settle()
        await at_work(user)
        assert answers == [True]


async def test_a_profile_that_is_opened_twice_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions: list[Session] = []

    async def open_checked(*_: object) -> Session:
        sessions.append(demo())
        if len(sessions) == 1:  # it is there at once, and another key has come by then
            [dialog] = [screen for screen in user.app.screen_stack if isinstance(screen, ProfilesDialog)]
            dialog.call_later(dialog.query_one(LineView).action_choose)
        return sessions[-1]

    monkeypatch.setattr(profiles, "open_checked", open_checked)
    async with opened() as user:
        await user.press("P", "down", "enter")
        await at_work(user)
        assert user.app.session is sessions[0]


async def test_a_program_that_ends_while_a_plan_is_carried_out_has_no_more_to_say() -> None:
    wrong: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))
    session, double = doubled()
    double.hold("edit-section")
    async with opened(session, screen="narrative") as user:
        await user.press("f2", *"Hall", "enter", "S")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: double.waiting("edit-section"), "for the change to be sent")
        user.app.exit()
    gc.collect()
    assert wrong == []
