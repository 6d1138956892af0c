"""The character in hand: N, A and C take it along to the next screen."""

from __future__ import annotations

import pytest

from tests.tui.characters import edit, reviewing
from tests.tui.sessions import demo, doubled
from tests.tui.user import NARROW, WIDE, opened


async def test_the_character_under_the_cursor_comes_along_to_the_graph_and_to_the_actions() -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "down", "N")
        await user.sees("─ Avery Cole ─", "▶ Welcome")
        await user.press("C", "up", "A")
        await user.sees("─ Say to Bran Alder ─")
        await user.press("N")
        await user.sees("─ Bran Alder ─", "At the forge door")


async def test_the_cursor_of_the_list_follows_the_character_of_the_graph_and_of_the_actions() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("N", "c", *"avery", "enter")
        await user.sees("─ Avery Cole ─")
        await user.press("C")
        assert user.characters.name == "Avery Cole"
        await user.reads("#record", "Name Avery Cole")
        await user.press("A", "c", *"bran", "enter")
        await user.sees("─ Say to Bran Alder ─")
        await user.press("C")
        assert user.characters.name == "Bran Alder"


@pytest.mark.parametrize("other", ["N", "A"])
async def test_a_round_trip_stays_on_its_character_and_keeps_the_filter(other: str) -> None:
    async with opened(screen="characters") as user:
        await user.press("/", *"bran", "enter", other)
        await user.sees("Bran Alder ─")
        await user.press("C")
        assert (user.characters.name, user.characters.query) == ("Bran Alder", "bran")
        await user.press(other)
        await user.sees("Bran Alder ─")


async def test_a_filter_that_hides_the_character_gives_way() -> None:
    async with opened(screen="characters") as user:
        await user.press("/", *"bran", "enter", "N")
        await user.sees("─ Bran Alder ─")
        await user.press("c", *"avery", "enter")
        await user.sees("─ Avery Cole ─")
        await user.press("C")
        assert (user.characters.name, user.characters.query) == ("Avery Cole", "")


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
async def test_staged_changes_are_those_of_the_row_under_the_cursor(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="characters", size=size) as user:
        await edit(user)
        first = user.characters.name
        await user.press("down", "plus")
        await user.sees("S apply")
        await user.press("escape", "down")
        await user.rests()
        assert "S apply" not in user.bottom_line
        await user.press("S")
        await user.is_told("No staged changes for this character")
        await user.press("i", "escape", "up")
        await user.rests()
        assert user.characters.name == first
        assert "S apply" in user.bottom_line
        await user.press("D")
        await user.sees(f"Discard changes to {first}", "z restores it")
        await user.press("escape")
        await user.back()
        await user.press("escape", "down", "up", "S")
        await reviewing(user)
        await user.sees(f"Apply settings to {first}")


async def test_a_character_that_is_not_listed_leaves_the_cursor_where_it_is() -> None:
    session, _ = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("down")
        user.app.work["characters"].receive("nobody")
        await user.settle()
        assert user.characters.name == "Bran Alder"


async def test_a_screen_without_a_character_changes_nothing() -> None:
    """From the estimator and the requests each screen comes back as it was left."""
    async with opened(screen="characters") as user:
        await user.press("down", "N")
        await user.sees("─ Bran Alder ─")
        await user.press("E", "C", "down", "Q", "C")
        assert user.characters.name == "Avery Cole"
        await user.press("E", "N")
        await user.sees("─ Bran Alder ─")


async def test_escape_goes_back_to_the_screen_that_the_graph_was_opened_from() -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "A")
        await user.sees("─ Say to Bran Alder ─")
        await user.press("N")
        await user.sees("─ Bran Alder ─", "esc back")
        await user.press("escape")
        await user.sees("─ Say to Bran Alder ─")


async def test_staged_changes_stay_with_their_character() -> None:
    async with opened(screen="characters") as user:
        await user.press("N", "f2", *"Hall", "enter")
        await user.sees("Δ 1 section")
        await user.press("C", "down", "N")
        await user.sees("─ Bran Alder ─")
        await user.misses("Δ 1 section")
        await user.press("C", "up", "N")
        await user.sees("─ Elena Marsh ─", "Δ 1 section")
