"""Every row N, H and P of the fault list on a screen: it says what happened, and the program can be used on."""

from __future__ import annotations

from typing import Final

import pytest

from chartui.core.profiles_file import load_profiles
from chartui.core.session import open_session
from chartui.tui.tour.player import drawn
from tests.faults.client import KEY
from tests.faults.rows import ROWS, Played, Row
from tests.long import sampled
from tests.tui.user import WIDE, User, opened, run_app

#: Frames, and what stands at the edge of a message.
_FRAMES = {ord(character): " " for character in "│╭╮╰╯─▌"}


def said(user: User) -> list[str]:
    """What each widget in sight says, however it is broken into lines."""
    strips = drawn(user.app)
    regions = {widget.region for widget in user.app.screen.query("*")}
    cropped = ((strip.crop(r.x, r.right).text for strip in strips[r.y : r.bottom]) for r in regions)
    return [" ".join(" ".join(lines).translate(_FRAMES).split()) for lines in cropped]


#: One of each row; its variants differ in what the client makes of them, which a command shows as well.
_ONE_OF_EACH: Final = {row.number: row for row in reversed(ROWS)}


@pytest.mark.parametrize("row", sampled(ROWS, *_ONE_OF_EACH.values()), ids=lambda row: row.name)
def test_a_screen_says_what_happened_and_others_can_be_used(row: Row, service: Played) -> None:
    run_app(_look(row))


async def _look(row: Row) -> None:
    profile = load_profiles().get("far")
    character = "c1" if row.screen == "narrative" else None
    async with opened(
        open_session(profile), screen=row.screen, character=character, size=WIDE, ready=not row.keys
    ) as user:
        if row.keys:
            await user.ready()
            await user.press(*row.keys)
            await user.until(lambda: user.app.screen.is_modal, "for the question")
            await user.press("y")
        wanted = row.shows or (row.says,)
        await user.until(lambda: all(any(text in words for words in said(user)) for text in wanted), f"for {wanted}")
        assert KEY not in user.screen
        assert "<html>" not in user.screen
        await _uses_other_screens(user)


async def _uses_other_screens(user: User) -> None:
    """Keys are obeyed: two other screens and the help come into sight."""
    await user.press("escape", "escape")
    await user.press("Q")
    await user.sees("Requests")
    await user.press("question_mark")
    await user.sees("Keys")
    await user.press("escape", "E")
    await user.sees("Configuration")
