"""A program that is started for the first time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chartui.core.clock import seeded_ids
from chartui.core.profiles import BUILT_IN
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.shell.open_profile import Opening
from tests.tui.sessions import clock
from tests.tui.user import NARROW, User, opened


@asynccontextmanager
async def first(size: tuple[int, int] = NARROW) -> AsyncIterator[User]:
    """The program, started for the first time."""
    way = Opening(welcome=True, clock=clock, ids=seeded_ids(7))
    async with opened(way.open(BUILT_IN["demo"]), size=size, opening=way) as user:
        await user.sees("Look around with demo data")
        yield user


async def works_on(user: User, name: str) -> None:
    await user.at(EstimatorScreen)
    await user.ready()
    assert user.app.session.profile.name == name
