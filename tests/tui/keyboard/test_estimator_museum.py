"""A museum's task at the keyboard: candidates under constraints, compared with today's configuration, for a month."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from chartui.core.estimation.constraints import Need
from chartui.core.estimation.exploration import explore
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.widgets.questions import AskLine
from tests.tui.user import WIDE, User, opened

#: The keys of the task, of which there may be sixty.
MOST = 60


class Counted:
    """Presses keys and counts them."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.keys = 0

    async def press(self, *keys: str) -> None:
        self.keys += len(keys)
        await self.user.press(*keys)

    async def pin(self) -> None:
        await self.press("p")
        await self.user.at(AskLine)
        await self.press("enter")
        await self.user.at(EstimatorScreen)


async def test_from_the_constraints_to_the_month_in_sixty_keys() -> None:
    async with opened(size=WIDE) as user:
        hand = Counted(user)
        await hand.pin()  # the baseline
        await hand.press("f", *["down"] * 8, "left")  # no beta
        await hand.press("down", *"12", "down", *"1.2s", "enter", "escape")
        await user.at(EstimatorScreen)
        study = user.estimator.study
        wanted = replace(study.constraints, beta=Need.MUST_NOT, max_credits=Decimal(12), max_latency=1200)
        assert study.constraints == wanted
        assert wanted.speech_in is wanted.speech_out is Need.MUST  # as the inputs have them
        for step in ((), ("down",), ("down",)):
            await hand.press(*step)
            await hand.pin()
        await hand.press("[", "[")
        await user.sees("Total")
        candidates = list(user.estimator.now.pinned)
        baseline = candidates.pop(user.estimator.now.baseline)
        front = explore(study.pricing, wanted).front[:3]
        assert {one.configuration for one in candidates} == {point.first for point in front}
        assert baseline.configuration == study.configuration
        totals = next(row for row in user.estimator.compared if row.label == "Total")
        assert sum(cell.difference.startswith("−") for cell in totals.cells) == 3
        await hand.press("e", *"30000", "down", *"12", "down", "down", "right")
        await user.sees("360 000")
        user.app.dismiss_messages()  # the last pin's, which takes a line from the month
        await user.settle()
        for point in front:
            assert f"{round(point.credits * 360_000):,}".replace(",", " ") in user.pane("#month")
        assert hand.keys <= MOST, hand.keys
