"""Pictures of the record of a character: its fields, what is looked for in them, its JSON, and its card."""

from __future__ import annotations

import pytest

from chartui.core.backends.base import Context
from chartui.core.journal import Outcome
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import clock, demo, filled_with, remote
from tests.tui.user import NARROW, WIDE, User


async def goes_to(user: User, key: str) -> None:
    """Go to a pane of the first character, and wait until its record is there."""
    await user.press(key)
    await user.until(lambda: user.characters.record, "for the record")
    await user.settle()


@sizes("80x24")
def test_further_down(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await goes_to(user, "i")
        await user.press("pagedown", "pagedown", "down")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_what_is_known_of_a_service(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = remote()

    async def play(user: User) -> None:
        await goes_to(user, "i")
        payload = {"charID": user.characters.shown_id, "reasoning_effort": "high"}
        journal, place = session.journal, session.profile.place
        number = await journal.intend(place, "update-character", payload, before=None, context=Context())
        await journal.conclude(number, Outcome.DONE)
        await user.press("f5", "down")
        await user.sees("not returned by this service")

    screen(play, session=session, screen="characters", size=size)


@sizes("80x24")
def test_looking_for_something(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await goes_to(user, "i")
        await user.press("slash", *"museum", "enter", "enter")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_nothing_found(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await goes_to(user, "i")
        await user.press("slash", *"zeppelin")

    screen(play, screen="characters", size=size)


@sizes("120x40", svg="120x40")
def test_json(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await goes_to(user, "J")
        await user.press("end", "pageup", "up", "up")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_json_folded(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await goes_to(user, "J")
        await user.press("*", "*", "slash", *"calm", *["backspace"] * 4, *"prompt", "down", "escape", "right")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_json_of_very_much(screen: Screen, size: tuple[int, int]) -> None:
    def enlarged(count: int) -> dict[str, list[int]]:
        return {"measured": [number * number for number in range(count)]}

    session = demo(fill_store=filled_with(lambda sample: sample._replace(record={**sample.record, **enlarged(12_345)})))

    async def play(user: User) -> None:
        await goes_to(user, "J")
        await user.press("*", "*", "end", "up", "right", "right", "right")

    screen(play, session=session, screen="characters", size=size)


@pytest.fixture
def _this_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same moment and the same version on every card."""
    monkeypatch.setattr("chartui.tui.screens.characters.tabs.record.system_clock", clock)
    monkeypatch.setattr("chartui.core.characters.card.__version__", "1.2.3")


@pytest.mark.usefixtures("_this_day")
@pytest.mark.parametrize(("texts", "size"), [(False, NARROW), (True, WIDE)], ids=["usual-80x24", "with-texts-120x40"])
def test_card(screen: Screen, size: tuple[int, int], texts: bool) -> None:
    async def play(user: User) -> None:
        await goes_to(user, "i")
        await user.press("Y", *(["t", *["down"] * 22] if texts else []))
        await user.sees("Support card")

    screen(play, screen="characters", size=size)
