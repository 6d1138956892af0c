"""Two programs that stage changes of one character: the question names both sides, and only moved cursors answer it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chartui.core.session import Session
from chartui.tui.drafts import TwoDrafts
from tests.long import sampled
from tests.tui.characters import kept, stage_temperature
from tests.tui.user import NARROW, SMALL, WIDE, User, opened


async def staged_elsewhere(other: Session, temperature: str) -> None:
    """Write another temperature to the draft, as another program does."""
    place = other.profile.place
    [draft] = await other.drafts.all(place)
    document = {**draft.document, "changes": {"temperature": temperature}}
    await other.drafts.save(place, draft.character_id, draft.part, document, revision=draft.revision)


async def kept_temperature(other: Session) -> object:
    [draft] = await other.drafts.all(other.profile.place)
    return draft.document["changes"]["temperature"]


@asynccontextmanager
async def asked(size: tuple[int, int] = WIDE) -> AsyncIterator[tuple[User, Session]]:
    """With the question open: 0.95 is staged here, 0.1 by the other program."""
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.characters.kept()
        await staged_elsewhere(other, "0.1")
        await user.resize(*size)
        await user.press("enter", "5")
        await user.at(TwoDrafts)
        await user.settle()
        yield user, other
    await other.aclose()


@pytest.mark.parametrize("size", sampled([SMALL, NARROW, WIDE], SMALL))
async def test_both_sides_are_named_with_their_values(size: tuple[int, int]) -> None:
    async with asked(size) as (user, _):
        await user.sees("Another program is editing Elena Marsh", "Yours: temperature 0.95", "Theirs: temperature 0.1")
        await user.sees("Keep mine", "Use theirs")


async def test_what_is_typed_on_answers_nothing() -> None:
    async with asked() as (user, other):
        await user.write("7mty")
        assert user.is_at(TwoDrafts)
        assert "No matches" not in user.screen
        await user.press("enter")
        await user.leaves(TwoDrafts)
        await user.characters.kept()
        assert await kept_temperature(other) == "0.1"
        assert user.characters.staged  # nothing was taken over
        assert "0.95" in user.line("Temperature", "#detail")


async def test_a_question_that_was_put_off_comes_with_the_next_change() -> None:
    async with asked() as (user, other):
        await user.press("escape")
        await user.leaves(TwoDrafts)
        await user.press("1")
        await user.sees("Yours: temperature 0.951")
        await user.press("down", "enter")
        await user.leaves(TwoDrafts)
        await user.characters.kept()
        assert await kept_temperature(other) == "0.951"


async def test_their_changes_are_used_as_they_are_by_then() -> None:
    async with asked() as (user, other):
        await staged_elsewhere(other, "0.2")
        await user.press("down", "down", "enter")
        await user.leaves(TwoDrafts)
        await user.until(lambda: "0.2 " in user.line("Temperature", "#detail"), "for their value")
        await user.characters.kept()
        assert await kept_temperature(other) == "0.2"
        assert not user.is_at(TwoDrafts)


async def test_changes_that_the_other_program_has_applied_by_then_leave_nothing_staged() -> None:
    async with asked() as (user, other):
        [draft] = await other.drafts.all(other.profile.place)
        await other.drafts.discard(other.profile.place, draft.character_id, draft.part, revision=draft.revision)
        await user.press("down", "down", "enter")
        await user.is_told("The other program's draft no longer exists or is unreadable, so nothing is staged.")
        await user.characters.kept()
        await user.ready()
        assert not user.is_at(TwoDrafts)
        assert not user.characters.staged


async def test_it_is_asked_once_while_the_question_is_open() -> None:
    async with asked() as (user, _):
        [staged] = user.characters.staged.values()
        user.characters.keep(staged)
        await user.characters.kept()
        await user.settle()
        assert sum(isinstance(screen, TwoDrafts) for screen in user.app.screen_stack) == 1


async def test_nothing_is_asked_while_both_hold_the_same() -> None:
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.characters.kept()
        await staged_elsewhere(other, "0.95")
        await user.press("enter", "5")
        await user.characters.kept()
        await user.settle()
        assert not user.is_at(TwoDrafts)
        await user.press("1")
        await user.characters.kept()
        await user.settle()
        assert not user.is_at(TwoDrafts)
        assert await kept_temperature(other) == "0.951"
    await other.aclose()
