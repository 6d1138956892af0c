"""The costs of a list are those that each character has on its own, and unknown costs come last."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from chartui.core.change_costs import cost_of
from chartui.core.character import models_of, read_character
from chartui.core.characters.finder import Column, Finder, ListedCost, Sorting, listed_text
from chartui.core.characters.models import from_catalogue
from chartui.core.costs import Basis, basis_for
from chartui.core.estimation.card import load_card
from chartui.core.estimation.pins import Pins
from chartui.core.list_costs import list_costs, read_measures
from chartui.core.session import Session
from chartui.core.spec.models.estimation import Assumptions
from chartui.core.spec.models.summaries import CharacterMeasure, CharacterSummary
from chartui.core.spec.records import Records
from tests.tui.sessions import demo, remote

pytestmark = pytest.mark.anyio
CARD = load_card()


async def costs_of(session: Session, basis: Basis) -> dict[str, ListedCost]:
    service, place = session.service, session.profile.place
    records = Records.none() if service.embedded else await service.records()
    measures = await read_measures(service, session.journal, place, records)
    return list_costs(measures, await models_of(service, measures[0].character_id), basis, CARD)


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize("assumptions", [Assumptions(), Assumptions(input_tokens=Decimal(1234))])
async def test_each_cost_is_that_of_the_character_alone(embedded: bool, assumptions: Assumptions) -> None:
    session = demo() if embedded else remote()[0]
    basis = await basis_for(session, assumptions=assumptions)
    listed = await costs_of(session, basis)
    for character_id, cost in listed.items():
        reading = await read_character(session.service, session.journal, session.profile.place, character_id)
        assert reading is not None
        alone = await cost_of(session.service, reading, basis)
        if cost.at_least:  # a list does not read the graphs of a service
            assert alone.at_least
            assert cost.tokens <= (alone.input_tokens or 0)
        else:
            assert cost.credits == alone.credits
    assert any(cost.at_least for cost in listed.values()) is (not embedded and assumptions == Assumptions())
    await session.aclose()


def test_a_text_that_cannot_be_read_makes_the_cost_a_lower_limit() -> None:
    measures = [
        CharacterMeasure("known", "mdla-4o", backstory=4000, prompt=0),
        CharacterMeasure("unread", "mdla-4o", backstory=None, prompt=400),
        CharacterMeasure("nothing", "mdla-4o", backstory=None, prompt=None),
        CharacterMeasure("gone", "no-such-model", backstory=1, prompt=1),
    ]
    costs = list_costs(measures, from_catalogue(), Basis(Pins()), CARD)
    assert [(cost.tokens, cost.at_least) for cost in costs.values()] == [
        (1000, False),
        (100, True),
        (4000, False),  # the default: there is no text to estimate from
        (1, False),
    ]
    assert costs["gone"].credits is None
    assert [listed_text(cost)[:2] for cost in costs.values()].count("≥ ") == 1


def test_another_number_of_characters_per_token() -> None:
    measure = CharacterMeasure("a", "mdla-4o", backstory=1001, prompt=0)
    basis = Basis(Pins(), chars_per_token=Decimal("2.5"))
    assert list_costs([measure], from_catalogue(), basis, CARD)["a"].tokens == 401


def test_lower_limits_follow_known_costs_and_unknown_costs_are_last() -> None:
    def cost(low: int, high: int, *, at_least: bool = False) -> ListedCost:
        return ListedCost((Decimal(low), Decimal(high)), 1, at_least)

    costs = {"limit": cost(1, 1, at_least=True), "dear": cost(3, 9), "cheap": cost(5, 5), "none": ListedCost(None, 1)}
    finder = replace(Finder([CharacterSummary(key) for key in ("none", *costs)]), costs=costs)
    up, down = (
        [one.character_id for one in finder.find(sorting=Sorting(Column.COST, descending))]
        for descending in (False, True)
    )
    assert up[:3] == ["cheap", "dear", "limit"]
    assert down[:3] == ["limit", "dear", "cheap"]
    assert {*up[3:]} == {*down[3:]} == {"none"}
