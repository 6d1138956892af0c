"""Where the keys go when a tab opens, and after Esc: one rule for every screen."""

from __future__ import annotations

import pytest

from chartui.commands import COMMANDS, Command
from chartui.commands.tabs import TABS
from tests.long import spread
from tests.tui.sessions import demo
from tests.tui.user import NARROW, SMALL, WIDE, opened

#: Every command that opens a tab, with the name of the tab.
OPENING = [(row, name) for names in TABS.values() for name in names for row in COMMANDS if f"('{name}')" in row.action]
SCREENS = [screen for screen, tabs in TABS.items() if tabs]


@pytest.mark.parametrize(("row", "tab", "size"), spread(OPENING, [SMALL, NARROW, WIDE]))
async def test_a_tab_that_is_opened_has_the_keys_until_esc(row: Command, tab: str, size: tuple[int, int]) -> None:
    async with opened(demo(), screen=row.scope.split(".")[0], size=size) as user:
        for _ in range(2):  # also when it is the visible one already
            if row.keys:
                await user.press(row.keys[0])
            else:
                await user.finds(row.id)
            await user.until(lambda: user.focused_tab == tab, f"for the keys to go to {tab}")
            await user.press("escape")
            assert user.at_home, user.focus


@pytest.mark.parametrize("screen", SCREENS)
async def test_the_next_tab_leaves_the_keys_where_they_are(screen: str) -> None:
    async with opened(demo(), screen=screen, size=WIDE) as user:
        for _ in TABS[screen]:
            await user.press("]")
            assert user.at_home, user.focus
        await user.press("[")
        row, tab = next(found for found in OPENING if found[1] == TABS[screen][-1])
        await user.finds(row.id)
        await user.until(lambda: user.focused_tab == tab, f"for the keys to go to {tab}")
        await user.press("]")
        await user.until(lambda: user.focused_tab == TABS[screen][0], "for the first tab")


@pytest.mark.parametrize(("screen", "tab"), [("characters", "record"), ("actions", "reply")])
@pytest.mark.parametrize("key", ["]", "["])
async def test_the_next_tab_of_a_hidden_panel_is_its_current_one(screen: str, tab: str, key: str) -> None:
    async with opened(demo(), screen=screen, size=NARROW) as user:
        await user.press(key)
        await user.until(lambda: user.focused_tab == tab, f"for the keys to go to {tab}")
        await user.press("]", "[", "[")
        assert user.focused_tab == TABS[screen][TABS[screen].index(tab) - 1]


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_an_enlarged_tab_of_a_story_keeps_the_keys_when_the_tree_is_back(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="narrative", size=size) as user:
        await user.press("v")
        assert (user.narrative.fills_window(), user.focused_tab) == (True, "section")
        await user.press("v")
        assert (user.narrative.fills_window(), user.focused_tab) == (False, "section")
        await user.press("v", "escape")
        assert (user.narrative.fills_window(), user.at_home) == (False, True)


async def test_a_name_before_the_tabs_hides_none_of_them() -> None:
    async with opened(demo(), screen="characters", size=(100, 30)) as user:
        for _ in TABS["characters"]:
            await user.press("]")
            await user.settle()
            assert "─ Elen… │ Settings │ Record │ JSON │ Cost │ History ─" in user.screen
