"""What is reckoned here is what a service with the same rates answers, and what the rates lack has no price."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.costs import Basis, pricing_for, reckon
from chartui.core.estimation.card import load_card
from chartui.core.estimation.character_map import Facts, Inputs
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.pins import Pins
from chartui.core.estimation.source import Source
from chartui.core.spec.catalogue import ModelCode, model_code, model_codes
from chartui.core.spec.models.estimation import Assumptions

CARD = load_card()


def facts(code: str, level: str | None) -> Facts:
    known = model_code(code)
    return Facts(code, level=level, levels=known.reasoning if known else None)


@pytest.mark.parametrize("model", model_codes(), ids=lambda model: model.code)
def test_the_figures_are_those_that_a_service_with_these_rates_answers(model: ModelCode) -> None:
    inputs = Inputs(chosen={"knowledge": True, "animation": "no_animation"}, chosen_from=Source.FORM)
    for level in (None, "auto", "low"):
        basis = Basis(Pins(), inputs, Assumptions(output_chars=Decimal("123.4"), tts_seconds=Decimal(7)))
        cost = reckon(facts(model.code, level), basis, pricing_for(CARD, basis.assumptions))
        found = cost.mapped
        asked = {"outputChars": Decimal("123.4"), "ttsSeconds": 7}
        for configuration, one in zip(found.configurations, cost.priced, strict=True):
            body = Estimator(CARD).estimate({"selections": configuration, "assumptions": asked})
            assert one.estimate is not None
            assert one.estimate.credits == body["totals"]["credits"]
            assert one.estimate.latency_ms is not None
            assert one.estimate.latency_ms.min == body["latency_ms"]["min"]
            assert one.estimate.latency_ms.max == body["latency_ms"]["max"]
        assert (cost.credits is None) == (not found.configurations)


def test_an_option_that_the_rates_lack_has_no_price() -> None:
    llms = {key: option for key, option in CARD.options["llm"].items() if key != "mdla_4o"}
    card = CARD._replace(options={**CARD.options, "llm": llms})
    cost = reckon(facts("mdla-4o", None), Basis(Pins()), pricing_for(card, Assumptions()))
    assert cost.credits is None
    assert cost.unknown == "The rate card lacks 'mdla_4o' or an option used with it."


def test_rates_without_latencies_have_none_and_a_price_all_the_same() -> None:
    cost = reckon(facts("mdla-4o", None), Basis(Pins()), pricing_for(CARD._replace(timed=False), Assumptions()))
    assert cost.credits is not None
    assert cost.latency is None
