"""Filters of the characters that were used come back with the up key, and are kept with the bookmark."""

from __future__ import annotations

import pytest

from chartui.core.bookmark import Bookmark, bookmark_path, load_bookmark, save_bookmark
from chartui.core.config import config_path
from chartui.core.profiles import BUILT_IN
from chartui.core.recent import MOST
from chartui.tui.widgets.filter import RecallingFilter
from tests.tui.starting import LOCAL, fill_local, started
from tests.tui.user import NARROW, User, opened

OWNER = BUILT_IN["local"].place


async def use(user: User, *queries: str) -> None:
    """Filter, go to the list with Enter, and leave the filter."""
    for query in queries:
        await user.press("slash", *query, "enter", "escape")


async def recalled(user: User, *keys: str) -> str:
    """The text of the filter after some keys."""
    await user.press(*keys)
    return user.filter.value


async def test_up_goes_back_through_the_filters_that_were_used_and_down_forward() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await use(user, "mdla", "marsh", "gone:yes", "marsh")
        await user.press("slash", "n", "o")
        assert [await recalled(user, "up") for _ in range(4)] == ["marsh", "gone:yes", "mdla", "mdla"]
        assert len(user.characters.names) > 1, "what is recalled is what is filtered by"
        assert [await recalled(user, "down") for _ in range(4)] == ["gone:yes", "marsh", "no", "no"]
        assert user.characters.current == user.characters.view.items[0]
        # What is changed is a filter of its own, with all the others behind it.
        assert await recalled(user, "up", "x") == "marshx"
        assert await recalled(user, "up") == "marsh"
        assert await recalled(user, "down") == "marshx"


async def test_the_filter_in_use_is_not_recalled_again() -> None:
    async with opened(screen="characters") as user:
        await use(user, "mdla", "marsh")
        await user.press("slash", "up", "up", "enter", "slash")
        assert user.filter.value == "mdla"
        assert [await recalled(user, "up"), await recalled(user, "down")] == ["marsh", "mdla"]


async def test_only_filters_that_led_somewhere_are_remembered() -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", "up")
        assert user.filter.value == ""
        await user.press(*"zzz", "enter", "escape")
        await user.press("slash", *"typed", "escape")
        await user.press("slash", *"promt:x", "enter", "escape")
        await user.press("slash", *"x" * (RecallingFilter.MOST + 1), "enter", "escape")
        await user.press("slash", " ", "enter", "escape", "slash", "up")
        assert user.filter.value == ""
        # A character opened from the list is a choice without Enter in the filter.
        await user.press(*"nova", "tab", "enter", "escape", "escape", "slash", "up")
        assert user.filter.value == "nova"


async def test_the_arrows_are_named_once_there_is_something_to_recall() -> None:
    async with opened(screen="characters", size=(120, 40)) as user:
        await user.press("slash")
        assert "earlier filters" not in user.bottom_line
        await user.press(*"marsh", "enter", "slash")
        assert "↑ earlier filters" in user.bottom_line


async def test_used_filters_come_back_and_the_oldest_are_dropped() -> None:
    fill_local()
    old = [f"old {number}" for number in range(MOST)]
    save_bookmark(OWNER, Bookmark(screen="characters", places={"characters": {"used_filters": [*old, 7]}}))
    async with started(LOCAL) as user:
        await use(user, "mdla", "静")
    async with started(LOCAL) as user:
        await user.press("slash")
        found = [await recalled(user, "up") for _ in range(MOST + 1)]
        assert found == ["静", "mdla", *old[:-2], old[-3]]


async def test_the_longest_history_is_kept() -> None:
    fill_local()
    long = [f"{number:02}{'😀' * (RecallingFilter.MOST - 2)}" for number in range(MOST)]
    save_bookmark(OWNER, Bookmark(screen="characters", places={"characters": {"used_filters": [*long]}}))
    async with started(LOCAL) as user:
        await use(user, "mdla")
    assert load_bookmark(OWNER).places["characters"]["used_filters"] == ["mdla", *long[:-1]]


@pytest.mark.parametrize("how", ["--fresh", "remember"])
async def test_used_filters_are_kept_only_where_bookmarks_are(how: str) -> None:
    fill_local()
    if how == "remember":
        config_path().parent.mkdir(parents=True, exist_ok=True)
        config_path().write_text('format = "chartui-config"\nversion = 1\nremember = false\n')
    async with started(f"{LOCAL} --screen characters{' --fresh' * (how == '--fresh')}") as user:
        await use(user, "mdla")
    assert not bookmark_path("local").exists()
