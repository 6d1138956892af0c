"""Pictures of what changed of characters: elsewhere, from here, and of one against the other."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from chartui.core.service import Service
from chartui.core.session import Session
from chartui.tui.shell.open_profile import Opening
from chartui.tui.widgets.conflicts import Conflicts
from tests import writes
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import MOMENT, demo
from tests.tui.user import NARROW, WIDE, User

LATER = Opening(clock=lambda: MOMENT + timedelta(days=3, hours=1))


async def elsewhere(session: Session, character_id: str) -> None:
    """Somebody else changes three settings, past the journal of this machine."""
    service = Service(session.recorder, embedded=True)
    story = (await service.settings(character_id)).backstory or ""
    await writes.update_character(
        service,
        character_id,
        model="mdla-4o",
        temperature=Decimal("0.2"),
        backstory=story.replace("Saturdays", "Sundays"),
    )


@sizes("80x24")
def test_what_was_changed_here_and_elsewhere(screen: Screen, size: tuple[int, int]) -> None:
    session = demo()

    async def play(user: User) -> None:
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        await user.press("down", *"0.9", "end", "enter")
        await user.press(*" She has a parrot.", "escape")
        await user.sees("2 changes staged")
        await elsewhere(session, user.characters.shown_id or "")
        await user.press("S")
        await user.until(lambda: isinstance(user.app.screen, Conflicts))
        await user.sees("2 undecided")  # in the small window one's own text is below what is seen of the dialogue
        await user.press("m")
        await user.sees("1 undecided")

    screen(play, session=session, screen="characters", size=size)


@sizes("80x24")
def test_the_history_of_a_character(screen: Screen, size: tuple[int, int]) -> None:
    session = demo()

    async def play(user: User) -> None:
        service = session.service.asking_as("terminal UI")
        first, *_ = await service.summaries()
        story = (await service.settings(first.character_id)).backstory or ""
        await writes.update_character(service, first.character_id, temperature=Decimal("0.9"))
        await writes.update_character(service, first.character_id, backstory=f"{story}\nShe has a parrot.")
        await writes.toggle_narrative(service, first.character_id, False)
        await user.press("h")
        await user.sees("backstory")
        await user.press("down", "enter")
        await user.sees("+ She has a parrot.")

    screen(play, session=session, screen="characters", size=size)


@sizes("80x24")
def test_what_changed_since_it_was_last_seen(screen: Screen, size: tuple[int, int]) -> None:
    session = demo()

    async def play(user: User) -> None:
        first, *_ = user.characters.summaries
        reader, place = user.characters.sight, session.profile.place
        from chartui.core.character import read_character

        reading = await read_character(session.service, session.journal, place, first.character_id)
        assert reading is not None
        await reader.remember(first.character_id, "Elena Marsh", reading)
        await elsewhere(session, first.character_id)
        await user.press("f5", "i")
        await user.until(lambda: user.characters.sight.count(first.character_id))
        await user.sees("Record ≠4")
        if size == NARROW:  # where only one of the two is in sight: the sentence, or the fields
            await user.press("down", "down", "pagedown")

    screen(play, session=session, screen="characters", size=size, opening=LATER)


@pytest.mark.parametrize(
    ("everything", "size"),
    [
        pytest.param(False, WIDE, id="differences-120x40", marks=pytest.mark.svg),
        pytest.param(True, NARROW, id="everything-80x24"),
    ],
)
def test_two_characters_side_by_side(screen: Screen, size: tuple[int, int], everything: bool) -> None:
    async def play(user: User) -> None:
        await user.press("c", "down", "c")
        await user.sees("47 differences")
        if everything:
            await user.press("c")
            await user.sees("shows differences only")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_waiting_for_the_second_one(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("c", "down")
        await user.sees("c picks another")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_leaving_with_something_staged(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        await user.press("down", *"0.9", "enter", "q")
        await user.sees("Quit?")

    screen(play, screen="characters", size=size)
