"""Pictures of what is around the screens: the first run, profiles, keys, locks, a service that is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.clock import seeded_ids
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles
from chartui.core.spec.errors import ErrorKind
from chartui.tui.connection import Connection
from chartui.tui.shell.add_profile import AddProfile
from chartui.tui.shell.api_key import KeyQuestion
from chartui.tui.shell.open_profile import Opening
from chartui.tui.shell.profiles import ProfilesDialog
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.serving import Time
from tests.tui.sessions import clock, demo, remote
from tests.tui.user import NARROW, SMALL, WIDE, User


@pytest.fixture(autouse=True)
def _places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files where a picture can name them."""
    monkeypatch.setattr("chartui.core.paths.data_dir", lambda: Path("/people/ada/.local/share/chartui"))
    monkeypatch.setattr(
        "chartui.tui.screens.welcome.screen.profiles_path", lambda: Path("/people/ada/.config/chartui/profiles.toml")
    )
    monkeypatch.setattr("chartui.tui.screens.welcome.screen.Path.home", lambda: Path("/people/ada"))


def opening(*, welcome: bool = False) -> Opening:
    return Opening(welcome=welcome, clock=clock, ids=seeded_ids(7))


def kept() -> None:
    """A file with some profiles."""
    staging = Profile(
        name="staging",
        kind=ProfileKind.REMOTE,
        base_url="https://staging.example:8443",
        read_only=True,
        key=KeySource(SourceKind.ENV, ("STAGING_KEY",)),
    )
    live = Profile(
        name="live",
        kind=ProfileKind.REMOTE,
        base_url="https://characters.example",
        read_only=True,
        production=True,
        key=KeySource(SourceKind.ASK),
    )
    change_profiles(lambda known: known.adding(staging).adding(live).using("local"))


@sizes("80x24", svg="80x24")
def test_first_run(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("down")

    way = opening(welcome=True)
    screen(play, session=demo(), opening=way, size=size)


@sizes("80x24", svg="80x24")
def test_profiles(screen: Screen, size: tuple[int, int]) -> None:
    kept()

    async def play(user: User) -> None:
        await user.press("P")
        await user.until(lambda: isinstance(user.app.screen, ProfilesDialog))
        await user.press("end")

    screen(play, size=size)


@sizes("120x40")
def test_adding(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("P", "a")
        await user.until(lambda: isinstance(user.app.screen, AddProfile))
        await user.press(*"staging", "enter", *"https://characters.example", "enter", "right", "right", "enter")
        await user.press(*"STAGING_KEY", "enter")

    screen(play, size=size)


@sizes("80x24")
def test_adding_with_a_key(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("P", "a")
        await user.until(lambda: isinstance(user.app.screen, AddProfile))
        await user.press(*"staging", "enter", *"https://characters.example", "enter", "right", "enter")
        await user.press(*"canary-4711")

    screen(play, size=size)


@sizes("120x40")
def test_key(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        async def refused(text: str) -> str:
            return "characters.example:8443 rejected the API key."

        user.app.push_screen(KeyQuestion("API key for staging", "It is never saved.", attempt=refused))
        await user.until(lambda: isinstance(user.app.screen, KeyQuestion))
        await user.press(*"canary-4711", "enter")
        await user.sees("rejected the API key")
        await user.press(*"canary")

    screen(play, session=remote()[0], size=size)


@sizes("80x24")
def test_lifting_the_lock(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        user.app.session.relock()
        await user.press("!")
        await user.sees("Unlock?")
        await user.press(*"dem", "enter")

    screen(play, screen="characters", size=size)


TROUBLES = {
    "unreachable": Connection(trouble=ErrorKind.UNREACHABLE, tries=2, next_try=1008.0),
    "trying": Connection(trouble=ErrorKind.TIMEOUT, tries=2, trying=True),
    "refused": Connection(trouble=ErrorKind.BAD_KEY, tries=1),
    "tier": Connection(refusals={"list-models": ("characters", ErrorKind.TIER)}),
}


@pytest.mark.parametrize(
    ("size", "trouble"),
    [
        pytest.param(NARROW, "unreachable", id="80x24-unreachable", marks=pytest.mark.svg),
        pytest.param(SMALL, "trying", id="60x20-trying"),
        pytest.param(WIDE, "refused", id="120x40-refused"),
        pytest.param(NARROW, "tier", id="80x24-tier"),
    ],
)
@pytest.mark.whole
def test_trouble(screen: Screen, size: tuple[int, int], trouble: str) -> None:
    async def play(user: User) -> None:
        time = Time(850.0)
        connection = user.app.connection
        connection.ticks, connection.later = time.ticks, time.later
        await user.press("f5")
        await user.ready()
        time.pass_by(150)  # until the moment of TROUBLES
        late = frozenset({"characters"}) if trouble in ("unreachable", "trying") else frozenset()

        connection.state = TROUBLES[trouble]._replace(late=late, answered={"characters": 850.0})
        user.app.work.refresh_bars()

    screen(play, session=remote(read_only=True)[0], screen="characters", size=size)


@sizes("60x20", "120x40", whole="60x20 120x40")
def test_production(screen: Screen, size: tuple[int, int]) -> None:
    from dataclasses import replace

    session, _ = remote()
    screen(session=replace(session, profile=replace(session.profile, production=True)), screen="characters", size=size)
