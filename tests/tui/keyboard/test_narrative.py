"""The narrative graph: walked along its references, folded, filtered, and switched on and off with a question."""

from __future__ import annotations

import pytest

from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.narrative.nodes import Kind, section_node
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.narrative.state import AT_ONCE, Tab
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.line_tree import LineTree
from chartui.tui.widgets.review import Review
from chartui.tui.widgets.table_dialog import TableDialog
from tests import writes
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, remote
from tests.tui.stories import go_to
from tests.tui.user import NARROW, WIDE, User, opened, words


def shown(user: User) -> list[str]:
    return [row.node.id for row in user.narrative.rows]


async def pick(user: User, name: str) -> None:
    await user.press("c")
    await user.at(Chooser)
    await user.press(*name, "enter")
    await user.leaves(Chooser)
    await user.ready()


async def is_on(session: Session, user: User) -> bool | None:
    character = user.narrative.character
    stored = await session.service.character(character.character_id)
    assert stored is not None
    return stored.is_narrative_driven


async def test_it_starts_with_the_first_character_that_follows_a_graph() -> None:
    async with opened(screen="narrative") as user:
        await user.sees("─ Elena Marsh ─", "▶ Welcome at the door", "■ graph on · 40 sections · 3 triggers")


async def test_every_section_is_there_once() -> None:
    session = demo()
    async with opened(session, screen="narrative") as user:
        sections = await session.service.sections(user.narrative.character.character_id)
        outline = user.narrative.outline
        expanded = [str(node.section) for node in outline.nodes if node.kind is Kind.SECTION]
        assert sorted(expanded) == sorted(section.section_id for section in sections)


@covers("fold")
@pytest.mark.parametrize("key", ["space", "left"])
async def test_folding_hides_what_comes_after(key: str) -> None:
    async with opened(screen="narrative") as user:
        everything = shown(user)
        await user.press("down", key)
        assert len(shown(user)) < len(everything)
        await user.sees("▸ They have an hour or more")
        await user.press(key)
        assert shown(user) == everything


@covers("fold", "follow")
async def test_left_on_a_leaf_goes_to_its_parent_and_right_unfolds() -> None:
    async with opened(screen="narrative") as user:
        leaf = await go_to(user, Kind.REFERENCE, "The gallery")
        await user.press("left")
        assert user.narrative.here.place == leaf.parent
        await user.press("left")
        assert user.narrative.here.id in user.narrative.folded
        await user.press("right")
        assert user.narrative.folded == frozenset()


@covers("fold-all")
async def test_everything_is_folded_but_two_levels_and_unfolded_again() -> None:
    async with opened(screen="narrative") as user:
        everything = shown(user)
        await user.press(*["down"] * 20, "asterisk")
        assert {row.node.depth for row in user.narrative.rows} == {0, 1}
        assert user.narrative.here.depth == 1
        folded = user.narrative.here
        assert user.line(folded.title, "#tree").endswith(f" +{folded.size}")
        await user.press("asterisk")
        assert shown(user) == everything
        assert user.narrative.here == folded


@covers("incoming-links", "go-back")
async def test_one_goes_back_along_any_of_the_ways_that_lead_here() -> None:
    async with opened(screen="narrative") as user:
        reference = await go_to(user, Kind.REFERENCE, "The gallery")
        await user.press("L")
        await user.sees("─ Incoming links ─", "Decision or trigger")
        assert words(user.line("They have no idea yet")) == "The torn page They have no idea yet decision"
        await user.press("slash", *"a hint", "enter", "enter")
        await user.leaves(TableDialog)
        way = user.narrative.here
        assert (way.label, way.title) == ("They go on in the gallery", "The gallery")
        await user.press("L")
        await user.at(TableDialog)
        await user.press("enter")
        await user.leaves(TableDialog)
        assert user.narrative.here.place == way.parent
        await user.press("backspace", "backspace")
        assert user.narrative.here == reference
        await user.press("end", "L")
        await user.at(TableDialog)
        await user.press("escape")


