"""Sections and triggers that were never sent: removed with every reference to them, and never shown by an id."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chartui.core.narrative.edits import difference
from chartui.core.narrative.nodes import Kind
from chartui.core.session import Session
from chartui.tui.shell.history import History
from chartui.tui.widgets.chooser import Picker
from chartui.tui.widgets.conflicts import Conflicts
from chartui.tui.widgets.questions import AskLine
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.sessions import demo, remote
from tests.tui.stories import START, add_section, go_to, named, ways
from tests.tui.user import WIDE, User, opened


async def add_attic(user: User) -> None:
    """Add a section below the first one, and lead the last decision of the next section to it as well."""
    await add_section(user, "Attic", "climbs")


async def remove_here(user: User, *answers: str) -> None:
    """Remove the section with the cursor, and answer with the words of a choice each."""
    await user.press("delete")
    for answer in ("The section", *answers):
        await user.at(Picker)
        await user.press(*answer, "enter")
    await user.back()


@pytest.mark.parametrize("session", [demo, lambda: remote()[0]])
async def test_a_section_that_was_never_sent_goes_with_the_references_to_it(session: Callable[[], Session]) -> None:
    async with opened(session(), screen="narrative", size=WIDE) as user:
        before = user.narrative.stored
        await add_attic(user)
        await user.press("f2", *" 2", "enter")
        await user.press("delete")
        await user.at(Picker)
        await user.press(*"The section", "enter")
        await user.sees("This section is new, so incoming links cannot be kept.")
        assert "without an existing target" not in user.screen
        await user.press(*"Remove", "enter")
        await user.back()
        assert not difference(before, user.narrative.story)
        assert "new-section" not in user.screen
        await user.press("S")
        await user.is_told("No staged changes.")


async def test_what_is_left_can_be_sent() -> None:
    session = demo()
    async with opened(session, screen="narrative", size=WIDE) as user:
        await add_attic(user)
        await remove_here(user, "Remove")
        await go_to(user, Kind.SECTION, START)
        await user.press("f2", *"Hall", "enter", "S")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: user.at_work and not user.narrative.staged, "for it to be sent")
        stored = user.narrative.stored
        assert named(stored, "Hall")


async def test_what_leads_to_an_unsent_section_is_led_elsewhere() -> None:
    async with opened(remote()[0], screen="narrative", size=WIDE) as user:
        await add_attic(user)
        await remove_here(user, "Redirect", "The case")
        assert ("climbs", "The case") in ways(user, START)
        assert "new-section" not in user.screen


async def test_a_stored_section_can_still_leave_references_without_a_target() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await go_to(user, Kind.SECTION, "The case")
        await user.press("delete")
        await user.at(Picker)
        await user.press(*"The section", "enter")
        await user.sees("Keep it with a missing target")


async def test_no_id_is_copied_of_what_has_none_yet() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await add_attic(user)
        assert "ID of the section" not in [choice.title for choice in user.narrative.copy_choices()]
        await go_to(user, Kind.SECTION, START)
        assert "ID of the section" in [choice.title for choice in user.narrative.copy_choices()]


async def test_a_section_that_was_removed_elsewhere_says_so() -> None:
    session = demo()
    async with opened(session, screen="narrative", size=WIDE) as user:
        elena, welcome = user.narrative.wanted, named(user.narrative.story, START)
        await user.press("f2", *"Mine", "enter")
        await writes.delete_section(session.service, elena, welcome)
        await user.press("S")
        await user.at(Conflicts)
        await user.press("escape")
        await user.back()
        await go_to(user, Kind.SECTION, "Mine")
        await user.sees("removed elsewhere")
        assert "New section" not in user.pane("#detail")


async def test_undoing_a_new_character_says_that_its_unapplied_story_is_kept() -> None:
    async with opened(demo(), screen="characters") as user:
        await user.press("a")
        await user.at(AskLine)
        await user.press(*"Mara", "enter")
        await user.at(Review)
        await user.press("y")
        await user.back()
        await user.until(lambda: user.characters.name == "Mara", "for the cursor")
        await user.press("N")
        await user.sees("This graph is empty.")
        await user.press("a", *"The hall", "enter")
        await user.until(lambda: user.narrative.staged, "for the section")
        await user.narrative.kept()
        made = user.narrative.wanted
        await user.press("u")
        await user.at(Review)
        await user.reads(
            "Review > Vertical", "Staged changes to the story of Mara will not be applied.", "come back if you undo"
        )
        await user.press("y")
        await user.is_told("Undone")
        await user.back()
        await user.press("H")
        await user.at(History)
        await user.press("u")
        await user.at(Review)
        await user.press("y")
        await user.is_told("Redone")
        await user.at(History)
        await user.press("escape")
        await user.back()
        await user.press("C")
        await user.until(lambda: user.top is user.app.work["characters"], "for the characters")
        await user.press("/", *"Mara", "enter", "N")
        await user.until(lambda: user.narrative.is_read and user.narrative.wanted == made, "for the graph")
        await user.sees("The hall", "S applies")
