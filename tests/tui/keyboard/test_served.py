"""Every screen against ``chartui serve`` in another process: what the embedded store shows, a service shows too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import Profile, ProfileKind, profiles_path
from chartui.core.profiles_file import load_profiles
from chartui.core.session import Session, open_session
from chartui.tui.shell.add_profile import AddProfile
from tests.served import serving
from tests.tui.characters import sees_tab
from tests.tui.scenes import answered, speak_to
from tests.tui.serving import VARIABLE
from tests.tui.user import SMALL, WIDE, User, opened
from tests.tui.welcome import first, works_on


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[str, str]]:
    """The address of a served demo store, and a professional account's key."""
    with serving("--demo") as (_, start):
        yield start["base_url"], next(a["key"] for a in start["accounts"] if a["tier"] == "professional")


@pytest.fixture
def far(service: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> Session:
    """A profile of that service that may change things."""
    base_url, key = service
    monkeypatch.setenv(VARIABLE, key)
    source = KeySource(SourceKind.ENV, (VARIABLE,))
    return open_session(Profile(name="far", kind=ProfileKind.REMOTE, base_url=base_url, key=source, read_only=False))


async def panes(user: User, *selectors: str) -> list[str]:
    await user.ready()
    return [user.pane(selector) for selector in selectors]


async def test_the_estimator_shows_the_same(far: Session) -> None:
    async with opened(size=WIDE) as near:
        await near.press("right", "down", "space")
        expected = await panes(near, "#inputs", "#result")
    async with opened(far, size=WIDE) as user:
        await user.press("right", "down", "space")
        assert await panes(user, "#inputs", "#result") == expected


async def test_the_characters_are_the_same(far: Session) -> None:
    # Where there is no room for the dates: the demo data of a service are as old as it is.
    async with opened(screen="characters", size=SMALL) as near:
        (expected,) = await panes(near, "#list")
    async with opened(far, screen="characters", size=SMALL) as user:
        assert await panes(user, "#list") == [expected]
        await user.press("down", "enter")
        await user.sees("Bran Alder", "Identity")
        await user.press("pagedown", "down", "down")
        # The one thing a service does not tell (decision 25).
        await user.sees("Bran Alder", "not returned by this service")


async def test_the_graph_is_the_same_and_can_be_switched(far: Session) -> None:
    async with opened(screen="narrative") as near:
        (expected,) = await panes(near, "#tree")
    async with opened(far, screen="narrative") as user:
        assert await panes(user, "#tree") == [expected]
        await user.sees("■ graph on")
        await user.press("T")
        await user.sees("Switch off")
        await user.press("y")
        await user.uncovers("□ graph off")
        await user.press("T")
        await user.sees("Switch on")
        await user.press("y")
        await user.uncovers("■ graph on")


async def test_a_turn_is_answered_with_the_same_actions(far: Session) -> None:
    said = "Bran heats, then cools; he follows. 待つ & 100 %"
    sequences = []
    for session in (None, far):
        async with opened(session, screen="actions", size=WIDE) as user:
            await speak_to(user, "bran")
            await user.press("end", "e", "f7")
            await user.paste(said)
            await user.press("enter")
            await answered(user, 1)
            talk = user.actions.talk
            sequences.append(talk.exchanges[0].reply.action_sequence)
            if session is far:
                await user.reads("#reply", f"You {said}", "Answered by 127.0.0.1:")
                await user.press("ctrl+e", *" Again.", "enter")
                await answered(user, 2)
                assert user.actions.turn.session_id == talk.exchanges[0].reply.session_id
    assert sequences == ["Heats\nCools\nFollows"] * 2


async def test_from_the_welcome_screen_to_the_first_record(
    service: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first start without any profile: the service is entered, tested and opened by keyboard alone."""
    base_url, key = service
    monkeypatch.setenv(VARIABLE, key)
    async with first(WIDE) as user:
        await user.press("3")
        await user.at(AddProfile)
        await user.press(*"own", "enter", *base_url, "enter", "right", "right", "enter", *VARIABLE, "enter")
        await user.press("enter", "enter", "enter")
        await works_on(user, "own")
        await user.press("C", "i")
        await sees_tab(user, "Record", "Elena Marsh")
        record = user.characters.record
        assert record["character_name"] == "Elena Marsh"
        assert record["character_id"] in user.pane("#detail")
    assert load_profiles().current == "own"
    assert key not in profiles_path().read_text()
