"""The search of the whole space equals asking for every configuration, however many of them are equal."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartui.core.estimation.card import RateCard, load_card
from chartui.core.estimation.constraints import (
    FEATURES,
    GROUPS,
    REMARKS,
    Constraints,
    Need,
    Unsupported,
    default_constraints,
    features,
    groups,
    in_words,
)
from chartui.core.estimation.exploration import Found, explore, front_sheet
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.rank import rank
from chartui.core.sheet import as_records
from chartui.core.spec.catalogue import KINDS, Kind, options
from tests.long import examples

from .brute import Fact, best, cards, constraints, estimated, every_configuration, fact, fitting, quantities, unpriced

#: No round numbers, so that many sums differ in the last place only.
ASKED = Quantities(3721, Decimal("151.5"), Decimal("7.77"), 11)


@pytest.fixture(scope="module")
def middling(card: RateCard) -> RateCard:
    """A part of the packaged card with options of every sort; the command is tried on the whole."""
    kept: dict[Kind, list[str]] = {kind: list(card.options[kind]) for kind in KINDS}
    kept["llm"] = [*kept["llm"][:3], *kept["llm"][3:-1:7], kept["llm"][-1]]
    kept["tts"] = [*kept["tts"][:3], *kept["tts"][3:-2:6], *kept["tts"][-2:]]
    return card._replace(options={kind: {key: card.options[kind][key] for key in kept[kind]} for kind in KINDS})


@pytest.fixture(scope="module")
def everything(middling: RateCard) -> list[Fact]:
    ask = estimated(middling, ASKED)
    return [fact(configuration, ask(configuration)) for configuration in every_configuration(middling.options)]


def front_of(found: Found) -> list[tuple[Decimal, int | None, int, Configuration]]:
    return [(point.credits, point.latency, point.count, point.first) for point in found.front]


def hold(found: Found, facts: list[Fact], asked: Constraints) -> None:
    expected = best(facts, asked)
    assert (found.count, front_of(found)) == (expected.number, expected.front)
    assert found.space == len(facts)


# -- against every configuration --------------------------------------------------------------------------------------


@settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.data())
def test_on_any_card_it_finds_what_asking_for_all_finds(data: st.DataObject) -> None:
    card, asked = data.draw(cards()), data.draw(quantities)
    ask = estimated(card, asked)
    facts = [fact(configuration, ask(configuration)) for configuration in every_configuration(card.options)]
    for _ in range(4):
        wanted = data.draw(constraints(facts))
        hold(explore(Pricing(card, asked), wanted), facts, wanted)


def test_at_real_rates_it_finds_what_asking_for_all_finds(middling: RateCard, everything: list[Fact]) -> None:
    pricing = Pricing(middling, ASKED)

    @settings(deadline=None, max_examples=examples(80), database=None)
    @given(constraints(everything))
    def search(wanted: Constraints) -> None:
        hold(explore(pricing, wanted), everything, wanted)

    search()


@pytest.mark.parametrize("need", [Need.MUST, Need.MUST_NOT])
@pytest.mark.parametrize("name", FEATURES)
def test_every_feature_divides_the_space(name: str, need: Need, middling: RateCard, everything: list[Fact]) -> None:
    wanted = Constraints(**{name: need})  # type: ignore[arg-type]
    found = explore(Pricing(middling, ASKED), wanted)
    hold(found, everything, wanted)
    assert 0 < found.count < found.space


def test_odd_and_billed_elsewhere_go_together(middling: RateCard, everything: list[Fact]) -> None:
    """Both are about both sides of a configuration at once."""
    pricing = Pricing(middling, ASKED)
    for unusual, billed, realtime, animation in product(Need, repeat=4):
        wanted = Constraints(
            unusual_inputs=unusual, billed_elsewhere=billed, realtime=realtime, animation=animation, max_latency=1500
        )
        hold(explore(pricing, wanted), everything, wanted)


def test_a_limit_includes_itself(card: RateCard) -> None:
    pricing = Pricing(card, ASKED)
    front = explore(pricing, Constraints()).front
    cheapest, fastest = front[0], front[-1]
    assert fastest.latency is not None
    at = explore(pricing, Constraints(max_credits=cheapest.credits))
    assert at.count >= at.front[0].count == cheapest.count
    assert explore(pricing, Constraints(max_credits=cheapest.credits - Decimal("0.0000001"))).count == 0
    assert explore(pricing, Constraints(max_latency=fastest.latency)).fastest == fastest
    below = explore(pricing, Constraints(max_latency=fastest.latency - 1))
    assert (below.count, below.front, below.cheapest, below.fastest) == (0, (), None, None)


def test_what_costs_nothing_counts_as_well(middling: RateCard) -> None:
    """All of it at nothing: one point, with everything that is as fast on it."""
    nothing = Quantities(0, 0, 0, 0)
    wanted = Constraints(memory=Need.MUST_NOT, knowledge=Need.MUST_NOT, animation=Need.MUST_NOT)
    found = explore(Pricing(middling, nothing), wanted)
    (point,) = found.front
    assert point.credits == Decimal("0.5")
    assert found.cheapest == found.fastest == point
    ask = estimated(middling, nothing)
    hold(found, [fact(c, ask(c)) for c in every_configuration(middling.options)], wanted)


# -- cards with more, with less, and without latencies ----------------------------------------------------------------


LACKING = {"mdla_4o", "mdla_realtime_mini", "byo_mdla_compatible_endpoint", "vendorb_3_streaming", "tts_1"}


@pytest.fixture(scope="module")
def smaller(card: RateCard) -> RateCard:
    tables = {kind: {k: o for k, o in card.options[kind].items() if k not in LACKING} for kind in KINDS}
    tables["tts"]["new_voice"] = card.options["tts"]["tts_1"]._replace(key="new_voice")
    return card._replace(options=tables)


@pytest.fixture(scope="module")
def united(smaller: RateCard) -> list[Fact]:
    keys = {kind: dict.fromkeys([*(o.key for o in options(kind)), *smaller.options[kind]]) for kind in KINDS}
    return [fact(configuration, (Decimal(0), 0)) for configuration in every_configuration(keys)]


@pytest.mark.parametrize(
    "wanted",
    [
        Constraints(),
        Constraints(speech_out=Need.MUST, unusual_inputs=Need.MUST_NOT),
        Constraints(unusual_inputs=Need.MUST, realtime=Need.MUST),
        Constraints(billed_elsewhere=Need.MUST, families=frozenset({"Own endpoint", "Family A"})),
        Constraints(speech_in_vendors=frozenset({"Vendor B", "Other"}), speech_in=Need.MUST),
    ],
    ids=lambda wanted: ", ".join(in_words(wanted)) or "anything",
)
def test_what_the_card_lacks_is_counted_apart(
    wanted: Constraints, smaller: RateCard, united: list[Fact], card: RateCard
) -> None:
    """Limits apart, since nobody knows what it would cost. The same goes for what a provider bills."""
    fit = fitting(united, wanted)
    lacking = [f for f in fit if unpriced(f, wanted) or LACKING & {f.configuration.llm, *f.configuration[3:]}]
    billed = [f for f in fit if unpriced(f, wanted) and f.configuration.tts != "new_voice"]
    for limit in (None, Decimal(1)):
        asked = replace(wanted, max_credits=limit)
        assert explore(Pricing(smaller, ASKED), asked).unpriced == len(lacking) > 0
        assert explore(Pricing(card, ASKED), asked).unpriced == len(billed)


def test_options_that_the_catalogue_does_not_know_can_be_found() -> None:
    card = load_card()
    tables = {kind: dict(card.options[kind]) for kind in KINDS}
    tables["llm"]["somebody_new"] = card.options["llm"]["mdla_4o"]._replace(
        key="somebody_new", rates=dict.fromkeys(card.options["llm"]["mdla_4o"].rates, Decimal(0)), latency=(1, 2)
    )
    more = card._replace(options=tables)
    found = explore(Pricing(more, ASKED), Constraints(families=frozenset({"Other"})))
    assert found.count + found.unpriced == 48_720 // 58
    assert found.unpriced == 2 * 2 * 5 * 2  # with the voice that a provider bills
    assert {point.first.llm for point in found.front} == {"somebody_new"}
    assert groups(more, "llm") == (*groups(card, "llm"), "Other")
    assert groups(more, "tts") == groups(card, "tts")


def test_every_family_and_vendor_fits_alone_unless_its_price_is_unknown(card: RateCard) -> None:
    """Speech input and output have their own vendors, since few vendors offer both."""
    asked = default_constraints(Configuration.default(card))
    for member, (_, kind) in GROUPS.items():
        for name in groups(card, kind):
            alone = replace(asked, **{member: frozenset({name})})  # type: ignore[arg-type]
            fits = explore(Pricing(card, ASKED), alone).count > 0
            assert fits is (name != "Own endpoint"), name


def test_options_that_are_off_or_included_are_nobodys(card: RateCard) -> None:
    assert not {"Off", "Built in"} & {name for kind in KINDS for name in groups(card, kind)}
    found = explore(Pricing(card, ASKED), Constraints(speech_out_vendors=frozenset({"Vendor F"})))
    each = 2 * 2 * 5 * 2 * 6  # tts: included, off and four voices
    assert (found.count, found.unpriced) == (57 * each, each)  # one model is billed by its provider


def test_without_latencies_the_front_is_the_cheapest_and_no_limit_of_them_is_taken() -> None:
    card = load_card()
    untimed = card._replace(
        options={k: {key: o._replace(latency=None) for key, o in card.options[k].items()} for k in KINDS},
        timed=False,
    )
    pricing = Pricing(untimed, ASKED)
    found = explore(pricing, Constraints(speech_out=Need.MUST))
    (point,) = found.front
    assert (found.cheapest, found.fastest, point.latency) == (point, None, None)
    with pytest.raises(Unsupported, match="has no latencies"):
        explore(pricing, Constraints(max_latency=1000))
    with pytest.raises(Unsupported, match="has no latencies"):  # a ranking follows the same rule
        rank(pricing, Configuration.default(untimed), "llm", constraints=Constraints(max_latency=1000))


def test_a_price_a_month_allows_the_credits_of_the_largest_affordable_subscription(card: RateCard) -> None:
    pricing, prices = Pricing(card, ASKED), sorted(one.price for one in card.subscriptions)
    for price in (prices[1], prices[-1], Decimal("0.5") + prices[1]):
        affordable = max(one.monthly_credits for one in card.subscriptions if one.price <= price)
        by_price = explore(pricing, Constraints(interactions=Decimal(5000), max_monthly_price=Decimal(price)))
        by_credits = explore(pricing, Constraints(interactions=Decimal(5000), max_monthly_credits=Decimal(affordable)))
        each = explore(pricing, Constraints(max_credits=Decimal(affordable) / 5000))
        assert by_price == by_credits == each
    assert explore(pricing, Constraints(interactions=Decimal(1), max_monthly_price=Decimal(-1))).count == 0
    with pytest.raises(Unsupported, match="has no subscriptions"):
        explore(Pricing(card._replace(subscriptions=()), ASKED), Constraints(max_monthly_price=Decimal(9)))


# -- in words and for export ------------------------------------------------------------------------------------------


def test_constraints_in_words() -> None:
    assert in_words(Constraints()) == ()
    asked = Constraints(
        memory=Need.MUST,
        unusual_inputs=Need.MUST_NOT,
        realtime=Need.MUST_NOT,
        families=frozenset({"Family C", "Family A"}),
        max_credits=Decimal("7.50"),
        max_latency=1200,
        speech_in_vendors=frozenset({"Vendor B"}),
        interactions=Decimal(360_000),
        max_monthly_price=Decimal(1000),
    )
    assert in_words(asked) == (
        "with memory",
        "a text model",
        "no unusual inputs",
        "a model from Family A or Family C",
        "speech input from Vendor B",
        "at most 7.5 credits",
        "at most 1 200 ms",
        "a price of at most 1 000 a month for 360 000 interactions",
    )


def test_the_front_as_a_table(card: RateCard) -> None:
    found = explore(Pricing(card, ASKED), Constraints(realtime=Need.MUST))
    sheet = front_sheet(found, ["From somewhere."])
    assert as_records(sheet) == [
        {
            "credits": point.credits,
            "latency_ms": point.latency,
            "configurations": point.count,
            **point.first._asdict(),
            **{name: features(point.first)[name] for name in REMARKS},
        }
        for point in found.front
    ]
    assert sheet.notes == ("From somewhere.", "2 520 of 48 720 configurations meet the constraints.")
    assert len(front_sheet(found, most=1).rows) == 1 < len(sheet.rows)
