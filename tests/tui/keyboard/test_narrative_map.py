"""The map of a story: moved about in, looked at as a whole and around a section, and followed into the tree."""

from __future__ import annotations

import threading

import pytest

from chartui.core.narrative.layout.drawing import Drawing
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.story import Story, decision
from chartui.core.text import is_plain
from chartui.tui.screens.narrative.state import Tab
from chartui.tui.screens.narrative.tabs import map as map_tab
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.user import SMALL, WIDE, User, opened


def drawing(user: User) -> Drawing:
    found = user.narrative.map.drawing
    assert found is not None
    return found


def on_map(user: User) -> str:
    """The name of the section that the cursor of the map is at."""
    at = user.narrative.map.at
    assert at is not None
    return drawing(user).survey.places[at.place].name


def in_tree(user: User) -> str:
    node = user.narrative.node
    assert node is not None
    assert user.narrative.is_read
    return user.narrative.outline.graph.section_name(node.section or "")


@covers("show-map", "go-back")
async def test_one_moves_from_box_to_box_and_takes_the_tree_along() -> None:
    async with opened(screen="narrative") as user:
        # All at once, as a slow line delivers keys: the pane is there before its picture is.
        await user.press("M", "down")
        assert on_map(user) == "The twenty-minute tour"
        await user.sees("┃ The twenty-minute tour ┃", "The twenty-minute tour · 40 sections")
        assert in_tree(user) == "The twenty-minute tour"
        await user.press("left")
        assert on_map(user) == "House rules"
        await user.press("right", "up")
        assert on_map(user) == "Welcome at the door"
        # Enter goes to the tree, which is where Escape leads as well.
        for key in ("enter", "escape"):
            await user.press("M", "down", key)
            assert user.narrative.tree.has_focus
            assert in_tree(user) == on_map(user) != "Welcome at the door"


async def test_keys_act_on_the_selected_box() -> None:
    async with opened(screen="narrative") as user:
        # The tree is there before the next key is.
        await user.press("M", "down", "down", "e")
        await user.sees("Objective of “A break in the café”")
        await user.press("escape", "left", "a")
        await user.sees("Target of the new decision in “The case”")


async def test_the_map_goes_to_a_section_added_while_it_is_shown() -> None:
    async with opened(screen="narrative") as user:
        await user.press("M", "down")
        await user.finds("add-section")
        await user.write("Cloakroom")
        await user.press("enter")
        await user.write("Wet coats")
        await user.press("enter")
        await user.rests()
        assert in_tree(user) == on_map(user) == "Cloakroom"


async def test_it_follows_the_cursor_of_the_tree_to_what_a_line_is_about() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("M", "escape")
        rows = user.narrative.rows
        number = next(
            n for n, row in enumerate(rows) if row.node.kind is Kind.REFERENCE and "gallery" in row.node.title
        )
        await user.press(*["down"] * number)
        await user.rests()
        assert on_map(user) == "The gallery"
        await user.sees("┃ The gallery ")
        await user.press("end")
        await user.rests()
        assert user.narrative.map.at is not None
        assert on_map(user) != "The gallery"


@covers("map-focus", "map-more", "map-less")
async def test_a_few_steps_around_or_all_in_fewer_words() -> None:
    async with opened(screen="narrative") as user:
        await user.press("M", "escape", "f")  # works from the tree as well, as long as the tab is open
        await user.sees("7 of 40 sections within 2 steps")
        await user.press("M", "minus")
        await user.sees("of 40 sections within 1 step ", "→ +")
        few = drawing(user).sections
        await user.press("plus", "equals_sign")
        await user.sees("within 3 steps")
        assert drawing(user).sections > few
        await user.press(*["plus"] * 12, *["minus"] * 8)
        await user.sees("within 1 step ")
        # Around the box that the cursor of the map is at.
        await user.press("down", "left", "f", "f")
        assert on_map(user) == "House rules"
        await user.sees("┃ House rules ┃", "of 40 sections within 1 step ")
        await user.press("f")
        await user.sees("· 40 sections ")
        await user.press("minus")
        await user.sees("40 sections · short")
        await user.press("minus", "minus")
        await user.sees("40 sections · dots", "◆")
        await user.press("plus", "plus", "plus")
        await user.misses("short", "dots")
        assert user.narrative.pane is Tab.MAP


async def test_looking_elsewhere_leaves_the_cursor() -> None:
    async with opened(screen="narrative") as user:
        await user.press("M", "pagedown", "shift+down")
        assert user.narrative.map.scroll_offset.y > 10
        assert on_map(user) == "Welcome at the door"
        await user.press("end")
        await user.sees("① ", "Farewell")
        assert user.narrative.map.scroll_offset.y == user.narrative.map.max_scroll_y
        await user.press("home")
        assert on_map(user) == "Welcome at the door"
        assert user.narrative.map.scroll_offset.y == 0


