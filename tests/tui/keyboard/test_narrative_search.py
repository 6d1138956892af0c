"""The tree is searched in place or narrowed to the matches, a text is replaced everywhere, and ways are shown."""

from __future__ import annotations

import pytest

from chartui.core.narrative.story import Story, decision
from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.screens.narrative.state import Tab
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.review import Review
from chartui.tui.widgets.table_dialog import TableDialog
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.stories import START, named
from tests.tui.user import NARROW, WIDE, User, opened


async def search(user: User, text: str) -> None:
    await user.press("/", *text)
    await user.until(lambda: bool(user.narrative.matching) and user.filter.value == text, "for the matches")
    await user.press("enter")


@covers("next-section-match", "previous-section-match")
async def test_the_cursor_goes_from_match_to_match_and_around() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await search(user, "lamp")
        matches = user.narrative.matching
        assert user.narrative.here is matches[0]
        await user.sees(f"1 of {len(matches)} found")
        for match in (*matches[1:], matches[0]):
            await user.press("n")
            assert user.narrative.here is match
        await user.press("N")
        assert user.narrative.here is matches[-1]
        await user.sees(f"{len(matches)} of {len(matches)} found")
        await user.press("escape")
        await user.press("n")
        assert user.narrative.here is matches[-1]  # nothing is searched for


@covers("matches-in-place")
async def test_matches_are_shown_in_place_also_inside_folds() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        everything = len(user.narrative.rows)
        await search(user, "lamp")
        narrowed = len(user.narrative.rows)
        assert narrowed < everything
        here = user.narrative.here
        await user.press("f")
        assert (len(user.narrative.rows), user.narrative.here) == (everything, here)
        await user.press("*")
        assert len(user.narrative.rows) < everything
        for match in user.narrative.matching:
            await user.press("n")
            assert user.narrative.here in user.narrative.matching
            assert any(row.node is user.narrative.here for row in user.narrative.rows), match
        await user.press("f")
        assert len(user.narrative.rows) == narrowed


@covers("replace-in-story")
async def test_a_text_is_replaced_everywhere_and_reviewed() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await search(user, "The case")
        await user.press("r", "enter")
        await user.sees("Replace “The case” in")
        await user.press(*"The locker", "enter")
        await user.is_told("S reviews the changes, and z reverts them.")
        assert named(user.narrative.story, "The locker")
        assert "The case" not in str([s.raw for s in user.narrative.story.sections.values()])
        await user.press("S")
        await user.at(Review)
        await user.sees("The case → The locker")
        await user.press("escape")
        await user.back()
        await user.press("z")
        await user.until(lambda: not user.narrative.staged, "for the text to be as before")


async def replace_zock(user: User, text: str) -> str:
    """Stage a text, and begin to replace “zock” in it; returns the ID of the text's section."""
    house = named(user.narrative.story, "House rules")
    user.narrative.tell(user.narrative.story.with_section(house, objective=text))
    await user.press("r")
    await user.until(lambda: user.narrative.asks_line, "for the question")
    await user.press("delete", *"zock", "enter")
    await user.sees("Replace “zock” in 1 text with")
    await user.press("delete", *"bolt", "enter")
    return house


@pytest.mark.parametrize(
    ("keys", "text", "told"),
    [
        (
            ["enter"],
            "The bolt opens at six o’czock.",
            "Staged: 1 occurrence in 1 text replaced. 1 occurrence inside a longer word left unchanged.",
        ),
        (["down", "enter"], "The bolt opens at six o’cbolt.", "Staged: 2 occurrences in 1 text replaced. S reviews"),
    ],
    ids=["whole words", "all"],
)
async def test_you_choose_what_to_replace_if_the_text_is_also_inside_longer_words(
    keys: list[str], text: str, told: str
) -> None:
    async with opened(demo(), screen="narrative", size=NARROW) as user:
        house = await replace_zock(user, "The zock opens at six o’czock.")
        await user.at(Chooser)
        await user.sees("“zock” is also part of “o’czock”", "Replace only 1 whole word", "Replace all 2 occurrences")
        await user.press("escape")
        await user.back()
        await user.press("escape", "escape")  # back to the question before, and out of the first
        assert user.narrative.story.sections[house].objective == "The zock opens at six o’czock."
        await replace_zock(user, "The zock opens at six o’czock.")
        await user.at(Chooser)
        await user.press(*keys)
        await user.back()
        await user.is_told(told)
        assert user.narrative.story.sections[house].objective == text
        assert user.narrative.tree.has_focus


