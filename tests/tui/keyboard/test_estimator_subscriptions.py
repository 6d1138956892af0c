"""The view of subscriptions and volume: a use is typed, and every subscription says whether it pays for it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from chartui.core.estimation.budget import Usage, monthly_budget, subscriptions_of
from chartui.core.estimation.card import load_card
from chartui.core.estimation.discovery import discover
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.rates import Rates, RateSource
from chartui.core.sheet import as_records
from chartui.tui.numbers import count, credits_text
from chartui.tui.screens.estimator.study import Pinned
from chartui.tui.screens.estimator.subscriptions import SubscriptionsView
from tests.long import spread
from tests.tui.estimates import model, pin
from tests.tui.keyboard import covers
from tests.tui.user import WIDE, User, opened

CARD = load_card()
PLAIN = Configuration.default(CARD)
USUAL = Quantities.default(CARD)


async def turn_to(user: User) -> None:
    """Press the key of the view, and wait until it is there and has the keys."""
    await user.finds("view-subscriptions")
    await user.until(lambda: user.top.query_one("#usage").has_focus)
    await user.until(lambda: user.pane("#subscriptions").strip())


async def go_back(user: User) -> None:
    """Go back to the inputs, and wait until they have the keys."""
    await user.press("escape")
    await user.until(lambda: user.top.query_one("#inputs").has_focus)


async def shows(user: User, label: str, text: str) -> None:
    """Wait until the row of the use with this label holds a text."""
    await user.until(lambda: text in user.line(label, "#usage"), f"for {text!r}")


def credits_a_month(usage: Usage, **changed: int) -> str:
    asked = USUAL._replace(**changed)
    found = monthly_budget(Pricing(CARD, asked).credits(PLAIN), asked, usage, ())
    assert found.credits is not None
    whole = found.credits == int(found.credits)
    return f"{count(int(found.credits)) if whole else credits_text(found.credits)} credits a month"


def usage(users: int = 100, interactions: int = 10, days: int = 30) -> Usage:
    return Usage(Decimal(users), Decimal(interactions), days=Decimal(days))


@covers("view-subscriptions")
async def test_a_month_of_the_usual_use_and_its_subscriptions() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.sees("30 000 interactions a month", credits_a_month(usage()), "credits an hour of conversation")
        await user.sees("Cheapest subscription: Studio, at 199 a month.")
        starter, pro, studio = (user.line(name, "#subscriptions") for name in ("Starter", "✗ Pro", "✓ Studio"))
        assert "62 ×" in starter
        assert "day 10" in pro
        assert "69%" in studio
        assert "+141 094" in studio
        assert studio.startswith(" ›")


async def test_what_is_typed_is_worked_out_at_once() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.write("7")
        await user.sees(credits_a_month(usage(users=7)))
        await user.press("down")
        await user.write("3")
        await user.sees(credits_a_month(usage(users=7, interactions=3)))
        await user.press("down", "down", "down")
        await user.write("5")
        await user.sees(credits_a_month(usage(users=7, interactions=3, days=5)))
        assert user.estimator.now.typed == {}  # the inputs of the estimate are others


async def test_minutes_take_the_place_of_interactions_and_say_how_many_they_are() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("down")
        await shows(user, "or minutes", "3 per user")  # ten interactions of 18 seconds
        await user.write("20")
        await shows(user, "or minutes", "6 per user")
        await user.press("down")
        await user.write("9")
        await shows(user, "Interactions", "30 per user")
        await user.sees("90 000 interactions a month")
        await user.press("up")
        await user.write("1")
        await user.sees("3 000 interactions a month")
        await shows(user, "or minutes", "0.3 per user")


async def test_steps_and_resets_belong_to_the_use_while_it_has_the_keys() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("right", "right", "-")
        await shows(user, "Users", "110 people")
        await user.press("down", "down", "down", "down", *["left"] * 40)
        await shows(user, "Days", " 1 per month")
        await user.press("r")
        await shows(user, "Days", "30 per month")
        assert user.estimator.now.typed == {}
        assert user.estimator.now.chosen == {}


async def test_a_number_that_cannot_be_is_said_and_the_last_figures_stay() -> None:
    async with opened() as user:
        await turn_to(user)
        await user.write("8")
        figures = credits_a_month(usage(users=8))
        await user.sees(figures)
        await user.paste("1.2.3")
        await user.sees("✗ 1.2.3 is not a number.", figures)
        await user.press("enter", "r", "down", "down", "down", "down")
        await user.write("900")
        await user.sees("The days must be from 1 to 366, not")


@covers("volume")
async def test_the_key_of_the_volume_goes_to_its_numbers() -> None:
    async with opened() as user:
        await user.press("e")
        await user.sees("▌Users")
        assert user.estimator.tab == "Subscriptions"
        await user.press("tab")
        await user.until(lambda: user.focus == "subscriptions")
        await user.press("e")
        await user.until(lambda: user.focus == "usage")


async def test_the_cursor_on_a_subscription_says_more_about_it() -> None:
    async with opened() as user:
        await turn_to(user)
        await user.press("tab", "home", "down")
        await user.sees("Creator: 30 000 credits a month, tier", "278 906 credits short each month.")
        await user.sees("Covers up to 9 users.")  # of 100, who use 308 906
        await user.press("end")
        await user.sees("Enterprise: 3 000 000 credits a month", "2 691 094 credits left each month.")
        await user.sees("Price per 1 000 interactions:")


async def test_figures_follow_the_inputs() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await go_back(user)
        await user.press(*["down"] * 6)
        await user.write("8000")
        await user.sees(credits_a_month(usage(), input_tokens=8000))
        await user.press("down", "down", "0", "down", "0")
        await user.sees("take no time, so", "the price per hour is unknown.")
        assert "unknown" in user.line("credits an hour of conversation", "#month")
        await user.press("enter", "e", "down", "down")
        await user.write("5")
        await user.sees("Can't recommend a subscription: the credits per month are unknown.")
        assert "unknown" in user.line("interactions a month", "#month")


async def test_an_unknown_price_and_unknown_subscriptions_are_said() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        user.estimator.show(user.estimator.now.put({"tts": "somebody_else"}))
        await user.sees(
            "Can't recommend a subscription: the credits per month are unknown.",
            "The price of an interaction is unknown.",
        )
        assert user.line("Studio", "#subscriptions").startswith("  ? Studio")
        reference = Rates(CARD, RateSource.REFERENCE, "Reference rates, not this service's.")
        user.estimator.show(replace(user.estimator.now.reset(), discovery=discover(None), rates=reference))
        await user.sees("The service lists no subscriptions.", "reference rates")
        await user.misses("Studio")
        (sheet,) = user.estimator.find(SubscriptionsView).sheets()
        assert sheet.notes[-1] == "Reference rates, not this service's."


async def test_what_a_provider_bills_is_said_to_be_left_out() -> None:
    async with opened(size=WIDE) as user:
        await user.press("enter", *"endpoint", "enter")
        await turn_to(user)
        await user.sees("The model is billed by your provider and not part of the total.")
        await user.finds("view-what-if")
        await user.sees("Credits exclude charges from your provider.")


async def test_what_is_shown_can_be_taken_along() -> None:
    async with opened() as user:
        await turn_to(user)
        await user.write("7")
        (sheet,) = user.estimator.find(SubscriptionsView).sheets()
        expected = monthly_budget(
            Pricing(CARD, USUAL).credits(PLAIN),
            USUAL,
            usage(users=7),
            subscriptions_of(discover(None), Rates(CARD, RateSource.STORE)),
        )
        assert [row["left"] for row in as_records(sheet)] == [fit.left for fit in expected.subscriptions]
        assert sheet.notes[0] == "7 users, 10 interactions per user per day, 30 days a month."


async def test_subscriptions_are_sorted_and_filtered_and_the_words_are_about_the_one_with_the_cursor() -> None:
    async with opened() as user:
        await turn_to(user)
        await user.press("tab", "s", "s", "home")  # by name, from the last on
        await user.sees("Studio: 450 000 credits a month")
        await user.press("/", *"enter", "enter")
        await user.sees("Enterprise: 3 000 000 credits a month")
        assert "Pro " not in user.pane("#subscriptions")
        await user.press("escape", "e")
        await user.sees("Cheapest subscription: Studio", "An interaction counts as 18 seconds")
        await user.misses("Enterprise: 3 000 000 credits")


async def test_subscriptions_keep_their_names_and_used_share_in_every_window() -> None:
    async with opened() as user:
        await turn_to(user)
        await user.press("tab")
        for width, height in ((60, 20), (80, 24), (100, 30), (120, 40), (160, 45), (200, 55)):
            await user.resize(width, height)
            await user.until(lambda wanted=width: user.app.size.width == wanted)  # type: ignore[misc]
            await user.ready()
            lines = user.pane("#subscriptions").splitlines()
            assert "used" in lines[0], width
            assert "✗ Starter  " in lines[1], width
            assert "62 ×" in lines[1], width
            assert max(line.count("▄") for line in lines) <= 40, width


async def test_interactions_are_counted_per_day_month_or_session() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("down", "down", "down", "right")
        await shows(user, "Per", "month")
        await user.sees("1 000 interactions a month")
        await user.press("enter")
        await user.sees("Period", "› month")
        await user.write("o")  # filters the list
        await user.press("escape")
        await shows(user, "Per", "month")
        await user.press("enter")
        await user.write("ses")
        await user.press("enter")
        await shows(user, "Sessions", "10 per month")
        await user.sees("10 000 interactions a month")
        await user.press("down")
        await user.write("3")
        await user.sees("3 000 interactions a month")
        await user.press("up", "r")
        await shows(user, "Days", "30 per month")
        await user.sees("30 000 interactions a month")


async def test_pinned_configurations_are_listed_beside_the_current_one_and_the_command_says_the_same() -> None:
    large, quantities = PLAIN._replace(llm="mdla_4o"), USUAL._replace(input_tokens=1000)
    async with opened(size=WIDE) as user:
        user.estimator.show(replace(user.estimator.now, pinned=(Pinned("large", large, quantities),)))
        await turn_to(user)
        await user.write("30000")
        each = Pricing(CARD, quantities).credits(large)
        expected = monthly_budget(
            each, quantities, usage(users=30000), subscriptions_of(discover(None), Rates(CARD, RateSource.STORE))
        )
        assert expected.credits is not None
        assert expected.offer is not None
        await user.sees(count(round(expected.credits)), "would cost")
        row = user.line(" large ", "#month")
        assert f"{expected.offer[0]}, {count(expected.offer[1])}" in row
        _, volume = user.estimator.find(SubscriptionsView).sheets()
        rows = as_records(volume)
        assert [row["configuration"] for row in rows] == ["current", "large"]
        assert rows[1]["credits"] == expected.credits
        command = user.estimator.find(SubscriptionsView).command(user.app.session.profile)
        assert command.startswith("chartui subscriptions --profile demo --users 30000 --llm mdlc_2_5_flash")


async def test_the_volume_is_undone_where_it_is_edited_and_the_inputs_where_they_are() -> None:
    async with opened(size=WIDE) as user:
        await user.press("right")  # another model
        await turn_to(user)
        await user.press("5", "0", "0", "enter")
        await shows(user, "Users", "500")
        await user.press("z")
        await user.sees("Undone: Volume")
        await shows(user, "Users", "100")
        await user.press("z")
        await user.sees("No edit to undo.")
        await user.press("Z")
        await shows(user, "Users", "500")
        await go_back(user)
        await user.press("z")
        await user.sees("Undone: Model")
        await shows(user, "Users", "500")


@pytest.mark.parametrize(("pins", "size"), spread([(1,), (4,), (8,)], [(120, 40), (100, 30)]), ids=str)
async def test_pinned_configurations_leave_the_subscriptions_their_rows(pins: int, size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        before = user.estimator.now
        pinned = tuple(Pinned(f"pin {n}", PLAIN, USUAL._replace(input_tokens=500 * n)) for n in range(pins))
        user.estimator.show(replace(before, pinned=pinned))
        await turn_to(user)
        await user.sees("pin 0", "Starter", "Creator")
        view = user.estimator.find(SubscriptionsView)
        for key in ("tab", "shift+tab"):
            assert all(view.content_region.contains_region(part.region) for part in view.children if part.display)
            await user.press(key)
            await user.sees("Starter", "Creator", "Pro ")
        await user.resize(160, 45)
        await user.resize(*size)
        await user.sees("pin 0", "Starter", "Creator")
        user.estimator.show(before)
        await user.until(lambda: "Credits a month, difference" not in user.pane("#month"))
        assert not view.has_class("-crowded")


async def test_the_months_are_compared_with_the_baseline_as_in_compare() -> None:
    async with opened(size=WIDE) as user:
        await pin(user, "usual")
        await model(user, "mdla_4o_mini")
        await user.finds("view-subscriptions")
        await user.sees("difference vs. baseline")
        here, there = user.line("current ", "#month"), user.line("usual ", "#month")
        assert "−" in here
        assert "+" not in there
        assert "−" not in there
