"""What goes wrong is said in words, with what was kept and what to do; the program stays."""

from __future__ import annotations

import pytest

from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.tui.sessions import Double, doubled, remote
from tests.tui.user import User, opened, words

MESSAGE = "Out of [bold]order[/] today."
#: What each screen reads first, on the embedded store and over the network, and a text that is there when it could.
READS = {
    "estimator": ("estimate", "estimate", "10.297 credits"),
    "characters": ("summarize-characters", "list-characters", "Elena Marsh"),
    "narrative": ("list-sections", "list-triggers", "Welcome at the door"),
    "actions": ("summarize-characters", "list-characters", "Say to Elena Marsh"),
}
#: What is still shown when a refresh fails, in the words of each screen.
KEPT = {
    "characters": "The previous list is still shown.",
    "narrative": "The last version loaded is still shown.",
    "actions": "The previous list is still shown. Your text and scene are kept.",
}


#: What helps instead of a retry.
ENTERED = {
    ErrorKind.NO_KEY: "Press K to enter the API key. Or quit, provide it another way and restart.",
    ErrorKind.BAD_KEY: "Press K to enter another API key.",
}


async def reads(user: User, text: str) -> None:
    await user.until(lambda: text in words(user.screen), f"for {text!r}")


@pytest.mark.parametrize(
    ("screen", "kind"),
    [
        # Every screen meets each error in a long run; in a normal one each error meets one of them.
        pytest.param(screen, kind, marks=() if number % len(READS) == place else pytest.mark.long)
        for number, kind in enumerate(ErrorKind)
        for place, screen in enumerate(READS)
    ],
)
async def test_a_first_reading_that_fails_is_told_and_repeated_with_f5(screen: str, kind: ErrorKind) -> None:
    session, double = doubled()
    name, _, there = READS[screen]
    double.failures[name] = ServiceError(kind, MESSAGE)
    pane = {"estimator": "#result", "characters": "#left", "narrative": "#left", "actions": "#reply"}[screen]
    async with opened(session, screen=screen) as user:
        await user.until(lambda: MESSAGE in words(user.pane(pane)), "for the message")
        assert ENTERED.get(kind, "Press f5 to retry.") in words(user.pane(pane))
        assert there not in user.screen
        double.failures.clear()
        await user.press("f5")
        await user.sees(there)
        await user.until(lambda: MESSAGE not in words(user.pane(pane)), "for the message to go")


@pytest.mark.parametrize("open_session", [doubled, remote])
@pytest.mark.parametrize("screen", READS)
async def test_a_later_reading_that_fails_keeps_what_was_read(screen: str, open_session: object) -> None:
    session, double = _opened(open_session)
    name = READS[screen][0 if session.service.embedded else 1]
    there = READS[screen][2]
    async with opened(session, screen=screen) as user:
        await user.sees(there)
        marks = user.screen.count("✗")
        double.failures[name] = ServiceError(ErrorKind.UNREACHABLE, MESSAGE)
        await user.press("f5")
        await reads(user, MESSAGE)
        if screen == "estimator":
            await user.reads("#result", "The figures below are from the last estimate. Press f5 to retry.")
        else:
            await user.is_told(KEPT[screen])
        assert there in user.screen
        double.failures.clear()
        await user.press("f5")
        await user.ready()
        await user.uncovers(there)
        user.app.clear_notifications()
        await user.until(lambda: user.screen.count("✗") == marks, "for the mark of the failure to go")
        assert there in user.screen


def _opened(open_session: object) -> tuple[Session, Double]:
    assert callable(open_session)
    session, double = open_session()
    return session, double


async def test_a_record_that_cannot_be_read_is_told_in_its_place() -> None:
    session, double = doubled()
    double.failures["get-settings"] = ServiceError(ErrorKind.BUSY, MESSAGE)
    async with opened(session, screen="characters") as user:
        await user.press("enter")
        await reads(user, MESSAGE)
        double.failures.clear()
        await user.press("escape", "enter")
        await user.sees("Identity")


async def test_a_list_to_choose_from_that_cannot_be_read_is_told() -> None:
    session, double = doubled()
    async with opened(session, screen="narrative") as user:
        double.failures["summarize-characters"] = ServiceError(ErrorKind.BROKEN, MESSAGE)
        await user.press("c")
        await user.is_told("Failed", MESSAGE)
        await user.sees("Welcome at the door")


async def test_a_character_that_is_gone_is_told() -> None:
    session, _ = remote()
    async with opened(session, screen="narrative", character="no-such-id") as user:
        await user.until(lambda: "no-such-id" in user.screen or "no character" in user.screen.lower())


async def test_what_a_service_says_is_made_safe() -> None:
    session, double = doubled()
    async with opened(session, screen="narrative") as user:
        double.failures["toggle-narrative"] = ServiceError(ErrorKind.REFUSED, "a\x1b]52;c;eA==\x07b\u202ec [/nope]")
        await user.press("T")
        await user.sees("Cancel")
        await user.press("y")
        await user.sees("a␛]52;c;eA==␇b⟨U+202E⟩c [/nope]")


async def test_a_store_that_keeps_one_waiting_leaves_the_keys_alone() -> None:
    session, double = doubled()
    double.hold("summarize-characters")
    async with opened(session, screen="characters", ready=False) as user:
        await user.sees("Loading characters…")
        await user.press("E")
        await user.sees("credits per interaction")
        await user.press("C")
        double.let_all_go()
        await user.sees("Elena Marsh")