@pytest.mark.parametrize(
    ("before", "after"), [("The zock. A zock.", "The bolt. A bolt."), ("Six o’czock, zocks", "Six o’cbolt, bolts")]
)
async def test_nothing_is_asked_if_all_or_none_are_whole_words(before: str, after: str) -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        house = await replace_zock(user, before)
        await user.is_told("Staged: 2 occurrences in 1 text replaced. S reviews")
        assert user.narrative.story.sections[house].objective == after
        await user.press("z")
        await user.is_told("Undone: Replace")
        await user.misses("Staged:")


async def test_a_text_that_does_not_occur_is_asked_for_again() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.press("r", *"no such words", "enter")
        await user.sees("“no such words” does not occur in the story.")
        assert user.narrative.asks_line
        await user.press("escape", "r", *"House rules", "enter", "delete", *" ", "enter")
        await user.sees("would be empty")
        assert not user.narrative.staged


@covers("path-from-start", "reachable-from-here")
async def test_the_way_here_is_a_walk_and_what_follows_is_a_list() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        user.narrative.go_to_section(named(user.narrative.story, "The case"))
        await user.press("(")
        await user.until(lambda: user.narrative.pane is Tab.WALK, "for the walk")
        walk = user.narrative.playing.walk
        names = [walk.graph.section_name(step.section) for step in walk.steps]
        assert names == [START, "House rules", "The case"]
        await user.press("1")
        await user.until(lambda: len(user.narrative.playing.walk.steps) > 3, "for the walk to go on")
        await user.press("escape")
        user.narrative.go_to_section(named(user.narrative.story, "House rules"))
        await user.press("(")
        await user.at(Chooser)  # the open walk is not lost without a question
        await user.press("escape")
        await user.back()
        await user.press(")")
        await user.at(TableDialog)
        await user.sees("Reachable from “House rules”", "The case")
        await user.press("enter")
        await user.back()
        assert user.narrative.here.title == "The case"


async def test_the_way_ends_at_its_section_and_stays_there_while_the_story_changes() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        story = user.narrative.story
        house = named(story, "House rules")
        user.narrative.go_to_section(house)
        await user.press("(")
        await user.sees("▶ Welcome at the door › House rules", "1  * always → The case")
        assert user.narrative.playing.walk.here == house
        assert user.narrative.here.title == "House rules"
        user.narrative.tell(story.with_section(house, objective="Walk, whisper, and touch nothing."))
        await user.sees("touch nothing.", "1  * always → The case")
        assert user.narrative.playing.walk.here == house
        # A way that was only looked at is replaced by the next one without a question.
        user.narrative.go_to_section(named(story, "The gallery"))
        await user.press("i", "(")
        await user.sees("› The gallery")
        user.narrative.go_to_section(house)
        await user.press("i", "(")
        await user.sees("1  * always → The case")
        await user.press("1")
        await user.sees("House rules * The case", "They accept the case")
        assert user.narrative.here.title == "The case"


@covers("path-from")
async def test_the_way_between_any_two_sections_is_a_walk() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        story = user.narrative.story
        user.narrative.go_to_section(named(story, "The gallery"))
        await user.finds("path-from")
        await user.at(Chooser)
        await user.sees("Path to “The gallery” from")
        await user.press(*"notebooks", "enter")
        await user.back()
        walk = user.narrative.playing.walk
        assert (walk.beginning.name, walk.here) == ("Notebooks and pencils", named(story, "The gallery"))
        assert len(walk.steps) > 1
        await user.sees("▶ Notebooks and pencils")
        await user.press("backspace")
        assert user.narrative.playing.walk.here != walk.here
        # From an ending without triggers, no way leads anywhere.
        user.narrative.tell(Story(sections=story.sections, triggers={}, start=story.start))
        await user.press("escape", "home")
        await user.finds("path-from")
        await user.at(Chooser)
        await user.press(*"farewell", "enter")
        await user.is_told(f"“{START}” can't be reached from “Farewell at the gift shop”.")