@covers("follow", "go-back")
@pytest.mark.parametrize(("follow", "back"), [("enter", "backspace"), ("right", "escape")])
async def test_a_reference_is_followed_and_left_again(follow: str, back: str) -> None:
    async with opened(screen="narrative") as user:
        reference = await go_to(user, Kind.REFERENCE, "The gallery")
        await user.press(follow)
        assert user.narrative.here.kind is Kind.SECTION
        assert user.narrative.here.section == reference.section
        await user.press(back)
        assert user.narrative.here == reference
        await user.press(back)
        assert user.narrative.here == reference


async def test_a_reference_leads_into_what_is_folded() -> None:
    async with opened(screen="narrative") as user:
        await pick(user, "bran")
        outline = user.narrative.outline
        target = next(
            node
            for node in outline.nodes
            if node.kind is Kind.REFERENCE
            and (there := outline.find(section_node(node.section or ""))) is not None
            and there.depth > 1
            and outline.ancestors(node)[0] not in (there, *outline.ancestors(there))
        )
        there = outline.find(section_node(target.section or ""))
        assert there is not None
        hidden = await go_to(user, Kind.SECTION, outline.nodes[there.parent].title)
        await user.press("space")
        assert hidden.id in user.narrative.folded
        user.narrative.tree.move_to(user.narrative.tree.find(target.id) or 0)
        await user.press("enter")
        assert user.narrative.here.kind is Kind.SECTION
        assert user.narrative.here.section == target.section
        assert hidden.id not in user.narrative.folded


@covers("filter-sections")
async def test_the_filter_keeps_what_matches_and_what_is_above_it() -> None:
    async with opened(screen="narrative") as user:
        await user.press("slash", *"WITNESS hale")
        found = user.narrative.rows
        assert found
        assert any("Witness: Mr Hale" in row.node.title for row in found)
        assert len(found) < 40
        places = {row.node.place for row in found}
        assert all(row.node.parent in places or row.node.parent < 0 for row in found)
        await user.press("enter", "down")
        assert user.app.focused is user.narrative.tree
        await user.press("escape")
        assert len(shown(user)) > 40
        assert user.filter.value == ""


async def test_the_filter_looks_into_what_is_said_and_goes_to_the_first_hit() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("slash", *"FRESNEL throws")
        await user.sees("1 found · ■ graph on")
        hit = user.narrative.here
        assert (hit.kind, hit.title) == (Kind.SECTION, "The Great Lens")
        assert "Fresnel lens" in user.line("The Great Lens", "#tree")
        await user.press("enter", "left")
        assert user.narrative.here.place == hit.parent
        await user.press("escape")
        assert user.narrative.here.place == hit.parent
        assert "found" not in user.screen


async def test_a_filter_without_matches_says_how_to_leave_it() -> None:
    async with opened(screen="narrative") as user:
        await user.press("slash", *"zzz")
        await user.sees("No matches. Esc clears the filter.")
        await user.press("enter", "enter", "space", "end", "backspace")
        await user.sees("Welcome at the door")


async def test_a_reference_is_followed_out_of_the_filter() -> None:
    async with opened(screen="narrative") as user:
        await user.press("slash", *"want to look again", "enter")
        reference = await go_to(user, Kind.REFERENCE, "want to look again")
        await user.press("enter")
        assert user.narrative.here.kind is Kind.SECTION
        assert user.narrative.here.section == reference.section


async def test_the_detail_follows_the_cursor_once_it_rests() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.sees("Greet {VisitorName}", "the start of the story")
        await user.press("down")
        await user.until(lambda: "Greet {VisitorName}" not in user.screen)
        await user.until(lambda: "House rules" in user.pane("#detail"))


@covers("pick-character")
async def test_another_character_is_chosen() -> None:
    async with opened(screen="narrative") as user:
        await pick(user, "bran")
        await user.sees("─ Bran Alder ─", "At the forge door")
        assert user.narrative.here.place == 0
        await user.press("c")
        await user.at(Chooser)
        await user.press(*"avery", "escape")
        await user.sees("─ Bran Alder ─")


async def test_a_character_without_a_graph_says_so() -> None:
    async with opened(screen="narrative") as user:
        await pick(user, "camille")
        await user.sees("─ Camille Rousseau ─", "□ graph off · 0 sections · 0 triggers")
        await user.press("enter", "space", "end", "left", "right", "slash", "escape")
        assert "No matches" not in user.screen


