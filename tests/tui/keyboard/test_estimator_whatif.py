"""The what-if view: lines over a quantity, where they cross, and what makes the cost."""

from __future__ import annotations

from dataclasses import replace
from shlex import split
from typing import Any

import pytest

from chartui.cli.parser import parse
from chartui.core.estimation.card import load_card
from chartui.core.estimation.conversation import Conversation, conversations
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.sheet import as_records
from chartui.tui.numbers import credits_difference, credits_text, signed_text
from chartui.tui.screens.estimator.facts import Facts
from chartui.tui.screens.estimator.study import Pinned
from chartui.tui.screens.estimator.whatif import WhatIfView
from tests.long import spread
from tests.tui.keyboard import covers
from tests.tui.user import WIDE, User, opened

VIEW = "#view-what-if"
CARD = load_card()
PLAIN = Configuration.default(CARD)
USUAL = Quantities.default(CARD)
LARGE = PLAIN._replace(llm="mdla_4o", memory=not PLAIN.memory)
LIVE = PLAIN._replace(llm="mdla_realtime_mini")
CURSOR = "◉"


async def turn_to(user: User) -> None:
    """Press the key of the view, and wait until it is there and has the keys."""
    await user.finds("view-what-if")
    await user.until(lambda: user.top.query_one("#what-if-facts").has_focus)
    await user.until(lambda: "Credits now, at " in user.pane("#what-if-facts"))


async def go_back(user: User) -> None:
    """Go back to the inputs, and wait until they have the keys."""
    await user.press("escape")
    await user.until(lambda: user.top.query_one("#inputs").has_focus)


def pin(user: User, **configurations: Configuration) -> None:
    """Have configurations pinned."""
    pinned = tuple(Pinned(name, one, USUAL) for name, one in configurations.items())
    user.estimator.show(replace(user.estimator.now, pinned=pinned))


def cost(configuration: Configuration, **changed: int) -> str:
    amount = Pricing(CARD, USUAL._replace(**changed)).credits(configuration)
    assert amount is not None
    return credits_text(amount)


@covers("view-what-if", "what-if-quantity")
async def test_it_shows_one_quantity_after_the_other() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.sees("›Input tokens", "0 – 16 000", "now 4 000", "Credits now, at 4 000 input tokens")
        await user.press("t")
        await user.sees("›Response", "0 – 600", "response characters")
        await user.press("right", "right")
        await user.sees("›Spoken reply", "0 – 40", "now 10")
        await user.press("t")
        await user.sees("›Turns", "1 – 20", "Credits for 20 turns")
        await user.press("t")
        await user.sees("›Input tokens")
        await user.press("left", "left", "left")
        await user.sees("›User speech", "0 – 32")


async def test_the_palette_finds_the_next_quantity_on_any_tab() -> None:
    async with opened() as user:
        await user.finds("what-if-quantity")
        await user.sees("›Response")
        assert user.estimator.tab == "What-if"


async def test_the_letter_that_it_shares_with_the_ranking_is_its_own_while_it_is_open() -> None:
    async with opened() as user:
        await user.press("[", "[", "[")
        assert user.focus == "inputs"
        await user.press("t")
        await user.sees("›Response")
        assert user.estimator.tab == "What-if"
        await user.press("]", "t")
        await user.sees("Speech input", "5 options")
        assert user.estimator.tab == "Rank"


@covers("what-if-longer", "what-if-shorter")
async def test_the_range_ends_where_somebody_wants() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("+")
        await user.sees("0 – 20 000")
        await user.press("+")
        await user.sees("0 – 50 000")
        await user.press("-", "-", "-", "-")
        await user.sees("0 – 2 000")
        assert "now 4 000" not in user.pane("#what-if-plot")  # beyond what is drawn
        await user.press(*["-"] * 20)
        await user.sees("0 – 1 ")
        await user.press(*["="] * 60)
        await user.sees("0 – 1 000 000 000 000")
        await user.press("t", "left")
        await user.sees("0 – 16 000")


async def test_differences_are_relative_to_the_baseline_as_in_compare() -> None:
    def more(one: Configuration, other: Configuration) -> str:
        credits_ = Pricing(CARD, USUAL).credits
        amount, base = credits_(one), credits_(other)
        assert amount is not None
        assert base is not None
        return signed_text(credits_difference(amount, base))

    async with opened(size=WIDE) as user:
        pin(user, large=LARGE, live=LIVE)
        await turn_to(user)
        assert user.line(" large ", "#what-if-facts").endswith("baseline")
        assert more(PLAIN, LARGE) in user.line("● current ", "#what-if-facts")
        assert more(LIVE, LARGE) in user.line(" live ", "#what-if-facts")
        await user.finds("view-compare")
        await user.sees(more(PLAIN, LARGE))
        user.estimator.show(replace(user.estimator.now, baseline=1))
        await turn_to(user)
        await user.until(lambda: user.line(" live ", "#what-if-facts").endswith("baseline"))
        assert more(LARGE, LIVE) in user.line(" large ", "#what-if-facts")


