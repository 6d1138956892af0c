"""Selecting characters and changing all of them: what is asked, what is shown of each, and what is there after."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from textual.screen import ModalScreen

from chartui.core.presets import Preset, Presets, presets_folder
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Selections
from chartui.tui.run_plan import Report
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.questions import AskLine
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import agreed, asked_for, reviewing
from tests.tui.keyboard import covers
from tests.tui.sessions import Double, demo, doubled, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened


def selected(user: User) -> list[str | None]:
    return [summary.character_name for summary in user.characters.selected]


async def settings(user: User, name: str) -> Any:
    character_id = next(s.character_id for s in user.characters.summaries if s.character_name == name)
    return await user.app.session.service.settings(character_id)


def written(double: Double) -> list[Any]:
    return [payload for name, payload in double.calls if name == "update-character"]


# -- who is selected --------------------------------------------------------------------------------------------------


@covers("select-character", "select-matching", "select-none")
async def test_characters_are_selected_one_by_one_and_all_that_are_listed() -> None:
    async with opened(screen="characters") as user:
        await user.press("space", "down", "down", "space")
        assert selected(user) == ["Elena Marsh", "Avery Cole"]
        assert user.line("Elena Marsh").startswith("│✓Elena")
        assert user.line("Bran Alder").startswith("│ Bran")
        await user.sees("✓ 2 selected · 12 ─")
        await user.press("space")
        assert selected(user) == ["Elena Marsh"]
        await user.press("/", *"de-de", "enter", "*")
        assert selected(user) == ["Elena Marsh", "Dr. Katharina Vogt"]
        await user.press("U")
        assert selected(user) == []
        await user.misses("selected")


async def test_the_footer_of_the_list_offers_to_change_the_selected_ones() -> None:
    for size in (SMALL, NARROW, WIDE):
        async with opened(screen="characters", size=size) as user:
            assert "b change" not in user.bottom_line
            await user.press("space")
            assert "b change" in user.bottom_line
            await user.press("U")
            assert "b change" not in user.bottom_line


async def test_the_selection_outlives_filters_panes_and_refreshes() -> None:
    async with opened(screen="characters") as user:
        await user.press("space", "/", *"nova", "enter")
        assert selected(user) == ["Elena Marsh"]
        await user.press("enter")
        await user.until(lambda: user.characters.fills_window(), "for the record")
        assert user.screen.splitlines()[-1].endswith("✓ 1 selected")
        await user.press("escape", "escape", "f5")
        await user.ready()
        assert selected(user) == ["Elena Marsh"]
        assert user.line("Elena Marsh").startswith("│✓Elena")


async def test_who_is_gone_is_not_selected_any_more_and_that_is_said() -> None:
    async with opened(screen="characters") as user:
        await user.press("*")
        gone = user.characters.summaries[0].character_id
        await writes.delete_character(user.app.session.service, gone)
        await user.press("f5")
        await user.is_told("Deselected 1 character that no longer exists.")
        assert len(selected(user)) == 11


async def test_a_list_that_cannot_be_read_again_keeps_the_selection() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("space")
        double.failures["summarize-characters"] = ServiceError(ErrorKind.BUSY, "Another program writes.")
        await user.press("f5")
        await user.ready()
        assert selected(user) == ["Elena Marsh"]
        await user.uncovers("refresh failed", "✓ 1 selected")


# -- what is asked ----------------------------------------------------------------------------------------------------


@covers("bulk-change")
async def test_nobody_selected_is_told_how_to_select() -> None:
    async with opened(screen="characters") as user:
        await user.press("b")
        await user.is_told("No characters selected. space selects the current one and * selects all in the list.")
        assert not user.is_at(ModalScreen)


async def test_escape_leaves_everything_as_it_was_at_every_question() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("space", "down", "space")
        for member, question in (("model", Chooser), ("temp", AskLine), ("reasoning", Chooser)):
            await asked_for(user, member)
            await user.until(lambda kind=question: user.is_at(kind), member)  # type: ignore[misc]
            await user.press("escape")
            await user.leaves(ModalScreen)
        await asked_for(user, "temp")
        await user.press(*"0.35", "enter")
        await reviewing(user)
        await user.press("escape")
        await user.settle()
        assert selected(user) == ["Elena Marsh", "Bran Alder"]
        assert written(double) == []


@pytest.mark.parametrize("typed", ["", "1.5", "warm", "-1"])
async def test_what_is_no_temperature_is_asked_again(typed: str) -> None:
    async with opened(screen="characters") as user:
        await user.press("space")
        await asked_for(user, "temp")
        await user.press(*typed, "enter")
        await user.sees("The temperature must be a number from 0 to 1, not")
        assert user.is_at(AskLine)


# -- what is shown and done -------------------------------------------------------------------------------------------


async def test_one_temperature_for_several() -> None:
    async with opened(screen="characters") as user:
        before = (await settings(user, "Avery Cole")).temperature
        await user.press("space", "down", "space")
        await asked_for(user, "temp")
        await user.press(*".35", "enter")
        await reviewing(user)
        await user.sees("Set temperature for 2 characters", "Elena Marsh", "Bran Alder", "→ 0.35", "Type 2:")
        assert "together" not in user.screen  # a temperature costs nothing
        await agreed(user, "2")
        for name in ("Elena Marsh", "Bran Alder"):
            assert (await settings(user, name)).temperature == Decimal("0.35")
        assert (await settings(user, "Avery Cole")).temperature == before
        assert selected(user) == ["Elena Marsh", "Bran Alder"]


async def test_a_model_says_what_becomes_of_levels_and_costs_and_is_taken_back_as_one() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        # All but Nova: her own model cannot be put back, since no list has it.
        await user.press("*", "end", "up", "space")
        names = [name or "" for name in selected(user)]
        assert "Nova Adeyemi" not in names
        before = [await settings(user, name) for name in names]
        await asked_for(user, "model")
        await user.press(*"mdla-4.1", "enter")
        await reviewing(user)
        await user.sees(
            "Set model for 11 characters",
            "The reasoning level of 6 characters is not supported by the new model and is cleared.",
            "One interaction with each of 11 characters. Worst-case end-to-end latency: 6 faster, 5",
            "mdla-4.1 does not support the reasoning level “medium”, so the level is cleared.",
            "10.486 → 9.331 credits (−1.155)",
            "1 550 – 4 630 → 740 – 1 810 ms (lower end −810, upper end −2 820)",
        )
        await agreed(user, "11")
        assert {(await settings(user, name)).model_group_name for name in names} == {"mdla-4.1"}
        await user.press("u")
        await reviewing(user)
        await user.press("y")  # the size counts, not the direction
        assert user.is_at(Review)
        await agreed(user, "11")
        await user.ready()
        assert [await settings(user, name) for name in names] == before


async def test_the_model_of_a_preset_for_several() -> None:
    session = demo()
    presets = Presets(presets_folder(session.folder))
    presets.save(Preset(name="Kiosk", selections=Selections(llm="mdla_5_1_high")))
    presets.save(Preset(name="Own", selections=Selections(llm="mdlc_2_0_flash")))
    presets.save(Preset(name="Default model", selections=Selections(memory=True)))
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("space", "down", "space", "b")
        await user.sees("Model from a preset…")
        assert "3 presets" in user.line("Model from a preset…")
        await user.write("preset")
        await user.press("enter")
        await user.sees("Default model", "the service's default")
        await user.press(*"kiosk", "enter")
        await reviewing(user)
        await user.sees("The model from preset “Kiosk”.", "→ high")
        await user.press("escape", "b", *"preset", "enter", *"default", "enter")
        await reviewing(user)
        await user.sees("The model from preset “Default model”.", "→ mdlc-2.5-flash")


async def test_who_would_be_refused_and_who_has_it_already_is_left_out_and_named() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("*")
        await asked_for(user, "reasoning")
        await user.at(Chooser)
        await user.sees("level high", "accepted by 7 of 12; unknown for 1")
        await user.press(*"level high", "enter")
        await reviewing(user)
        await user.sees(
            "Skipped: 1 character cannot be given these settings: Avery Cole. mdla-4o does not support",
            "“high”; it supports no reasoning levels.",
            "1 character already has these settings and is skipped: Dr. Katharina Vogt.",
            "Type 7:",
        )
        await user.press("7", "enter")
        # Of Nova's own model nothing is known, so the store is asked, and refuses.
        await user.at(Report)
        await user.sees("6 steps done", "1 step refused, nothing was changed", "Nova Adeyemi")
        assert len(written(double)) == 7
        await user.press("escape")


async def test_where_nobody_can_be_changed_nothing_is_asked() -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "down", "space")  # her model takes no level
        await asked_for(user, "reasoning")
        await user.at(Chooser)
        await user.press("enter")
        await user.is_told("1 character already has these settings and is skipped: Avery Cole.")
        assert not user.is_at(ModalScreen)


async def test_a_model_that_is_gone_is_replaced_where_it_was() -> None:
    async with opened(screen="characters") as user:
        await user.press("*")
        await user.press("b")
        await user.sees("Model no longer listed")
        assert "used by 1" in user.line("Model no longer listed")
        await user.write("gone")
        await user.press("enter")
        await user.sees("Replace crew-trainer-8b with")
        await user.press(*"mdla-4o-mini", "enter")
        await reviewing(user)
        await user.sees("Set model for 1 character", "Nova Adeyemi", "The character's model is no longer listed.")
        await user.press("y")
        await user.leaves(ModalScreen)
        assert (await settings(user, "Nova Adeyemi")).model_group_name == "mdla-4o-mini"
        await user.press("U", "space")
        await asked_for(user, "gone")
        await user.is_told("All models of the selected characters are still listed.")


async def test_only_the_number_agrees() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("*")
        await asked_for(user, "temp")
        await user.press(*"0.35", "enter")
        await reviewing(user)
        await user.press("y")
        await user.sees("To confirm, type 12, the number of changes.")
        await user.press("1")
        assert "To confirm" not in user.screen
        await user.press("enter")
        await user.press("3", "enter")
        await user.sees("To confirm, type 12, the number of changes.")
        assert user.is_at(Review)
        await user.press("backspace")
        assert "To confirm" not in user.screen
        assert written(double) == []
        await user.press("1", "2", "enter")
        await user.leaves(ModalScreen)
        assert len(written(double)) == 12


async def test_what_others_change_meanwhile_is_refused_for_that_one_and_told() -> None:
    async with opened(screen="characters") as user:
        await user.press("space", "down", "space")
        await asked_for(user, "temp")
        await user.press(*"0.35", "enter")
        await reviewing(user)
        elena = user.app.session.service
        await writes.update_character(elena, (await elena.summaries())[0].character_id, temperature=Decimal("0.9"))
        await user.press("2", "enter")
        await user.at(Report)
        await user.sees("1 step refused, nothing was changed", "1 step done", "Elena Marsh")
        await user.press("escape")
        await user.leaves(ModalScreen)
        assert (await settings(user, "Elena Marsh")).temperature == Decimal("0.9")
        assert (await settings(user, "Bran Alder")).temperature == Decimal("0.35")


async def test_who_is_gone_when_it_is_asked_for_is_left_out() -> None:
    async with opened(screen="characters") as user:
        await user.press("space", "down", "space")
        await writes.delete_character(user.app.session.service, user.characters.selected[0].character_id)
        await asked_for(user, "temp")
        await user.press(*"0.35", "enter")
        await reviewing(user)
        await user.sees("Set temperature for 1 character", "Bran Alder")
        await user.press("escape")


async def test_on_a_service_the_list_is_read_once_and_what_it_does_not_tell_is_said() -> None:
    session, double = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("space", "down", "space")
        lists = double.count("list-characters")
        await asked_for(user, "reasoning")
        await user.at(Chooser)
        await user.press(*"level low", "enter")
        await reviewing(user)
        assert double.count("list-characters") == lists + 1
        await user.sees(
            "2 of the values cannot be checked because the current value is unknown.",
            "unknown → low",
            "Elena Marsh",
            "Bran Alder",
        )
        await agreed(user, "2")
        assert [payload["reasoning_effort"] for payload in written(double)] == ["low", "low"]


async def test_reading_many_can_be_given_up() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("*")
        double.hold("get-character")
        await asked_for(user, "temp")
        await user.press(*"0.35", "enter")
        await user.sees("Change 12 characters", "0 of 12 characters read")
        await user.press("escape")
        await user.leaves(ModalScreen)
        assert written(double) == []
        double.let_all_go()


async def test_without_an_answer_about_the_price_the_change_is_still_to_be_had() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        double.failures["estimate"] = ServiceError(ErrorKind.UNREACHABLE, "No answer.")
        await user.press("space", "down", "space")
        await asked_for(user, "model")
        await user.press(*"mdla-4.1", "enter")
        await reviewing(user)
        await user.sees("The new cost per interaction is unknown: No answer.")
        await agreed(user, "2")
        assert len(written(double)) == 2


async def test_under_the_lock_characters_are_selected_and_not_changed() -> None:
    async with opened(demo(read_only=True), screen="characters") as user:
        await user.press("*", "b")
        await user.is_told("changing characters is disabled.")
        assert len(selected(user)) == 12
        assert not user.is_at(ModalScreen)
