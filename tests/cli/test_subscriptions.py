"""``chartui subscriptions``: a month of usage, its subscriptions, and presets beside it."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest

from chartui.core.presets import Preset, Presets
from chartui.core.spec.models.estimation import Selections

from .conftest import Run

MONTH = ("--users", "30000", "--interactions", "12", "--per", "month")


def test_a_month_and_what_covers_it(run: Run) -> None:
    result = run("subscriptions", *MONTH)
    assert (result.status, result.err) == (0, "")
    assert "30 000 users, 12 interactions per user per month.\n360 000 interactions a month." in result.out
    assert "2 × Enterprise would cost 2 380 a month." in result.out
    found = run("subscriptions", *MONTH, "--json").value
    each = run("estimate", "--json").value["totals"]["credits"]
    (month,) = found["configurations"]
    assert (month["credits_each"], month["credits"]) == (each, each * 360_000)
    used = {"users": 30000, "interactions": 12, "minutes": None, "days": 30}
    assert found["usage"] == used | {"per": "month", "sessions": 10, "growth": 0}
    assert [row["price_per_1000_interactions"] for row in found["subscriptions"]] == [None] * 5


def test_presets_stand_beside_it(run: Run) -> None:
    Presets().save(Preset(name="Kiosk", selections=Selections(llm="mdlc_2_5_flash_lite", memory=False)))
    rows = list(csv.DictReader(io.StringIO(run("subscriptions", *MONTH, "--compare", "Kiosk", "--csv").out)))
    assert [row["configuration"] for row in rows] == ["current", "Kiosk"]
    assert Decimal(rows[1]["difference"]) == Decimal(rows[1]["credits"]) - Decimal(rows[0]["credits"])
    assert rows[1]["subscription"] == "Enterprise"
    alone = run("subscriptions", "--preset", "Kiosk", *MONTH, "--json").value
    assert Decimal(alone["configurations"][0]["credits"]) == Decimal(rows[1]["credits"])
    assert "| Kiosk" in run("subscriptions", *MONTH, "--compare", "Kiosk", "--markdown").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sessions", "3"], "--sessions needs --per session"),
        (["--interactions", "3", "--minutes", "3"], "not allowed with"),
        (["--days", "0"], "The days must be from 1 to 366, not 0."),
        (["--compare", "nothing"], "Unknown preset “nothing”"),
    ],
)
def test_a_usage_that_cannot_be_is_refused(run: Run, words: list[str], said: str) -> None:
    result = run("subscriptions", *words)
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_a_single_one_is_not_a_plural(run: Run) -> None:
    told = run("subscriptions", "--users", "1", "--interactions", "1", "--per", "session").out
    assert "1 user, 1 interaction per user per session, 10 sessions per user per month." in told
    assert (
        "at most 5 credits a month for 1 interaction."
        in run("explore", "--interactions", "1", "--max-monthly-credits", "5").out
    )
