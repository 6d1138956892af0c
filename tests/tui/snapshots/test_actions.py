"""Pictures of the actions."""

from __future__ import annotations

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.actions.entry import EntryDialog
from chartui.tui.widgets.chooser import Chooser
from tests.tui.conftest import Screen
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import NARROW, SMALL, WIDE, User

SIZES = pytest.mark.parametrize("size", [NARROW, WIDE, SMALL], ids=["80x24", "120x40", "60x20"])
UNDECLARED = {
    "response": "As you wish. The bell, then the log.",
    "text": "As you wish. The bell, then the log.",
    "sessionID": "5e0c8f5e-6d0c-4f6b-9d55-0a4c8b8e7c11",
    "actionSequence": "Moves To Ship's Bell (cannot be picked up)\nRing Ship's Bell\nOpens Keeper Log\nDances",
}


async def answered(user: User, number: int = 1) -> None:
    """Wait until so many turns are answered."""

    def holds() -> bool:
        talk = user.actions.state.talk
        return talk is not None and len(talk.exchanges) == number

    await user.until(holds, "for the answer")


@SIZES
def test_start(screen: Screen, size: tuple[int, int]) -> None:
    screen(screen="actions", size=size)


@SIZES
def test_nothing_composed(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("down", "down")

    screen(play, session=remote()[0], screen="actions", size=size)


@SIZES
def test_being_written(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("t", "f7")
        await user.paste("Elena opens the keeper's log.\nThen she waits, 待つ, and points at Tom Sorrell.")

    screen(play, screen="actions", size=size)


@SIZES
def test_reply(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("s")
        await answered(user)

    screen(play, screen="actions", size=size)


@SIZES
def test_second_reply(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("s")
        await answered(user)
        await user.press("t", "f7", *"She waits.", "enter")
        await answered(user, 2)
        await user.press("tab", "tab", "down", "down")

    screen(play, screen="actions", size=size)


@SIZES
def test_undeclared_words(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()
    double.answers["get-response"] = dict(UNDECLARED)

    async def play(user: User) -> None:
        await user.press("s")
        await answered(user)
        if size == SMALL:
            await user.press("end")

    screen(play, session=session, screen="actions", size=size)


@SIZES
def test_refused(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()
    message = "'objects[2].name' of the object 'Ship;s Bell' holds a ';'."

    async def play(user: User) -> None:
        await user.press("s")
        await answered(user)
        double.failures["get-response"] = ServiceError(ErrorKind.INVALID, message, member="objects[2].name")
        await user.press("s")
        await user.sees("Refused")

    screen(play, session=session, screen="actions", size=size)


@SIZES
def test_read_only(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        if size != WIDE:
            await user.press("v")

    screen(play, session=demo(read_only=True), screen="actions", size=size)


@SIZES
def test_waiting(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        await user.press("s")
        await answered(user)
        double.hold("get-response")
        await user.press("t", "f7", *"She waits.", "enter")
        await user.until(lambda: double.waiting("get-response"))

    screen(play, session=session, screen="actions", size=size)


@SIZES
def test_entry(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("a")
        await user.until(lambda: isinstance(user.app.screen, EntryDialog))
        await user.press(*"Key 1", "enter", *"Brass; small")

    screen(play, screen="actions", size=size)


def test_deprecation(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press("D")

    screen(play, screen="actions")


@pytest.mark.parametrize("name", ["سلمى", "अनन्या", "小林"], ids=["arabic", "hindi", "japanese"])
def test_other_scripts(screen: Screen, name: str) -> None:
    async def play(user: User) -> None:
        await user.press("c")
        await user.until(lambda: isinstance(user.app.screen, Chooser))
        await user.paste(name)
        await user.press("enter")
        await user.until(lambda: name in user.actions.state.name)
        await user.ready()
        await user.press("s")
        await answered(user)

    screen(play, screen="actions", size=WIDE)


def test_empty_account(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press("v")

    screen(play, session=demo(fill_store=lambda store: None), screen="actions")
