"""Money beside credits on every tab that shows a total, and only with a price in the settings."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.config import Config
from chartui.core.money import read_price
from chartui.core.sheet import as_records
from tests.tui.estimates import model, pin
from tests.tui.user import NARROW, WIDE, opened

EURO = read_price("0.50 EUR")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_estimate_has_it_in_every_window(size: tuple[int, int]) -> None:
    async with opened(size=size, config=Config(price=EURO)) as user:
        await user.sees("10.297" if size == NARROW else "credits per interaction", " · 0.00515 EUR")
    async with opened(size=size) as user:
        await user.sees("credits per interaction")
        assert "EUR" not in user.screen


async def test_the_tabs_have_it_beside_their_credits_and_in_their_copies() -> None:
    async with opened(size=WIDE, config=Config(price=EURO)) as user:
        await pin(user, "mine")
        await model(user, "mdla_4o")
        study = user.estimator.study
        now = EURO.of(study.pricing.credits(study.configuration))
        assert now is not None

        await user.finds("view-compare")
        money = next(row for row in user.estimator.compared if row.label == "Cost, EUR")
        assert [cell.amount for cell in money.cells] == [EURO.cell(now * 2000), "0.00515"]
        assert money.cells[0].difference.startswith("+0.00")

        await user.finds("view-rank")
        records = as_records(user.estimator.ranked.sheets()[0])
        assert isinstance(records, list)
        assert {row["money"] for row in records if row["selected"]} == {now}

        await user.press("e", *"30000", "down", *"12", "down", "down", "right")
        month = user.pane("#month")
        assert f"{now * 360_000:,.2f} EUR a month at 0.50 EUR per 1 000 credits".replace(",", " ") in month
        assert f"{Decimal('0.0051484375') * 360_000:,.2f}".replace(",", " ") in month  # of the pin

        await user.finds("view-what-if")
        await user.press(*["t"] * 4)  # the turns
        await user.sees("Credits for 20 turns")
        assert user.pane("#what-if-facts").count("EUR") == 2


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_subscriptions_say_that_credits_have_no_price(size: tuple[int, int]) -> None:
    hint = "no price for credits in config.toml"
    async with opened(size=size) as user:
        await user.finds("view-subscriptions")
        await user.sees(hint, "Studio, at 199 a")  # subscriptions have prices, credits have none
    async with opened(size=size, config=Config(price=EURO)) as user:
        await user.finds("view-subscriptions")
        await user.sees("EUR a month")
        assert hint not in user.screen


async def test_the_cost_of_a_character_has_it_and_its_copy() -> None:
    async with opened(screen="characters", size=WIDE, config=Config(price=EURO)) as user:
        await user.press("$")
        await user.reads("#cost", "Price of an interaction: ", " EUR, at 0.50 EUR per 1 000 credits.")
        copies = {copy.title: copy for copy in user.characters.copy_choices()}
        assert "Price of an interaction: " in copies["Cost and sources as Markdown"].text
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("$")
        await user.sees("credits per interaction")
        assert "Price of an interaction" not in user.screen
