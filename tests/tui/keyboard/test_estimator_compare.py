"""Pins, the comparison with them, and presets."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from shlex import split

import pytest

from chartui.core.clock import seeded_ids
from chartui.core.config import Config
from chartui.core.money import Price, read_price
from chartui.core.paths import data_dir, pinned_folder
from chartui.core.presets import Preset, Presets, presets_folder, read_preset
from chartui.core.profiles import BUILT_IN
from chartui.core.session import Session, open_session
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.demos import fill
from chartui.tui.numbers import credits_text, percent_text, signed_text
from chartui.tui.screens.estimator.compare import CompareTable, CompareView
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.screens.estimator.study import against
from chartui.tui.widgets.questions import AskLine, Confirm
from chartui.tui.widgets.table_dialog import TableDialog
from tests.long import sampled
from tests.tui.estimates import model, pin, two_pinned
from tests.tui.keyboard import covers
from tests.tui.sessions import clock, demo, remote
from tests.tui.user import WIDE, User, opened

LONG = "A name that is as long as a name may be, which is 60 letters"


def lasting() -> Session:
    """The demo data in a store that stays, and with it what is pinned."""
    return open_session(BUILT_IN["demo"], fill=lambda store: fill(store, ids=seeded_ids(7), clock=clock), clock=clock)


def pinned(user: User) -> list[str]:
    return [one.name for one in user.estimator.now.pinned]


# -- pins --------------------------------------------------------------------------------------------------------------


@covers("pin")
async def test_a_pin_has_a_proposed_name_and_outlives_the_program() -> None:
    async with opened(lasting()) as user:
        await pin(user)
        assert pinned(user) == ["MDLC 2.5 Flash · 4 000 tokens"]
        await pin(user)
        names = ["MDLC 2.5 Flash · 4 000 tokens", "MDLC 2.5 Flash · Managed voice"]
        assert pinned(user) == names
        await pin(user)
        await pin(user)
        names += ["MDLC 2.5 Flash · Vendor C Streaming", "MDLC 2.5 Flash · 4 000 tokens 2"]
        assert pinned(user) == sorted(names)
    async with opened(lasting()) as user:
        assert pinned(user) == sorted(names)


async def test_a_pin_is_told_and_the_first_one_as_the_baseline() -> None:
    async with opened(demo()) as user:
        await user.press("p")
        await user.at(AskLine)
        await user.sees("Enter a name for the pin.", "when you leave the demo.")
        await user.press(*"usual", "enter")
        await user.is_told("Pinned as the baseline: usual")
        await user.press("p")
        await user.at(AskLine)
        await user.sees("Compare shows this pin beside the")
        await user.press(*"again", "enter")
        await user.is_told("Pinned: again")


async def test_a_pin_is_named_by_what_no_other_pin_of_its_model_has() -> None:
    async with opened(lasting()) as user:
        await pin(user)
        user.estimator.begin_with({"stt": "vendorb_3_streaming"}, {})
        await user.ready()
        await pin(user)
        user.estimator.begin_with({"stt": "vendorb_3_streaming", "memory": False}, {})
        await user.ready()
        await pin(user)
        user.estimator.begin_with({}, {"output_chars": "99"})
        await user.ready()
        await pin(user)
        named = ["4 000 tokens", "Vendor B 3 Streaming", "memory off", "response 99"]
        assert sorted(pinned(user)) == sorted(f"MDLC 2.5 Flash · {rest}" for rest in named)


async def test_a_name_that_is_taken_is_replaced_only_after_a_question() -> None:
    async with opened(lasting()) as user:
        await pin(user, "mine")
        before = user.estimator.now.pinned
        await model(user, "mdla_4o")
        await user.press("p", *"mine", "enter")
        await user.at(Confirm)
        await user.press("escape")
        await user.at(AskLine)
        await user.press("escape")
        await user.settle()
        assert user.estimator.now.pinned == before
        await user.press("p", *"mine", "enter")
        await user.at(Confirm)
        await user.press("y")
        await user.settle()
        (one,) = user.estimator.now.pinned
        assert one.configuration.llm == "mdla_4o"


async def test_a_name_that_no_file_can_hold_is_refused_with_its_reason() -> None:
    async with opened(lasting()) as user:
        await user.press("p", "backspace", "enter")
        await user.sees("name must not be empty")
        await user.press(*LONG, "x", "enter")
        await user.sees("at most 60")
        await user.press("backspace", "enter")
        await user.settle()
        assert pinned(user) == [LONG[:60]]


async def test_what_is_pinned_on_throw_away_data_goes_with_them() -> None:
    async with opened(demo()) as user:
        await pin(user, "usual")
        assert pinned(user) == ["usual"]
    async with opened(demo()) as user:
        assert pinned(user) == []
    async with opened(lasting()) as user:
        assert pinned(user) == []


async def test_nothing_is_pinned_of_what_is_no_number() -> None:
    async with opened(lasting()) as user:
        await user.press(*["down"] * 6)
        await user.paste("1.2.3")
        await user.press("enter", "p")
        await user.is_told("1.2.3 is not a number")
        assert pinned(user) == []


async def test_what_cannot_be_written_is_pinned_until_the_end_and_told() -> None:
    async with opened(lasting()) as user:
        folder = pinned_folder(user.app.session.folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text("in the way")
        await pin(user, "mine")
        await user.is_told("Pinned for this session only")
        assert pinned(user) == ["mine"]


async def test_a_pin_keeps_what_it_was_on_a_profile_with_other_defaults() -> None:
    async with opened(lasting()) as user:
        await pin(user, "usual")
        kept = user.estimator.now.pinned
    session, double = remote()
    session = replace(session, folder=data_dir())
    double.answers["options"] = {
        "defaults": {"selections": {"llm": "mdla_4o"}, "assumptions": {"inputTokens": 77}},
        "options": {"llm": [{"key": "mdla_4o"}]},
    }
    async with opened(replace(session, folder=data_dir())) as user:
        await user.until(lambda: user.estimator.now.discovery.assumptions)
        ((one,), (before,)) = user.estimator.now.pinned, kept
        assert (one.configuration, one.quantities) == (before.configuration, before.quantities)
        await user.finds("view-compare")
        await user.press("right", "enter")
        await user.ready()
        assert user.estimator.now.value("llm") == before.configuration.llm
        assert user.estimator.now.value("input_tokens") == before.quantities.input_tokens


async def test_a_file_that_holds_nothing_hides_no_other() -> None:
    async with opened(lasting()) as user:
        await pin(user, "mine")
        (pinned_folder(user.app.session.folder) / "broken.toml").write_text("format = 3")
    async with opened(lasting()) as user:
        assert pinned(user) == ["mine"]


# -- compare -----------------------------------------------------------------------------------------------------------


@covers("view-compare")
async def test_without_a_pin_it_says_what_it_is_for() -> None:
    async with opened(lasting()) as user:
        await user.finds("view-compare")
        await user.sees("No pins yet", "p pins the current inputs for comparison", "10.297")


@pytest.mark.parametrize("size", sampled([(80, 24), WIDE], (80, 24)))
async def test_lines_stand_side_by_side_with_their_differences(size: tuple[int, int]) -> None:
    session = demo()
    async with opened(session, size=size) as user:
        await two_pinned(user)
        await user.finds("view-compare")
        base = await session.service.estimate(Selections(llm="mdlb_4_5_sonnet"), Assumptions())
        live = await session.service.estimate(Selections(llm="mdlc_2_5_flash_live"), Assumptions())
        more = live.known_credits - base.known_credits
        share = percent_text(more * 100 / base.known_credits).replace(" %", "%")
        # The first that was pinned is the baseline until another one is made it.
        await user.press("right", "right")
        await user.until(lambda: user.estimator.find(CompareTable).column == 2)
        await user.press("space", "left")
        # It stands beside the current inputs now, and the cursor with it.
        await user.until(lambda: user.estimator.find(CompareTable).column == 0)
        await user.until(lambda: user.estimator.study.base.name == "better")  # type: ignore[union-attr]
        await user.settle()
        shown = user.line("Total", "#comparison").split()
        assert [credits_text(live.known_credits), signed_text(more), share] == shown[shown.index("Total") + 1 :][:3]
        assert against(user.estimator.study).texts[0] == (  # type: ignore[union-attr]
            f"{signed_text(more)} ({percent_text(more * 100 / base.known_credits)}) vs. “better”"
        )


async def test_the_headline_names_the_size_of_a_baseline_that_differs() -> None:
    async with opened(size=(160, 40)) as user:
        await pin(user, "usual")
        await user.sees("vs. “usual” ")
        typed = user.estimator.now.typed
        user.estimator.show(replace(user.estimator.now, typed={**typed, "input_tokens": "246"}))
        await user.sees("vs. “usual”, 4 000 tokens")
        user.estimator.show(replace(user.estimator.now, typed={**typed, "output_chars": "20"}))
        await user.sees("vs. “usual”, other quantities")


@pytest.mark.parametrize("name", ["usual", LONG])
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (110, 34), (120, 40), (140, 24), (160, 45), (200, 55)])
async def test_a_baseline_of_another_size_is_never_compared_without_it(name: str, size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await pin(user, name)
        typed = user.estimator.now.typed
        user.estimator.show(replace(user.estimator.now, typed={**typed, "input_tokens": "246"}))
        await user.until(lambda: "−2.365" in estimate_of(user), "for the difference")
        said = r"−2\.365 (\(−23%\) vs\. (“[^”]{9,}”|“usual”|pin),|vs\.) 4 000 tokens"
        assert re.search(said, estimate_of(user)), user.screen


def estimate_of(user: User) -> str:
    """The estimate in one line, without its bars and large digits."""
    return " ".join(re.sub(r"[▀▄█▌│├┤─]", " ", user.pane("#result")).split())


@covers("compare-baseline")
async def test_the_baseline_is_chosen_and_outlives_the_program() -> None:
    async with opened(lasting()) as user:
        await two_pinned(user)
        assert pinned(user) == ["better", "usual"]
        assert user.estimator.study.base.name == "usual"  # type: ignore[union-attr]
        await user.finds("view-compare")
        await user.press("space")
        await user.is_told("These are the current inputs")
        await user.press("right", "right", "space")
        assert user.estimator.study.base.name == "better"  # type: ignore[union-attr]
    async with opened(lasting()) as user:
        assert user.estimator.study.base.name == "better"  # type: ignore[union-attr]


@covers("compare-unpin")
async def test_a_pin_is_dropped_after_a_question() -> None:
    async with opened(lasting()) as user:
        await two_pinned(user)
        await user.finds("view-compare")
        await user.press("right", "right", "d")
        await user.at(Confirm)
        await user.press("escape")
        assert pinned(user) == ["better", "usual"]
        await user.press("delete")
        await user.at(Confirm)
        await user.press("y")
        await user.settle()
        assert pinned(user) == ["usual"]
    async with opened(lasting()) as user:
        assert pinned(user) == ["usual"]


async def test_enter_puts_a_pinned_configuration_into_the_form() -> None:
    async with opened(lasting()) as user:
        await user.press(*["down"] * 6, *"250", "home")
        await pin(user, "short")
        await user.press("R")
        await model(user, "mdla_4o")
        await user.finds("view-compare")
        await user.press("right", "enter")
        await user.ready()
        state = user.estimator.now
        assert state.selections() == Selections()
        assert state.typed == {"input_tokens": "250"}
        await user.sees("±0.000")


async def test_columns_that_have_no_room_come_with_the_cursor_and_no_number_is_cut() -> None:
    async with opened(lasting()) as user:
        await user.press(*["down"] * 6, *"1000000000", "enter")
        await two_pinned(user)
        await user.finds("view-compare")
        await user.sees("2 →")
        for column in range(3):
            assert column in user.estimator.compared_in_sight
            total = next(row for row in user.estimator.compared if row.label == "Total")
            assert total.cells[column].amount in user.line("Total", "#comparison")
            await user.press("right")
        await user.sees("← 1")


async def test_a_price_that_is_unknown_is_said_and_has_no_difference() -> None:
    async with opened(lasting()) as user:
        await pin(user, "usual")
        user.estimator.begin_with({"llm": "mdlx_9_ours"}, {})
        await user.finds("view-compare")
        await user.until(lambda: "unknown" in user.pane("#comparison"), "for the comparison")
        assert "–" in user.line("Total", "#comparison")
        found = against(user.estimator.study)
        assert found is not None
        assert found.texts[0] == "unknown vs. “usual”"


async def test_its_command_names_the_files_of_what_is_pinned() -> None:
    async with opened(lasting()) as user:
        await two_pinned(user)
        await user.finds("view-compare")
        await user.sees("Different inputs")
        words = split(user.estimator.find(CompareView).command(user.app.session.profile))
        files = [Path(words[i + 1]) for i, word in enumerate(words) if word == "--compare"]
        assert [read_preset(file).name for file in files] == ["usual", "better"]
    assert words[words.index("--baseline") + 1] == "usual"
    assert words[words.index("--llm") + 1] == "mdlc_2_5_flash_live"


# -- presets -----------------------------------------------------------------------------------------------------------


@covers("save-preset", "open-preset")
async def test_a_preset_holds_what_was_chosen_and_nothing_else() -> None:
    async with opened(lasting()) as user:
        await user.press("o")
        await user.is_told("No presets yet")
        await model(user, "mdla_4o")
        await user.press(*["down"] * 6, *"1500", "enter", "a", *"Kiosk", "enter")
        await user.is_told("Saved:")
        assert Presets().get("Kiosk") == Preset(
            name="Kiosk",
            selections=Selections(llm="mdla_4o"),
            assumptions=Assumptions(input_tokens=1500),  # type: ignore[arg-type]
        )
        await user.press("R", "home", "down", "enter", "o")
        await user.at(TableDialog)
        await user.sees("Kiosk", "Model MDLA 4o")
        await user.press("enter")
        await user.ready()
        assert user.estimator.now.selections() == Selections(llm="mdla_4o")
        assert user.estimator.now.typed == {"input_tokens": "1500"}


async def test_presets_of_a_demo_are_removed_with_it() -> None:
    async with opened() as user:
        await user.press("a")
        await user.sees("when you leave the")
        await user.press(*"Mine", "enter")
        await user.is_told("Saved:")
        folder = user.app.session.folder
        assert Presets(presets_folder(folder)).get("Mine")
    assert not folder.exists()
    assert Presets().all() == ()


async def test_presets_are_filtered_pinned_and_removed() -> None:
    for name, key in (("Kiosk", "mdla_4o"), ("Museum", "mdla_4_1"), ("[/nope]", "mdlx_9_ours")):
        Presets().save(Preset(name=name, selections=Selections(llm=key)))
    broken = data_dir() / "presets" / "broken.toml"
    broken.write_text("format = 3")
    async with opened(lasting()) as user:
        await user.press("o")
        await user.sees("─ 4 ─", "Kiosk", "[/nope]", "broken.toml", "unknown")
        await user.press("end", "enter")
        await user.is_told("broken.toml")
        await user.at(TableDialog)
        await user.press("slash", *"museum", "delete")
        await user.sees("1 of 4")
        await user.press("escape", "slash", *"4.1", "enter", "p")
        await user.at(EstimatorScreen)
        assert pinned(user) == ["Museum"]
        await user.press("o", "home", "d")
        await user.at(Confirm)
        await user.press("y")
        await user.at(TableDialog)
        await user.sees("─ 3 ─")
        assert {kept.preset.name for kept in Presets().all() if kept.preset} == {"Kiosk", "Museum"}
        await user.press("escape")


async def test_saving_over_a_preset_asks_and_keeps_its_note() -> None:
    session = demo(read_only=True)
    presets = Presets(presets_folder(session.folder))
    presets.save(Preset(name="Kiosk", note="For the hall."))
    async with opened(session) as user:
        await model(user, "mdla_4o")
        await user.press("a", *"Kiosk", "enter")
        await user.at(Confirm)
        await user.press("y")
        await user.is_told("Saved:")
        kept = presets.get("Kiosk")
        assert (kept.note, kept.selections.llm) == ("For the hall.", "mdla_4o")


async def test_in_compare_the_pinned_one_with_the_cursor_is_saved() -> None:
    async with opened(lasting()) as user:
        await two_pinned(user)
        await user.finds("view-compare")
        await user.press("right", "right", "a", "enter")
        await user.is_told("Saved:")
        assert Presets().get("better").selections.llm == "mdlb_4_5_sonnet"


async def test_the_current_inputs_and_four_pins_fit_beside_each_other_each_with_its_difference() -> None:
    async with opened(demo(), size=WIDE) as user:
        for number, key in enumerate(("mdla_4o", "mdla_4_1", "mdlb_4_5_sonnet", "mdlc_2_5_flash_lite"), 1):
            await model(user, key)
            await pin(user, f"no. {number}")
        await user.finds("view-compare")
        await user.settle()
        assert list(user.estimator.compared_in_sight) == [0, 1, 2, 3, 4]
        total = user.line("Total", "#comparison").split()
        assert sum("%" in text for text in total) == 4


# -- the whole of it ---------------------------------------------------------------------------------------------------


@covers("write-file")
async def test_from_the_start_to_a_saved_preset_and_an_exported_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(size=(80, 24)) as user:
        await pin(user, "today")
        await user.finds("view-rank")
        await user.press("home", "enter")
        await user.ready()
        await user.press("a", *"Cheapest", "enter")
        await user.is_told("Saved:")
        await user.finds("view-compare")
        await user.press("W", *"json", "enter")
        await user.sees("Write to file")
        await user.press("enter")
        await user.is_told("Written:")
        presets = Presets(presets_folder(user.app.session.folder))
        assert presets.get("Cheapest").selections.llm == "mdla_4_1_nano"
    (file,) = tmp_path.glob("*.json")
    rows = json.loads(file.read_text())
    total = next(row for row in rows if row["part"] == "total")
    assert (total["today"], total["current"], total["current: difference"]) == (10.296875, 8.36925, -1.927625)


async def test_pins_that_differ_only_in_the_voice_are_told_apart_in_names_and_values() -> None:
    voices = ("vendorf_flash_v2_5", "vendorf_turbo_v2_5", "vendorf_multilingual_v2")
    async with opened(size=WIDE) as user:
        for voice in voices:
            user.estimator.begin_with({"tts": voice}, {})
            await user.ready()
            await pin(user)
        await user.finds("view-compare")
        await user.sees("Different inputs")
        header, *rows = user.pane("#comparison").splitlines()
        values = [line for line in rows if line.startswith(" Speech outp")][-1]
        for line in (header, values):
            shown = [text for text in line[len(" Speech outp…") :].replace("▶", " ").split("  ") if text.strip()]
            assert len(shown) == len(set(shown)), line


async def test_the_headline_shows_the_whole_difference_and_whole_numbers() -> None:
    async with opened(size=(110, 34)) as user:
        await pin(user, "usual")
        await model(user, "mdlb_4_5_sonnet")
        await user.press("]")
        compared = against(user.estimator.study)
        assert compared is not None
        await user.sees(compared.texts[1].removesuffix("vs. pin"), "Interactions a month")
        assert not re.search(r" \d{1,3} *│\n.*││ \d{3} ", user.screen)


@pytest.mark.parametrize("price", [None, read_price("0.50 EUR")])
@pytest.mark.parametrize(("name", "cheaper"), [("usual", True), ("usual", False), (LONG, True)])
async def test_the_headline_names_the_baseline_whole_or_calls_it_a_pin(
    name: str, price: Price | None, *, cheaper: bool
) -> None:
    async with opened(size=(110, 34), config=Config(price=price)) as user:
        await pin(user, name)
        await model(user, "mdla_4o_mini" if cheaper else "mdlb_4_5_sonnet")
        await user.press("]")
        compared = against(user.estimator.study)
        assert compared is not None
        named = name == "usual" and cheaper and price is None
        shown = compared.texts[0 if named else 1 if price is None else 2]  # money needs the room of the percentage
        await user.sees(f"  {shown} ")


async def test_the_baseline_shows_its_inputs_as_the_others_do() -> None:
    async with opened(size=(110, 34)) as user:
        await two_pinned(user)
        await pin(user, "live")
        await model(user, "mdla_4o_mini")
        await user.finds("view-compare")
        await user.press("v")
        await user.sees("Different inputs")
        cells = ("MDLC 2.5 Flash", "MDLB 4.5 Sonnet"), ("Vendor C Streaming",) * 2, ("Managed voice",) * 2
        for usual, better in cells:  # of the baseline and of the pin to its right
            assert re.search(f"{usual} +{better}", user.pane("#comparison")), usual


@pytest.mark.parametrize(
    ("size", "label"), [((60, 20), "Speech out "), ((80, 24), "Speech output "), (WIDE, "Speech output ")]
)
async def test_no_label_is_cut_where_there_is_room(size: tuple[int, int], label: str) -> None:
    async with opened(size=size) as user:
        await user.press("p", "enter")
        await user.finds("view-compare")
        await user.until(lambda: label in user.pane("#comparison"), "for the label")
        assert "Speech outp…" not in user.pane("#comparison")
