"""Choosing a model: in its group, with its marks, what it takes and what it costs, whatever list the service has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import Input

from chartui.core.jsontext import Wire, dumps
from chartui.core.session import RatesInUse
from chartui.tui.screens.characters.model_chooser import ModelChooser
from tests.long import sampled
from tests.tui.characters import PLACES, at, choose_model, edit, reads
from tests.tui.hostile import HOSTILE, look
from tests.tui.sessions import demo, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened


def listing(*entries: dict[str, Any]) -> Wire:
    """An answer with these models."""
    return {"STATUS": dumps(list(entries))}


async def choosing(user: User) -> ModelChooser:
    """Open the chooser."""
    await edit(user)
    await user.press("home", "enter")
    await reads(user, "Model of Elena Marsh")
    screen = user.app.screen
    assert isinstance(screen, ModelChooser)
    return screen


async def test_home_and_end_go_to_the_first_and_the_last_model_until_a_filter_is_typed() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await choosing(user)
        await user.press("end")
        assert user.listed.current == user.choices[-1]
        await user.press("home")
        assert user.listed.current == user.choices[0]
        await user.press(*"mdla", "home", "x")
        assert user.top.query_one(Input).value == "xmdla"


@PLACES
async def test_models_stand_in_groups_with_what_is_known_of_them(place: str) -> None:
    session, double, _ = at(place)
    session = replace(session, rates=RatesInUse(session.profile))
    double.answers["list-models"] = listing(
        {"model_group_name": "own-1", "display_name": "Ours (Beta)"},
        {"model_group_name": "mdla-5.x", "is_deprecated": True},
        {"model_group_name": "mdle-4.3", "is_active": False},
        {"model_group_name": "mdla-4o"},
    )
    async with opened(session, screen="characters", size=WIDE) as user:
        await choosing(user)
        groups = [(choice.group, choice.key, choice.note) for choice in user.choices]
        assert groups == [
            ("Standard, family a", "mdla-4o", ""),
            ("Standard, family a", "mdla-5.1", "unlisted"),  # the character's own, which this list has not
            ("Standard, family a", "mdla-5.x", "deprecated"),
            ("Standard, family e", "mdle-4.3", "inactive"),
            ("Other", "own-1", ""),
            ("Other", "", ""),
        ]
        by_code = {choice.key: choice for choice in user.choices}
        assert by_code["own-1"].amount == "unknown"
        assert by_code["own-1"].latency == "–"
        assert "no reasoning levels" in by_code["own-1"].detail
        takes = "mdla-5.1, unlisted, beta: levels none, low, medium, high, auto (default: medium)."
        assert takes in by_code["mdla-5.1"].detail
        assert by_code["mdla-5.1"].detail.startswith(takes)
        assert "as inactive" not in by_code["mdla-4o"].detail
        assert "The service lists mdle-4.3 as inactive and may reject it." in by_code["mdle-4.3"].detail
        assert float(by_code["mdla-4o"].amount.removeprefix("at least ")) > 0
        if place == "remote":
            assert "Reference rates, not this service's" in by_code["mdla-4o"].detail


async def test_the_figure_beside_a_model_is_what_the_review_says_of_it() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await choosing(user)
        [amount] = [choice.amount for choice in user.choices if choice.key == "mdla-4.1-mini"]
        await user.press("escape")
        await choose_model(user, "mdla-4.1-mini")
        await user.press("S")
        await reads(user, f"→ {amount} credits")


async def test_a_heading_is_no_choice_and_words_find_across_groups() -> None:
    async with opened(demo(), screen="characters", size=NARROW) as user:
        await choosing(user)
        await user.press(*["up"] * 60)
        assert user.listed.current is not None
        assert user.listed.current.key == "mdla-realtime-1.5"
        await reads(user, "Realtime / live")
        await user.press(*["down"] * 5)
        assert user.listed.current.key == "mdla-5.4"  # over the heading in between
        await user.write("flagship")
        await reads(user, "of 36")
        assert {choice.key for choice in user.listed.items} == {
            "mdla-5.x",
            "mdla-5.x-nano",
            "mdla-5.x-mini",
            "mdlb-sonnet",
            "mdlb-haiku",
            "mdlc-flash",
            "mdlc-flash-lite",
        }
        await user.press("enter")
        await reads(user, "MDLA 5, newest")


async def test_a_model_that_nobody_knows_is_shown_for_what_it_is() -> None:
    session, double, store = at("local")
    del store
    settings = await session.service.settings((await session.service.summaries())[0].character_id)
    double.answers["get-settings"] = {**settings.raw, "model_group_name": "crew-trainer-8b"}
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await reads(user, "crew-trainer-8b, unlisted", "reasoning levels unknown")
        await user.press("home", "enter")
        await reads(user, "Model of Elena Marsh", "crew-trainer-8b, unlisted: reasoning levels unknown.")


async def test_the_next_and_the_previous_model_are_those_of_the_list() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("home", "plus")
        await reads(user, "MDLA 4.1")
        await user.press("minus", "minus")
        await reads(user, "MDLA OSS 120B (beta)")


@pytest.mark.parametrize("size", sampled([SMALL, NARROW, WIDE], SMALL), ids=["60x20", "80x24", "120x40"])
async def test_hostile_models(size: tuple[int, int]) -> None:
    session, double = remote()
    double.answers["list-models"] = listing(
        *(
            {
                "model_group_name": text or "empty",
                "display_name": text,
                "reasoning": {"levels": [text, "low"], "supports_auto": True, "default": text},
            }
            for text in HOSTILE.values()
        )
    )
    async with opened(session, screen="characters", size=size) as user:
        await user.press("e")
        await user.sees("Temperature")
        await user.press("home", "enter")
        await user.at(ModelChooser)
        chooser = user.app.screen
        assert isinstance(chooser, ModelChooser)
        for _ in user.choices:
            await look(user)
            await user.press("down")
        await user.press("enter")
        await look(user)
