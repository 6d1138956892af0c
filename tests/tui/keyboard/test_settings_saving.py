"""Before and after saving: what it comes to, what the backstory leaves out, what came back, and one's own editor."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from unittest import mock

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.tour.player import messages
from chartui.tui.widgets.editor import Editor
from tests.tui.characters import PLACES, at, choose_level, choose_model, edit, reads, review, reviewing
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import WIDE, opened


@PLACES
async def test_the_review_tells_credits_and_latency_before_and_after(place: str) -> None:
    session, _, _ = at(place)
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_level(user, "high")
        await review(user)
        if place == "local":
            await reads(
                user,
                "per interaction 10.486 → 12.218 credits (+1.732)",
                "end to end",
                "(lower end +1 060, upper end +3 700)",
            )
        else:  # nobody says which level is there now
            await reads(user, "8.575 – 11.725 → 11.725 credits", "The price depends on the reasoning level,")


async def test_the_review_of_an_undo_tells_credits_and_latency() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_model(user, "mdla-4.1")
        await review(user)
        await user.press("y")
        await user.is_told("Applied: ")
        await user.press("u")
        await reviewing(user)
        await reads(user, "9.331 → 10.486 credits (+1.155)")


async def test_a_price_that_nobody_knows_is_unknown_in_the_review() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_model(user, "mdla-5.3-instant")
        await review(user)
        await reads(user, "10.486 → unknown credits", "1 550 – 4 630 → unknown ms", "Then: ")


async def test_where_the_price_cannot_be_asked_the_review_says_so() -> None:
    session, double = doubled()
    double.failures["estimate"] = ServiceError(ErrorKind.UNREACHABLE, "No answer.")
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_level(user, "high")
        await review(user)
        await reads(user, "medium → high", "The new cost per interaction is unknown: No answer.")


async def test_what_has_no_bearing_on_the_price_says_nothing_of_it() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("down", *"0.9", "enter")
        await review(user)
        await reads(user, "0.6 → 0.9")
        assert "per interaction" not in user.screen
        assert double.count("estimate") == 0


async def test_what_came_back_and_what_cannot_be_confirmed_is_told() -> None:
    session, _ = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("down", *"0.9")
        await choose_level(user, "high")
        await review(user)
        await user.press("y")
        await user.is_told(
            "Confirmed as sent: temperature.", "Not reported by the service, so not confirmed: reasoning level."
        )


async def test_what_came_back_as_something_else_is_told() -> None:
    session, double = remote()
    double.answers["update-character"] = {"STATUS": "SUCCESS"}  # and does nothing
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("down", *"0.9", "enter")
        await review(user)
        await user.press("y")
        await user.is_told("Stored differently from what was sent: temperature is 0.6.")


# -- the scene ---------------------------------------------------------------------------------------------------------


async def test_a_backstory_that_leaves_the_scene_unnamed_is_warned_of_and_saved() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("end", "enter")
        await user.at(Editor)
        await user.press("f7", "delete")
        await user.write("She walks about.")
        await user.press("escape")
        await reads(
            user, "▲ The backstory does not mention the objects", "▲ The backstory does not mention the characters"
        )
        await review(user)
        await reads(user, "The backstory does not mention the objects")
        await user.press("y")
        await user.is_told("Applied: ")
        [found] = [s for s in await session.service.summaries() if s.character_name == "Elena Marsh"]
        assert (await session.service.settings(found.character_id)).backstory == "She walks about."


async def test_the_scene_is_the_one_that_was_composed() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        elena = user.characters.shown_id or ""
        payload = {
            "userText": "",
            "charID": elena,
            "sessionID": "-1",
            "voiceResponse": False,
            "actions": ["Juggle"],
            "classification": "multistep",
            "objects": [{"name": "Bell", "description": ""}],
            "characters": [],
        }
        await session.drafts.save(session.profile.place, elena, "action", payload)
        await user.press("f5")
        await reads(user, "The backstory does not mention the action “Juggle”.")
        assert "mention the object" not in user.screen


# -- one's own editor --------------------------------------------------------------------------------------------------


@covers("backstory-outside")
async def test_a_backstory_is_written_in_ones_own_editor_and_staged(aside: Path) -> None:
    aside.write_text("import sys; file = open(sys.argv[1], 'a'); file.write(' She keeps a parrot.\\n')")
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("x")
        await reads(user, "1 change staged: backstory", "was 750 characters", "770 characters, 139 words")
        await review(user)
        await reads(user, "She keeps a parrot.")


@covers("backstory-outside")
async def test_an_editor_that_fails_changes_nothing_and_says_so(aside: Path) -> None:
    aside.write_text("raise SystemExit(7)")
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await user.press("x")  # beside the record, where the settings are not read yet: they are, and then it opens
        await user.is_told("exited with status 7. The text was not changed.")
        assert not user.characters.staged


async def test_without_a_terminal_to_hand_over_that_is_told() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await edit(user)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("VISUAL", "true")
            await user.press("x")
            await user.is_told("This terminal can't run an external editor.")


async def test_under_read_only_no_editor_is_opened(aside: Path) -> None:
    aside.write_text("raise SystemExit(7)")
    async with opened(demo(read_only=True), screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("x")
        await user.is_told("editing the backstory is disabled.")


async def test_a_stored_temperature_is_confirmed_without_words() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("down", *"0.9", "enter")
        await review(user)
        await user.press("y")
        await user.is_told("Applied: ")
        await user.until(lambda: not user.characters.staged)
        assert len(messages(user.app)) == 1
        [found] = [s for s in await session.service.summaries() if s.character_name == "Elena Marsh"]
        assert (await session.service.settings(found.character_id)).temperature == Decimal("0.9")


async def test_a_wait_that_was_due_as_the_review_came_draws_nothing_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("down", *"0.9", "enter")
        due: list[Callable[[], None]] = []
        timer = mock.Mock()

        def later(seconds: float, do: Callable[[], None]) -> mock.Mock:
            due.append(do)
            return timer

        monkeypatch.setattr(user.app.connection, "later", later)
        await review(user)
        before = user.styles()
        for do in list(due):
            do()
        await user.press("down", "up")
        assert user.styles() == before
