"""The cost of a character is the same in the list, in its Cost tab and in the estimator."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.backends.local.store import Store
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.change_costs import cost_of
from chartui.core.character import models_of, read_character
from chartui.core.costs import basis_for, facts_of
from chartui.core.estimation.character_map import map_character
from chartui.core.estimation.discovery import discover
from chartui.core.list_costs import list_costs, read_measures
from chartui.core.spec.catalogue import model_codes
from chartui.core.spec.records import Records, actions_in
from chartui.tui.screens.estimator.quantities import Proposal
from chartui.tui.screens.estimator.state import EstimatorState
from tests.core.local.embedded import a_character
from tests.tui.sessions import demo

pytestmark = pytest.mark.anyio


def at_random(chance: Random, number: int) -> StoredCharacter:
    """A character of any model, with texts of any length."""
    words = [
        chance.choice(("Move To", "Pick Up", 'Sit "down"', "Öffne die Tür", " ")) for _ in range(chance.randrange(9))
    ]
    made = a_character(number, character_actions=words if chance.random() < 0.9 else None)
    config: Any = made.record["personalised_prompt_config"]
    config |= {"MODEL": chance.choice(model_codes()), "PROMPT": "p" * chance.randrange(4000)}
    made.record["is_narrative_driven"] = chance.random() < 0.5
    return replace(made, backstory="b" * chance.randrange(9000))


async def test_list_cost_tab_and_estimator_agree_on_two_hundred_characters() -> None:
    chance = Random(19)
    made = [at_random(chance, number) for number in range(200)]

    def fill(store: Store) -> None:
        with store.writing() as tables:
            for one in made:
                tables.characters.insert(one)

    session = demo(fill_store=fill)
    for one in chance.sample(made, 50):  # a scene that was edited; the others start with the actions of the record
        turn = Turn(character_id=one.character_id, actions=("Wave",) * chance.randrange(40))
        await session.drafts.save(session.profile.place, one.character_id, SCENE_PART, turn.payload())
    basis = await basis_for(session)
    models = await models_of(session.service, made[0].character_id)
    measures = await read_measures(session.service, session.journal, session.profile.place, Records.none())
    listed = list_costs(measures, models, basis, session.rates.get().card)
    edited, lengths = {one.character_id for one in await session.drafts.all(session.profile.place, part=SCENE_PART)}, []
    for one in made:
        reading = await read_character(session.service, session.journal, session.profile.place, one.character_id)
        assert reading is not None
        tab = await cost_of(session.service, reading, basis)
        facts = facts_of(reading, models, basis.scenes)
        tokens = basis.tokens(facts)
        assert tokens is not None
        inputs = EstimatorState(discovery=discover(None))
        proposal = Proposal("it", tokens)
        for configuration in map_character(facts, basis.inputs, basis.pins).configurations:
            form = inputs.put(configuration, proposal=proposal)
            estimate = await session.service.estimate(form.selections(), form.assumptions())
            assert tab.credits is not None
            assert estimate.credits in tab.credits
        assert listed[one.character_id].credits == tab.credits
        if one.character_id not in edited:
            lengths.append((tokens.prompt.parts[-1].characters, sum(map(len, actions_in(one.record)))))
    assert len(lengths) == 150
    assert all(counted == there for counted, there in lengths)
    await session.aclose()
