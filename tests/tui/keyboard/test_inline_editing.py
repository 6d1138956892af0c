"""Escape ends what is being typed in a pane and stays there: the next key never reaches what lies behind."""

from __future__ import annotations

from chartui.tui.screens.characters.tabs.settings import SettingsTab
from chartui.tui.widgets.form import FormView
from tests.tui.user import WIDE, opened


async def test_a_number_of_a_use_is_taken_back_where_it_is() -> None:
    async with opened() as user:
        before = user.estimator.now.selections()
        await user.press("e")
        await user.until(lambda: user.top.query_one("#usage").has_focus, "for the numbers")
        form = user.top.query_one("#usage", FormView)
        row = form.current
        await user.press(*"77", "escape")
        assert form.has_focus
        assert form.current == row
        await user.press(*"8", "enter", "enter")
        assert form.has_focus
        assert user.estimator.now.selections() == before


async def test_a_temperature_is_taken_back_where_it_is() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("e")
        await user.sees("Temperature")
        form = user.characters.find(SettingsTab)
        await user.until(lambda: form.current is not None and form.has_focus, "for the form")
        form.put_cursor("temperature")
        await user.press(*"0.1", "escape")
        assert form.has_focus
        assert not user.characters.staged


async def test_a_name_that_is_left_gives_the_keys_back_to_the_pane_it_was_typed_in() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("tab")
        pane = user.app.focused
        assert pane is user.narrative.section
        await user.press("enter")
        await user.until(lambda: user.narrative.asks_line, "for the line")
        story = user.narrative.story
        await user.press(*"abc", "escape", *"jk")
        assert user.app.focused is pane
        assert user.narrative.story is story
