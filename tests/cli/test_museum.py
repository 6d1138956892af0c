"""A museum's task from the search to the month: candidates under constraints, compared, for all visitors."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from chartui.core.estimation.card import load_card
from chartui.core.estimation.constraints import DEFAULTS, Need
from chartui.core.estimation.exploration import explore
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.presets import Presets

from .conftest import Run

ASKED = ("--require", "speech-in,speech-out", "--forbid", "beta", "--max-latency", "1.2s", "--max-credits", "12")
VISITORS = ("--users", "30000", "--interactions", "12", "--per", "month")
NAMES = ["Museum 1", "Museum 2", "Museum 3"]


def test_three_commands_lead_from_the_constraints_to_the_month(run: Run) -> None:
    """Five would do."""
    found = run("explore", *ASKED, "--limit", "3", "--save-presets", "Museum", "--json").value
    compared = run("estimate", "--compare", *NAMES, "--json").value
    month = run("subscriptions", "--compare", *NAMES, *VISITORS, "--price", "0.50 EUR", "--json").value

    card = load_card()
    pricing = Pricing(card, Quantities.default(card))
    asked = replace(DEFAULTS, speech_in=Need.MUST, speech_out=Need.MUST, beta=Need.MUST_NOT)
    wanted = replace(asked, max_latency=1200, max_credits=Decimal(12))
    best = [point.credits for point in explore(pricing, wanted).front[:3]]
    now = pricing.credits(Configuration.default(card))
    assert now is not None
    assert [point["credits"] for point in found["pareto_front"]] == best
    assert [cell["amount"] for cell in compared["total"]] == [now, *best]
    assert [cell["difference"] for cell in compared["total"]] == [0, *(each - now for each in best)]
    assert [row["credits"] for row in month["configurations"]] == [each * 360_000 for each in (now, *best)]
    assert [row["money"] for row in month["configurations"]] == [each * 180 for each in (now, *best)]


def test_saved_points_keep_the_given_quantities_and_are_overwritten_only_if_asked(run: Run) -> None:
    save = ("explore", "--limit", "2", "--save-presets", "Best", "--input-tokens", "1500")
    assert "preset 'Best 2' was saved" in run(*save).err
    assert [kept.preset and kept.preset.assumed() for kept in Presets().all()] == [{"inputTokens": 1500}] * 2
    again = run(*save)
    assert (again.status, again.out) == (2, "")
    assert "nothing was saved: 'Best 1', 'Best 2' exist" in again.err
    assert run(*save, "--replace").status == 0
    assert "--save-presets needs --limit" in run("explore", "--save-presets", "Best").err
    assert "--replace needs --save-presets" in run("explore", "--replace").err
