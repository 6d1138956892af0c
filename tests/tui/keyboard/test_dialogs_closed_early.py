"""A dialog that is closed while it is being built leaves the program as it was."""

from __future__ import annotations

import asyncio

import pytest

from chartui.tui.widgets.dialog import Dialog
from tests.long import every
from tests.tui.dialogs import MADE
from tests.tui.user import opened

DIALOGS = {kind.__name__: make for kind, make in MADE.items()}


@pytest.mark.parametrize("dialog", DIALOGS)
async def test_a_dialog_closed_while_it_is_built_is_no_fault(dialog: str) -> None:
    """At every moment in a long run; in a normal one at every eighth, the next dialog at others."""
    step = every(8)
    first = list(DIALOGS).index(dialog) % step
    async with opened() as user:
        before = user.screen
        for moments in range(first, 24, step):
            shown = DIALOGS[dialog](user)
            user.app.push_screen(shown)
            for _ in range(moments):
                await asyncio.sleep(0)
            shown.dismiss()
            await user.leaves(Dialog)
            await user.settle()
            user.app.assert_whole()
        assert user.screen == before
