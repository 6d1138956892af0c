"""Odd answers on every screen that shows them: only the odd element is missing, and it is counted and shown."""

from __future__ import annotations

import pytest

from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.credentials import Key
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.session import Session, open_session
from tests.faults.odd import OddService
from tests.faults.odd_shapes import SCREENS, SHAPES, Shape
from tests.tui.user import User, opened, run_app

_PROFILE = Profile(name="far", kind=ProfileKind.REMOTE, base_url="https://characters.example", read_only=False)
#: Wide enough for the whole sentence.
_SIZE = (140, 44)


def _session(service: OddService) -> Session:
    return open_session(
        _PROFILE,
        throwaway=True,
        reach=lambda profile, _: RemoteBackend(profile, lambda: Key("marker-key-8f1d2c"), transport=service.transport),
    )


async def _ask(user: User, shape: Shape) -> None:
    """What has to be done before the answer is asked for; it ends outside of every text."""
    match shape.path:
        case "getSupportedModel":
            await user.press("e")
        case "getResponse":
            await user.press("e")
            await user.write("Go.")
            await user.press("enter")
            await user.sees("Turn 1")
            await user.press("escape")


async def _sees_the_rest(user: User, shape: Shape) -> None:
    if shape.path == "getSupportedModel":
        await user.press("enter")
        await user.sees("Model of Mara Finch")
    await user.sees(*(shape.shows if shape.seen is None else shape.seen))


@pytest.mark.parametrize(
    ("shape", "screen"),
    [
        pytest.param(shape, screen, id=f"{shape}, {screen}", marks=() if first else pytest.mark.long)
        for shape in SHAPES
        # What can be read is the same on the second screen; that nothing is said of it as well.
        for screen, first in zip(SCREENS[shape.path][: None if shape.says else 1], (True, False, False), strict=False)
    ],
)
def test_the_rest_is_shown_and_the_odd_element_counted(shape: Shape, screen: str) -> None:
    run_app(_look(shape, screen))


async def _look(shape: Shape, screen: str) -> None:
    service = OddService((shape.path, shape.body))
    async with opened(_session(service), screen=screen, character="c1", size=_SIZE) as user:
        await _ask(user, shape)
        if shape.says:
            await user.sees(shape.says)
            assert not [text for text in shape.hides if text in user.screen]
            await user.press("V")
            await user.sees("Unreadable: ", shape.raw)
            await user.press("escape")
            await user.misses("Unreadable: ")
        await _sees_the_rest(user, shape)
        assert user.app.screen_stack[0].query_one("UnreadableBar").display == bool(shape.says)


def test_an_answer_to_a_turn_that_is_no_json_is_shown_and_the_conversation_goes_on() -> None:
    run_app(_hiccup())


async def _hiccup() -> None:
    service = OddService(("getResponse", "Busy \x1b[2J, but: Hello there"), sound=10)
    async with opened(_session(service), screen="actions", character="c1", size=_SIZE) as user:
        service.sound = 1
        await user.press("e")
        await user.write("Go.")
        await user.press("enter")
        await user.sees("The bell it is.")
        await user.press("enter")
        await user.sees("Unreadable reply", "This turn may have been", "Busy ␛[2J, but: Hello there")
        assert user.actions.has_talk
        assert user.actions.talk.turn.session_id == "session-1"
        await user.press("escape", "Q")
        await user.sees("Busy ␛[2J, but: Hello there")
