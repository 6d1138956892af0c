"""Pictures of the history: what was done, what was taken back, what has no known end."""

from __future__ import annotations

from tests.tui.conftest import Screen
from tests.tui.history import bulk, doubt, warm
from tests.tui.pictures import sizes
from tests.tui.sessions import demo
from tests.tui.user import User


@sizes("120x40", svg="120x40")
def test_history(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        session = user.app.session
        await warm(session, "Elena Marsh", "0.31")
        await bulk(session, "Bran Alder", "Avery Cole", "Lucía Ferrer")
        await doubt(session, "Elena Marsh", "0.25")
        await user.press("H")
        await user.sees("Warm everybody")
        await user.press("down")
        await user.sees("#2")
        await user.rests()

    screen(play, session=demo(), screen="characters", size=size)


@sizes("80x24")
def test_undo_review(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await bulk(user.app.session, "Bran Alder", "Avery Cole", "Lucía Ferrer")
        await user.press("u")
        await user.sees("Undo: Warm everybody")

    screen(play, session=demo(), screen="characters", size=size)
