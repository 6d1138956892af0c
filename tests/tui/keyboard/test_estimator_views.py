"""The views beside the inputs: turning them, going there and back, and giving one the whole window."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.session import RatesInUse
from chartui.tui.screens.estimator.board import VIEWS
from chartui.tui.screens.estimator.state import VIEW_TITLES, ViewName
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

BOTH = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])


def has_keys(user: User) -> str:
    """Which panel of the board the keys go to."""
    focused = user.app.screen.focused
    assert focused is not None
    panels = [node.id for node in focused.ancestors_with_self if node.id and node.has_class("panel")]
    return panels[0]


@BOTH
@covers("next-estimator-tab", "previous-estimator-tab")
async def test_the_brackets_turn_the_views_around_and_leave_the_focus_with_the_inputs(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        for name in (*VIEWS, ViewName.ESTIMATE):
            await user.press("]")
            assert user.estimator.now.view is name
            await user.until(lambda: user.estimator.tab == VIEW_TITLES[name])  # noqa: B023
            assert has_keys(user) == "inputs"
        await user.press("[", "[", "[")
        await user.until(lambda: user.estimator.tab == "What-if")


@BOTH
@covers("view-estimate", "back-to-inputs")
async def test_a_command_goes_to_a_view_and_escape_back_to_the_inputs(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.finds("view-explore")
        await user.until(lambda: has_keys(user) == "view-explore")
        await user.press("]")
        await user.until(lambda: has_keys(user) == "view-what-if")
        await user.press("escape")
        await user.until(lambda: has_keys(user) == "inputs")
        assert user.estimator.now.view is ViewName.WHAT_IF
        await user.press("$")
        await user.until(lambda: has_keys(user) == "result")
        await user.sees("credits per interaction")
        assert user.estimator.tab == "Estimate"


@BOTH
@covers("zoom-tab")
async def test_a_view_takes_the_whole_window_and_gives_it_back(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.finds("view-explore")
        await user.press("v")
        await user.until(lambda: user.app.screen.query_one("#view-explore").size.width == size[0] - 2)
        await user.misses("Per interaction")
        assert has_keys(user) == "view-explore"
        await user.press("escape")
        await user.sees("Per interaction")
        assert user.estimator.tab == "Explore"
        await user.until(lambda: has_keys(user) == "inputs")


async def test_a_tab_enlarged_in_a_narrow_window_shrinks_where_the_inputs_fit_beside_it() -> None:
    async with opened(size=NARROW) as user:
        await user.finds("view-explore")
        await user.press("v")
        await user.misses("Per interaction")
        await user.resize(90, 30)
        await user.misses("Per interaction")
        await user.resize(*WIDE)
        await user.sees("Per interaction")
        assert has_keys(user) == "view-explore"
        await user.press("v")
        await user.misses("Per interaction")
        await user.resize(140, 40)
        await user.misses("Per interaction")


@pytest.mark.parametrize(
    ("tab", "key", "title"),
    [
        ("view-what-if", "t", "What-if: next quantity"),
        ("view-what-if", "e", "What-if: edit the conversation"),
        ("view-rank", "t", "Rank: change category"),
        ("view-explore", "e", "Subscriptions: edit the volume"),
    ],
)
async def test_the_help_of_a_tab_lists_what_its_keys_do_there(tab: str, key: str, title: str) -> None:
    async with opened(size=WIDE) as user:
        await user.finds(tab)
        await user.press("?", "/")
        await user.paste(title)
        assert re.search(rf"▌ {key} +{title} ", user.screen), user.screen


@pytest.mark.parametrize(
    ("tab", "size", "words"),
    [
        ("view-rank", WIDE, ("s sort", "t category", "y copy")),
        ("view-explore", WIDE, ("s sort", "f constraints", "y copy")),
        ("view-explore", NARROW, ("f constraints",)),
        ("view-what-if", NARROW, ("t quantity",)),
        ("view-subscriptions", NARROW, ("e volume",)),
    ],
)
async def test_the_footer_has_the_keys_of_the_open_tab(tab: str, size: tuple[int, int], words: tuple[str, ...]) -> None:
    async with opened(size=size) as user:
        await user.finds(tab)
        await user.until(lambda: all(word in user.bottom_line for word in words), "for the keys")


@BOTH
async def test_the_estimate_has_the_keys_that_work_on_it(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        before = user.estimator.now.selections()
        assert "⏎ change" in user.bottom_line
        assert "enlarge" not in user.bottom_line
        await user.press("$")
        assert has_keys(user) == "result"
        assert " ".join(user.bottom_line.split()) == "] tabs p pin v enlarge esc back ? help : commands q quit"
        await user.press("enter", "right", "-", "r")
        assert user.at_work
        assert user.estimator.now.selections() == before
        await user.press("v")
        await user.sees("v shrink")


async def test_the_footer_names_the_keys_of_the_open_tab() -> None:
    words = {"rank": "t category", "explore": "f constraints", "what-if": "t quantity", "subscriptions": "e volume"}
    async with opened(size=WIDE) as user:
        for name in VIEWS:
            await user.press("]")
            assert has_keys(user) == "inputs"
            assert [w for w in words.values() if w in user.bottom_line] == [
                w for tab, w in words.items() if tab == name
            ]
        await user.finds("view-compare")
        assert "space baseline  d unpin" in user.bottom_line
        await user.finds("view-what-if")
        assert "+ longer  - shorter" in user.bottom_line


async def test_views_follow_the_inputs_only_while_they_are_in_sight_and_are_right_when_they_are_shown_again() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        await user.sees("↑credits", "8.369")
        await user.press("$", "escape")
        await user.press("down", "enter")
        await user.ready()
        await user.finds("view-rank")
        await user.sees("↑credits", "7.369")


async def test_a_window_that_grows_shows_the_ranking_beside_the_estimate() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        await user.sees("↑credits")
        assert not user.app.screen.query_one("#result").display
        await user.pilot.resize_terminal(*WIDE)
        await user.until(lambda: user.app.screen.query_one("#result").display)
        await user.sees("↑credits", "credits per interaction")
        await user.pilot.resize_terminal(*NARROW)
        await user.misses("credits per interaction")
        await user.sees("↑credits")


async def test_without_rates_every_view_opens_and_the_estimate_can_be_copied(tmp_path: Path) -> None:
    session = demo()
    session = replace(session, rates=RatesInUse(session.profile, tmp_path / "missing.json"))
    async with opened(session) as user:
        for name in VIEWS:
            await user.press("right_square_bracket")
            await user.until(lambda: user.estimator.tab == VIEW_TITLES[name])  # noqa: B023
            await user.press("y")
            await user.sees("─ Copy ─", "Estimate: chartui command")
            await user.press("escape")
            await user.back()


async def test_headlines_fit_into_a_small_window() -> None:
    async with opened(size=SMALL) as user:
        await user.press("p", *"the one at the museum", "enter", "down", "space", "$")
        await user.sees("9.297 credits ", "−1.000 vs. pin", "─ rate card 1 ─")
        await user.finds("view-compare")
        await user.sees("current │")
        await user.finds("view-subscriptions")
        await user.sees(" a month ", "30 000 interactions", " an hour ", "Name ")
