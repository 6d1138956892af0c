"""Pictures of a change of many characters, and of making, renaming and deleting one."""

from __future__ import annotations

from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.questions import AskLine
from chartui.tui.widgets.review import Review
from tests.tui.characters import shows_record
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import remote
from tests.tui.user import User


async def selecting(user: User) -> None:
    await shows_record(user)
    await user.press("slash", *"mdla", "enter", "asterisk")


async def asked(user: User, what: str) -> None:
    await selecting(user)
    await user.press("b")
    await user.until(lambda: isinstance(user.app.screen, Chooser), "to be asked what to change")
    await user.write(what)


async def reviewed(user: User) -> None:
    await user.until(lambda: isinstance(user.app.screen, Review), "for the review")


@sizes("60x20")
def test_selected(screen: Screen, size: tuple[int, int]) -> None:
    screen(selecting, screen="characters", size=size)


@sizes("80x24")
def test_what_to_change(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await asked(user, "")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_which_level(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await asked(user, "reasoning")
        await user.press("enter")
        await user.sees("level low")

    screen(play, screen="characters", size=size)


@sizes("120x40", svg="120x40")
def test_review(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await asked(user, "model")
        await user.press("enter", *"mdla-4.1", "enter")
        await reviewed(user)
        await user.press("5")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_review_on_a_service(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await asked(user, "reasoning")
        await user.press("enter", *"level high", "enter")
        await reviewed(user)

    session, _ = remote()
    screen(play, session=session, screen="characters", size=size)


def test_not_the_number(screen: Screen) -> None:
    async def play(user: User) -> None:
        await asked(user, "temperature")
        await user.press("enter", *"0.25", "enter")
        await reviewed(user)
        await user.press("1", "2", "enter")

    screen(play, screen="characters")


@sizes("80x24")
def test_naming(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await shows_record(user)
        await user.press("f2")
        await user.until(lambda: isinstance(user.app.screen, AskLine), "to be asked for a name")
        await user.press(*"bran", "space", *"alder")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_deleting(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await shows_record(user)
        await user.press("delete")
        await reviewed(user)

    screen(play, screen="characters", size=size)
