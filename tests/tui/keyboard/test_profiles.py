"""From one profile to another while the program runs, and looking after the list of them."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.clock import seeded_ids
from chartui.core.credentials import KeySource, SourceKind, key_path
from chartui.core.profiles import BUILT_IN, Mark, Profile, ProfileKind, load_profiles, profiles_path, save_profiles
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.shell.adding import AddProfile
from chartui.tui.shell.opening import Opening
from chartui.tui.shell.profiles import ProfilesDialog
from tests.tui.keyboard import covers
from tests.tui.serving import Service, serving
from tests.tui.sessions import clock
from tests.tui.user import NARROW, User, opened

VARIABLE = "CHARTUI_TEST_KEY"


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(tmp_path) as running:
        monkeypatch.setenv(VARIABLE, running.key)
        yield running


def kept(*profiles: Profile, current: str | None = None) -> None:
    """The file of profiles, with these in it."""
    known = load_profiles()
    for profile in profiles:
        known = known.adding(profile)
    save_profiles(known if current is None else known.using(current))


def opening(**flags: bool) -> Opening:
    return Opening(clock=clock, ids=seeded_ids(7), **flags)


@asynccontextmanager
async def at(
    profile: Profile = BUILT_IN["demo"], *, screen: str = "characters", size: tuple[int, int] = NARROW, **flags: bool
) -> AsyncIterator[User]:
    """The program, as it is started on ``profile``."""
    way = opening(**flags)
    async with opened(way.open(profile), screen=screen, size=size, opening=way) as user:
        yield user


async def dialog(user: User) -> None:
    await user.press("P")
    await user.until(lambda: isinstance(user.app.screen, ProfilesDialog), "for the profiles")
    await user.settle()


async def choose(user: User, name: str) -> None:
    """Put the cursor on a profile."""
    screen = user.app.screen
    assert isinstance(screen, ProfilesDialog)
    names = [profile.name for profile in screen._list.items]
    await user.press("home", *["down"] * names.index(name))
    assert screen._list.current is not None
    assert screen._list.current.name == name


async def turn_to(user: User, name: str) -> None:
    """Open another profile."""
    await dialog(user)
    await choose(user, name)
    await user.press("enter")
    await user.until(lambda: user.app.session.profile.name == name, f"for {name}")
    await user.until(lambda: not isinstance(user.app.screen, ProfilesDialog))
    await user.ready()


def top(user: User) -> str:
    return user.screen.splitlines()[0]


@covers("profiles")
async def test_from_demo_data_to_a_service_to_a_store_of_ones_own(service: Service) -> None:
    kept(service.profile())
    async with at() as user:
        await user.sees("Elena Marsh")
        before = user.app.session
        await turn_to(user, "far")
        assert "▲ far" in top(user)
        await user.sees("Elena Marsh")
        assert user.app.session.where == service.url.removeprefix("http://")
        assert before is not user.app.session
        await turn_to(user, "local")
        assert "● local" in top(user)
        await user.sees("This account has no characters yet.")
        await user.misses("Elena Marsh")
        await turn_to(user, "demo")
        await user.sees("Elena Marsh")
