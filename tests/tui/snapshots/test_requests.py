"""Pictures of the requests."""

from __future__ import annotations

from tests.tui.afternoon import CHARACTER, ask_as, calls, on_a_service
from tests.tui.conftest import Screen
from tests.tui.hostile import HOSTILE
from tests.tui.pictures import sizes
from tests.tui.recorded import recorded
from tests.tui.user import User


async def seen(user: User, name: str) -> None:
    await user.sees(name)
    await user.rests()


@sizes("60x20", "80x24", "120x40", svg="80x24 120x40", whole="80x24")
def test_list(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")

    screen(play, session=session, screen="requests", size=size)


@sizes("120x40", svg="120x40")
def test_one_request(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("enter")
        await seen(user, "All sections of a character")
        await user.press(*["down"] * 3)

    screen(play, session=session, screen="requests", size=size)


@sizes("80x24")
def test_a_failure(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("f", "home", "enter")
        await seen(user, "Send a turn to a character")
        await user.press("pagedown")

    screen(play, session=session, screen="requests", size=size)


@sizes("120x40")
def test_held_on_an_older_one(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("down", "down")
        await user.rests()
        await ask_as(session, "list-sections", "narrative", character_id=CHARACTER)
        await seen(user, "3 newer")

    screen(play, session=session, screen="requests", size=size)


@sizes("80x24")
def test_what_to_copy(screen: Screen, size: tuple[int, int]) -> None:
    session, _ = on_a_service()

    async def play(user: User) -> None:
        await calls(session)
        await seen(user, "list-sections")
        await user.press("y")
        await user.sees("─ Copy ─")

    screen(play, session=session, screen="requests", size=size)


@sizes("120x40")
def test_hostile_text(screen: Screen, size: tuple[int, int]) -> None:
    session, double = recorded()
    double.answers["list-triggers"] = {
        name: HOSTILE[name] for name in ("markup", "escape sequences", "bidi", "combining", "wide", "right to left")
    }

    async def play(user: User) -> None:
        await ask_as(session, "list-triggers", character_id=HOSTILE["markup"])
        await seen(user, "list-triggers")
        await user.press("enter")
        await seen(user, "All triggers of a character")
        await user.press("pagedown")

    screen(play, session=session, screen="requests", size=size)
