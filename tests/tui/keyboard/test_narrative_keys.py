"""Adding and editing ask what is meant, and a key works only where it has something to do."""

from __future__ import annotations

import pytest

from chartui.core.config import Config
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.story import Story, decision
from chartui.tui.bindings import active
from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.screens.narrative.state import Tab
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.review import Review
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.stories import START, add_section, add_trigger, edit, go_to, named, ways
from tests.tui.user import NARROW, WIDE, User, opened


async def by_name(user: User, title: str) -> None:
    """Run a command from the palette."""
    await user.press("colon")
    await user.at(Chooser)
    await user.press(*title, "enter")
    await user.leaves(Chooser)


def offered(user: User) -> list[str]:
    return [choice.label.split()[0].lower() for choice in user.choices]


@covers("add-to-story")
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
async def test_a_section_a_decision_and_a_trigger_are_added_with_one_key(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="narrative", size=size) as user:
        await add_section(user, "Attic", "climbs")
        assert ways(user, START)[-1] == ("climbs", "Attic")
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"gallery", "enter")
        await user.back()
        await user.press(*"goes down", "enter")
        assert ways(user, "Attic") == [("goes down", "The gallery")]
        await add_trigger(user)
        await user.press(*"Storm", "enter", *"It thunders.", "enter")
        await user.at(TargetChooser)
        await user.press(*"Attic", "enter")
        await user.back()
        trigger = user.narrative.story.triggers[user.narrative.here.trigger or ""]
        assert (trigger.trigger_name, trigger.trigger_message) == ("Storm", "It thunders.")
        assert trigger.destination_section == named(user.narrative.story, "Attic")


async def test_what_is_added_fits_the_row() -> None:
    async with opened(demo(), screen="narrative") as user:
        await go_to(user, Kind.SECTION, "House rules")
        await user.press("a")
        await user.at(TargetChooser)
        await user.sees(
            "Target of the new decision in “House rules”",
            "+ new section",
            "+ new trigger instead",
            "+ trigger override instead",
            " 40 sections ",
        )
        await user.press(*"gal")
        await user.sees(" of 40 sections ")
        await user.press("escape")
        await go_to(user, Kind.REFERENCE, "The gallery")  # a decision of the section above
        await user.press("a")
        await user.at(TargetChooser)
        await user.sees("Target of the new decision in “Notebooks and pencils”")
        assert "instead" not in user.screen  # nothing but the next decision stands beside a decision
        await user.press("escape")
        await go_to(user, Kind.TRIGGER, "Fire alarm")
        await user.press("a")
        await user.sees("Name of the new trigger")


async def test_a_typed_name_is_new_unless_a_section_has_its_words() -> None:
    """Words in a section's text, and near misses, find a section too, but the cursor stays on the new name."""
    async with opened(demo(), screen="narrative") as user:
        for typed, chosen in (
            ("gal", "The gallery"),
            ("Pencil", "Notebooks and pencils"),
            ("The galley", "+ new section"),
        ):
            await user.press("a")
            await user.at(TargetChooser)
            await user.press(*typed)
            await user.settle()
            assert user.listed.current is not None
            assert user.listed.current.label.startswith(chosen)
            await user.press("escape")
            await user.back()


async def test_an_empty_graph_gets_its_first_section_without_a_choice() -> None:
    async with opened(demo(), screen="narrative") as user:
        user.narrative.tell(Story(sections={}, triggers={}))
        await user.press("a", *"The first", "enter")
        assert user.narrative.story.start == named(user.narrative.story, "The first")


async def test_the_first_sections_of_a_graph_that_is_off_say_how_to_switch_it_on() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("c")
        await user.at(Chooser)
        await user.press(*"camille", "enter")
        await user.sees("─ Camille Rousseau ─", "□ graph off · 0 sections")
        await user.press("a", *"Hall", "enter")
        await user.sees("S applies · □ graph off")
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.is_told("The graph is off, so the character doesn't follow it yet. T switches it on.")
        await user.sees("□ graph off, T switches it on · 1 section")


@covers("add-section", "add-decision", "add-trigger", "choose-target")
async def test_commands_without_a_key_are_run_by_name() -> None:
    async with opened(demo(), screen="narrative") as user:
        await by_name(user, "Add a section")
        await user.press(*"Attic", "enter", *"climbs", "enter")
        assert ways(user, START)[-1] == ("climbs", "Attic")
        await by_name(user, "Add a decision")
        await user.at(TargetChooser)
        await user.press("escape")
        await by_name(user, "Add a trigger")
        await user.until(lambda: user.narrative.asks_line, "for the name")
        await user.press("escape")
        await go_to(user, Kind.REFERENCE, "The gallery")
        await by_name(user, "Change the target")
        await user.at(TargetChooser)


