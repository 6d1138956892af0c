"""What tests do in the estimator: pin, and choose another model."""

from __future__ import annotations

from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.widgets.questions import AskLine
from tests.tui.user import User


async def pin(user: User, name: str = "") -> None:
    """Pin the present inputs under a name, or under the one that is proposed."""
    await user.press("p")
    await user.at(AskLine)
    await user.press(*name, "enter")
    await user.at(EstimatorScreen)
    await user.is_told("Pinned")
    user.app.dismiss_information()
    await user.settle()


async def model(user: User, key: str) -> None:
    """Choose another model."""
    await user.press("escape", "home", "enter", *key, "enter")
    await user.ready()


async def two_pinned(user: User) -> None:
    """The defaults pinned as ``usual``, a dearer model as ``better``, and a live one in the form."""
    await pin(user, "usual")
    await model(user, "mdlb_4_5_sonnet")
    await pin(user, "better")
    await model(user, "mdlc_2_5_flash_live")
