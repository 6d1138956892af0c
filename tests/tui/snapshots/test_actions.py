"""Pictures of the actions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.actions.scene_file import read_scene
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import Person, Thing
from chartui.tui.screens.actions.dialogs import EntryDialog, OpenScene
from chartui.tui.tour.player import messages
from chartui.tui.widgets.chooser import Chooser
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.scenes import replay, send
from tests.tui.sessions import demo, doubled
from tests.tui.user import SMALL, WIDE, User

UNDECLARED = {
    "response": "As you wish. The bell, then the log.",
    "text": "As you wish. The bell, then the log.",
    "sessionID": "5e0c8f5e-6d0c-4f6b-9d55-0a4c8b8e7c11",
    "actionSequence": "Moves To Ship's Bell (cannot be picked up)\nRing Ship's Bell\nOpens Keeper Log\nDances",
}


async def answered(user: User, number: int = 1) -> None:
    """Wait until so many turns are answered."""

    def holds() -> bool:
        talk = user.actions.talk
        return talk is not None and len(talk.exchanges) == number

    await user.until(holds, "for the answer")


@sizes("60x20", "80x24", whole="60x20")
def test_start(screen: Screen, size: tuple[int, int]) -> None:
    screen(screen="actions", size=size)


@sizes("80x24")
def test_being_written(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("e", "f7")
        await user.paste("Elena opens the keeper's log.\nThen she waits, 待つ, and points at Tom Sorrell.")

    screen(play, screen="actions", size=size)


@sizes("80x24", "120x40", svg="80x24 120x40")
def test_reply(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await send(user)
        await answered(user)

    screen(play, screen="actions", size=size)


@sizes("120x40")
def test_second_reply(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await send(user)
        await answered(user)
        await user.press("e", "f7", *"She waits.", "enter")
        await answered(user, 2)
        await user.press("tab", "tab", "down", "down")

    screen(play, screen="actions", size=size)


@sizes("120x40")
def test_undeclared_words(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()
    double.answers["get-response"] = dict(UNDECLARED)

    async def play(user: User) -> None:
        await send(user)
        await answered(user)
        if size == SMALL:
            await user.press("end")

    screen(play, session=session, screen="actions", size=size)


@sizes("60x20")
def test_refused(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()
    message = "'objects[2].name' of the object 'Ship;s Bell' holds a ';'."

    async def play(user: User) -> None:
        await send(user)
        await answered(user)
        double.failures["get-response"] = ServiceError(ErrorKind.INVALID, message, member="objects[2].name")
        await send(user)
        await user.sees("Refused")

    screen(play, session=session, screen="actions", size=size)


@sizes("80x24")
def test_read_only(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        if size != WIDE:
            await user.press("v")

    screen(play, session=demo(read_only=True), screen="actions", size=size)


@sizes("80x24")
def test_waiting(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        await send(user)
        await answered(user)
        double.hold("get-response")
        await user.press("e", "f7", *"She waits.", "enter")
        await user.until(lambda: double.waiting("get-response"))

    screen(play, session=session, screen="actions", size=size)


@sizes("120x40")
def test_entry(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("a", "down", "enter")
        await user.until(lambda: isinstance(user.app.screen, EntryDialog))
        await user.press(*"Key 1", "enter", *"Brass; small")

    screen(play, screen="actions", size=size)


def wrong(user: User) -> None:
    """Compose something of every severity, with and without a fix."""
    talk = user.actions.talk
    things = (
        Thing(name="Lamp; lit", description="on a hook"),
        Thing(name="Key", description=""),
        Thing(name="Key", description="of brass"),
    )
    made = replace(talk.turn, actions=("Moves To", "points at", "Opens Key"), objects=things)
    user.actions.compose(talk.composing(replace(made, people=(Person(name="Tom Sorrell", bio=""),))))


@sizes("80x24")
def test_marked_entries(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        wrong(user)
        await user.press("end", *["up"] * 5)

    screen(play, screen="actions", size=size)


@sizes("120x40", svg="120x40")
def test_checks(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        wrong(user)
        await user.press("l", "down")

    screen(play, screen="actions", size=size)


@sizes("120x40", svg="120x40")
def test_form(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("i")

    screen(play, screen="actions", size=size)


@sizes("80x24")
def test_form_that_is_not_sent(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        wrong(user)
        await user.press("i")

    screen(play, screen="actions", size=size)


async def three_turns(user: User) -> None:
    await send(user)
    await answered(user)
    await user.press("e", "f7", *"She waits, and looks at the door.", "enter")
    await answered(user, 2)
    await user.press("escape", "r", "e", "f7", *"Elena opens the keeper's log.", "enter")
    await answered(user, 3)
    await user.press("escape")


@sizes("120x40", svg="120x40")
def test_turns(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await three_turns(user)
        await user.press("h", "down")

    screen(play, screen="actions", size=size)


@sizes("80x24")
def test_said_again(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        await three_turns(user)
        double.answers["get-response"] = dict(UNDECLARED)
        await replay(user, "in this")
        await user.is_told("3 of 3 action sequences differ.")
        user.app.clear_notifications()
        await user.until(lambda: not messages(user.app), "for the message to go")
        await user.press("h")

    screen(play, session=session, screen="actions", size=size)


@sizes("60x20")
def test_earlier_turn(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await three_turns(user)
        await user.press("h", "end", "enter")

    screen(play, screen="actions", size=size)


@sizes("80x24")
def test_a_file_with_mistakes(
    screen: Screen, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'format = "chartui-scene"\nversion = 1\ntext = 1\nactions = ["Opens", 2]\nobject = []\n'
    (tmp_path / "forge.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("chartui.tui.screens.actions.dialogs.read_scene", lambda path: read_scene(tmp_path / path))
    monkeypatch.setattr("chartui.tui.screens.actions.dialogs.Path.cwd", lambda: Path("/stories"))

    async def play(user: User) -> None:
        await user.press("o")
        await user.until(lambda: isinstance(user.app.screen, OpenScene))
        await user.press(*"forge.toml", "enter")

    screen(play, screen="actions", size=size)


def test_deprecation(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.app.action_command("read-deprecation")

    screen(play, screen="actions")


@pytest.mark.parametrize("name", ["سلمى", "अनन्या", "小林"], ids=["arabic", "hindi", "japanese"])
def test_other_scripts(screen: Screen, name: str) -> None:
    async def play(user: User) -> None:
        await user.press("c")
        await user.until(lambda: isinstance(user.app.screen, Chooser))
        await user.paste(name)
        await user.press("enter")
        await user.until(lambda: name in user.actions.name)
        await user.ready()
        await send(user)
        await answered(user)

    screen(play, screen="actions", size=WIDE)
