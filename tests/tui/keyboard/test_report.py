"""The report of a plan that was not wholly carried out, and what the history offers of one that was."""

from __future__ import annotations

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.run_plan import Report
from chartui.tui.shell.history import History
from chartui.tui.widgets.review import Review
from tests.tui.characters import choose_level, edit, stage_temperature
from tests.tui.sessions import remote
from tests.tui.user import WIDE, opened


@pytest.mark.parametrize(
    ("kind", "words"),
    [(ErrorKind.TIMEOUT, "timed out, nothing was changed"), (ErrorKind.BUSY, "refused, nothing was changed")],
)
async def test_a_step_that_timed_out_before_it_was_sent_is_not_called_refused(kind: ErrorKind, words: str) -> None:
    session, double = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("S")
        await user.at(Review)
        double.failures["update-character"] = ServiceError(kind, "Not this time.", sent="no")
        await user.press("y")
        await user.at(Report)
        await user.sees(words)


async def test_the_history_offers_no_undo_of_what_a_service_did_not_report() -> None:
    session, _ = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_level(user, "high")
        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.is_told("Applied: ")
        await user.press("H")
        await user.at(History)
        await user.sees("esc close")
        assert "u undo" not in user.screen
