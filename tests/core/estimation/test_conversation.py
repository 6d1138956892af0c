"""A conversation costs what its turns cost as single estimates, and break-even points are where the totals say."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.estimation.card import MAX_QUANTITY, load_card
from chartui.core.estimation.conversation import Conversation, conversation_wire, conversations, turns_sheet
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.core.sheet import as_records
from tests.core.estimation.drawn import configurations
from tests.long import examples

CARD = load_card()
PLAIN = Configuration.default(CARD)
USUAL = Quantities.default(CARD)
LARGE = PLAIN._replace(llm="mdla_4o", memory=not PLAIN.memory)

amounts = st.one_of(st.integers(0, 10**6), st.decimals(0, 10**4, places=3))
tokens = st.one_of(st.integers(0, 5000), st.decimals(0, 500, places=2))
asked = st.builds(Quantities, amounts, amounts, amounts, amounts)
histories = st.none() | st.integers(0, 30)


def single(configuration: Configuration, quantities: Quantities) -> Decimal:
    names = ("inputTokens", "outputChars", "sttSeconds", "ttsSeconds")
    payload = {
        "selections": configuration._asdict(),
        "assumptions": dict(zip(names, quantities, strict=True)),
    }
    totals = Estimator(CARD).estimate(payload)["totals"]
    found: Decimal = totals["credits"]
    return found


@settings(deadline=None, max_examples=examples(200))
@given(configurations, asked, st.integers(1, 30), tokens, st.none() | tokens, histories)
def test_a_conversation_costs_what_its_turns_cost_as_single_estimates(
    configuration: Configuration,
    quantities: Quantities,
    turns: int,
    user: Decimal,
    reply: Decimal | None,
    history: int | None,
) -> None:
    conversation = Conversation.of(quantities, turns, user_tokens=user, reply_tokens=reply, history=history)
    (cost,) = conversations(CARD, [("now", configuration, conversation)]).costs
    replies = Decimal(quantities.output_chars) / 4 if reply is None else Decimal(reply)
    expected = []
    said: list[Decimal] = []  # the tokens of the turns so far
    for _ in range(turns):
        repeated = said if history is None else said[len(said) - min(history, len(said)) :]
        prompt = Decimal(quantities.input_tokens) + sum(repeated, Decimal(0))
        expected.append(single(configuration, Quantities(prompt, replies * 4, *quantities[2:])))
        said.append(Decimal(user) + replies)
    assert list(cost.credits) == expected
    assert cost.total == sum(expected)
    assert abs(cost.average * turns - cost.total) <= Decimal("0.0000005") * turns


@settings(deadline=None, max_examples=examples(200))
@given(configurations, configurations, asked, st.integers(1, 40), histories)
def test_the_turn_from_which_one_costs_less_is_where_the_totals_cross(
    one: Configuration, other: Configuration, quantities: Quantities, turns: int, history: int | None
) -> None:
    conversation = Conversation.of(quantities, turns, history=history)
    found = conversations(CARD, [("one", one, conversation), ("other", other, conversation)])
    first, second = (cost.totals for cost in found.costs)
    (point,) = found.break_even
    if point.turn is None:
        assert first[-1] == second[-1]
        return
    less = first if point.less_from == "one" else second
    more = second if point.less_from == "one" else first
    assert all(a < b for a, b in zip(less[point.turn - 1 :], more[point.turn - 1 :], strict=True))
    assert point.turn == 1 or less[point.turn - 2] >= more[point.turn - 2]


def test_a_shorter_history_saves_what_is_said() -> None:
    conversation = Conversation.of(USUAL, 20, history=15)
    found = conversations(CARD, [("now", PLAIN, conversation)])
    assert [one.conversation.history for one in found.shorter] == [10, 5, 2]
    (cost,) = found.costs
    for one in found.shorter:
        history = one.conversation.history
        assert history is not None
        (again,) = conversations(CARD, [("now", PLAIN, conversation._replace(history=history))]).costs
        assert (one.credits, one.total < cost.total) == (again.credits, True)
        assert one.totals[history] == cost.totals[history]
        assert one.totals[history + 1] < cost.totals[history + 1]
        assert any(text.startswith(f"Limiting the history to {history} turns saves ") for text in found.texts)
    assert conversations(CARD, [("now", PLAIN, conversation._replace(history=0))]).shorter == ()


@pytest.mark.parametrize("user", [30, 200, 2000])
def test_the_history_that_costs_no_more_than_a_cheaper_model_is_the_longest_one(user: int) -> None:
    cheap = PLAIN._replace(llm="mdlc_2_5_flash_lite")
    conversation = Conversation.of(USUAL, 30, user_tokens=user)
    found = conversations(CARD, [("now", PLAIN, conversation), ("cheap", cheap, conversation)])
    limit = found.costs[1].total
    assert found.costs[0].total > limit
    within = []
    for history in range(30):
        (cost,) = conversations(CARD, [("now", PLAIN, conversation._replace(history=history))]).costs
        if cost.total <= limit:
            within.append(history)
    if within:
        kept = f"With a history of at most {within[-1]} turns"
        kept = {0: "Without history", 1: "With a history of at most 1 turn"}.get(within[-1], kept)
        assert f"{kept}, “now” costs no more than “cheap”." in found.texts
    else:
        assert "Even without history, “now” costs more than “cheap”." in found.texts


def test_assumptions_stand_with_the_figures() -> None:
    conversation = Conversation.of(USUAL, 3, history=1)
    found = conversations(
        CARD, [("now", PLAIN, conversation), ("live", PLAIN._replace(llm="mdla_realtime_mini"), conversation)]
    )
    assert found.notes == (
        "Turn 1 has 4 000 input tokens, including the user's message.",
        "Every prompt repeats at most 1 earlier turn. "
        "Each turn adds 67.5 tokens: 30 from the user and 37.5 from the reply.",
        "User tokens are derived from 8 s of user speech, at 15 characters per second and 4 characters per token.",
        "Realtime models are assumed to bill earlier turns as text.",
    )
    assert set(found.notes) <= set(turns_sheet(found).notes)
    assert set(found.notes) <= set(conversation_wire(found)["notes"])
    given_tokens = Conversation.of(USUAL, 3, user_tokens=5, history=0)
    assert given_tokens.notes[1:] == ("Prompts do not repeat earlier turns.",)


def test_a_price_that_is_unknown_is_named_and_compared_with_nothing() -> None:
    conversation = Conversation.of(USUAL, 2)
    unknown = PLAIN._replace(llm="somebody_else")
    found = conversations(CARD, [("now", unknown, conversation), ("large", LARGE, conversation)])
    assert (found.unpriced, found.break_even, found.shorter) == (("now",), (), ())
    assert found.texts == ()
    rows = as_records(turns_sheet(found))
    assert [(row["configuration"], row["turn"]) for row in rows] == [("large", 1), ("large", 2), ("now", None)]
    assert rows[-1]["credits"] is None


@pytest.mark.parametrize(
    ("changed", "member", "text"),
    [
        ({"turns": 0}, "turns", "The number of turns must be from 1 to 1 000, not 0."),
        ({"turns": 1001}, "turns", "The number of turns must be from 1 to 1 000, not 1 001."),
        ({"history": -1}, "history", "The history must be at least 0 turns, not -1."),
        ({"user_tokens": Decimal(-1)}, "user_tokens", "The user tokens must be from 0 to 250 000 000 000, not -1."),
        ({"user_tokens": Decimal("NaN")}, "user_tokens", "The user tokens must be from 0 to"),
        ({"reply_tokens": 10**12}, "reply_tokens", "The reply tokens must be from 0 to 250 000 000 000, not"),
        ({"ends": (USUAL, USUAL._replace(input_tokens=MAX_QUANTITY))}, "turns", "The last prompt would have more than"),
        ({"turns": 9, "user_tokens": MAX_QUANTITY // 4}, "turns", "The last prompt would have more than"),
    ],
)
def test_a_conversation_that_cannot_be_is_refused(changed: dict[str, Any], member: str, text: str) -> None:
    conversation = Conversation.of(USUAL, **changed)
    problem = conversation.problem()
    assert problem is not None
    assert (problem.member, problem.text[: len(text)]) == (member, text)
    with pytest.raises(ValueError, match=r"turns|history|tokens"):
        conversations(CARD, [("now", PLAIN, conversation)])
