"""The read-only lock, who set it and how it is lifted; and the question before the first change of production."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chartui.core.clock import seeded_ids
from chartui.core.lock import Lock, LockedBy
from chartui.core.profiles import BUILT_IN, Profile
from chartui.core.profiles_file import change_profiles
from chartui.demos.sample import Sample
from chartui.tui.shell.open_profile import Opening
from chartui.tui.widgets.questions import TypeName
from chartui.tui.widgets.review import Review
from tests.tui.characters import stage_temperature
from tests.tui.keyboard import covers
from tests.tui.sessions import clock, demo, filled_with, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

DEMO = BUILT_IN["demo"]


def opening(*, read_only: bool = False) -> Opening:
    return Opening(read_only=read_only, throwaway=True, clock=clock, ids=seeded_ids(7))


async def switch_narrative(user: User) -> None:
    """Ask for a change and agree to it."""
    await user.press("T")
    await user.at(Review)
    await user.press("y")


@covers("lock")
async def test_a_profiles_own_lock_is_lifted_by_typing_its_name() -> None:
    way = opening()
    async with opened(way.open(replace(DEMO, read_only=True)), screen="narrative", opening=way) as user:
        assert "⊘ read-only" in user.top_line
        await user.press("!")
        await user.at(TypeName)
        await user.sees("The profile 'demo' is set to")
        await user.press(*"demo", "enter")
        await user.leaves(TypeName)
        await user.is_told("is unlocked until you quit")
        assert "read-only" not in user.top_line
        await switch_narrative(user)
        await user.uncovers("□ graph off")
        await user.press("!")
        await user.until(lambda: "⊘ read-only" in user.top_line, "for the lock")
        await user.press("T")
        await user.is_told("Read-only profile: “Switch the narrative graph on” is disabled. Use ! to unlock it.")


async def test_the_key_of_a_fix_shows_the_lock() -> None:
    way = opening()
    session = way.open(replace(DEMO, read_only=True))
    avery = next(one for one in await session.service.summaries() if (one.character_name or "").startswith("Avery"))
    async with opened(session, screen="narrative", character=avery.character_id, opening=way, size=WIDE) as user:
        await user.press("l")
        await user.sees("⊘ F ")
        await user.press("!")
        await user.at(TypeName)
        await user.press(*"demo", "enter")
        await user.leaves(TypeName)
        await user.misses("⊘ F ")


async def test_staged_changes_show_no_locked_keys_in_the_footer() -> None:
    way = opening()
    async with opened(way.open(DEMO), screen="characters", opening=way, size=WIDE) as user:
        await stage_temperature(user)
        assert "S apply  D discard" in user.bottom_line
        await user.press("!")
        await user.until(lambda: "⊘ read-only" in user.top_line, "for the lock")
        assert "apply" not in user.bottom_line
        assert "discard" not in user.bottom_line
        await user.press("D")
        await user.is_told("Read-only profile: ")
        await unlock(user, DEMO.name)
        assert "S apply  D discard" in user.bottom_line


@pytest.mark.parametrize("columns", [60, 80, 120])
async def test_an_unlocked_profile_that_is_read_only_by_itself_has_a_sign(columns: int) -> None:
    way = opening()
    own = replace(DEMO, read_only=True, name="a-profile-with-a-long-name")
    async with opened(way.open(own), screen="narrative", opening=way, size=(columns, 20)) as user:
        assert "unlocked" not in user.top_line
        await unlock(user, own.name)
        assert "unlocked" in user.top_line
        assert "Narrative" in user.top_line
        await user.press("!")
        await user.until(lambda: "unlocked" not in user.top_line, "for the lock")
        assert "⊘" in user.top_line


async def test_a_profile_that_is_never_locked_has_no_sign_after_unlocking_and_stays_unlocked() -> None:
    way = opening()
    async with opened(way.open(DEMO), opening=way) as user:
        await user.press("!", "!")
        await user.sees("You locked the profile 'demo' in this session.")
        await user.misses("until you quit")
        await user.press("escape")
        await unlock(user, "demo")
        await user.is_told("'demo' is unlocked. ! locks it again.")
        assert "unlocked" not in user.top_line


async def unlock(user: User, name: str) -> None:
    await user.press("!")
    await user.at(TypeName)
    await user.write(name)
    await user.press("enter")
    await user.leaves(TypeName)
    await user.is_told("is unlocked")


SHUT = "Read-only profile: {} is disabled. Use ! to unlock it."


async def test_an_empty_history_follows_the_lock() -> None:
    way = opening()
    async with opened(way.open(replace(DEMO, read_only=True)), screen="characters", opening=way, size=WIDE) as user:
        await user.press("h")
        await user.reads("#past", SHUT.format("changing settings"))
        await unlock(user, "demo")
        await user.reads("#past", "e edits the settings and S applies the changes.")
        await user.press("!")
        await user.reads("#past", SHUT.format("changing settings"))


@pytest.mark.parametrize("tab", ["M", "l", "w"])
async def test_an_empty_graph_follows_the_lock(tab: str) -> None:
    def change(sample: Sample) -> Sample:
        record = {**sample.record, "start_narrative_section_id": None, "is_narrative_driven": False}
        return sample._replace(record=record, sections=[], triggers=[])

    session = demo(fill_store=filled_with(change))
    session = replace(session, profile=replace(session.profile, read_only=True), lock=Lock(LockedBy.PROFILE))
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.press(tab)
        for part in ("#tree", "#tabs"):
            await user.reads(part, SHUT.format("editing"))
        await unlock(user, session.profile.name)
        for part in ("#tree", "#tabs"):
            await user.reads(part, "Press a to add the first section")


@pytest.mark.parametrize("typed", ["", "Demo", "y"])
async def test_nothing_else_lifts_it(typed: str) -> None:
    way = opening()
    async with opened(way.open(replace(DEMO, read_only=True)), opening=way) as user:
        await user.press("!")
        await user.at(TypeName)
        await user.press(*typed, "enter", "escape")
        await user.leaves(TypeName)
        assert user.app.session.read_only


async def test_a_lock_of_the_command_line_is_explained_and_stays() -> None:
    way = opening(read_only=True)
    async with opened(way.open(replace(DEMO, read_only=True)), opening=way) as user:
        await user.press("!")
        await user.is_told("Started with --read-only: unlocking is disabled.")
        assert user.app.session.read_only


async def test_a_lock_of_the_environment_is_explained_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    way = opening()
    async with opened(way.open(DEMO), opening=way) as user:
        await user.press("!")
        await user.is_told("CHARTUI_READ_ONLY is set: unlocking is disabled.")
        assert user.app.session.read_only


async def test_what_was_never_locked_can_be_locked_and_lifted_again() -> None:
    way = opening()
    async with opened(way.open(DEMO), opening=way) as user:
        await user.press("!")
        await user.is_told("'demo' is read-only now. Use ! to unlock it.")
        assert "⊘ read-only" in user.top_line
        await user.press("!")
        await user.at(TypeName)
        await user.sees("You locked the profile 'demo' in this")
        await user.press(*"demo", "enter")
        await user.leaves(TypeName)
        assert not user.app.session.read_only


async def test_the_profiles_say_what_holds_now_and_what_the_profile_allows() -> None:
    way = opening()
    async with opened(way.open(DEMO), opening=way) as user:
        await user.press("!", "P")
        await user.reads("Facts", "⊘ locked (use ! to unlock); the profile's settings allow changes")
        assert "⊘ read-only" in user.line("demo ", "SheetView")
    own = replace(DEMO, read_only=True)
    change_profiles(lambda profiles: profiles.adding(own))
    async with opened(way.open(own), opening=way) as user:
        await user.press("P")
        await user.reads("Facts", "⊘ Read-only profile")
        await user.press("escape", "!", *"demo", "enter")
        await user.leaves(TypeName)
        await user.press("P")
        await user.reads("Facts", "allowed until you quit, then read-only again")


# -- production --------------------------------------------------------------------------------------------------------

PRODUCTION: Profile = replace(DEMO, production=True)


async def test_the_first_change_of_production_asks_for_the_name_and_the_second_does_not() -> None:
    way = opening()
    async with opened(way.open(PRODUCTION), screen="narrative", opening=way) as user:
        assert "PRODUCTION" in user.top_line
        await user.sees("■ graph on")
        await switch_narrative(user)
        await user.at(TypeName)
        await user.sees("is a production profile", "Nothing has been sent yet")
        await user.press(*"demo", "enter")
        await user.leaves(TypeName)
        await user.sees("□ graph off")
        await switch_narrative(user)
        await user.sees("■ graph on")


async def test_unlocking_production_says_when_it_locks_itself_again() -> None:
    way = opening()
    async with opened(way.open(replace(PRODUCTION, read_only=True)), screen="narrative", opening=way) as user:
        await user.press("!")
        await user.at(TypeName)
        await user.sees("chartui has been idle for 15")
        await user.press(*"demo", "enter")
        await user.is_told("is unlocked until chartui has been idle for 15 minutes or you quit. ! locks it again.")


@pytest.mark.parametrize("columns", [60, 72, 80, 100])
@pytest.mark.parametrize("name", ["live", "customer-service-of-the-world"])
async def test_production_that_can_be_changed_is_marked_at_every_width(name: str, columns: int) -> None:
    session, _ = remote()
    profile = replace(session.profile, name=name, production=True)
    session = replace(session, profile=profile, where="api.far-away.example.com")
    async with opened(session, screen="narrative", size=(columns, 20)) as user:
        assert f"{name[:3]}" in user.top_line
        assert "PRODUCTION CHANGES ON" in user.top_line
        assert "Narrative" in user.top_line


async def test_who_does_not_type_the_name_changes_nothing_and_is_asked_again() -> None:
    way = opening()
    async with opened(way.open(PRODUCTION), screen="narrative", opening=way) as user:
        await user.sees("■ graph on")
        await switch_narrative(user)
        await user.at(TypeName)
        await user.press(*"deno", "enter", "escape")
        await user.leaves(TypeName)
        await user.sees("Not applied", "nothing was changed")
        await user.press("escape", "f5")
        await user.ready()
        await user.sees("■ graph on")
        await switch_narrative(user)
        await user.at(TypeName)


@pytest.mark.parametrize("size", [SMALL, NARROW, WIDE], ids=["60x20", "80x24", "120x40"])
async def test_a_message_never_lies_over_the_question(size: tuple[int, int]) -> None:
    question = ("Type the profile's name to unlock it.", "type “demo” to confirm", "⏎ confirm  esc cancel")
    way = opening()
    async with opened(way.open(replace(DEMO, read_only=True)), screen="narrative", opening=way, size=size) as user:
        await user.press("T")
        await user.is_told("is disabled. Use ! to unlock it.")
        await user.press("!")
        await user.at(TypeName)
        await user.sees("to unlock it.", *question)
        user.app.tell("Another thing went wrong meanwhile.", severity="warning")
        await user.sees("Another thing went wrong")
        await user.sees(*question)


COMMANDS = {"b": "Change selected characters…", "f2": "Rename the character…", "d": "Delete the character…"}


@pytest.mark.parametrize("key", COMMANDS)
async def test_palette_and_key_are_refused_alike(key: str) -> None:
    way = opening()
    async with opened(way.open(replace(DEMO, read_only=True)), screen="characters", opening=way, size=WIDE) as user:
        await user.press(key)
        await user.is_told("Read-only profile")
        by_key = user.toasts
        user.app.clear_notifications()
        await user.press(":")
        await user.write(COMMANDS[key])
        await user.press("enter")
        await user.is_told("Read-only profile")
        assert user.toasts == by_key
