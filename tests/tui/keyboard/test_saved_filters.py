"""Filters saved under a name: opened, deleted, found in the palette, and there after a restart."""

from __future__ import annotations

import pytest

from chartui.core.profiles import BUILT_IN
from chartui.core.saved_filters import change_filters, filters_path, load_filters
from chartui.tui.screens.characters.saved_filters import FilterChooser
from chartui.tui.widgets.questions import AskLine, Confirm
from tests.tui.keyboard import covers
from tests.tui.sessions import remote
from tests.tui.starting import LOCAL, fill_local, started
from tests.tui.user import NARROW, WIDE, User, opened

START = f"{LOCAL} --screen characters"


@pytest.fixture(autouse=True)
def _filled() -> None:
    fill_local()


def kept(profile: str = BUILT_IN["local"].name) -> dict[str, str]:
    """The filters in the file of a profile."""
    return dict(load_filters(filters_path(profile)).entries)


async def save(user: User, query: str, name: str) -> None:
    """Filter the list and save the filter with the key of the filter line."""
    await user.press("slash", "ctrl+u", *query, "f3")
    await user.until(lambda: isinstance(user.app.screen, FilterChooser), "for the saved filters")
    await user.press("up", "up", "up", "enter")
    await user.until(lambda: isinstance(user.app.screen, AskLine), "for the question")
    await user.press(*name, "enter")
    await user.until(lambda: name in kept(), "for the file")


@covers("open-filter")
async def test_a_filter_is_saved_and_opened_with_the_key_of_the_filter_line() -> None:
    async with started(START, size=NARROW) as user:
        await save(user, "mdla", "Family A")
        await save(user, "gone:yes", "Gone")
        assert user.filter.value == "gone:yes"
        await user.press("f3", *"famly", "enter")  # the matcher of every list
        await user.until(lambda: user.filter.value == "mdla", "for the filter")
        assert user.filter.has_focus
        await user.press("enter")
        assert len(user.characters.names) > 1
        assert user.app.focused is user.characters.view
    assert kept() == {"Family A": "mdla", "Gone": "gone:yes"}
    async with started(f"{START} --fresh") as user:
        await user.press("f3", "down", "enter")
        await user.until(lambda: user.filter.value == "gone:yes", "for the filter, although nothing else came back")
    assert kept() == {"Family A": "mdla", "Gone": "gone:yes"}


@covers("save-filter")
async def test_a_filter_is_saved_from_the_palette_and_replaced_only_after_a_question() -> None:
    async with started(START) as user:
        await user.finds("save-filter")
        await user.is_told("No filter to save. Filter the list first.")
        await user.press("slash", *"mdla", "enter")
        await user.finds("save-filter")
        await user.press("enter")  # the filter is its own name until there is a better one
        await user.until(lambda: kept() == {"mdla": "mdla"}, "for the file")
        await user.press("slash", *"marsh", "enter")
        await user.finds("save-filter")
        await user.press(*"mdla", "enter")
        await user.until(lambda: isinstance(user.app.screen, Confirm), "for the question")
        await user.press("y")
        await user.until(lambda: kept() == {"mdla": "marsh"}, "for the file")


@covers("delete-filter")
async def test_a_saved_filter_is_deleted_after_a_question_and_others_stay() -> None:
    async with started(START) as user:
        await user.finds("delete-filter")
        await user.is_told("No saved filters yet. Filter the list, then save the filter.")
        await save(user, "mdla", "Family A")
        await save(user, "marsh", "Elena")
        # Another program saves one meanwhile.
        change_filters(filters_path("local"), lambda entries: {**entries, "Theirs": "x"})
        await user.press("enter")
        await user.finds("delete-filter")
        await user.press(*"elena", "enter")
        await user.until(lambda: isinstance(user.app.screen, Confirm), "for the question")
        await user.press("escape")
        await user.finds("delete-filter")
        await user.press(*"elena", "enter")
        await user.until(lambda: isinstance(user.app.screen, Confirm), "for the question")
        await user.press("y")
        await user.until(lambda: kept() == {"Family A": "mdla", "Theirs": "x"}, "for the file")


async def test_saved_filters_are_in_the_palette_of_every_screen() -> None:
    change_filters(filters_path("local"), lambda _: {"Family A": "mdla"})
    async with started(f"{LOCAL} --screen estimator", size=WIDE) as user:
        await user.press(":", *"Filter: fam")
        await user.sees("Filter: Family A")
        await user.press("enter")
        await user.until(lambda: 1 < len(user.characters.names) < 12, "for the characters")
        assert user.filter.value == "mdla"


async def test_a_file_with_a_mistake_is_told_and_stays() -> None:
    filters_path("local").parent.mkdir(parents=True, exist_ok=True)
    filters_path("local").write_text('format = "chartui-filters"\nversion = 1\n[filters]\nbad = 7\n')
    async with started(START) as user:
        await user.press("slash", *"mdla", "enter")
        await user.finds("save-filter")
        await user.press("enter")
        await user.is_told("Fix this problem first. Nothing was written.")
    assert "bad = 7" in filters_path("local").read_text()


async def test_each_profile_has_its_own_and_a_service_that_is_read_only_too() -> None:
    change_filters(filters_path("local"), lambda _: {"Family A": "mdla"})
    session, double = remote(read_only=True)
    async with opened(session, screen="characters") as user:
        await user.press("f3")
        await user.is_told("No saved filters yet.")
        await user.press("slash", *"mdla", "f3", "enter")
        await user.until(lambda: isinstance(user.app.screen, AskLine), "for the question")
        await user.press("enter")
        await user.press("ctrl+p", *"filter: mdla")
        await user.sees("Filter: mdla")
        assert {name for name, _ in double.calls} == {"list-characters"}
    assert kept() == {"Family A": "mdla"}
