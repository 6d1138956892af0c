"""Nobody has chosen a profile yet: the program asks how to begin, and remembers the answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key

from chartui.core.profiles import BUILT_IN, profiles_path
from chartui.core.profiles_file import load_profiles
from chartui.core.session import store_path
from chartui.tui import run
from chartui.tui.app import ChartuiApp
from chartui.tui.screens.welcome.screen import Welcome
from chartui.tui.shell.add_profile import AddProfile
from tests.faults.stranger import stranger
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.serving import VARIABLE, Service
from tests.tui.user import NARROW, WIDE, opened
from tests.tui.welcome import first, works_on

SIZES = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])


@SIZES
async def test_it_says_where_files_will_be_and_makes_none(size: tuple[int, int]) -> None:
    async with first(size) as user:
        await user.sees("demo.db", "local.db", "profiles.toml")
        assert not store_path(BUILT_IN["demo"]).exists()
        assert not profiles_path().exists()


@pytest.mark.parametrize("keys", [["enter"], ["1"]])
async def test_demo_data(keys: list[str]) -> None:
    async with first() as user:
        await user.press(*keys)
        await works_on(user, "demo")
        await user.press("C")
        await user.sees("Elena Marsh")
    assert load_profiles().current == "demo"


@pytest.mark.parametrize("keys", [["end", "enter"], ["4"]])
async def test_tours_come_back_to_the_question(keys: list[str]) -> None:
    async with first() as user:
        await user.press(*keys)
        await user.sees("Play a tour", "Learn chartui", "Fixing a broken narrative graph")
        await user.press("escape")
        await user.at(Welcome)
    assert not profiles_path().exists()


@covers("tours", "learn", "repaint")
async def test_tours_and_the_tutor_are_found_from_inside() -> None:
    """Without a terminal to step aside in, playing is refused; the pseudo-terminal tests play them."""
    async with opened() as user:
        await user.finds("tours")
        await user.sees("Play a tour", "Learn chartui")
        await user.press("escape")
        before = user.screen
        await user.press("ctrl+l")
        assert user.screen == before
        await user.finds("learn")
        await user.is_told("This terminal can't play tours.")


@pytest.mark.parametrize("keys", [["down", "enter"], ["2"]])
async def test_a_store_of_ones_own_starts_empty(keys: list[str]) -> None:
    async with first() as user:
        await user.press(*keys)
        await works_on(user, "local")
        await user.press("C")
        await user.sees("No characters yet. Press a to create a character.")
    assert load_profiles().current == "local"


async def test_a_service_is_tested_and_kept(service: Service) -> None:
    async with first() as user:
        await user.press("3")
        await user.at(AddProfile)
        await user.press(*"far", "enter", *service.url, "enter", "right", "right", "enter", *VARIABLE, "enter")
        await user.press("enter", "enter", "enter")
        await works_on(user, "far")
        await user.press("C")
        await user.sees("Elena Marsh", "⊘ read-only")
    kept = load_profiles()
    assert kept.current == "far"
    assert kept.get("far").base_url == service.url
    assert service.key not in profiles_path().read_text()


async def test_a_web_server_never_becomes_the_default(tmp_path: Path) -> None:
    with stranger(tmp_path) as url:
        async with first() as user:
            await user.press("3")
            await user.at(AddProfile)
            await user.press(*"far", "enter", *url, "enter", "right", "right", "enter", *VARIABLE, "enter")
            await user.press("enter", "enter", "enter")
            await user.sees("The server does not behave like the service.", "Save anyway (test failed)")
            await user.press("enter")
            await user.at(Welcome)
            await user.sees("'far' was added but does not work yet.")
            assert user.app.session.profile.name == "demo"
    assert (load_profiles().current, load_profiles().get("far").base_url) == (None, url)


async def test_who_leaves_the_form_is_asked_again() -> None:
    async with first() as user:
        await user.press("3", *"far", "escape")
        await user.at(Welcome)
    assert not profiles_path().exists()


async def test_escape_looks_around_and_asks_again_next_time() -> None:
    async with first() as user:
        await user.press("escape")
        await works_on(user, "demo")
    assert not profiles_path().exists()


async def test_no_key_reaches_a_profile_that_nobody_chose() -> None:
    async with first() as user:
        await user.press("C", "N", "P", "K", "!", ":", "f5", "E")
        assert user.is_at(Welcome)
        user.app.post_message(Key("q", "q"))
        await user.until(lambda: user.app.return_code == 0)


async def test_a_store_that_cannot_be_opened_leaves_one_where_one_was() -> None:
    path = store_path(BUILT_IN["local"])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no store at all" * 100)
    async with first() as user:
        await user.press("2")
        await user.sees("✗")
        assert user.is_at(Welcome)
        await user.press("1")
        await works_on(user, "demo")


# -- who is asked ------------------------------------------------------------------------------------------------------


def start(monkeypatch: pytest.MonkeyPatch, *, profile: str | None = None, demo: bool = False) -> ChartuiApp:
    """The application that the command line would run."""
    made: list[ChartuiApp] = []

    def run_app(app: ChartuiApp) -> int:
        made.append(app)
        return 0

    monkeypatch.setattr(run, "run_app", run_app)
    run.run_tui(profile=profile, read_only=False, theme=None, demo=demo)
    return made[0]


def test_who_has_chosen_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert start(monkeypatch).opening.welcome
    assert not start(monkeypatch, demo=True).opening.welcome
    assert not start(monkeypatch, profile="local").opening.welcome
    monkeypatch.setenv("CHARTUI_PROFILE", "local")
    assert not start(monkeypatch).opening.welcome
    monkeypatch.delenv("CHARTUI_PROFILE")
    profiles_path().parent.mkdir(parents=True, exist_ok=True)
    profiles_path().write_text('format = "chartui-profiles"\nversion = 1\n')
    assert not start(monkeypatch).opening.welcome