async def test_a_broken_graph_shows_what_is_broken() -> None:
    async with opened(screen="narrative", size=(120, 60)) as user:
        await pick(user, "avery")
        await user.sees("Unreachable  2", "Terms of last year", "Dangling references  4", "never runs")
        await user.sees("Unconnected triggers  1", "Session timeout · not connected")
        assert user.screen.count("∅") >= 4
        mention = await go_to(user, Kind.DANGLING, "The photo is not readable")
        await user.press("enter")
        missing = user.narrative.here
        assert (missing.kind, missing.label) == (Kind.MISSING, "The photo is not readable")
        await user.until(lambda: f"No section has the ID {missing.section}" in _joined(user.pane("#detail")))
        await user.press("enter")
        assert user.narrative.here == missing
        await user.press("backspace")
        assert user.narrative.here == mention


def _joined(pane: str) -> str:
    return " ".join(pane.replace("│", " ").split())


# -- the switch --------------------------------------------------------------------------------------------------------


@covers("toggle-narrative")
async def test_the_switch_asks_first_and_cancel_has_the_cursor() -> None:
    session = demo()
    async with opened(session, screen="narrative") as user:
        await user.press("T")
        await user.sees("Switch the narrative graph off", "Elena Marsh", "on → off", "› Cancel")
        await user.press("enter")
        assert not user.is_at(Review)
        assert await is_on(session, user) is True


@pytest.mark.parametrize("keys", [["escape"], ["T", "escape"], ["right", "left", "enter"], ["T", "T", "n", "enter"]])
async def test_other_keys_than_the_agreed_one_change_nothing(keys: list[str]) -> None:
    session, double = doubled()
    async with opened(session, screen="narrative") as user:
        await user.press("T")
        await user.at(Review)
        await user.press(*keys)
        await user.leaves(Review)
        assert double.count("toggle-narrative") == 0
        assert await is_on(session, user) is True


@covers("toggle-narrative")
@pytest.mark.parametrize("keys", [["y"], ["right", "enter"]])
async def test_agreeing_switches_it_and_says_so(keys: list[str]) -> None:
    session = demo()
    async with opened(session, screen="narrative") as user:
        for word in ("off", "on"):
            await user.press("T")
            await user.at(Review)
            await user.press(*keys)
            await user.is_told("Applied: narrative graph ", f"→ {word}")
            await user.sees(
                "■ graph on · 40 sections" if word == "on" else "□ graph off, T switches it on · 40 sections"
            )
            assert await is_on(session, user) is (word == "on")


async def test_a_switch_that_somebody_else_turned_is_found_as_it_is_and_not_turned_back() -> None:
    session = demo()
    async with opened(session, screen="narrative") as user:
        await writes.toggle_narrative(session.service, user.narrative.character.character_id, False)
        await user.press("T")
        await user.at(Review)
        await user.press("y")
        await user.is_told("No changes needed. Nothing was sent.")
        assert await is_on(session, user) is False
        await user.sees("□ graph off, T switches it on · 40 sections")


async def test_a_read_only_profile_refuses_and_says_so() -> None:
    session = demo(read_only=True)
    async with opened(session, screen="narrative") as user:
        assert "on/off" not in user.screen
        await user.press("T")
        await user.is_told("is disabled.")
        assert not user.is_at(Review)
        assert await is_on(session, user) is True
        assert {call.operation.effect.value for call in session.recorder.calls} == {"read"}


async def test_a_refusal_of_the_service_is_told_in_its_own_words() -> None:
    session, double = remote()
    async with opened(session, screen="narrative") as user:
        double.failures["toggle-narrative"] = ServiceError(ErrorKind.TIER, "This needs [bold]more[/] than you have.")
        await user.press("T")
        await user.at(Review)
        await user.press("y")
        await user.sees("Not applied", "This needs [bold]more[/] than you have.")
        await user.press("escape")
        await user.sees("■ graph on · 40 sections")


# -- a large story -----------------------------------------------------------------------------------------------------


