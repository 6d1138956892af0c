"""Scenarios, ranges and the link of text and speech on the estimator."""

from __future__ import annotations

from decimal import Decimal

from chartui.core.estimation.scenario import Scenario, Scenarios, from_table
from chartui.core.typed_numbers import Range
from tests.tui.keyboard import covers
from tests.tui.user import WIDE, User, opened


def museum() -> Scenario:
    kinds = [{"name": "Greeting", "weight": 3, "outputChars": 60}, {"name": "Question", "inputTokens": 2500}]
    ends = {"low": 60, "typical": 150, "high": 400}
    table = {"assumptions": {"inputTokens": 1500, "outputChars": ends}, "kinds": kinds, "usage": {"users": 7}}
    return from_table({"name": "Museum", **table})


async def apply(user: User) -> None:
    await user.finds("open-scenario")
    await user.sees("Greeting, Question")
    await user.press("down", "enter")
    await user.until(lambda: user.estimator.now.scenario is not None and not user.estimator.now.stale)


@covers("open-scenario")
async def test_a_scenario_is_applied_and_undone() -> None:
    async with opened(size=WIDE) as user:
        Scenarios(user.app.session.folder).save(museum())
        await apply(user)
        now, study = user.estimator.now, user.estimator.study
        assert now.estimate is not None
        assert now.estimate.credits == study.pricing.credits(study.configuration)
        assert now.value("output_chars") == Decimal("82.5")
        assert study.ends is not None
        await user.press("z")
        await user.until(lambda: user.estimator.now.scenario is None)


@covers("save-scenario")
async def test_typed_ranges_are_saved_as_a_scenario() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 7, *"100-300")
        await user.until(lambda: user.estimator.now.value("output_chars") == 200)
        assert user.estimator.study.ends is not None
        await user.press("enter")
        await user.finds("save-scenario")
        await user.press(*"Hall", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        saved = Scenarios(user.app.session.folder).get("Hall")
        assert saved.assumptions["output_chars"] == Range(Decimal(100), Decimal(200), Decimal(300))


@covers("link-reply")
async def test_speech_follows_the_linked_text() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("link-reply")
        await user.until(lambda: user.estimator.now.link is not None)
        await user.press(*["down"] * 7, *"300")
        await user.until(lambda: user.estimator.now.value("tts_seconds") == 20)
        await user.press("enter", "z")
        await user.until(lambda: user.estimator.now.value("tts_seconds") == 10)


async def test_the_link_is_mentioned_once_when_one_of_them_changes() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 7, "right")
        await user.is_told("Response and Spoken reply change independently")
        await user.press("right")
        assert sum("independently" in told for told in user.toasts) <= 1


@covers("volume")
async def test_a_range_of_users_is_refused_and_not_read_as_its_last_number() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("volume")
        await user.until(lambda: user.top.query_one("#usage").has_focus)
        await user.press(*"100-300")
        await user.sees("100-300 is not a number; enter a single number, not a range.")
