"""What to ask of configurations: as much as one of them can, and what to give up when nothing fulfils it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from chartui.core.estimation.card import load_card
from chartui.core.estimation.constraints import Constraints, Need, alike
from chartui.core.estimation.exploration import explore, loosened
from chartui.core.estimation.prices import Configuration, Pricing, Quantities

CARD = load_card()
PRICING = Pricing(CARD, Quantities.default(CARD))
#: A realtime model that hears and speaks by itself, with a face and nothing else.
LIVE = Configuration(
    "mdla_realtime_mini", False, False, "included_in_realtime", "included_in_realtime", "service_neurosync"
)


def test_whatever_a_configuration_can_is_asked_for_and_more_is_left_open() -> None:
    assert alike(LIVE, Constraints()) == Constraints(speech_in=Need.MUST, speech_out=Need.MUST, animation=Need.MUST)
    mute = LIVE._replace(llm="mdla_4o", memory=True, stt="no_stt_input", animation="no_animation")
    assert alike(mute, Constraints()) == Constraints(
        memory=Need.MUST
    )  # what is included is not there without a live one


def test_everything_else_that_is_asked_stays() -> None:
    asked = Constraints(
        memory=Need.MUST_NOT,
        unusual_inputs=Need.MUST_NOT,
        families=frozenset({"Family A"}),
        max_credits=Decimal(5),
        max_latency=900,
    )
    expected = replace(asked, memory=Need.ANY, speech_in=Need.MUST, speech_out=Need.MUST, animation=Need.MUST)
    assert alike(LIVE, asked) == expected


def test_a_configuration_fulfils_what_it_is_asked_for() -> None:
    for chosen in (LIVE, Configuration.default(CARD)):
        amount, span = PRICING.credits(chosen), PRICING.latency(chosen)
        assert amount is not None
        assert span is not None
        asked = replace(alike(chosen, Constraints()), max_credits=amount, max_latency=span[1])
        front = explore(PRICING, asked).front
        assert front
        assert all(point.credits <= amount for point in front)


def test_each_constraint_is_given_up_alone() -> None:
    asked = Constraints(speech_out=Need.MUST, animation=Need.MUST, max_credits=Decimal(3), max_latency=700)
    assert explore(PRICING, asked).count == 0
    ways = {way.member: way for way in loosened(PRICING, asked)}
    nothing = Constraints()
    for member in ("speech_out", "animation", "max_credits", "max_latency"):
        without = explore(PRICING, replace(asked, **{member: getattr(nothing, member)}))
        assert (member in ways) is (without.count > 0)
        if member in ways:
            assert ways[member].found == without
    assert ways["max_credits"].phrase == "at most 3 credits"
    assert 0 < len(ways) < 4


def test_what_is_not_asked_is_not_given_up() -> None:
    (way,) = loosened(PRICING, Constraints(max_credits=Decimal("0.1")))
    assert (way.member, way.found.count) == ("max_credits", 45_720)


def test_where_two_are_in_the_way_giving_up_one_does_not_help() -> None:
    assert loosened(PRICING, Constraints(max_credits=Decimal("0.1"), max_latency=1)) == ()
