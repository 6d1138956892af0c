"""The tables of shares say what the estimator says, and how credits follow the quantities."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings

from chartui.core.estimation.card import QUANTITIES, load_card
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.prices import Configuration, Pricing, Quantities, as_credits, remarks_on, slopes
from tests.core.estimation.drawn import configurations, quantities
from tests.long import examples

CARD = load_card()


@settings(deadline=None, max_examples=examples(300))
@given(configurations, quantities)
def test_the_shares_add_up_to_what_the_estimator_says(configuration: Configuration, asked: Quantities) -> None:
    body = Estimator(CARD).estimate(
        {"selections": configuration._asdict(), "assumptions": dict(zip(QUANTITIES, asked, strict=True))}
    )
    pricing = Pricing(CARD, asked)
    assert [(line["key"], line["credits"]) for line in body["lines"]] == [
        (key, as_credits(micro)) for key, micro in pricing.lines(configuration)
    ]
    assert pricing.credits(configuration) == body["totals"]["credits"]
    assert pricing.latency(configuration) == (body["latency_ms"]["min"], body["latency_ms"]["max"])


@settings(deadline=None, max_examples=examples(300))
@given(configurations, quantities)
def test_credits_are_a_straight_line_in_every_quantity(configuration: Configuration, asked: Quantities) -> None:
    found = slopes(CARD, configuration)
    assert found is not None
    amount = Pricing(CARD, asked).credits(configuration)
    assert amount is not None
    straight = sum((slope * amount for slope, amount in zip(found[:4], asked, strict=True)), found.fixed)
    assert abs(straight - amount) <= Decimal("0.000004")  # each of up to five lines is rounded by itself


def test_what_the_card_lacks_has_no_price() -> None:
    unknown = Configuration.default(CARD)._replace(llm="somebody_else")
    pricing = Pricing(CARD, Quantities.default(CARD))
    assert pricing.credits(unknown) is None
    assert pricing.latency(unknown) is None
    assert slopes(CARD, unknown) is None


def test_oddities_name_the_member_they_are_about() -> None:
    plain = Configuration.default(CARD)
    assert remarks_on(plain) == ()
    deaf = plain._replace(stt="included_in_realtime", tts="included_in_realtime")
    assert [(o.member, o.unusual) for o in remarks_on(deaf)] == [("stt", True), ("tts", True)]
    live = plain._replace(llm="mdla_realtime_mini")
    assert [(o.member, o.unusual) for o in remarks_on(live)] == [("stt", True), ("tts", True)]
    quiet = live._replace(stt="included_in_realtime", tts="no_tts", animation="service_neurosync")
    assert [o.member for o in remarks_on(quiet)] == ["animation"]
    elsewhere = plain._replace(llm="byo_mdla_compatible_endpoint", tts="external_tts_via_api_key")
    assert [(o.member, o.unusual) for o in remarks_on(elsewhere)] == [("llm", False), ("tts", False)]
