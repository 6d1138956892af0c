"""The length and the cost of walks: the sum of the estimates of their interactions."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.costs import Basis
from chartui.core.estimation.card import load_card
from chartui.core.estimation.character_map import Facts, Inputs, map_character
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.mix import ENDS, Case, at_end
from chartui.core.estimation.pins import Pins
from chartui.core.estimation.prices import Quantities
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.statistics import statistics
from chartui.core.narrative.walk.path import Walk
from chartui.core.narrative.walk.random_walks import RandomWalks
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from chartui.core.typed_numbers import Range, typed_range
from chartui.core.walk_costs import Reply, ReplyPrices, WalkCosts, cost_wire, costs_sheet, random_wire
from tests.core.narrative import graphs
from tests.core.narrative.graphs import section, trigger

CARD = load_card()


def _prices(basis: Basis, speed: Decimal | None = None) -> ReplyPrices:
    facts = Facts("mdla-4o", memory=True)
    return ReplyPrices(facts, basis, CARD, speed)


def _pinned(cases: tuple[Case, ...] = ()) -> Basis:
    return Basis(Pins(), Inputs(chosen={"tts": "tts_1_hd"}), cases=cases)


def _estimated(prices: ReplyPrices, quantities: Mapping[str, Decimal]) -> Decimal:
    """The credits of an interaction, line by line, as the service computes them."""
    (configuration,) = map_character(prices.facts, prices.basis.inputs, prices.basis.pins).configurations
    found = Estimator(CARD).estimate({"selections": dict(configuration), "assumptions": dict(quantities)})
    totals = found["totals"]
    assert isinstance(totals, dict)
    return Decimal(str(totals["credits"]))


def _written(objective: str, section_id: str, *targets: str) -> Section:
    ways = [{"criteria": f"to {target}", "next_section_id": target} for target in targets]
    return build(Section, {"section_id": section_id, "objective": objective, "decisions": ways})


STORY = Graph.build(
    [
        _written("<speak>Welcome to the museum!</speak>", "hall", "room", "shop"),  # 22 characters
        _written("Ask for their name. <speak>Hello {Name}.</speak>", "room", "hall", "shop"),
        _written("Say goodbye.", "shop"),
    ],
    [trigger("bell")],
    "hall",
)


def test_what_is_said_in_a_section() -> None:
    costs = WalkCosts(STORY, _prices(_pinned()), {"Name": "Ada"})
    assert costs.reply("hall") == Reply(22, instructed=False, prompt=37)
    assert costs.reply("room") == Reply(len("Hello Ada."), instructed=True, prompt=48)
    assert costs.reply("shop") == Reply(0, instructed=True, prompt=12)
    assert costs.reply("", "bell") == Reply(0, instructed=True)


@pytest.mark.parametrize("weights", [(), (1, 3)])
def test_the_cost_of_a_walk_is_the_sum_of_its_estimates(weights: tuple[int, ...]) -> None:
    kinds = tuple(
        Case(str(weight), Decimal(weight), {"input_tokens": Range.of(Decimal(1000 * weight))}) for weight in weights
    )
    prices = _prices(_pinned(kinds), Decimal(10))
    costs = WalkCosts(STORY, prices, {"Name": "Ada"})
    walk = Walk.begin(STORY)
    walk = walk.take(walk.ways[0])
    walk = walk.fire(walk.events[0])
    walk = walk.take(walk.ways[1])
    default = Quantities.default(CARD)
    chars, seconds = Decimal(default.output_chars), Decimal(default.tts_seconds)
    # The texts of the hall, the room, the trigger without a target, and the shop.
    said = [(Decimal(22), Decimal("2.2")), (chars + 10, seconds + 1), (chars, seconds), (chars, seconds)]
    total = Decimal(0)
    for characters, length in said:
        each = {"outputChars": characters, "ttsSeconds": length}
        if not weights:
            total += _estimated(prices, each)
        else:
            parts = [weight * _estimated(prices, {**each, "inputTokens": Decimal(1000 * weight)}) for weight in weights]
            total += (sum(parts, Decimal(0)) / sum(weights)).quantize(Decimal("0.000001"))
    found = costs.of(walk)
    assert (found.interactions, found.seconds) == (4, sum(length for _, length in said))
    assert found.credits is not None
    assert found.credits.min == found.credits.max
    assert abs(found.credits.min - total) <= (Decimal("0.000004") if weights else 0)


@settings(max_examples=30)
@given(graphs.stories(largest=20), st.integers(0, 9))
def test_random_walks_cost_what_each_of_them_costs(story: graphs.Story, seed: int) -> None:
    graph = story.graph
    if graph.start not in graph.sections:
        return
    random = Random(seed)
    texts = {one: "word " * random.randrange(5) for one in graph.sections}
    written = [
        build(Section, {**one.raw, "objective": f"<speak>{texts[one.section_id]}</speak>"}) for one in story.sections
    ]
    graph = Graph.build(written, story.triggers, story.start)
    costs = WalkCosts(graph, _prices(_pinned()))
    found = costs.over(RandomWalks(seed=seed, walks=1, steps=12))
    assert found.credits is not None
    assert found.credits.least == found.credits.most == found.credits.expected
    several = costs.over(RandomWalks(seed=seed, walks=8, steps=12))
    assert several.credits is not None
    assert several.credits.least <= several.credits.expected <= several.credits.most
    assert several.seconds.least <= several.seconds.expected <= several.seconds.most


def test_a_range_of_quantities_gives_the_costs_at_both_ends() -> None:
    cases = (Case("A", Decimal(2), {"output_chars": typed_range("100-150-900")}), Case("B", Decimal(1), {}))
    costs = WalkCosts(STORY, _prices(_pinned(cases)))
    each = [WalkCosts(STORY, _prices(_pinned(at_end(cases, end)))) for end in ENDS]
    walk, asked = Walk.begin(STORY).take(Walk.begin(STORY).ways[0]), RandomWalks(walks=4, steps=5)
    low, typical, high = [credits_ for one in each if (credits_ := one.of(walk).credits)]
    assert low.min < typical.min < high.min
    found, random = costs.of(walk), costs.over(asked)
    assert [found.credits, *(end.credits for end in found.ends)] == [typical, low, high]
    assert [end.credits for end in random.ends] == [each[0].over(asked).credits, each[2].over(asked).credits]
    sheet = costs_sheet([("tour", found)], random)
    assert [column.name for column in sheet.columns[3:]] == ["credits", "lowest", "highest"]
    assert sheet.rows[0][3:] == tuple(round(span.min, 3) for span in (typical, low, high))
    wire, randomly = cost_wire(found), random_wire(random)
    assert wire["highest"] == {"speech_seconds": found.seconds, "credits": high._asdict()}
    assert randomly["lowest"] == {k: v for k, v in random_wire(random.ends[0]).items() if k in randomly["lowest"]}
    assert randomly["interactions"] == random.interactions._asdict()
    assert "lowest" not in cost_wire(each[1].of(walk))


def test_an_unknown_price_is_unknown_and_not_free() -> None:
    prices = ReplyPrices(_prices(_pinned()).facts, _pinned(), CARD, known=False)
    costs = WalkCosts(STORY, prices)
    assert costs.of(Walk.begin(STORY)).credits is None
    random = costs.over(RandomWalks(walks=3, steps=3))
    assert (random.credits, random.dearest) == (None, None)
    assert random.seconds.least > 0


def test_the_shape_of_a_story() -> None:
    tree = Graph.build(
        [
            section("a", ("x", "b"), ("y", "c"), ("z", "gone")),
            section("b", ("*", "d")),
            section("c"),
            section("d", ("x", "c")),
            section("e"),
        ],
        [],
        "a",
    )
    found = statistics(tree)
    assert (found.sections, found.reachable, found.decisions, found.endings) == (5, 4, 5, 2)
    assert (found.shortest_way, found.farthest_ending, found.longest_way) == (1, 1, 3)
    assert (found.decisions_per_choice, found.most_decisions) == (Decimal("1.50"), 2)
    looped = statistics(Graph.build([section("a", ("on", "b"), ("back", "a")), section("b")], [], "a"))
    assert (looped.shortest_way, looped.longest_way, looped.loop_on_the_way) == (1, None, True)
    # A loop that no way to an ending passes does not matter.
    aside = statistics(
        Graph.build([section("a", ("on", "b"), ("in", "c")), section("b"), section("c", ("", "c"))], [], "a")
    )
    assert (aside.longest_way, aside.loop_on_the_way) == (1, False)
    endless = statistics(Graph.build([section("a", ("on", "a"))], [], "a"))
    assert (endless.shortest_way, endless.longest_way, endless.dead_ends) == (None, None, 0)
