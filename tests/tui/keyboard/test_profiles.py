"""From one profile to another while the program runs, and looking after the list of them."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.clock import seeded_ids
from chartui.core.credentials import KeySource, SourceKind, key_path
from chartui.core.paths import write_private
from chartui.core.profiles import BUILT_IN, Mark, Profile, ProfileKind, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import store_path
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.shell.add_profile import AddProfile
from chartui.tui.shell.api_key import SecretBox
from chartui.tui.shell.open_profile import Opening
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.widgets.questions import Confirm
from tests.faults.stranger import stranger
from tests.tui.keyboard import covers
from tests.tui.serving import VARIABLE, Service
from tests.tui.sessions import clock, remote
from tests.tui.user import NARROW, SMALL, User, opened


def kept(*profiles: Profile, current: str | None = None) -> None:
    """The file of profiles, with these in it."""
    for profile in profiles:
        change_profiles(lambda known, profile=profile: known.adding(profile))  # type: ignore[misc]
    if current is not None:
        change_profiles(lambda known: known.using(current))


def opening(*, read_only: bool = False, throwaway: bool = False) -> Opening:
    return Opening(read_only=read_only, throwaway=throwaway, clock=clock, ids=seeded_ids(7))


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
    await user.at(ProfilesDialog)
    await user.settle()


async def choose(user: User, name: str) -> None:
    """Put the cursor on a profile."""
    names = list(user.table.sheet.keys)
    await user.press("home", *["down"] * names.index(name))
    assert user.table.current_key == name


async def turn_to(user: User, name: str) -> None:
    """Open another profile."""
    await dialog(user)
    await choose(user, name)
    await user.press("enter")
    await user.until(lambda: user.app.session.profile.name == name, f"for {name}")
    await user.leaves(ProfilesDialog)
    await user.ready()


@covers("profiles")
async def test_from_demo_data_to_a_service_to_a_store_of_ones_own(service: Service) -> None:
    kept(service.profile())
    async with at() as user:
        await user.sees("Elena Marsh")
        before = user.app.session
        await turn_to(user, "far")
        assert "↗ far" in user.top_line
        await user.sees("Elena Marsh")
        assert user.app.session.where == service.url.removeprefix("http://")
        assert before is not user.app.session
        await turn_to(user, "local")
        assert "● local" in user.top_line
        await user.sees("No characters yet. Press a to create a character.")
        await user.misses("Elena Marsh")
        await turn_to(user, "demo")
        await user.sees("Elena Marsh")


async def test_the_estimators_inputs_go_along_and_nothing_else_does(service: Service) -> None:
    kept(service.profile())
    async with at(screen="estimator") as user:
        await user.press("right", *["down"] * 6, *"4321")
        await user.press("enter", "C")
        await user.ready()
        await user.press("slash", *"nova", "enter")
        await user.sees("1 of 12")
        await turn_to(user, "far")
        assert user.characters.query == ""
        assert user.app.character is None
        await user.press("E")
        await user.ready()
        assert user.estimator.now.typed == {"input_tokens": "4321"}
        assert set(user.estimator.now.chosen) == {"llm"}
        assert not user.estimator.now.stale


async def test_the_view_and_what_was_set_in_it_go_along(service: Service) -> None:
    kept(service.profile())
    async with at(screen="estimator") as user:
        await user.press("t")
        await user.sees("Speech input", "5 options")
        await turn_to(user, "far")
        await user.uncovers("Speech input", "reference rates")
        assert user.estimator.ranked.settings == "stt"


async def test_an_answer_that_comes_late_is_nobodys(service: Service) -> None:
    session, double = remote()
    kept(service.profile())
    way = opening()
    async with opened(session, screen="characters", opening=way) as user:
        double.hold("list-characters")
        await user.press("f5")
        await user.until(lambda: double.waiting("list-characters"))
        old = user.characters
        await turn_to(user, "local")
        await user.sees("No characters yet. Press a to create a character.")
        double.let_all_go()
        await user.settle()
        assert user.characters.is_attached
        assert not old.is_attached
        await user.misses("Elena Marsh")
        assert [call.operation.name for call in user.app.session.recorder.calls if call.error] == []


async def test_a_profile_starts_on_its_screen_in_its_theme_and_under_its_lock(service: Service) -> None:
    kept(replace(service.profile(), screen="narrative", theme="lantern", read_only=True, color=Mark.VIOLET))
    async with at() as user:
        await turn_to(user, "far")
        assert user.app.scope == "narrative"
        assert user.app.theme == "lantern"
        assert "⊘ read-only" in user.top_line


async def test_a_theme_that_is_not_there_is_told_and_changes_nothing(service: Service) -> None:
    kept(replace(service.profile(), theme="moonlight"))
    async with at() as user:
        await turn_to(user, "far")
        await user.is_told("'moonlight'", "lantern")
        assert user.app.theme == "lantern"


async def test_a_service_that_does_not_answer_is_not_opened(service: Service) -> None:
    kept(service.profile())
    service.stop()
    async with at() as user:
        before = user.app.session
        await dialog(user)
        await choose(user, "far")
        await user.press("enter")
        await user.sees("'far' was not opened.", "Check that")
        await user.press("escape")
        await user.sees("Elena Marsh")
        assert user.app.session is before
        await user.press("f5")
        await user.ready()
        await user.sees("Elena Marsh")


async def test_a_store_that_is_broken_is_not_opened() -> None:
    path = store_path(BUILT_IN["local"])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no store" * 200)
    async with at(throwaway=True) as user:
        await dialog(user)
        await choose(user, "local")
        await user.press("enter")
        await user.sees("'local' was not opened.")
        assert user.app.session.profile.name == "demo"


async def test_escape_leaves_everything_as_it_is() -> None:
    async with at() as user:
        before = user.app.session
        await user.press("P", "down", "escape")
        await user.at(CharactersScreen)
        assert user.app.session is before


# -- looking after the list --------------------------------------------------------------------------------------------


async def test_what_works_is_found_out_without_changing_anything(service: Service) -> None:
    kept(service.profile())
    async with at() as user:
        await dialog(user)
        await choose(user, "far")
        await user.press("l")
        await user.sees("'far' works.", "✓", "The service accepts the API key.", "Professional or higher")
        assert user.app.session.profile.name == "demo"


async def test_what_does_not_work_is_told_with_its_reason(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(service.profile())
    monkeypatch.setenv(VARIABLE, "wrong-key")
    async with at() as user:
        await dialog(user)
        await choose(user, "far")
        await user.press("l")
        await user.sees("'far' does not work yet.", "✗")


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_default_is_changed_only_after_a_question(read_only: bool) -> None:
    change_profiles(lambda p: p.using("demo"))
    async with at(read_only=read_only) as user:
        await dialog(user)
        await choose(user, "local")
        await user.press("space")
        await user.sees("Open 'local' instead of 'demo' at startup?")
        await user.press("escape")
        await user.at(ProfilesDialog)
        assert load_profiles().current == "demo"
        await user.press("space")
        await user.sees("Open 'local' instead of 'demo' at startup?")
        await user.press("y")
        await user.sees("Default profile: local")
        await user.reads("Words", "Default profile: local (was demo). Saved in ", "profiles.toml")
        await user.press("space")
        await user.sees("'local' is already the default profile.")
    assert load_profiles().current == "local"


async def test_a_store_that_does_not_exist_is_not_created_under_a_lock() -> None:
    async with at(read_only=True) as user:
        await dialog(user)
        await choose(user, "local")
        await user.press("enter")
        await user.sees("'local' was not opened.")
        await user.reads("Words", "local.db does not exist yet", "while changes are disabled.", "'demo' is still open.")
    assert not store_path(BUILT_IN["local"]).exists()


async def test_a_profile_is_removed_after_a_question(service: Service) -> None:
    kept(service.profile())
    async with at() as user:
        await dialog(user)
        await choose(user, "far")
        await user.press("d")
        await user.sees("Remove profile 'far'")
        await user.press("escape")
        assert "far" in load_profiles().by_name
        await user.press("d")
        await user.sees("Remove profile 'far'")
        await user.press(*"fra", "enter")
        await user.sees("The name does not match")
        assert "far" in load_profiles().by_name
        await user.press("ctrl+u", *"far", "enter")
        await user.sees("'far' was removed.")
    assert "far" not in load_profiles().by_name


@pytest.mark.parametrize("shared", [False, True])
async def test_a_stored_key_goes_with_its_profile_unless_another_one_uses_it(shared: bool, service: Service) -> None:
    path = key_path("far")
    write_private(path, b"sk-canary-1\n")
    stored = replace(service.profile(), key=KeySource(SourceKind.FILE, (str(path),)))
    kept(stored, *([replace(stored, name="near")] if shared else []))
    async with at() as user:
        await dialog(user)
        await choose(user, "far")
        await user.press("d")
        await user.sees("Remove profile 'far'")
        await user.press(*"far", "enter")
        await user.sees("'far' was removed.", "The stored API key")
    assert path.exists() is shared


async def test_no_profile_is_removed_while_the_program_is_locked(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(service.profile())
    async with at(read_only=True) as user:
        await dialog(user)
        await choose(user, "far")
        await user.press("d")
        await user.sees("Started with --read-only: removing 'far' is disabled.")
    monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    async with at() as user:
        await dialog(user)
        await choose(user, "far")
        await user.press("d")
        await user.sees("CHARTUI_READ_ONLY is set: removing 'far' is disabled.")
    assert "far" in load_profiles().by_name


async def test_what_another_program_adds_meanwhile_stays(service: Service) -> None:
    async with at() as user:
        await dialog(user)
        kept(service.profile("elsewhere"))  # by another program: this one has read the file before
        await choose(user, "local")
        await user.press("space")
        await user.sees("Open 'local' at startup?")
        await user.press("y")
        await user.sees("Default profile: local (was not set).", "elsewhere")
    known = load_profiles()
    assert (known.current, "elsewhere" in known.by_name) == ("local", True)


async def test_the_open_profile_and_the_built_in_ones_cannot_be_removed(service: Service) -> None:
    kept(service.profile())
    async with at(service.profile()) as user:
        await dialog(user)
        for name, why in (("far", "is open"), ("demo", "is built in"), ("local", "is built in")):
            await choose(user, name)
            await user.press("d")
            await user.sees(why)
    assert "far" in load_profiles().by_name


@pytest.mark.parametrize("throwaway", [False, True])
async def test_demo_data_are_put_back_as_they_come(throwaway: bool) -> None:
    async with at(screen="narrative", throwaway=throwaway) as user:
        await user.sees("■ graph on")
        await user.press("T")
        await user.sees("Switch off")
        await user.press("y")
        await user.sees("□ graph off")
        await dialog(user)
        await user.sees("deleted when you quit" if throwaway else "demo.db")
        await user.press("r")
        await user.at(Confirm)
        await user.reads("Options", "Reset the demo characters", "1 applied change", "graph on → off")
        await user.press("y")
        await user.is_told("The demo data has been reset.")
        await user.sees("■ graph on")


@covers("profiles")
async def test_enter_on_the_open_profile_only_closes_the_panel() -> None:
    async with at(screen="narrative", throwaway=True) as user:
        await user.sees("■ graph on")
        await user.press("T")
        await user.sees("Switch off")
        await user.press("y")
        await user.sees("□ graph off")
        before = user.app.session
        await user.press("P", "enter")
        await user.back()
        assert user.app.session is before
        await user.sees("□ graph off")


async def test_what_was_applied_to_demo_data_is_there_until_the_program_ends() -> None:
    async with at(screen="narrative", throwaway=True) as user:
        await user.sees("■ graph on")
        await user.press("T")
        await user.sees("Switch off")
        await user.press("y")
        await user.sees("□ graph off")
        folder = user.app.session.folder
        await turn_to(user, "local")
        await turn_to(user, "demo")
        await user.press("H")
        await user.sees("History", "narrative graph on → off")
        assert folder.exists()
    assert not folder.exists()


async def test_the_demo_data_are_not_put_back_under_the_lock() -> None:
    async with at(screen="narrative", read_only=True) as user:
        await dialog(user)
        await user.press("r")
        await user.sees("reset is disabled.")


async def test_a_service_is_added_with_a_key_that_only_its_owner_can_read(service: Service) -> None:
    async with at() as user:
        await dialog(user)
        await user.press("a")
        await user.at(AddProfile)
        await user.press(*"near-by", "enter", *service.url, "enter", "right", "enter")
        await user.paste(service.key)
        assert service.key not in user.screen
        await user.press("enter", "right", "enter", "right", "enter", "enter")
        await user.sees("'near-by' was added.")
        added = load_profiles().get("near-by")
        assert added == Profile(
            name="near-by",
            kind=ProfileKind.REMOTE,
            base_url=service.url,
            production=True,
            key=KeySource(SourceKind.FILE, (str(key_path("near-by")),)),
        )
        assert stat.S_IMODE(key_path("near-by").stat().st_mode) == 0o600
        assert service.key not in profiles_path().read_text()
        await choose(user, "near-by")
        await user.press("enter")
        await user.until(lambda: user.app.session.profile.name == "near-by")
        await user.ready()
        await user.sees("Elena Marsh")


async def test_a_key_for_memory_only_is_typed_once_and_used_until_the_end(service: Service) -> None:
    async with at() as user:
        await dialog(user)
        await user.press("a")
        await user.at(AddProfile)
        await user.press(*"near-by", "enter", *service.url, "enter", "enter")
        await user.paste(service.key)
        await user.press("enter", "enter", "enter", "enter")
        await user.sees("'near-by' was added.")
        for name in ("near-by", "demo", "near-by"):
            await choose(user, name)
            await user.press("enter")
            await user.until(lambda: user.app.session.profile.name == name)  # noqa: B023 - awaited here
            await user.ready()
            if name == "near-by":
                await user.sees("Elena Marsh")
            await dialog(user)
    assert load_profiles().get("near-by").key == KeySource(SourceKind.ASK)
    assert not key_path("near-by").exists()
    assert service.key not in profiles_path().read_text()


async def test_a_key_that_follows_its_field_at_once_goes_into_it() -> None:
    async with at() as user:
        await dialog(user)
        await user.press("a")
        await user.at(AddProfile)
        await user.press(*"far", "enter", *"https://a.example", "enter", "right", "enter", *"hello")
        form = await user.at(AddProfile)
        assert form.query_one(SecretBox).peek() == "hello"
        assert "read-only until you type" in user.line("Changes")


async def test_what_does_not_work_yet_is_saved_only_when_that_is_asked_for(service: Service) -> None:
    service.stop()
    async with at() as user:
        await dialog(user)
        await user.press("a")
        await user.at(AddProfile)
        await user.press(*"far", "enter", *service.url, "enter", "right", "right", "enter", *VARIABLE)
        await user.press("enter", "enter", "enter", "enter")
        await user.sees("The service does not respond.", "Save anyway (test failed)", "✗")
        assert "far" not in load_profiles().by_name
        await user.press("enter")
        await user.sees("'far' was added but does not work yet.")


@pytest.mark.parametrize("size", [SMALL, NARROW])
async def test_what_is_wrong_with_a_new_profile_is_seen_in_every_window(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.press("P", "a")
        await user.at(AddProfile)
        await user.press(*"far", "enter", *"http://127.0.0.1:9", "enter", "enter", *"123", "enter", "enter", "enter")
        await user.sees(" ⏎ test and save ")
        await user.press("enter")
        await user.until(lambda: "API key cannot be used" in " ".join(user.screen.split()), "for what is wrong")
        await user.pilot.click("#verb")
        assert user.is_at(AddProfile)
        await user.press("up", "up", "up", *"45678", "down", "down", "down", "enter")
        await user.sees("Save anyway", " ⏎ save anyway ", "The service does not respond.")
        await user.pilot.click("#verb")
        await user.sees("'far' was added but does not work yet.")


async def test_a_web_server_is_not_taken_for_the_service(tmp_path: Path) -> None:
    with stranger(tmp_path) as url:
        async with at() as user:
            await dialog(user)
            await user.press("a")
            await user.at(AddProfile)
            await user.press(*"far", "enter", *url, "enter", "right", "enter")
            await user.paste("sk-canary-1")
            await user.press("enter", "enter", "enter", "enter")
            await user.sees("The server does not behave like the service. Check", "Save anyway (test failed)")
            await user.misses("try again", "Try again")
            assert not profiles_path().exists()
            assert not key_path("far").exists()
            await user.press("enter")
            await user.sees("'far' was added but does not work yet.")
            assert user.app.session.profile.name == "demo"
    assert load_profiles().current is None


async def test_a_key_that_is_refused_is_not_stored(service: Service) -> None:
    async with at() as user:
        await dialog(user)
        await user.press("a")
        await user.at(AddProfile)
        await user.press(*"far", "enter", *service.url, "enter", "right", "enter")
        await user.paste("sk-canary-1")
        await user.press("enter", "enter", "enter", "enter")
        await user.sees("The API key was rejected.", "Save anyway (test failed)")
        await user.press("up", "up", "up", "ctrl+u")
        await user.paste(service.key)
        await user.sees("Test and save")
        await user.misses("Save anyway")
    assert not profiles_path().exists()
    assert not key_path("far").exists()


@pytest.mark.parametrize(
    ("name", "url", "problem"),
    [
        ("", "https://a.example", "Enter a name for the profile."),
        ("demo", "https://a.example", "already"),
        ("far", "", "needs a base_url"),
        ("far", "http://a.example", "unencrypted"),
        ("far away", "https://a.example", "letters, digits"),
    ],
)
async def test_what_cannot_be_a_profile_is_told_and_nothing_typed_is_lost(name: str, url: str, problem: str) -> None:
    async with at() as user:
        await dialog(user)
        await user.press("a")
        await user.at(AddProfile)
        await user.press(*(key if key != " " else "space" for key in name), "enter", *url, *["enter"] * 6)
        await user.sees(problem)
        assert user.is_at(AddProfile)
        await user.sees(*filter(None, (name, url)))
    assert not profiles_path().exists()
