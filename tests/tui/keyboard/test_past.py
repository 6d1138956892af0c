"""What was changed of one character: told where it stands, opened, and taken back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.characters.state import Tab
from chartui.tui.widgets.review import Review
from tests import writes
from tests.long import sampled
from tests.tui.characters import sees_tab
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import NARROW, WIDE, User, opened

both = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])


async def changed(user: User) -> str:
    """Change the first character twice and the second once; the id of the first."""
    service = user.app.session.service
    first, second, *_ = await service.summaries()
    await writes.update_character(service, first.character_id, temperature=Decimal("0.1"))
    await writes.update_character(service, second.character_id, temperature=Decimal("0.4"))
    settings = await service.settings(first.character_id)
    story = f"{settings.backstory}\nA line that came."
    await writes.update_character(service, first.character_id, backstory=story)
    return first.character_id


@covers("show-character-history")
@both
async def test_what_was_changed_is_listed_and_opened(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="characters", size=size) as user:
        await changed(user)
        await user.press("h")
        await sees_tab(user, "History", "temperature 0.6 → 0.1", "undoes the change")
        assert "⏎ values  u undo" in user.bottom_line
        await user.sees("Only changes made with chartui on this")
        assert "0.4" not in user.pane("#past")
        lines = user.pane("#past").splitlines()
        [scope] = [number for number, line in enumerate(lines) if "Only changes made with" in line]
        assert "created" not in "".join(lines[:scope])  # which the sentence is not about
        rows = [number for number, line in enumerate(lines) if "2026-11-21 09:30" in line]
        assert "backstory" in lines[rows[0]]
        assert lines[rows[1]].endswith("temperature 0.6 → 0.1")  # whose, the pane says already
        await user.press("enter")
        await user.sees("+ A line that came.", "lines unchanged", "#3, by")
        await user.press("enter")
        await user.misses("+ A line that came.")
        await user.press("down", "enter")
        await user.sees("#1, by")
        await user.press("escape")
        assert user.characters.in_detail is False


@covers("filter-characters")
@pytest.mark.parametrize("size", sampled([NARROW, WIDE, (200, 45)], NARROW))
async def test_the_history_is_filtered_where_it_is(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="characters", size=size) as user:
        await changed(user)
        await user.press("h")
        await sees_tab(user, "History", "temperature 0.6 → 0.1", "undoes the change")
        await user.press("slash", *"line that")
        assert "backstory" in user.pane("#past")
        assert "temperature" not in user.pane("#past")
        await user.press(*["backspace"] * 9, *"nowhere")
        assert "No matches. Esc ends the search." in user.pane("#past")
        await user.press(*["backspace"] * 7, *"0.6")
        assert "backstory" not in user.pane("#past")
        await user.sees("1 of 1")
        await user.press(*["backspace"] * 3, "enter", "slash", "t", "enter")
        await user.sees("2 of 2")
        for key, number in (("n", 1), ("enter", 1), ("n", 2), ("N", 1), ("N", 2)):
            await user.press(key)
            await user.sees(f" {number} of 2")
        await user.press("N", "enter", "N")  # the values are hidden again
        await user.press("escape", "enter")
        await user.sees("backstory", "#1, by")
        assert (user.characters.pane, user.characters.query) == (Tab.HISTORY, "")


@pytest.mark.parametrize("key", ["e", "$"])
async def test_no_filter_of_the_list_takes_you_out_of_a_tab(key: str) -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await user.press(key)
        await user.settle()
        assert " / find " in user.bottom_line
        await user.press("slash", "f", "ctrl+t")
        assert (user.characters.in_detail, user.characters.query) == (True, "")


@covers("undo")
@both
async def test_the_change_under_the_cursor_is_undone(size: tuple[int, int]) -> None:
    """Not the last thing done: that is what the same key does elsewhere."""
    async with opened(demo(), screen="characters", size=size) as user:
        first = await changed(user)
        service = user.app.session.service
        await user.press("h")
        await user.sees("temperature 0.6 → 0.1")
        await user.press("down", "u")
        await user.at(Review)
        await user.sees("Undo: temperature back to 0.6", "0.1 → 0.6")
        await user.press("y")
        await user.is_told("Undone: ")
        await user.sees("undone · temperature", "Undo: temperature")
        settings = await service.settings(first)
        assert settings.temperature == Decimal("0.6")
        assert (settings.backstory or "").endswith("A line that came.")
        await user.reads("#past", "redoes the change")
        await user.press("home")
        assert "u redo" in user.bottom_line
        await user.press("down")
        assert "u undo" in user.bottom_line
        await user.press("down", "u")
        await user.is_told("has already been undone")


@pytest.mark.parametrize("moved", [False, True])
async def test_the_cursor_goes_to_the_newest_change_unless_it_was_moved(moved: bool) -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        first = await changed(user)
        await user.press("h")
        await user.sees("temperature 0.6 → 0.1")
        await user.press(*(["down"] if moved else []))
        await writes.update_character(user.app.session.service, first, temperature=Decimal("0.2"))
        await user.press("f5")
        await user.sees("temperature 0.1 → 0.2")
        await user.press("u")
        await user.sees("Undo: temperature back to 0.6" if moved else "Undo: temperature back to 0.1")


async def test_under_the_lock_nothing_is_taken_back() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        first = await changed(user)
        await user.press("exclamation_mark")
        await user.until(lambda: session.read_only, "for the lock")
        await user.press("h")
        await user.sees("temperature 0.6 → 0.1")
        await user.press("u")
        await user.is_told("is disabled.")
        assert (await session.service.settings(first)).temperature == Decimal("0.1")


async def test_a_character_of_which_nothing_was_changed() -> None:
    async with opened(demo(), screen="characters", size=NARROW) as user:
        await user.press("down", "h")
        await user.sees("Only changes made")
        await user.press("u", "enter")  # nothing to open and nothing to take back
        await user.settle()
        assert user.at_work


async def test_it_follows_the_cursor_of_the_list() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await changed(user)
        await user.press("h")
        await user.sees("temperature 0.6 → 0.1")
        await user.press("escape", "down")
        await user.rests()
        await user.sees("→ 0.4")
        await user.misses("temperature 0.6 → 0.1")


async def test_a_journal_that_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await changed(user)

        async def refuse(*_: object, **__: object) -> None:
            raise ServiceError(ErrorKind.BUSY, "The journal is in use.")

        monkeypatch.setattr(session.journal, "beginnings", refuse)
        await user.press("h")
        await user.sees("✗ The journal is in use.")


async def test_hostile_texts_are_harmless() -> None:
    async with opened(demo(), screen="characters", size=NARROW) as user:
        first = await changed(user)
        for text in HOSTILE:
            if not any("\ud800" <= character <= "\udfff" for character in text):
                await writes.update_character(user.app.session.service, first, backstory=text + "\n[/nope]")
        await user.press("h")
        await sees_tab(user, "History", "backstory")
        await user.press("enter", "end", "enter", "home", "pagedown")
        await user.settle()
        assert user.app.return_code is None