async def test_the_map_is_drawn_for_the_room_there_is() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("M", "down", "down")
        name, beside = on_map(user), drawing(user).width
        await user.press("v")
        await user.rests()
        assert drawing(user).width > beside
        assert on_map(user) == name
        await user.resize(*SMALL)
        await user.rests()
        assert drawing(user).width < 120
        await user.sees(f"┃ {name}")


async def test_the_map_can_be_taken_along() -> None:
    async with opened(screen="narrative") as user:
        await user.press("M")
        found = {choice.title: choice.text for choice in user.narrative.copy_choices()}
        assert found["Map as text"].splitlines() == drawing(user).lines()
        await user.press("escape", "i")
        assert "Map as text" not in {choice.title for choice in user.narrative.copy_choices()}


async def test_texts_from_outside_stay_in_their_boxes() -> None:
    async with opened(screen="narrative") as user:
        story = user.narrative.story
        for text in HOSTILE.values():
            new = story.fresh_id()
            story = story.with_section(new, name=text, decisions=[decision(text, story.start or "")])
            story = story.with_trigger(story.fresh_id("trigger"), name=text, destination=new)
        user.narrative.tell(story)
        await user.press("M", "end")
        await user.settle()
        assert drawing(user).sections == 40 + len(HOSTILE)
        width = user.narrative.map.scrollable_content_region.width
        for row in range(user.narrative.map.row_count):
            strip = user.narrative.map.draw_row(row, width)
            assert strip.cell_length == width
            assert is_plain(strip.text)


async def test_a_large_map_is_drawn_beside_the_keyboard_and_a_late_one_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw, go_on, asked = map_tab._drawn, threading.Event(), list[str | None]()

    def slowly(*wanted: object) -> object:
        asked.append(wanted[0].around)  # type: ignore[attr-defined]
        assert go_on.wait(20)
        return draw(*wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(map_tab, "_AT_ONCE", 0)
    monkeypatch.setattr(map_tab, "_drawn", slowly)
    async with opened(screen="narrative") as user:
        await user.press("M")
        await user.sees("Drawing the map…")
        await user.press("f")
        await user.until(lambda: len(asked) == 2, "for the second drawing")
        go_on.set()
        await user.sees("7 of 40 sections within 2 steps")
        await user.settle()
        assert drawing(user).sections == 7


async def test_what_leads_nowhere_has_a_box_that_leads_to_its_place_in_the_tree() -> None:
    async with opened(screen="narrative") as user:
        story = Story(sections={}, triggers={}).with_section("a", name="Begin", decisions=[decision("x", "gone")])
        user.narrative.tell(story.with_trigger("t", name="Alarm", destination="away").starting_at("a"))
        await user.press("M", "down")
        await user.sees("┃ ∅ gone ┃", "ϟ Alarm")
        await user.press("enter")
        node = user.narrative.node
        assert node is not None
        assert (node.kind, node.section) == (Kind.MISSING, "gone")
        await user.press("M", "down", "down")
        node = user.narrative.node
        assert node is not None
        assert (node.kind, node.section) == (Kind.TRIGGER, "away")


async def test_without_a_story_the_map_says_so() -> None:
    async with opened(screen="narrative") as user:
        user.narrative.tell(Story(sections={}, triggers={}))
        await user.press("M", "down", "enter", "f", "plus")
        await user.sees("This graph is empty.")
        user.narrative.tell(Story(sections={}, triggers={}).with_section("new", name="The first"))
        await user.sees("┃ ↛ The first ┃")


@pytest.mark.parametrize("size", [WIDE, (200, 55)])
async def test_an_enlarged_map_uses_the_window_and_fits_into_it(size: tuple[int, int]) -> None:
    async with opened(screen="narrative", size=size) as user:
        await user.press("M", "v")
        await user.until(lambda: user.narrative.map.size.width >= size[0] - 6, "for the map to fill the window")
        await user.ready()
        assert len(drawing(user).survey.graph.sections) == 40
        assert drawing(user).width <= user.narrative.map.size.width


async def test_a_tab_fills_a_narrow_window_only_while_it_is_open() -> None:
    async with opened(screen="narrative", size=SMALL) as user:
        await user.press("M")
        assert user.narrative.fills_window()
        await user.press("i")
        assert not user.narrative.fills_window()
        await user.press("M")
        await user.resize(*WIDE)
        await user.until(lambda: not user.narrative.fills_window(), "for the tree to be back")
        # Enlarged by hand, it stays so.
        await user.press("v")
        await user.resize(*SMALL)
        await user.resize(*WIDE)
        await user.settle()
        assert user.narrative.fills_window()


async def test_enter_on_a_box_is_a_jump_to_go_back_from() -> None:
    async with opened(screen="narrative") as user:
        await user.press("down", "M")
        before = in_tree(user)
        await user.press("down", "down", "enter")
        assert in_tree(user) != before
        await user.press("backspace")
        assert in_tree(user) == before
        # A map that was left with Escape is no jump, and the next one begins where the tree is then.
        await user.press("M", "down", "escape", "home", "M", "down", "down", "enter")
        await user.press("backspace")
        assert in_tree(user) == "Welcome at the door"
