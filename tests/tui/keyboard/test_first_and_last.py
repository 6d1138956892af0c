"""``g`` and ``G`` go to the first and to the last row, as Home and End do, except while text is typed."""

from __future__ import annotations

import pytest

from chartui.core.plans.plan import Plan, Step
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.review import Review
from tests.tui.user import NARROW, User, opened

#: What has rows: the screen, and the keys to the part.
PARTS = {
    "a list": ("characters", ()),
    "a scrolled text": ("characters", ("i",)),
    "a tree": ("narrative", ()),
    "a form": ("estimator", ()),
    "the scene": ("actions", ()),
    "a table in a dialog": ("characters", ("P",)),
    "the help": ("characters", ("?",)),
}


def place(user: User) -> tuple[int, int]:
    view = user.app.focused
    assert isinstance(view, LineView)
    return view.cursor, view.scroll_offset.y


@pytest.mark.parametrize("part", PARTS)
async def test_g_and_shift_g_go_to_the_first_and_the_last_row(part: str) -> None:
    screen, keys = PARTS[part]
    async with opened(screen=screen, size=NARROW) as user:
        await user.press(*keys)
        await user.ready()
        places = []
        for key in ("home", "end", "g", "G"):
            await user.press(key)
            await user.settle()
            places.append(place(user))
        assert places[0] != places[1]
        assert places[2:] == places[:2]


async def test_in_a_review_they_scroll_the_changes() -> None:
    async with opened() as user:
        steps = tuple(
            Step(operation="update-character", payload={"charID": "c"}, subject=f"Character {number} ")
            for number in range(1, 100)
        )
        user.app.push_screen(Review(Plan(id="p", title="Many", steps=steps)))
        await user.at(Review)
        await user.sees("Character 1 ")
        await user.press("G")
        await user.misses("Character 1 ")
        await user.press("g")
        await user.sees("Character 1 ")


async def test_in_a_text_field_they_are_letters() -> None:
    async with opened(screen="characters") as user:
        await user.press("/", "g", "G")
        assert user.characters.query == "gG"