async def test_a_large_story_is_laid_out_beside_the_keyboard_and_the_last_change_counts() -> None:
    def fill(store: Store) -> None:
        seed(store, BUILT_IN_ACCOUNT, characters=1, sections=AT_ONCE + 1, seed=1, record_bytes=0)

    async with opened(demo(fill_store=fill), screen="narrative") as user:
        screen = user.narrative
        await user.sees("1 001 sections", "▶ 1. In the")
        await user.press("end", "up")
        stood, story, before = user.narrative.here, screen.story, screen.outline
        assert story is not None
        first = story.with_section("new-1", name="Somewhere else")
        screen.tell(first)
        screen.tell(first.with_section("new-2", name="Nowhere near"), keep=section_node("new-2"))
        assert screen.pending
        assert screen.outline is before
        assert user.narrative.here == stood
        await user.press("up", "down")
        await user.sees("1 003 sections", "Nowhere near", "Somewhere else")
        assert not user.narrative.pending
        assert user.narrative.here.section == "new-2"
        screen.tell(story)
        assert user.narrative.node is None
        await user.misses("Nowhere near")
        assert user.narrative.here == screen.rows[-1].node


# -- the panes ---------------------------------------------------------------------------------------------------------


@covers("show-section", "next-story-tab", "previous-story-tab", "zoom-story-tab", "go-back")
async def test_the_panes_are_turned_filled_and_left() -> None:
    async with opened(screen="narrative") as user:
        screen = user.narrative
        await user.press("]", "]", "[")
        assert screen.pane is Tab.MAP
        assert screen.tree.has_focus
        await user.press("i")
        await user.until(lambda: screen.pane is Tab.SECTION, "for the section")
        assert screen.in_panes
        await user.press("v")
        await user.misses("▶ Welcome at the door")
        await user.press("escape")
        await user.sees("▶ Welcome at the door")
        assert screen.tree.has_focus


async def test_a_scroll_bar_that_comes_back_says_where_the_view_is_now() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        tree = user.narrative.find(LineTree)
        await user.press("end")
        await user.until(lambda: tree.vertical_scrollbar.position > 0, "for the end of the tree")
        # As when the rows fit for a moment: while a pane beside it grows and shrinks, or a filter is typed and cleared.
        tree.show_vertical_scrollbar = False
        tree.scroll_y = 0
        tree.show_vertical_scrollbar = True
        assert tree.vertical_scrollbar.position == tree.scroll_y == 0


async def test_where_there_is_no_story_every_tab_says_so() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await user.press("/", *"camille", "enter")
        await user.press("N")
        await user.sees("This graph is empty.")
        await user.press("i")
        await user.sees("Press a to add the first")
        await user.press("l")
        await user.sees("Problems in the story are listed")
        await user.press("M")
        await user.sees("The map shows sections as")


async def test_a_tab_that_has_the_window_says_whose_story_it_shows() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        await user.press("M")
        await user.sees("╭─ Elena Marsh │ Section │ Map │")
        await user.press("v")
        await user.sees("╭─ Section │ Map │")


async def test_esc_returns_to_wherever_the_story_was_opened_from() -> None:
    async with opened(screen="estimator") as user:
        for key, scope in (("E", "estimator"), ("Q", "requests")):
            await user.press(key, "N")
            await user.sees(" esc back ")
            await user.press("escape")
            assert user.app.scope == scope
        # The record that it was opened from has the keys again, also after jumps of an earlier visit.
        await user.press("C", "down", "enter", "N")
        await user.sees("At the forge door")
        reference = next(row.node for row in user.narrative.rows if row.node.kind is Kind.REFERENCE)
        user.narrative.go_to_section(reference.section or "")
        await user.press("C", "N", "escape")
        assert user.app.scope == "characters"
        assert user.app.focused is not None
        assert user.app.focused.id == "record"


async def test_short_labels_leave_their_room_to_the_values() -> None:
    async with opened(screen="narrative", size=(60, 20)) as user:
        await user.sees("Objective   Greet {VisitorName} and the group, ask how ")
        await user.press("dollar_sign")
        await user.sees("o replays saved walks")
