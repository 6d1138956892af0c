"""What tests do with a scene: go about in it, speak to somebody, wait for the answer."""

from __future__ import annotations

from chartui.tui.screens.actions.dialogs import EntryDialog
from chartui.tui.widgets.chooser import Chooser
from tests.tui.user import User

SENT = "get-response"


async def send(user: User) -> None:
    """Send what is composed, from the form."""
    await user.press("i", "enter")


async def replay(user: User, scene: str) -> None:
    """Replay all turns, ``in this`` scene or ``as recorded``."""
    await user.press("b")
    await user.at(Chooser)
    await user.press(*scene, "enter")
    await user.leaves(Chooser)


async def answered(user: User, number: int) -> None:
    await user.until(lambda: len(user.actions.talk.exchanges) == number, f"for the answer to turn {number}")
    await user.settle()


async def speak_to(user: User, name: str) -> None:
    await user.press("c")
    await user.at(Chooser)
    await user.press(*name, "enter")
    await user.leaves(EntryDialog, Chooser)
    await user.ready()


async def go_to(user: User, place: str) -> None:
    """Put the cursor on a row of the scene."""
    rows = user.actions.rows
    number = [row.id for row in rows].index(place)
    await user.press("home", *["down"] * number)
    assert user.actions.row is rows[number]
