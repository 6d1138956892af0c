"""Pictures of what a character costs."""

from __future__ import annotations

from chartui.core.estimation.pins import change_pins
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import remote
from tests.tui.user import WIDE, User


async def look_at(user: User, place: int, text: str) -> None:
    await user.press(*["down"] * place, "$")
    await user.sees(text)
    await user.misses("interaction …")  # while prices are computed


@sizes("80x24", svg="80x24")
def test_one_price(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await look_at(user, 0, "credits per interaction")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_a_range(screen: Screen, size: tuple[int, int]) -> None:
    """A level that the service does not tell."""

    async def play(user: User) -> None:
        await look_at(user, 1, "The price depends on the reasoning level")

    screen(play, session=remote()[0], screen="characters", size=size)


@sizes("80x24")
def test_an_alias(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await look_at(user, 7, "The price depends on which model")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_a_pinned_alias(screen: Screen, size: tuple[int, int]) -> None:
    change_pins(
        lambda pins: pins.with_model("mdlb-sonnet", "mdlb_5_sonnet_high").with_voice(
            "French FR, lively, female 2", "tts_1"
        )
    )

    async def play(user: User) -> None:
        await look_at(user, 7, "credits per interaction")
        await user.press("pagedown")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_a_code_that_nobody_knows(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await look_at(user, 10, "? Unknown")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_a_live_model(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await look_at(user, 9, "credits per interaction")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_with_what_is_staged(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        await user.press("enter", *"mdla-4.1-mini", "enter")
        await user.sees("was MDLA 5.1")
        await user.press("$")
        await user.sees("Not applied yet")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_pinning(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await look_at(user, 7, "The price depends on which model")
        await user.press("p", "enter")
        await user.sees("Price mdlb-sonnet as")

    screen(play, screen="characters", size=size)


def test_a_service_that_does_not_answer(screen: Screen) -> None:
    session, double = remote()
    double.failures["estimate"] = ServiceError(ErrorKind.UNREACHABLE, "No answer at characters.example.")

    async def play(user: User) -> None:
        await look_at(user, 0, "No answer")

    screen(play, session=session, screen="characters", size=WIDE)
