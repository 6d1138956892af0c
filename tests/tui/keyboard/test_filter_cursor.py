"""A changed filter puts the cursor on the first match, and clearing it returns to the record chosen before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.session import Session
from chartui.tui.widgets.chooser import Picker
from tests.long import spread
from tests.tui.recorded import ask, recorded
from tests.tui.sessions import demo, remote
from tests.tui.user import NARROW, WIDE, User, opened


def many(store: Store) -> None:
    """More characters than a window has lines; the names repeat."""
    seed(store, BUILT_IN_ACCOUNT, characters=300, sections=0, seed=1, record_bytes=500)


def embedded() -> Session:
    return demo(fill_store=many)


def remotely() -> Session:
    return remote(fill_store=many)[0]


def on(user: User) -> tuple[int, str]:
    """The row of the cursor, and the character on it."""
    shown = user.characters.view
    assert shown.current is not None
    return shown.cursor, shown.current.character_id


async def beside(user: User, character_id: str) -> None:
    """Wait until the record beside the list is that of a character."""
    await user.until(lambda: user.characters.shown_id == character_id, "for the record to follow")


@pytest.mark.parametrize(("key", "session"), spread([("slash",), ("f",)], [embedded, remotely]))
async def test_the_first_match_has_the_cursor_and_enter_opens_it(session: Callable[[], Session], key: str) -> None:
    async with opened(session(), screen="characters", size=WIDE) as user:
        await user.press("pagedown", "pagedown", *["down"] * 8)
        row, character = on(user)
        assert row > user.characters.view.size.height
        name = user.characters.view.items[row].character_name or ""
        await user.press(key, *name.split()[1].lower())
        await user.until(lambda: user.characters.fuzzy is (key == "f"), "for the way of filtering")
        first = user.characters.view.items[0].character_id
        assert character in {s.character_id for s in user.characters.view.items}
        assert on(user) == (0, first)
        assert first != character
        assert user.characters.view.scroll_offset.y == 0
        await beside(user, first)
        # Clearing the filter from the box returns to the character chosen before.
        await user.press("escape")
        assert on(user) == (row, character)
        await beside(user, character)
        await user.press(key, *name.split()[1].lower(), "enter", "enter")
        await user.until(lambda: user.characters.in_detail, "for the record")
        assert on(user) == (0, first)


async def test_the_record_follows_where_the_row_of_the_cursor_stays_the_same() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        elena = on(user)[1]
        await beside(user, elena)
        await user.press("slash", *"nova")
        row, nova = on(user)
        assert (row, nova != elena) == (0, True)
        await beside(user, nova)
        await user.press(*["backspace"] * 4)
        await beside(user, elena)
        assert on(user) == (0, elena)


async def test_every_letter_begins_again_at_the_first_match() -> None:
    async with opened(embedded(), screen="characters", size=NARROW) as user:
        await user.press("slash", *"no")
        await user.press("tab", "down", "down", "slash", *"va")
        assert on(user)[0] == 0


async def test_a_match_that_was_chosen_stays_when_the_filter_is_cleared() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await user.press("slash", *"nova", "enter")
        nova = on(user)[1]
        await user.press("escape")
        assert on(user)[1] == nova
        # The same for one that the cursor was moved to.
        await user.press("slash", *"mdla", "tab", "down")
        moved = on(user)
        await user.press("escape")
        assert on(user)[1] == moved[1]


async def test_no_match_and_back_returns_to_the_character_chosen_before() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("down", "down", "down")
        before = on(user)
        await user.press("slash", *"zzz")
        await user.sees("No character selected.")
        await user.press("escape")
        assert on(user) == before
        await beside(user, before[1])


async def test_the_traits_are_read_and_the_cursor_stays_where_the_user_put_it() -> None:
    session, double = remote(fill_store=many)
    async with opened(session, screen="characters", size=NARROW) as user:
        await user.press("slash", *"a", "enter", "down", "down")
        moved = on(user)
        await user.press("f5")
        await user.until(lambda: double.count("list-characters") > 1 and not user.characters.loading)
        assert on(user)[1] == moved[1]


async def test_filters_of_the_requests_go_to_the_first_match_and_back() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=(120, 20)) as user:
        await ask(session, *["options", "list-models"] * 12)
        requests = user.requests
        await user.until(lambda: len(requests.names) == 24, "for every call")
        await user.press("end")
        shown = requests.view
        assert shown.cursor == 23
        before = requests.current
        await user.press("slash", *"options")
        assert (shown.cursor, shown.scroll_offset.y) == (0, 0)
        await user.until(lambda: requests.shown is requests.current, "for the call to follow")
        await user.press("escape")
        assert requests.current is before
        await user.press("w")
        await user.press("w")
        assert requests.current is before


async def test_the_newest_call_is_followed_again_once_the_filter_is_cleared() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=WIDE) as user:
        await ask(session, "options", "list-models", "list-models")
        await user.sees("─ 3 ─")
        await user.press("slash", *"options")
        await ask(session, "list-models")
        await user.sees("1 of 4")
        await user.press("escape")
        await user.until(lambda: user.requests.view.cursor == 0, "for the newest call")


async def test_the_filter_of_a_story_goes_to_the_first_match_and_back() -> None:
    async with opened(screen="narrative", size=(100, 20)) as user:
        tree = user.narrative.tree
        await user.press("end")
        before = tree.current
        await user.press("slash", *"hale")
        first = user.narrative.matching[0]
        assert tree.current is first
        assert "Ending: hal" in user.pane("#tree")
        await user.press("escape")
        assert tree.current is before
        await user.press("slash", *"hale", "enter", "escape")
        assert tree.current is not None
        assert tree.current.id == first.id


async def test_another_story_begins_without_the_filter_of_the_last_one() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("slash", *"hale", "enter", "c", *"bran", "enter")
        await user.sees("─ Bran Alder")
        assert "hale" not in user.screen


async def test_findings_are_filtered_from_the_first_and_back() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("l", *["down"] * 2)
        view = user.narrative.findings
        before = view.at_cursor
        assert before is not None
        await user.press("slash", *"a")
        assert view.at_cursor is user.narrative.told[0]
        await user.press("escape")
        assert view.at_cursor is not None
        assert view.at_cursor.finding.key == before.finding.key


async def test_a_chooser_returns_to_the_row_it_was_on() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        await user.press("c")
        await user.at(Picker)
        await user.press("down", "down")
        before = user.listed.current
        await user.press(*"nova")
        assert user.listed.cursor == 0
        await user.press(*["backspace"] * 4)
        assert user.listed.current is before


async def test_a_line_feed_is_enter_in_a_filter_and_in_a_chooser() -> None:
    """Some terminals and programs send it for Enter."""
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("/", *"nova", "ctrl+j")
        await user.press("y")
        await user.sees("Copy")
        await user.press("ctrl+j")
        await user.misses("Copy ")


async def test_a_filter_without_matches_leads_back_to_the_character_chosen_before() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await user.press("slash", *"camille", "enter")
        _, camille = on(user)
        await user.press("slash", *"language", "enter")
        await user.sees("No matches")
        await user.press("escape")
        assert on(user)[1] == camille
