"""Hostile text in every field of a record, in numbers' places and in names: no pane crashes, styles or reorders."""

from __future__ import annotations

import pytest

from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.clock import seeded_ids
from chartui.tui.screens.characters.state import Tab
from chartui.tui.screens.characters.tabs.record import CardDialog
from chartui.tui.tour.player import messages
from chartui.tui.widgets.chooser import Chooser
from tests.long import sampled
from tests.tui.hostile import HOSTILE, SHORT_RUN, hostile_characters, look
from tests.tui.sessions import clock, demo
from tests.tui.user import NARROW, WIDE, User, opened


async def look_through(user: User) -> None:
    """Look at the beginning of a pane, at what follows, and at its end."""
    await look(user)
    for key in ("pagedown", "end"):
        await user.press(key)
        await look(user)
    await user.press("home")


@pytest.mark.parametrize("name", sampled(HOSTILE, *SHORT_RUN))
async def test_hostile_text_in_every_field_of_a_record(name: str) -> None:
    text = HOSTILE[name]

    def fill_store(store: Store) -> None:
        hostile_characters(store, [text], account=BUILT_IN_ACCOUNT, ids=seeded_ids(7), clock=clock)

    async with opened(demo(fill_store=fill_store), screen="characters", size=NARROW) as user:
        await look(user)
        for pane in Tab:
            user.characters.open_pane(pane.value)
            await user.until(lambda: user.characters.record, "for the record")
            await user.settle()
            await look_through(user)
        await user.press("J", "*")
        await look_through(user)
        await user.resize(*WIDE)
        for key in ("i", "J"):
            await user.press(key, "down", "down", "slash")
            await user.paste(text[:100])
            await look(user)
            await user.press("enter", "n", "N", "down", "up", "escape", "y")
            await user.at(Chooser)
            await look(user)
            await user.press("escape")
        await user.press("Y")
        await user.at(CardDialog)
        await look(user)
        await user.press("t")
        await look_through(user)
        await user.press("y")
        await user.until(lambda: len(messages(user.app)) > 0, "for the message")
        await look(user)
