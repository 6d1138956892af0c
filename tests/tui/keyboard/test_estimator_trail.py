"""The trail, and the loaded preset that the title of the form names."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.estimation.scenario import Scenarios, from_table
from chartui.core.presets import Preset, Presets, presets_folder
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.widgets.questions import AskLine, Confirm
from tests.tui.estimates import model
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import WIDE, User, opened


async def three(user: User) -> None:
    """The defaults, no memory, and another model; the tab is open."""
    await user.press("down", "enter")
    await user.ready()
    await model(user, "mdlb_4_5_sonnet")
    await user.finds("view-trail")
    await user.settle()


@covers("view-trail")
async def test_the_trail_lists_each_configuration_with_its_cost_and_what_was_changed() -> None:
    async with opened(size=WIDE) as user:
        await three(user)
        assert user.line("first in this session", "#trail").split()[:4] == ["1", "10.297", "–", "1"]
        times = [f" {visit.at:%H:%M} " for visit in user.estimator.study.trail]
        assert all(time in user.line(f"  {number} ", "#trail") for number, time in enumerate(times[:2], 1))
        assert user.line("memory off", "#trail").split()[:3] == ["2", "9.297", "−1.000"]
        assert user.line("model MDLB 4.5 Sonnet", "#trail").split()[:2] == ["▌›3", "32.961"]
        await user.reads("#trail-about", "current · model MDLC 2.5 Flash → MDLB 4.5 Sonnet")


async def test_the_trail_compares_with_the_last_valid_inputs() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 10, *"1e13", "enter")  # the spoken reply, out of range
        await user.press("enter", "ctrl+u", *"20", "enter")
        await user.ready()
        await user.finds("view-trail")
        newest = user.line("▌›", "#trail")
        assert "first in this session" not in newest
        assert "spoken reply 20 s" in newest


async def test_enter_returns_to_a_configuration_and_undo_leaves_it_again() -> None:
    async with opened(size=WIDE) as user:
        first = user.estimator.study.configuration
        await three(user)
        last = user.estimator.study.configuration
        await user.press("end", "enter")
        await user.ready()
        assert user.estimator.study.configuration == first
        await user.reads("#trail-about", "current")
        await user.press("z")
        await user.until(lambda: user.estimator.study.configuration == last, "for the last one")
        assert len(user.estimator.study.trail) == 3


async def test_enter_returns_to_quantities_with_their_ranges_and_with_their_scenario() -> None:
    session = demo()
    async with opened(session, size=WIDE) as user:
        Scenarios(session.folder).save(from_table({"name": "Museum", "kinds": [{"name": "A", "inputTokens": 3000}]}))
        await user.press(*["down"] * 7, *"100-300")
        await user.finds("open-scenario")
        await user.press("down", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        await user.press("up", *"2000")
        await user.ready()
        await user.finds("view-trail")
        for place, (scenario, typed) in enumerate(
            [("Museum", {"input_tokens": "2000"}), ("Museum", {}), (None, {"output_chars": "100-300"}), (None, {})]
        ):
            await user.press("home", *["down"] * place, "enter")
            await user.ready()
            now = user.estimator.now
            assert (now.scenario and now.scenario.name, dict(now.typed)) == (scenario, typed)
            await user.reads("#trail-about", "current")
        await user.press("z")
        await user.until(lambda: user.estimator.now.typed.get("output_chars") == "100-300", "for the range")


async def test_a_step_past_the_last_option_is_no_edit() -> None:
    async with opened(size=WIDE) as user:
        await user.press("down", "down", "down", *["right"] * 9)
        await user.ready()
        before = user.estimator.now
        await user.press("right")
        await user.settle()
        assert user.estimator.now.past == before.past
        await user.press("left", "right", "z")
        await user.until(lambda: user.estimator.now.value("stt") != before.value("stt"), "for the step before")


async def test_p_pins_the_configuration_at_the_cursor_and_a_saves_it() -> None:
    session = demo()
    async with opened(session, size=WIDE) as user:
        await three(user)
        await user.press("down", "p")
        await user.at(AskLine)
        await user.press("enter")
        await user.at(EstimatorScreen)
        (pin,) = user.estimator.now.pinned
        assert (pin.configuration.llm, pin.configuration.memory) == ("mdlc_2_5_flash", False)
        assert pin.name == "MDLC 2.5 Flash · 4 000 tokens"
        await user.press("a", *"Quiet", "enter")
        await user.is_told("Saved:")
        assert Presets(presets_folder(session.folder)).get("Quiet").selections.memory is False
        assert not user.estimator.now.preset  # the form holds another one


@covers("write-file")
async def test_the_trail_is_sorted_and_written_as_any_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(size=WIDE) as user:
        await three(user)
        await user.press("s", "s", "s")
        await user.press("W", *"csv", "enter")
        await user.sees("Write to file")
        await user.press("enter")
        await user.is_told("Written:")
    (file,) = tmp_path.glob("*.csv")
    lines = file.read_text().splitlines()
    assert lines[0] == "number,credits,difference,latency_max_ms,time,change,inputs"
    assert [line.split(",")[0] for line in lines[1:]] == ["2", "1", "3"]


async def test_the_title_names_the_loaded_preset_and_says_when_the_inputs_differ() -> None:
    session = demo()
    presets = Presets(presets_folder(session.folder))
    presets.save(Preset(name="Kiosk", selections=Selections(memory=False), note="For the hall."))
    async with opened(session) as user:
        await user.sees("─ Configuration ─")
        await user.press("o", "enter")
        await user.sees("─ Preset Kiosk ─")
        await user.press(*["down"] * 6, *"1500")
        await user.sees("─ Preset Kiosk · modified ─")
        await user.press("enter", "a")
        await user.at(AskLine)
        await user.press("enter")  # its name is proposed
        await user.at(Confirm)
        await user.reads("Options", "input tokens default → 1 500. Per interaction: 9.297 → 7.722 credits (−1.575)")
        await user.press("escape")
        await user.at(AskLine)
        await user.press("enter", "y")
        await user.is_told("Saved:")
        await user.sees("─ Preset Kiosk ─")
        kept = presets.get("Kiosk")
        assert (kept.selections, kept.note) == (Selections(memory=False), "For the hall.")
        assert kept.assumptions == Assumptions(input_tokens=Decimal(1500))
        await user.press("z")
        await user.sees("─ Preset Kiosk · modified ─")
        await user.press("z")
        await user.sees("─ Configuration ─")
        await user.press("o", "d", "y", "escape", "Z")
        await user.sees("─ Configuration ─")
