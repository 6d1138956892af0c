"""A key that is asked for, refused, replaced and entered anew, while the program runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import Profile
from chartui.core.profiles_file import change_profiles
from chartui.core.spec.operation import Tier
from chartui.tui.shell.api_key import KeyQuestion, SecretBox
from chartui.tui.shell.open_profile import Opening
from chartui.tui.tour.player import key_event
from tests.tui.keyboard import covers
from tests.tui.serving import Service
from tests.tui.user import User, opened


@asynccontextmanager
async def at(profile: Profile, *, ready: bool = True, screen: str = "characters") -> AsyncIterator[User]:
    way = Opening()
    async with opened(way.open(profile), screen=screen, opening=way, ready=ready) as user:
        yield user


def asking(service: Service) -> Profile:
    return replace(service.profile(), key=KeySource(SourceKind.ASK))


@covers("change-api-key")
async def test_a_revoked_key_is_replaced_by_the_new_one(service: Service) -> None:
    async with at(service.profile()) as user:
        await user.sees("Elena Marsh")
        new = service.renew_key()
        await user.press("f5")
        await user.until(lambda: "API key rejected · K" in user.top_line)
        await user.press("K")
        await user.at(KeyQuestion)
        await user.paste(new)
        await user.press("enter")
        await user.leaves(KeyQuestion)
        await user.is_told("The API key works.")
        await user.misses("API key rejected")
        await user.ready()
        await user.sees("Elena Marsh")


async def test_a_wrong_key_is_told_and_can_be_corrected_at_once(service: Service) -> None:
    async with at(service.profile()) as user:
        await user.press("K")
        await user.at(KeyQuestion)
        await user.write("canary-wrong-4711")
        assert "canary" not in user.screen
        await user.press("enter")
        await user.until(lambda: "✗" in user.pane("Words:last-of-type"), "for what is wrong")
        await user.paste(f" {service.key}\n")
        await user.press("enter")
        await user.leaves(KeyQuestion)
        await user.is_told("The API key works.")


async def test_who_gives_up_keeps_the_key_there_was(service: Service) -> None:
    async with at(service.profile()) as user:
        await user.press("K", *"nonsense", "escape")
        await user.leaves(KeyQuestion)
        await user.press("f5")
        await user.ready()
        assert "refused" not in user.top_line


async def test_a_profile_that_asks_does_so_by_itself_and_once(service: Service) -> None:
    async with at(asking(service), ready=False) as user:
        await user.at(KeyQuestion)
        await user.sees("API key for profile 'far'")
        await user.paste(service.key)
        await user.press("enter")
        await user.leaves(KeyQuestion)
        await user.sees("Elena Marsh")
        await user.press("N")
        await user.ready()
        await user.sees("■ graph on")
        change_profiles(lambda profiles: profiles.adding(asking(service)))
        await user.press("P", "l")  # a test opens the profile again, with the same key
        await user.sees("'far' works.")


async def test_a_refused_key_is_asked_for_again(service: Service) -> None:
    async with at(asking(service), ready=False) as user:
        await user.at(KeyQuestion)
        await user.paste("canary-wrong-4711")
        await user.press("enter")
        await user.until(lambda: "API key rejected · K" in user.top_line)
        assert not user.app.opening.keys
        await user.press("f5")
        await user.at(KeyQuestion)


async def test_a_text_that_cannot_be_a_key_is_refused_at_once(service: Service) -> None:
    async with at(asking(service), ready=False) as user:
        await user.at(KeyQuestion)
        await user.write("123")
        await user.press("enter")
        await user.sees("The API key cannot be used because it")
        assert "rejected" not in user.top_line
        await user.press("backspace", "backspace", "backspace")
        await user.paste(service.key)
        await user.press("enter")
        await user.sees("Elena Marsh")


async def test_keys_typed_before_the_question_are_counted_not_shown(service: Service) -> None:
    async with at(asking(service), ready=False) as user:
        await user.at(KeyQuestion)
        user.app.pop_screen()
        for key in "canary":
            await user.app.typeahead.take(key_event(key))
        await user.app.push_screen(KeyQuestion("API key", "It is never saved."))
        await user.is_told("Keys pressed too early were ignored:", " keys")
        assert "r y" not in user.screen
        assert (await user.at(KeyQuestion)).query_one(SecretBox).empty


async def test_who_gives_no_key_is_not_asked_again_but_by_k(service: Service) -> None:
    async with at(asking(service), ready=False) as user:
        await user.at(KeyQuestion)
        await user.press("escape")
        await user.leaves(KeyQuestion)
        await user.until(lambda: "no API key · K" in user.top_line)
        await user.press("f5")
        await user.ready()
        await user.press("N")
        await user.ready()
        assert not user.is_at(KeyQuestion)
        await user.press("K")
        await user.at(KeyQuestion)
        await user.paste(service.key)
        await user.press("enter")
        await user.leaves(KeyQuestion)
        await user.ready()
        await user.sees("■ graph on")
        await user.misses("no API key")


async def test_the_program_ends_while_it_asks(service: Service) -> None:
    async with at(asking(service), ready=False) as user:
        await user.at(KeyQuestion)
        user.app.exit()


async def test_a_store_needs_no_key() -> None:
    async with opened() as user:
        await user.press("K")
        await user.is_told("needs no API key")


async def test_a_tier_that_is_too_low_is_neither_a_refused_key_nor_a_lost_server(service: Service) -> None:
    service.tier = Tier.FREE
    async with at(service.profile()) as user:
        await user.sees("Elena Marsh")
        await user.press("e")
        await user.until(lambda: "needs a higher tier · K" in user.top_line, "for the tier")
        await user.press("escape", "N")
        await user.ready()
        await user.sees("■ graph on")  # what the tier allows goes on working
        assert "tier" not in user.top_line
        service.tier = Tier.PROFESSIONAL
        await user.press("C", "f5")
        await user.ready()
        await user.press("e")
        await user.misses("needs a higher tier")


async def test_no_widget_and_no_message_shows_a_key_that_is_typed(service: Service) -> None:
    async with at(service.profile()) as user:
        await user.press("K")
        await user.at(KeyQuestion)
        await user.write("canary-4711")
        screen = user.app.screen
        shown = repr(screen) + repr(list(screen.walk_children())) + user.screen + user.app.export_screenshot()
        assert "canary" not in shown
        assert "4711" not in shown