async def test_figures_follow_what_is_typed() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.sees(cost(PLAIN))
        await go_back(user)
        await user.press(*["down"] * 7)
        await user.write("900")
        await user.until(lambda: cost(PLAIN, output_chars=900) in user.line("● current ", "#what-if-facts"))
        await user.press("up")
        await user.write("12000")
        await user.sees("now 12 000", "0 – 48 000")


async def test_pinned_configurations_are_drawn_and_their_crossings_said() -> None:
    async with opened(size=WIDE) as user:
        pin(user, large=LARGE, live=LIVE)
        await turn_to(user)
        await user.sees("Above about 88.61 input tokens, “current” costs less than “large”.")
        await user.sees("“current” costs less than “live” for any number of input tokens")
        legend = user.pane("#what-if-plot").splitlines()[0]
        assert legend.endswith("● current  ▲ large  ■ live")
        large = user.line("▲ large", "#what-if-facts")
        assert cost(LARGE) in large
        assert large.endswith(" baseline")


async def test_all_are_drawn_with_the_present_quantities() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.sees("p pins this configuration.")
        pin(user, large=LARGE)
        await user.misses("p pins this configuration.", "Pinned configurations use the current quantities.")
        await go_back(user)
        await user.press(*["down"] * 7)
        await user.write("900")
        await user.sees("Pinned configurations use the current quantities.")
        await user.until(lambda: cost(LARGE, output_chars=900) in user.line("▲ large", "#what-if-facts"))


async def test_the_cursor_of_the_list_is_one_in_the_plot() -> None:
    async with opened(size=WIDE) as user:
        pin(user, large=LARGE, live=LIVE)
        await turn_to(user)
        await user.press("home")

        def column(sign: str) -> int:
            lines = [line for line in user.pane("#what-if-plot").splitlines() if sign in line]
            return lines[0].index(sign)

        await user.sees(CURSOR)
        assert abs(column(CURSOR) - column("now 4 000")) <= 1
        await user.press("down", "down", "down")  # at the first break-even point
        await user.until(lambda: column(CURSOR) < 8)
        await go_back(user)
        await user.misses(CURSOR)


async def test_a_pinned_configuration_goes_into_the_form() -> None:
    async with opened(size=WIDE) as user:
        pin(user, large=LARGE)
        await turn_to(user)
        await user.press("home", "enter")
        assert user.estimator.now.chosen == {}  # what is there now is there already
        await user.press("down", "enter")
        await user.ready()
        assert user.estimator.now.selections().llm == LARGE.llm
        await user.sees("“current” and “large” cost the same for any number of")


async def test_a_share_leads_to_its_quantity() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("down", "enter")
        await user.sees("›Spoken reply")


async def test_what_has_no_price_is_said_and_not_drawn() -> None:
    async with opened(size=WIDE) as user:
        pin(user, strange=PLAIN._replace(tts="somebody_else"))
        await turn_to(user)
        assert "unknown" in user.line("strange", "#what-if-facts")
        assert "strange" not in user.pane("#what-if-plot")
        user.estimator.show(user.estimator.now.put({"tts": "somebody_else"}))
        await user.sees("The price is unknown.")


async def test_a_click_on_a_quantity_looks_at_it() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        column = user.pane("#what-if-quantities").index("User speech")
        await user.pilot.click("#what-if-quantities", offset=(column + 2, 0))
        await user.sees("›User speech")
    async with opened() as user:
        await turn_to(user)
        await user.pilot.click("#what-if-quantities", offset=(3, 0))
        await user.sees("›Response")


async def test_what_is_shown_can_be_taken_along() -> None:
    async with opened() as user:
        pin(user, large=LARGE)
        await turn_to(user)
        lines, crossings, made = user.estimator.find(WhatIfView).sheets()
        assert [row["configuration"] for row in as_records(lines)] == ["current", "large"]
        assert as_records(crossings)[0]["less_above"] == "current"
        assert sum(row["credits"] for row in as_records(made)) == Pricing(CARD, USUAL).credits(PLAIN)


async def test_keys_typed_at_once_behind_escape_are_the_inputs_own() -> None:
    async with opened() as user:
        await turn_to(user)
        await user.press("escape", "down", "down")
        assert user.line("Knowledge", "#inputs").startswith("│▌")


# -- conversations ----------------------------------------------------------------------------------------------------


def total(configuration: Configuration, turns: int = 20, **given: Any) -> str:
    conversation = Conversation.of(USUAL, turns, **given)
    (cost,) = conversations(CARD, [("now", configuration, conversation)]).costs
    return credits_text(cost.total)


