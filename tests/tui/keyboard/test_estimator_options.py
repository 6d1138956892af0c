"""The list of options: what stands beside each, and what is found by typing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from chartui.core.session import RatesInUse
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.tui.numbers import credits_difference, credits_text, signed_text
from chartui.tui.widgets.chooser import Choice, Chooser, Ranking
from chartui.tui.widgets.line_list import LineList
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import WIDE, User, opened

CHOICES = [
    Choice("flash_live", "Flash Live", "realtime"),
    Choice("flash", "Flash", names=("flash-1.0",)),
    Choice("flash_lite", "Flash Lite"),
    Choice("big", "Big and slow", detail="no flash at all"),
    Choice("next", "New Flash"),
]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", ["flash_live", "flash", "flash_lite", "big", "next"]),
        ("flash", ["flash", "flash_live", "flash_lite", "next", "big"]),
        ("FLASH", ["flash", "flash_live", "flash_lite", "next", "big"]),
        ("flash_l", ["flash_live", "flash_lite"]),
        ("flash-1.0", ["flash"]),
        ("new", ["next"]),
        ("flash  new", ["next"]),
        ("realtime", ["flash_live"]),
        ("nothing such", []),
    ],
)
def test_what_is_called_exactly_so_comes_before_what_begins_so(query: str, keys: list[str]) -> None:
    assert [choice.key for choice in Ranking(CHOICES).found(query)] == keys


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("bgi", []),
        ("flahs", ["flash_live", "flash", "flash_lite", "big", "next"]),
        ("fhl", ["flash_live", "flash_lite"]),
    ],
)
def test_slips_and_left_out_letters_count_where_nothing_is_as_typed(query: str, keys: list[str]) -> None:
    assert sorted(choice.key for choice in Ranking(CHOICES).found(query)) == sorted(keys)


async def go_to(user: User, row: int) -> None:
    await user.press("home", *["down"] * row, "enter")
    await user.at(Chooser)


async def choose(user: User, text: str) -> None:
    """Type a text into the list of models, and take what has the cursor."""
    await go_to(user, 0)
    await user.press(*text, "enter")
    await user.ready()


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("mdlc_2_5_flash", "mdlc_2_5_flash"),
        ("MDLC 2.5 Flash", "mdlc_2_5_flash"),
        ("mdlc-2.5-flash", "mdlc_2_5_flash"),
        ("mdlc_2_5_flash_l", "mdlc_2_5_flash_live"),
        ("mdla_4o", "mdla_4o"),
        ("mdla 4.1", "mdla_4_1"),
    ],
)
async def test_a_key_or_a_name_that_begins_another_is_taken_itself(typed: str, key: str) -> None:
    async with opened() as user:
        await user.press("right", "right")
        await choose(user, typed)
        assert user.estimator.now.value("llm") == key


@pytest.mark.parametrize(
    ("row", "kind", "key"), [(0, "llm", "mdla_4o"), (3, "stt", "vendorb_3_streaming"), (4, "tts", "tts_1")]
)
async def test_the_price_beside_an_option_is_that_of_the_interaction_with_it(row: int, kind: str, key: str) -> None:
    session = demo()
    async with opened(session) as user:
        await go_to(user, row)
        await user.write(key)
        before = (await session.service.estimate(Selections(), Assumptions())).known_credits
        estimate = await session.service.estimate(Selections(**{kind: key}), Assumptions())  # type: ignore[arg-type]
        assert estimate.latency_ms is not None
        more = credits_difference(estimate.known_credits, before)
        current = user.app.screen.query_one(LineList).current
        assert current is not None
        shown = user.line(f" {current.label}   ", "LineList").split()
        assert [credits_text(estimate.credits), signed_text(more)] == [word for word in shown if word[-4:-3] == "."]
        assert f"{estimate.latency_ms.max:,}".replace(",", " ") in user.pane("LineList")


async def test_words_find_options_and_stand_beside_them() -> None:
    async with opened(size=WIDE) as user:
        await go_to(user, 0)
        await user.write("realtime beta")
        assert "3 of 58" not in user.screen  # the code of two that are billed as text says so too (decision 3)
        assert "realtime, beta" in user.line("MDLA Realtime 1.5")
        assert "Family A" in user.line("MDLA Realtime 1.5")
        assert "realtime" not in user.line("MDLD 4 31B Fast")
        assert "odd: " not in user.screen  # it brings its own voices


async def test_what_your_provider_bills_and_what_has_no_price_is_said() -> None:
    session, double = doubled()
    double.answers["options"] = {
        "options": {"llm": [{"key": "mdla_4o"}, {"key": "mdlx_9_ours", "label": "Ours [/nope]"}]}
    }
    async with opened(session, size=WIDE) as user:
        await go_to(user, 0)
        await user.sees("of 59")
        await user.write("byo")
        assert "billed by your provider" in user.line("Own endpoint, MDLA-compatible")
        await user.press(*["backspace"] * 3, *"ours")
        shown = user.line("Ours [/nope]")
        assert "not in the catalogue, price unknown" in shown
        assert "unknown" in shown


async def test_the_sentence_below_follows_the_cursor() -> None:
    async with opened() as user:
        await go_to(user, 0)
        await user.sees("mdlc_2_5_flash · Family C")
        await user.press("down")
        await user.misses("mdlc_2_5_flash · Family C")


async def test_without_rates_the_list_has_names_and_no_figures() -> None:
    async with opened() as user:
        from chartui.tui.screens.estimator.options import option_chooser

        chooser = option_chooser(user.estimator.now, None, "llm")
        chosen: list[str | None] = []
        user.app.push_screen(chooser, chosen.append)
        await user.until(lambda: user.app.screen is chooser)
        await user.settle()
        assert "credits" not in user.pane("LineList")
        await user.press(*"mdla_4o", "enter")
        assert chosen == ["mdla_4o"]


async def test_prices_are_those_of_the_quantities_that_were_typed() -> None:
    session = demo()
    async with opened(session) as user:
        await user.press(*["down"] * 6, *"12500")
        await go_to(user, 0)
        await user.write("mdla_4o")
        estimate = await session.service.estimate(Selections(llm="mdla_4o"), Assumptions(input_tokens=Decimal(12500)))
        await user.sees(credits_text(estimate.credits))


async def test_prices_at_reference_rates_are_marked_as_such() -> None:
    session, _ = remote()
    session = replace(session, rates=RatesInUse(session.profile))
    async with opened(session, size=WIDE) as user:
        await user.press("enter")
        await user.at(Chooser)
        await user.sees("Model · ▲ reference rates")
