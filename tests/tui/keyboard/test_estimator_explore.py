"""Exploring from the keyboard: what fits, the front with its one cursor, and constraints that show at once."""

from __future__ import annotations

from chartui.core.estimation.constraints import Constraints, Need
from chartui.core.estimation.exploring import Found, explore
from chartui.tui.numbers import count
from chartui.tui.screens.estimator.explore import ExploreView
from tests.tui.keyboard import covers
from tests.tui.user import User, opened


def view(user: User) -> ExploreView:
    return user.estimator.query_one(ExploreView)


def found(user: User, constraints: Constraints) -> Found:
    """What the core finds for the inputs of the screen."""
    study = user.estimator.study
    assert study is not None
    return explore(study.pricing, constraints)


#: What is asked at first on the demo data, whose default has memory, hears and speaks.
FIRST = Constraints(memory=Need.MUST, speech_in=Need.MUST, speech_out=Need.MUST, odd=Need.MUST_NOT)


@covers("view-explore", "explore-constraints")
async def test_it_starts_with_what_the_present_configuration_can() -> None:
    async with opened() as user:
        await user.press("x")
        assert view(user).settings == FIRST
        await user.sees(f"{count(found(user, FIRST).count)} of 48 720 configurations fit")
        await user.press("f", "right", "escape")
        assert view(user).settings.memory is Need.MUST_NOT