@covers("what-if-conversation")
async def test_a_conversation_is_typed_and_its_turns_are_plotted() -> None:
    async with opened(size=WIDE) as user:
        pin(user, large=LARGE)
        await turn_to(user)
        await user.press("v", "e")
        await user.until(lambda: user.focus == "what-if-conversation")
        await user.sees("›Turns", "credits per turn", "Credits for 20 turns", total(PLAIN), total(LARGE))
        await user.write("50")
        await user.sees("1 – 50", total(PLAIN, 50))
        await user.press("down")
        await user.write("200")
        await user.sees(total(PLAIN, 50, user_tokens=200))
        await user.press("down")
        await user.write("40")
        await user.sees(total(PLAIN, 50, user_tokens=200, reply_tokens=40))
        await user.press("down")
        await user.write("8")
        await user.sees(
            total(PLAIN, 50, user_tokens=200, reply_tokens=40, history=8),
            "Every prompt repeats at most 8 earlier turns. "
            "Each turn adds 240 tokens: 200 from the user and 40 from the reply.",
            "Limiting the history to 5 turns saves",
            "“current” costs less than “large” for any length up to 50 turns.",
        )
        assert user.estimator.now.typed == {}  # the inputs of the estimate are others
        command = {copy.title: copy.text for copy in user.estimator.copy_choices()}["What-if: chartui command"]
        assert command.endswith(" --turns 50 --user-tokens 200 --history 8")
        assert parse(split(command)[1:]).output_chars == 4 * 40
        user.estimator.show(user.estimator.now.type("input_tokens", "100-300"))
        command = {copy.title: copy.text for copy in user.estimator.copy_choices()}["What-if: chartui command"]
        assert command.endswith(" --input-tokens 100-300 --output-chars 160 --turns 50 --user-tokens 200 --history 8")


async def test_the_numbers_of_a_conversation_take_steps_and_are_reset() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("v", "e")
        await user.until(lambda: user.focus == "what-if-conversation")
        await user.press("right", "+", "-")
        await user.sees("Credits for 21 turns")
        await user.press("down", "down", "down", "left")
        await user.sees("Every prompt repeats at most 19 earlier turns.")
        await user.press("r")
        await user.sees("Every prompt repeats all earlier turns.")
        await user.press("up", "up", "up", "r")
        await user.sees("Credits for 20 turns")
        await user.press("t")
        await user.sees("›Input tokens")
        assert user.focus == "what-if-facts"  # the numbers are hidden
        await user.press("left", "+")
        await user.sees("Credits for 50 turns")
        await user.press("-", "-", "-")
        await user.sees("Credits for 5 turns")


async def test_a_conversation_that_cannot_be_is_said_and_the_last_figures_stay() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.press("e")
        await user.until(lambda: user.focus == "what-if-conversation")
        await user.write("5")
        await user.sees("Credits for 5 turns")
        await user.write("000")
        await user.sees(
            "✗ The number of turns must be from 1 to 1 000, not 5 000.", "Credits for 500 turns", total(PLAIN, 500)
        )
        await user.press("r", "down", "down", "down")
        await user.write("2.5")
        await user.sees("✗ Enter a whole number for history, not 2.5.")


async def test_a_conversation_can_be_taken_along_and_a_pin_loaded_from_it() -> None:
    async with opened(size=WIDE) as user:
        pin(user, large=LARGE)
        await turn_to(user)
        await user.press("left")
        await user.sees("›Turns")
        (sheet,) = user.estimator.find(WhatIfView).sheets()
        rows = as_records(sheet)
        assert [(row["configuration"], row["turn"]) for row in rows][18:22] == [
            *(("current", 19), ("current", 20)),
            *(("large", 1), ("large", 2)),
        ]
        assert rows[0]["credits"] == Pricing(CARD, USUAL).credits(PLAIN)
        await user.press("home", "down", "enter")
        await user.until(lambda: user.estimator.now.chosen.get("llm") == "mdla_4o")


@pytest.mark.parametrize(
    ("keys", "size"), spread([(["end"],), (["pagedown"] * 8,), (["down"] * 40,)], [(80, 24), (120, 40)]), ids=str
)
async def test_sentences_after_the_last_stop_can_be_scrolled_to(keys: list[str], size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await turn_to(user)
        await user.press("left", "tab")
        await user.sees("›Turns")
        facts = user.estimator.find(WhatIfView).query_one(Facts)
        facts.focus()
        await user.settle()
        last = facts.draw_row(facts.row_count - 1, facts.size.width).text.strip()
        assert last not in user.pane("#what-if-facts")
        await user.press(*keys)
        await user.until(lambda: last in user.pane("#what-if-facts"), f"for {last!r}")
        await user.press("home")
        await user.until(lambda: "Credits for 20 turns" in user.pane("#what-if-facts"))


async def test_enter_is_named_for_what_it_does_in_the_numbers_and_outside_them() -> None:
    async with opened(size=WIDE) as user:
        await turn_to(user)
        await user.sees(" ⏎ load ")
        await user.press("e")
        await user.until(lambda: user.top.query_one("#what-if-conversation").has_focus)
        await user.sees(" ⏎ change ")
        await user.press("down", "enter", *"45", "enter")
        await user.sees("45 tokens/turn")
        assert " ⏎ load " not in user.screen