@covers("edit-text")
async def test_every_part_of_a_row_is_edited_with_one_key() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await go_to(user, Kind.SECTION, "House rules")
        await edit(user, "objective")
        await user.at(Editor)
        await user.press(*" Thrice.", "escape")
        await user.back()
        assert "Thrice." in str(user.narrative.story.sections[named(user.narrative.story, "House rules")].objective)
        await edit(user, "criteria")
        await user.press("ctrl+u", *"They stay", "enter")
        await edit(user, "target")
        await user.at(TargetChooser)
        await user.press(*"the case", "enter")
        await user.back()
        assert ways(user, START)[0] == ("They stay", "The case")
        await go_to(user, Kind.REFERENCE, "The gallery")
        await user.press("e")
        await user.at(Chooser)
        assert offered(user) == ["criteria", "target"]
        await user.press("escape")
        await go_to(user, Kind.TRIGGER, "Fire alarm")
        await user.press("e")
        await user.at(Editor)
        await user.sees("Message of “Fire alarm”")


async def test_keys_of_a_tab_work_while_it_is_open_and_by_name_from_everywhere() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        for key in ("f", "plus", "minus"):  # r has a use beside the Walk tab too
            await user.press(key)
            assert (user.at_work, user.narrative.pane) == (True, Tab.SECTION), key
        at_f = {Tab.SECTION: None, Tab.MAP: "map-focus", Tab.LINT: "lint-severity", Tab.WALK: None}
        for tab, command in at_f.items():
            assert user.narrative.pane is tab
            found = [each.command.id for each in active(user.app.screen) if "f" in each.keys]
            assert found == ([command] if command else [])
            assert ("f nearby" in user.bottom_line) == (tab is Tab.MAP)
            await user.press("]")
        await by_name(user, "Filter findings")
        assert user.narrative.pane is Tab.LINT
        await user.sees("3 notes hidden")
        await by_name(user, "Show nearby")
        await user.sees("within 2 steps")
        await by_name(user, "Random walks")
        await user.sees("Number of walks and a seed")


async def test_one_of_the_commands_that_share_a_key_gets_another() -> None:
    config = Config(keys={"lint-severity": ("ctrl+x",), "add-section": ("ctrl+n",)})
    async with opened(screen="narrative", size=WIDE, config=config) as user:
        await user.press("M", "f")
        await user.sees("within 2 steps")
        await user.press("l", "f")
        await user.sees("3 notes")
        await user.press("ctrl+x")
        await user.sees("3 notes hidden")
        await user.press("escape", "ctrl+n")
        await user.until(lambda: user.narrative.asks_line, "for the name")
        await user.press("escape")
        await by_name(user, "Add a trigger")
        await user.until(lambda: user.narrative.asks_line, "for the name")


async def test_the_footer_offers_to_apply_what_is_staged_and_nothing_else() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        assert "apply" not in user.bottom_line
        await user.press("f2", *"Hall", "enter")
        assert " S apply " in user.bottom_line
        await user.press("z")
        assert "apply" not in user.bottom_line
        await user.press("S")
        await user.is_told("No staged changes.")


async def test_a_deep_tree_keeps_names_in_sight() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        story = Story(sections={}, triggers={}).starting_at("s0")
        for number in range(16):
            next_one = [decision("They go on to what comes next", f"s{number + 1}")] if number < 15 else []
            story = story.with_section(f"s{number}", name=f"Room {number} of many", decisions=next_one)
        user.narrative.tell(story)
        tree = user.pane("#tree")
        assert all(f"Room {number} of many" in tree for number in range(16))
        assert "⋯" not in tree


async def test_the_open_character_is_in_hand() -> None:
    async with opened(screen="narrative") as user:
        assert user.narrative.in_hand == user.narrative.character.character_id


@covers("map-focus", "map-more", "lint-severity", "next-section-match")
async def test_a_key_that_does_nothing_here_says_where_it_works() -> None:
    async with opened(screen="narrative") as user:
        await user.press("f")
        await user.is_told("f works in the map (M) and lint (l) tabs.")
        await user.press("n")
        await user.is_told("No filter is set. / filters the tree.")
        await user.press("plus")
        await user.is_told("+ works in the map (M) tab.")
        await user.press("w", "minus")
        await user.is_told("- works in the map (M) tab.")
        await user.press("M", "plus")
        await user.is_told("The map already shows as much as possible.")
        await user.press("w", "r")
        await user.is_told("The walk is at its beginning.")
