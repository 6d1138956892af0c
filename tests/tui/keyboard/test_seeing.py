"""What changed since a character was last looked at: told when it is opened again, and nothing of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.lock import Lock, LockedBy
from chartui.core.seen import SeenOnce
from chartui.core.session import Session, open_session, seen_path
from chartui.tui.screens.characters import reader
from chartui.tui.shell.open_profile import Opening
from tests import writes
from tests.long import sampled
from tests.tui.characters import kept, sees_tab
from tests.tui.serving import serving
from tests.tui.sessions import MOMENT, clock
from tests.tui.user import NARROW, WIDE, User, opened

both = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])
LATER = Opening(clock=lambda: MOMENT + timedelta(days=3, hours=1))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in sight counts as seen at once."""
    monkeypatch.setattr(reader, "LOOKED_AT", 0.01)


@asynccontextmanager
async def looking(session: Session | None = None, size: tuple[int, int] = WIDE) -> AsyncIterator[User]:
    """Somebody before the record of the first character, until it counts as seen."""
    async with opened(session or kept(), screen="characters", size=size, opening=LATER) as user:
        await user.press("i")
        await sees_tab(user, "Record", "Identity")
        yield user


async def remembered(user: User) -> SeenOnce:
    """Wait until the first character counts as seen."""
    session = user.app.session
    await user.until(seen_path().exists, "for the memory")
    await user.until(lambda: not any(worker.group == "seen" for worker in user.app.workers), "for what is written")
    [found, *_] = await session.seen.all(session.profile.place)
    return found


async def elsewhere(model: str | None = None, temperature: str | None = None, backstory: str | None = None) -> None:
    """Another person changes the first character, on another machine: past the journal of this one."""
    session = kept()
    first, *_ = await session.service.summaries()
    number = None if temperature is None else Decimal(temperature)
    past = replace(session, service=type(session.service)(session.recorder, embedded=True))
    await writes.update_character(
        past.service, first.character_id, model=model, temperature=number, backstory=backstory
    )
    await session.aclose()


@both
async def test_what_changed_since_is_told_when_it_is_opened_again(size: tuple[int, int]) -> None:
    async with looking(size=size) as user:
        assert (await remembered(user)).name == "Elena Marsh"
        assert "since your last visit" not in user.screen
    await elsewhere(model="mdla-4o", temperature="0.31", backstory="Another.")
    async with looking(size=size) as user:
        await user.sees("≠4")
        await user.reads("#record", "≠ Changed since your last visit (3 d ago): ", "mdla-4o ≠ changed, was mdla-5.1")
        await user.press("h")
        await user.reads("#past", "≠ Changed elsewhere since your last visit (3 d ago)")
        await user.reads("#past", "i shows the changed fields in the record.", "There are none for this character yet.")


async def test_it_stays_told_until_the_program_ends() -> None:
    async with looking() as user:
        await remembered(user)
    await elsewhere(temperature="0.31")
    async with looking() as user:
        await user.reads("#record", "(3 d ago): Temperature. Changes to the story", "≠ changed, was 0.6")
        await user.press("escape", "down")
        await user.rests()
        await user.misses("since your last visit")
        await user.press("up")
        await user.rests()
        await user.reads("#record", "(3 d ago): Temperature.")
        await elsewhere(model="mdla-4o")
        await user.press("f5")
        await user.reads("#record", "Temperature, Model")


async def test_what_was_changed_from_here_is_no_news() -> None:
    async with looking() as user:
        await remembered(user)
        await user.press("e")
        await user.sees("0 to 1")
        await user.press("down", *"0.31", "enter", "S")
        await user.sees("0.6 → 0.31")
        await user.press("y")
        await user.is_told("Applied: ")
    async with looking() as user:
        assert "0.31" in user.line("Temperature", "#record")
        assert "since your last visit" not in user.screen


async def test_what_is_passed_by_does_not_count_as_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LOOKED_AT", 3600.0)
    async with looking() as user:
        await user.press("down")
        await user.rests()
    assert not seen_path().exists()


async def test_what_was_left_at_once_does_not_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LOOKED_AT", 3600.0)
    async with looking(size=NARROW) as user:

        async def time_passes() -> None:
            timer = user.characters.look_timer
            assert timer is not None
            assert timer._callback is not None
            timer._callback()
            await user.settle()

        await user.press("escape")
        await time_passes()
        assert not seen_path().exists()
        await user.press("i")
        await time_passes()
        await remembered(user)


async def test_under_the_lock_it_is_told_and_remembered_as_well() -> None:
    session = kept()
    async with looking(replace(session, lock=Lock(LockedBy.FLAG))) as user:
        await remembered(user)
    await elsewhere(temperature="0.31")
    async with looking(replace(kept(), lock=Lock(LockedBy.FLAG))) as user:
        await user.reads("#record", "(3 d ago): Temperature.")


async def test_on_a_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as service:
        monkeypatch.setenv("CHARTUI_TEST_KEY", service.key)
        other = open_session(service.profile("other"))
        async with looking(open_session(service.profile(), clock=clock)) as user:
            await remembered(user)
            first = user.characters.shown_id or ""
        await writes.update_character(other.service, first, temperature=Decimal("0.31"))
        async with looking(open_session(service.profile(), clock=clock)) as user:
            await user.reads("#record", "(3 d ago): Temperature.", "≠ changed, was 0.6")
        await other.aclose()


async def test_a_memory_that_cannot_be_used_is_told_once_and_keeps_nothing_back() -> None:
    seen_path().parent.mkdir(parents=True, exist_ok=True)
    seen_path().write_bytes(b"no database at all " * 100)
    async with looking() as user:
        await user.is_told("seen.db is damaged or is not a database")
        await user.press("escape", "down")
        await user.rests()
        await user.sees("Bran Alder", "Identity")
        assert len(user.toasts) == 1
