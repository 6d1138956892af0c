"""An unlocked production profile: said loudly in the top line, named by the review, locked again when idle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from chartui.core.clock import seeded_ids
from chartui.core.config import Config
from chartui.core.lock import Lock
from chartui.core.profiles import BUILT_IN
from chartui.core.session import Session
from chartui.tui.shell.open_profile import Opening
from chartui.tui.wait import Waiting
from chartui.tui.widgets.review import Review
from tests.long import sampled
from tests.tui.characters import edit
from tests.tui.sessions import clock, doubled
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

PRODUCTION = replace(BUILT_IN["demo"], production=True)


def locked(session: Session) -> bool:
    return session.read_only


class Hand:
    """A clock that a test moves, and the one timer that waits for it."""

    def __init__(self, user: User) -> None:
        self._now = 0.0
        self._due: tuple[float, Callable[[], None]] | None = None
        relock = user.app.relock
        relock.ticks, relock.later = lambda: self._now, self._later
        relock.touch()
        relock.watch()

    def _later(self, seconds: float, do: Callable[[], None]) -> Hand:
        self._due = (self._now + seconds, do)
        return self

    def stop(self) -> None:
        """Do not fire."""
        self._due = None

    def go_on(self, minutes: float) -> None:
        """Let so many minutes pass."""
        end = self._now + minutes * 60
        while self._due is not None and self._due[0] <= end:
            (self._now, do), self._due = self._due, None
            do()
        self._now = end


def production() -> tuple[Session, Opening]:
    way = Opening(throwaway=True, clock=clock, ids=seeded_ids(7))
    return way.open(PRODUCTION), way


@pytest.mark.parametrize("size", sampled([SMALL, NARROW, WIDE], SMALL))
async def test_changes_on_is_said_and_not_just_the_absence_of_read_only(size: tuple[int, int]) -> None:
    session, way = production()
    async with opened(session, opening=way, size=size) as user:
        assert "CHANGES ON" in user.top_line
        assert "demo" in user.top_line
        session.relock()
        user.app.work.refresh_bars()
        await user.until(lambda: "CHANGES ON" not in user.top_line, "for the lock")
        assert "⊘" in user.top_line
        assert "PRODUCTION" in user.top_line


async def test_a_profile_that_is_not_production_says_nothing_of_it() -> None:
    async with opened(size=WIDE) as user:
        assert "CHANGES ON" not in user.top_line


async def test_the_review_names_the_profile() -> None:
    session, way = production()
    async with opened(session, opening=way, screen="narrative", size=WIDE) as user:
        await user.press("T")
        await user.at(Review)
        await user.sees("PRODUCTION demo · 1 step")


async def test_fifteen_idle_minutes_lock_it_and_keep_what_is_staged() -> None:
    session, way = production()
    async with opened(session, opening=way, screen="characters", size=WIDE) as user:
        hand = Hand(user)
        await edit(user)
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        hand.go_on(14.9)
        await user.press("up")
        hand.go_on(14.9)
        assert not locked(session)
        hand.go_on(0.2)
        assert locked(session)
        await user.is_told(
            "'demo' was locked after 15 minutes of inactivity. Staged changes are kept. Use ! to unlock it."
        )
        await user.until(lambda: "read-only" in user.top_line, "for the lock")
        await user.reads("#settings", "1 change staged: temperature. Read-only profile:")
        await user.press("S")
        await user.is_told("Read-only profile: applying staged changes is disabled. Use ! to unlock it.")


async def test_unlocking_starts_the_time_again() -> None:
    session, way = production()
    async with opened(session, opening=way, size=WIDE) as user:
        hand = Hand(user)
        hand.go_on(15)
        await user.until(lambda: "read-only" in user.top_line, "for the lock")
        await user.press("!", *"demo", "enter")
        await user.until(lambda: "CHANGES ON" in user.top_line, "for the changes")
        hand.go_on(14.9)
        assert not locked(session)
        hand.go_on(0.1)
        assert locked(session)


@pytest.mark.parametrize(("minutes", "relocks"), [(0, False), (1.5, True)])
async def test_the_time_is_a_setting(minutes: float, *, relocks: bool) -> None:
    session, way = production()
    async with opened(session, opening=way, config=Config(relock_minutes=minutes)) as user:
        hand = Hand(user)
        hand.go_on(1.4)
        assert not locked(session)
        hand.go_on(1000)
        assert locked(session) is relocks


async def test_what_is_not_production_is_left_alone() -> None:
    async with opened() as user:
        hand = Hand(user)
        hand.go_on(1000)
        assert not locked(user.app.session)


async def test_a_plan_under_way_is_not_cut_off() -> None:
    session, double = doubled()
    session = replace(session, profile=PRODUCTION, lock=Lock())
    async with opened(session, screen="narrative", size=WIDE) as user:
        hand = Hand(user)
        await user.press("T")
        await user.at(Review)
        double.hold("toggle-narrative")
        await user.press("y")
        await user.at(Waiting)
        hand.go_on(30)
        assert not locked(session)
        double.let_all_go()
        await user.is_told("Applied: ")
        hand.go_on(0.1)
        assert locked(session)


async def test_a_review_left_open_does_not_apply_once_it_is_locked() -> None:
    session, double = doubled()
    session = replace(session, profile=PRODUCTION, lock=Lock())
    async with opened(session, screen="narrative", size=WIDE) as user:
        hand = Hand(user)
        await user.press("T")
        await user.at(Review)
        calls = len(double.calls)
        hand.go_on(15)
        await user.press("y")
        await user.is_told("Read-only profile: “Switch the narrative graph off” is disabled. Use ! to unlock it.")
        assert len(double.calls) == calls