async def test_the_filter_follows_a_replacement() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await search(user, "house RULES")
        await user.press("r")
        await user.until(lambda: user.narrative.asks_line, "for the question")
        await user.press("delete", *"House rules", "enter", *"House manners", "enter")
        await user.is_told("Staged: ")
        await user.until(lambda: user.filter.value == "House manners", "for the filter")
        assert named(user.narrative.story, "House manners") in {node.section for node in user.narrative.matching}
        await user.sees("→ House manners", "found")
        assert user.narrative.tree.has_focus


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
@pytest.mark.parametrize(
    ("name", "typed", "criteria"),
    [
        ("中庭の噴水", "噴水", "彼らは水を見たい"),
        ("Η αυλή", "αυλή", "Θέλουν νερό 🦊"),
        ("المدخل", "المدخل", "يريدون الدخول"),
        ("🦊🏰 Court 👩‍👩‍👧", "🏰", "👋🏽 they wave"),
        ("Long " * 40, "long", "they go " * 40 + "on"),
        ("   ", "", "   "),
    ],
    ids=["cjk", "greek", "arabic", "emoji", "long", "spaces"],
)
async def test_names_and_criteria_of_any_script_are_found_replaced_and_led_to(
    size: tuple[int, int], name: str, typed: str, criteria: str
) -> None:
    async with opened(demo(), screen="narrative", size=size) as user:
        story = user.narrative.story
        tour = named(story, "The twenty-minute tour")
        story = story.with_section("odd", name=name, objective=name)
        user.narrative.tell(story.with_way_added(tour, decision(criteria, "odd")))
        user.narrative.go_to_section("odd")
        # The way there, and from there.
        await user.press("(")
        await user.until(lambda: user.narrative.playing.walk.here == "odd", "for the way")
        assert [step.section for step in user.narrative.playing.walk.steps][-2:] == [tour, "odd"]
        assert user.narrative.playing.choices[-1].words == criteria
        await user.press("i", "escape")
        if typed:
            # Found by its name and by its criteria, and chosen as a target.
            for text in (typed, criteria.split()[0]):
                await search(user, text)
                assert "odd" in {node.section for node in user.narrative.matching}
                await user.press("escape")
            await user.press("home", "a")
            await user.at(TargetChooser)
            await user.paste(typed)
            await user.settle()
            assert user.listed.current is not None
            assert user.listed.current.key == "odd"
            await user.press("enter")
            await user.back()
            await user.paste("in any script")
            await user.press("enter")
            assert ("in any script", "odd") in [
                (way.criteria, way.next_section_id) for way in user.narrative.story.ways(named(story, START))
            ]
            await user.press("r")
            await user.until(lambda: user.narrative.asks_line, "for the question")
            await user.paste(criteria)
            await user.press("enter")
            await user.paste("replaced")
            await user.press("enter")
            assert "replaced" in [way.criteria for way in user.narrative.story.ways(tour)]
        else:
            await user.press("home", "a")
            await user.at(TargetChooser)
            await user.settle()
            assert "odd" in [choice.key for choice in user.choices]
            [row] = [choice for choice in user.choices if choice.key == "odd"]
            assert row.label == "odd"  # its ID, since a row of spaces could not be seen
            await user.press("escape")
            await user.back()
            user.narrative.go_to_section("odd")
            assert user.narrative.here.title == "odd"


@pytest.mark.parametrize("blank", ["\n", " \r\n\n"], ids=["one line", "two lines"])
async def test_an_objective_that_begins_with_blank_lines_shows_its_first_words_beside_its_label(blank: str) -> None:
    async with opened(demo(), screen="narrative", size=NARROW) as user:
        house = named(user.narrative.story, "House rules")
        user.narrative.go_to_section(house)
        user.narrative.tell(user.narrative.story.with_section(house, objective=f"{blank}Touch nothing."))
        await user.sees("␊Touch nothing.")
        (line,) = (line for line in user.screen.splitlines() if "␊Touch nothing." in line)
        assert "Objective" in line
        assert line.count("␊") == blank.count("\n")


async def test_the_section_is_shown_again_once_a_filter_without_matches_is_cleared() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await user.until(lambda: "Objective" in user.pane("#detail"), "for the section")
        await user.press("/", *"zzz")
        await user.until(lambda: "Objective" not in user.pane("#detail"), "for no section")
        await user.press("escape")
        await user.until(lambda: "Objective" in user.pane("#detail"), "for the section")
