"""The columns of the list of characters: chosen, ordered, sized, and kept."""

from __future__ import annotations

from itertools import product

import pytest

from chartui.tui.screens.characters.columns import TITLES, as_wire, chosen_in
from tests.long import spread
from tests.tui.keyboard import covers
from tests.tui.user import SMALL, WIDE, User, opened

#: A window with one pane: the list has all its columns.
ROOM = (99, 30)


def titles(user: User) -> list[str]:
    header = next(line for line in user.screen.splitlines() if " Name" in line)
    return header.split("││")[0].strip("│ ").split()


@covers("choose-columns")
async def test_columns_are_hidden_moved_and_kept() -> None:
    async with opened(screen="characters", size=ROOM) as user:
        assert titles(user)[:2] == ["Name", "Model"]
        await user.finds("choose-columns")
        await user.sees("Columns", "automatic (fits the window)")
        await user.press("down", "space", "down", "down", "<", "<")
        await user.press("enter")
        await user.until(lambda: user.at_work)
        assert titles(user)[0] == "Name"
        assert "Model" not in titles(user)
        assert titles(user).index("Lang") < titles(user).index("Used")


async def test_escape_restores_them() -> None:
    async with opened(screen="characters", size=ROOM) as user:
        before = titles(user)
        await user.finds("choose-columns")
        await user.press("down", "space")
        assert titles(user) != before
        await user.press("escape")
        assert titles(user) == before


async def test_the_wide_set_and_the_automatic_one() -> None:
    async with opened(screen="characters", size=ROOM) as user:
        await user.finds("choose-columns")
        await user.press("*", "enter")
        assert {"ID", "Created", "Used"} <= set(titles(user))
        await user.finds("choose-columns")
        await user.press("R", "enter")
        assert "ID" not in titles(user)


async def test_a_column_gets_the_width_you_want() -> None:
    async with opened(screen="characters", size=ROOM) as user:
        await user.finds("choose-columns")
        await user.press("down", *["+"] * 10)
        await user.sees("Model", "29")
        await user.press("enter", "s", "s")  # the width stays with the mark of the order
        assert "Model↑" in titles(user)


async def test_the_dialog_says_which_columns_lack_how_many_cells_in_the_list() -> None:
    async with opened(screen="characters", size=(60, 24)) as user:
        await user.finds("choose-columns")
        assert "automatic" in user.line("Graph", "LineList")
        await user.press("*")
        await user.sees("too wide by")
        lacking = int(user.line("ID ", "LineList").split("too wide by")[1].split()[0])
        await user.resize(60 + lacking - 1, 24)
        await user.sees("too wide by 1 cell ")
        await user.resize(60 + lacking, 24)
        assert "automatic" in user.line("ID ", "LineList")
        await user.press("home", "down", *["+"] * 3)
        await user.sees("too wide by")


@pytest.mark.parametrize(
    ("sorted_by", "keys", "size"),
    spread(
        product(["", "s s s s s"], ["", "+", "down space", "*", "* +", "down > > >"]),
        [SMALL, (60, 24), (70, 20), ROOM, WIDE],
    ),
)
async def test_the_dialog_and_the_list_agree(sorted_by: str, keys: str, size: tuple[int, int]) -> None:
    def named(user: User) -> set[str]:
        rows = {title: user.line(f"{title} ", "LineList") for title in TITLES.values()}
        ticked = {title for title, row in rows.items() if f"✓{title} " in row and "too wide" not in row}
        return ticked | {title for title, row in rows.items() if "shown as the sort column" in row}

    async with opened(screen="characters", size=size) as user:
        await user.press(*sorted_by.split())
        await user.finds("choose-columns")
        await user.press(*keys.split())
        await user.until(lambda: named(user) == {title.strip("↑") for title in titles(user)}, "for both to agree")


async def test_a_list_is_sorted_by_cost_also_without_room_for_the_column() -> None:
    async with opened(screen="characters", size=ROOM) as user:
        await user.press(*["s"] * 9)
        await user.until(lambda: "Cost↑" in titles(user))
        await user.rests()
        sorted_by_cost = user.characters.names
    async with opened(screen="characters", size=(60, 24)) as user:
        assert user.characters.names != sorted_by_cost
        await user.finds("choose-columns")
        await user.press("*", "enter", *["s"] * 9)
        await user.until(lambda: user.characters.names == sorted_by_cost)
        assert "Cost↑" not in titles(user)


async def test_the_name_stays() -> None:
    async with opened(screen="characters", size=ROOM) as user:
        await user.finds("choose-columns")
        await user.press("space", "enter")
        assert titles(user)[0] == "Name"


def test_only_sound_choices_are_taken() -> None:
    kept = chosen_in([["name", 0], ["model", 20]])
    assert chosen_in(as_wire(kept)) == kept
    for bad in (None, 1, [["model", 0]], [["name", 0], ["bad", 1]], [["name", 0], ["model", 500]], [["name"]]):
        assert not chosen_in(bad)
