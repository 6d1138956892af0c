"""The estimator: every input from the keyboard, and figures that always belong to what is shown."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.tui.numbers import credits_text, latency_text
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.widgets.chooser import Chooser
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import SMALL, WIDE, User, opened

#: Inputs by the rows of the form, from the top.
SWITCH, SPEECH_IN, TOKENS, RESPONSE, SPOKEN = 1, 3, 6, 7, 9


async def go_to(user: User, row: int) -> None:
    await user.press("home", *["down"] * row)


def typed(user: User, field: str = "input_tokens") -> str:
    return user.estimator.now.typed.get(field, "")


def asked(user: User) -> tuple[Selections, Assumptions]:
    return user.estimator.now.selections(), user.estimator.now.assumptions()


async def test_it_starts_on_the_model_with_the_defaults_of_the_service() -> None:
    async with opened() as user:
        assert asked(user) == (Selections(), Assumptions())
        assert "▌Model" in user.screen
        await user.sees("10.297 credits per interaction", "640 – 1 520 ms")


async def test_figures_are_those_of_the_service() -> None:
    session = demo()
    async with opened(session) as user:
        await user.press("right", "right")
        await go_to(user, TOKENS)
        await user.write("12500")
        await user.press("down")
        await user.write("333.5")
        await user.ready()
        selections, assumptions = asked(user)
        assert assumptions == Assumptions(input_tokens=Decimal(12500), output_chars=Decimal("333.5"))
        assert selections.llm is not None
        estimate = await session.service.estimate(selections, assumptions)
        await user.sees(f"{credits_text(estimate.credits)} credits", latency_text(estimate.latency_ms))
        for line in estimate.lines:
            rows = [row for row in user.pane("#result").splitlines() if f" {line.label} " in row]
            assert any(f" {credits_text(line.credits)} " in row for row in rows), line.label


# -- numbers -----------------------------------------------------------------------------------------------------------


async def test_typing_replaces_the_selected_number() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.write("7")
        assert typed(user) == "7"
        await user.write("50")
        assert typed(user) == "750"
        await user.press("down", "up")
        await user.write("9")
        assert typed(user) == "9"


async def test_enter_puts_the_caret_behind_the_number() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.press("5", "down", "up", "enter", "0", "0")
        assert typed(user) == "500"
        await user.press("enter", "8")
        assert typed(user) == "8"


async def test_a_number_is_edited_at_the_caret() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.write("1.25")
        await user.press("backspace", "left", "left", "9")
        assert typed(user) == "19.2"
        await user.press("delete")
        assert typed(user) == "192"
        await user.press("left", "left", "left", "left", "backspace", "4")
        assert typed(user) == "4192"
        await user.press("right", "right", "right", "right", "right", "5")
        assert typed(user) == "41925"


async def test_backspace_on_a_selected_number_takes_the_default_again() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.write("123")
        await user.press("down", "up", "backspace")
        assert typed(user) == ""
        await user.press("down")
        await user.ready()
        assert "4 000 tokens" in user.line("Input tokens", "#inputs")
        assert asked(user)[1] == Assumptions()


async def test_escape_restores_the_number_from_before_typing() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.press(*"800", "down", "up", *"12", "escape")
        assert typed(user) == "800"
        await user.press("escape")
        assert typed(user) == "800"
        await user.ready()
        assert asked(user)[1] == Assumptions(input_tokens=Decimal(800))


@pytest.mark.parametrize(
    ("pasted", "taken"),
    [
        ("12 500", "12500"),
        ("12,500.25 tokens", "12500.25"),
        ("1,250,000", "1250000"),
        ("\n 7\r\n", "7"),
        ("1" * 5000, "1" * 24),
        ("1e3", "1e3"),
        ("-5", "-5"),
        ("12,500", "12,500"),  # twelve and a half, or twelve thousand
    ],
)
async def test_paste_takes_the_number_out_of_the_text(pasted: str, taken: str) -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.paste(pasted)
        assert typed(user) == taken


async def test_a_comma_is_kept_and_refused_with_the_value_and_the_cure() -> None:
    async with opened(size=WIDE) as user:
        await go_to(user, SPOKEN)
        await user.press("enter", "ctrl+u")
        await user.write("1,5")
        await user.press("enter")
        assert typed(user, "tts_seconds") == "1,5"
        await user.sees("Not sent", "1,5 is not a number; use a decimal point, not a comma.")
        assert user.estimator.now.value("tts_seconds") == user.estimator.now.default("tts_seconds")


@pytest.mark.parametrize(("keys", "number"), [("1e3", "1000"), ("2.5e-1", "0.25"), ("1 500", "1500")])
async def test_a_number_is_typed_as_people_write_it(keys: str, number: str) -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.write(keys)
        assert typed(user) == keys
        assert user.estimator.now.value("input_tokens") == Decimal(number)


async def test_control_u_empties_a_number_also_before_it_is_typed() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.press(*"3", "enter", "enter", "ctrl+u", "1")
        assert typed(user) == "1"
        await user.press("down", "up", "ctrl+u", "2")
        assert typed(user) == "2"


async def test_what_is_pasted_without_a_number_or_on_an_option_changes_nothing() -> None:
    async with opened() as user:
        await user.paste("12")
        await go_to(user, TOKENS)
        await user.paste("many \x1b[2J")
        assert typed(user) in ("", "2")  # digits of a sequence are digits
        await go_to(user, SWITCH)
        before = asked(user)
        await user.paste("99")
        assert asked(user) == before


@covers("step-up", "step-down")
async def test_steps_add_to_a_quantity_and_never_go_below_nothing() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.press("+")
        assert typed(user) == "4500"
        await user.press("=", "right", "-")
        assert typed(user) == "5000"
        await user.press(*["left"] * 12)
        assert typed(user) == "0"
        await user.ready()
        assert "0.000" in user.line("Prompt", "#result")


async def test_a_step_starts_from_what_was_just_typed() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.press(*"1000", "+")
        assert typed(user) == "1500"


async def test_two_points_are_told_at_the_field_and_nothing_is_sent() -> None:
    session, double = doubled()
    async with opened(session, size=WIDE) as user:
        await go_to(user, TOKENS)
        await user.write("1.2")
        await user.ready()
        shown, sent = user.screen.count("credits per interaction"), double.count("estimate")
        await user.write(".3")
        await user.settle()
        assert typed(user) == "1.2.3"
        assert "✗" in user.line("Input tokens", "#inputs")
        await user.sees("Not sent", "1.2.3 is not a number.")
        assert not any("…" in line for line in user.pane("#result").splitlines()[1:-1])
        await user.press("f5", "down", "up")
        await user.until(lambda: double.count("options") == 2)
        assert double.count("estimate") == sent
        assert user.screen.count("credits per interaction") == shown
        await user.press("backspace", "backspace")
        await user.ready()
        assert "✗" not in user.screen


@pytest.mark.parametrize("typed_as", ["-5", "1000000000001"])
async def test_a_quantity_out_of_range_is_told_in_the_words_of_the_form(typed_as: str) -> None:
    async with opened(size=WIDE) as user:
        await go_to(user, SPOKEN)
        await user.press("enter", "ctrl+u")
        await user.write(typed_as)
        await user.press("enter")
        await user.sees("Not sent", f"A quantity must be from 0 to 1 000 000 000 000, not {typed_as}.")
        assert "✗" in user.line("Spoken reply", "#inputs")


async def test_a_quantity_that_the_service_refuses_is_told_and_the_last_figures_stay() -> None:
    session, double = doubled()
    async with opened(session, size=WIDE) as user:
        await go_to(user, RESPONSE)
        double.failures["estimate"] = ServiceError(ErrorKind.INVALID, "Too much.", member="outputChars")
        await user.write("1")
        await user.until(lambda: user.estimator.now.error, "for the refusal")
        await user.settle()
        assert "✗" in user.line("Response", "#inputs")
        await user.sees("Not estimated", "below are from the last estimate", "Prompt", "2.520")
        del double.failures["estimate"]
        await user.press("backspace")
        await user.ready()
        assert "✗" not in user.screen


async def test_two_hundred_keys_at_once_lose_nothing() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        erased = ["backspace"] * 4
        keys = [key for number in range(18) for key in (*str(1000 + number), *erased, *"12", *erased[:2])]
        keys += [*"987", "down", *"65", "down", *"4", "up", "up", "enter", *"21"]
        assert len(keys) > 200
        await user.press(*keys)
        await user.ready()
        assert typed(user) == "98721"
        assert typed(user, "output_chars") == "65"
        assert typed(user, "stt_seconds") == "4"


# -- options and switches ----------------------------------------------------------------------------------------------


@covers("step-up", "step-down")
async def test_arrows_walk_through_the_options_and_stop_at_the_ends() -> None:
    async with opened() as user:
        await go_to(user, SPEECH_IN)
        keys = [choice.key for choice in user.estimator.now.choices("stt")]
        await user.press(*["left"] * (len(keys) + 1))
        assert user.estimator.now.value("stt") == keys[0]
        await user.press("right")
        assert user.estimator.now.value("stt") == keys[1]
        await user.press(*["right"] * len(keys))
        assert user.estimator.now.value("stt") == keys[-1]
        await user.ready()


@covers("choose-field", "step-up")
async def test_switches_flip_with_enter_space_and_arrows() -> None:
    async with opened() as user:
        await go_to(user, SWITCH)
        for key in ("enter", "space", "right", "left"):
            before = user.estimator.now.value("memory")
            await user.press(key)
            assert user.estimator.now.value("memory") is not before
        await user.ready()
        assert "■ on" in user.line("Memory", "#inputs")


async def test_a_realtime_model_has_no_line_for_the_response() -> None:
    async with opened(size=WIDE) as user:
        await user.press("enter")
        await user.write("realtime")
        await user.press("enter")
        await user.ready()
        assert "realtime" in str(user.estimator.now.value("llm"))
        assert "AI response" not in user.screen


async def test_a_realtime_model_brings_its_own_voices_and_text_models_without_any_are_no_longer_cheaper() -> None:
    async with opened(size=WIDE) as user:
        before = user.estimator.now
        await user.press("enter")
        await user.write("realtime")
        await user.press("enter")
        await user.ready()
        now = user.estimator.now
        assert (now.value("stt"), now.value("tts")) == ("included_in_realtime", "included_in_realtime")
        await user.sees("3 of 58 models fit your inputs")
        await user.press("z")
        assert user.estimator.now.inputs == before.inputs


@covers("choose-field")
async def test_the_chooser_filters_while_one_types_and_takes_what_is_under_the_cursor() -> None:
    async with opened() as user:
        await user.press("enter")
        await user.sees("58 of 58")
        await user.write("mdlb sonnet")
        await user.until(lambda: "58 of 58" not in user.screen)
        matching = [
            choice.key
            for choice in user.estimator.now.choices("llm")
            if "mdlb" in (text := f"{choice.key} {choice.label}".casefold()) and "sonnet" in text
        ]
        assert f"{len(matching)} of 58" in user.screen
        await user.press("down", "down", "up", "enter")
        await user.ready()
        assert user.estimator.now.value("llm") == matching[1]


async def test_escape_leaves_the_choice_as_it_was() -> None:
    async with opened() as user:
        await user.press("enter", *"mdlb", "down", "escape")
        assert asked(user)[0] == Selections()
        await user.press("enter", "enter")
        assert asked(user)[0] == Selections()


async def test_the_chooser_says_when_nothing_matches_and_enter_then_does_nothing() -> None:
    async with opened() as user:
        await user.press("enter", *"zzz")
        await user.sees("No matches. Esc cancels.", "0 of 58")
        await user.press("enter", "down", "up", "pagedown", "pageup")
        assert user.is_at(Chooser)
        await user.press("escape")
        assert asked(user)[0] == Selections()


async def test_keys_typed_ahead_of_the_chooser_reach_it() -> None:
    async with opened() as user:
        await user.press("enter", *"realtime", "enter", "down", "enter", *["down"] * 5, *"42")
        await user.ready()
        assert "realtime" in str(user.estimator.now.value("llm"))
        assert user.estimator.now.value("memory") is False
        assert typed(user) == "42"


@covers("reset-field", "reset-all")
async def test_one_input_or_all_go_back_to_the_defaults() -> None:
    async with opened() as user:
        await user.press("right", "down", "enter")
        await go_to(user, TOKENS)
        await user.press(*"77", "down", *"88")
        await user.press("enter", "r")
        assert asked(user)[1] == Assumptions(input_tokens=Decimal(77))
        await go_to(user, SWITCH)
        await user.press("r")
        assert asked(user)[0].memory is None
        assert asked(user)[0].llm is not None
        await user.press("R")
        await user.ready()
        assert asked(user) == (Selections(), Assumptions())
        await user.sees("10.297")


async def test_reset_while_a_number_is_typed_forgets_it() -> None:
    async with opened() as user:
        await go_to(user, TOKENS)
        await user.press(*"123", "enter", "r", "9")
        assert typed(user) == "9"


# -- answers -----------------------------------------------------------------------------------------------------------


async def test_an_answer_that_comes_too_late_is_dropped() -> None:
    session, double = remote()
    async with opened(session) as user:
        double.hold("estimate")
        await user.press("down", "enter")
        await user.until(lambda: double.waiting("estimate") == 1)
        await user.press("enter", "down", "enter")
        await user.until(lambda: double.waiting("estimate") == 2)
        state = user.estimator.now
        double.let_go("estimate", 1)
        await user.until(lambda: not user.estimator.now.stale)
        newest = user.estimator.now.estimate
        double.let_go("estimate", 0)
        await user.settle()
        assert user.estimator.now.estimate is newest
        assert newest is not None
        assert newest.selections is not None
        assert newest.selections.knowledge is state.value("knowledge")


async def test_figures_that_belong_to_earlier_inputs_are_marked() -> None:
    session, double = remote()
    async with opened(session) as user:
        before = user.line("credits per interaction")
        double.hold("estimate")
        await user.press("down", "enter")
        await user.until(lambda: double.waiting("estimate") == 1)
        await user.settle()
        marked = user.line("credits per interaction")
        assert marked != before
        assert "…" in marked
        double.let_all_go()
        await user.ready()
        assert "…" not in user.line("credits per interaction")


async def test_a_service_over_the_network_is_asked_once_for_a_burst() -> None:
    session, double = remote()
    async with opened(session) as user:
        sent = double.count("estimate")
        await go_to(user, TOKENS)
        await user.write("123456")
        await user.ready()
        assert double.count("estimate") == sent + 1
        assert double.calls[-1][1]["assumptions"] == {"inputTokens": Decimal(123456)}


@covers("refresh")
async def test_refresh_asks_again() -> None:
    session, double = doubled()
    async with opened(session) as user:
        for number, key in enumerate(("f5", "ctrl+r"), 1):
            await user.press(key)
            await user.until(lambda number=number: double.count("estimate") == 1 + number)  # type: ignore[misc]
            await user.until(lambda number=number: double.count("options") == 1 + number)  # type: ignore[misc]


async def test_options_that_cannot_be_read_leave_the_labels_of_the_catalogue() -> None:
    session, double = doubled()
    double.failures["options"] = ServiceError(ErrorKind.INTERNAL, "no options today")
    async with opened(session) as user:
        await user.sees("10.297 credits")
        await user.press("enter")
        await user.sees("58 of 58")


async def test_the_result_is_read_with_the_cursor() -> None:
    async with opened() as user:
        await user.press("tab")
        await user.sees("150 characters = 37.5", "330 – 790 ms")
        await user.press("down", "down")
        await user.sees("flat charge per interaction")
        await user.press("shift+tab")
        await user.misses("flat charge per interaction")


# -- undo --------------------------------------------------------------------------------------------------------------


@covers("undo-input", "redo-input")
async def test_every_change_of_the_inputs_is_a_step_and_digits_in_a_row_are_one() -> None:
    async with opened() as user:
        states = [user.estimator.now.inputs]
        for keys in (("right",), ("down", "enter"), (*["down"] * 5, *"5200"), ("+",), ("R",)):
            await user.press(*keys)
            await user.ready()
            states.append(user.estimator.now.inputs)
        assert len({str(state) for state in states}) == len(states) - 1  # the reset restores the defaults
        for before in reversed(states[:-1]):
            await user.press("z")
            assert user.estimator.now.inputs == before
        await user.ready()
        await user.sees("10.297 credits")
        await user.press("z")
        await user.is_told("No edit to undo.")
        for after in states[1:]:
            await user.press("Z")
            assert user.estimator.now.inputs == after
        await user.press("Z")
        await user.is_told("Nothing to redo.")


async def test_a_number_typed_again_is_another_step_and_one_put_back_is_none() -> None:
    async with opened() as user:
        await user.press(*["down"] * 6, *"52", "enter", *"61", "escape", *"70", "enter", "z")
        await user.until(lambda: user.estimator.now.typed == {"input_tokens": "52"}, "for the first number")
        await user.is_told("Undone: Input tokens")
        await user.press("z")
        await user.until(lambda: user.estimator.now.typed == {}, "for the default")


async def test_a_row_of_a_tab_that_was_loaded_can_be_undone() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 6, *"5200", "enter")
        await user.ready()
        assert " z undo" in user.screen
        before = user.estimator.now.inputs
        await user.finds("view-explore")
        await user.press("home", "enter")
        await user.until(lambda: user.estimator.now.inputs != before, "for the row to be loaded")
        await user.press("z")
        await user.until(lambda: user.estimator.now.inputs == before, "for the inputs from before")
        await user.is_told("Undone: Model, Memory, Speech output")
        await user.press("escape", "a", *"Mine", "enter", "R", "o", "enter")  # the inputs, not the row
        await user.until(lambda: user.estimator.now.typed == {"input_tokens": "5200"}, "for the preset")
        await user.press("z")
        await user.until(lambda: user.estimator.now.typed == {}, "for the defaults")
        user.estimator.begin_with({"llm": "mdla_4o"}, {})
        await user.press("z")
        await user.until(lambda: user.estimator.now.chosen == {}, "for the defaults again")


async def test_a_change_after_undo_ends_what_could_be_redone() -> None:
    async with opened() as user:
        await user.press("right", "z", "down", "enter", "Z")
        await user.is_told("Nothing to redo.")
        await user.press("escape")  # dismisses the message
        assert " z undo" in user.bottom_line


async def test_in_the_smallest_window_no_figure_of_the_estimate_is_cut() -> None:
    async with opened(size=SMALL) as user:
        await user.sees("10.297 credits ", "640 – 1 520 ms ", "350 ms")
        assert not any("…" in line for line in user.pane("#result").splitlines()[1:-1])


@pytest.mark.parametrize(("first", "typed"), [("enter", "7005"), ("4", "45")])
async def test_no_command_runs_while_a_number_is_typed(first: str, typed: str) -> None:
    async with opened(size=WIDE) as user:
        await user.press("down", "space", *["down"] * 5, *"700", "enter")
        before = user.estimator.now.inputs
        await user.press(first, *"5Ra[q")
        await user.is_told("“q” is not part of a number. Enter keeps the number, Esc cancels.")
        assert user.is_at(EstimatorScreen)
        assert "R reset" not in user.bottom_line
        assert user.estimator.now.typed == {"input_tokens": typed}
        await user.press("escape")
        assert user.estimator.now.inputs == before
        await user.press("R")
        assert user.estimator.now.typed == {}
