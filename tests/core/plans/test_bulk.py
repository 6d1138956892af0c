"""The same settings for many characters: which steps there are, and that nobody's change is overwritten."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal

import pytest

from chartui.core.characters.models import from_catalogue, from_service
from chartui.core.jsontext import Wire
from chartui.core.plans.bulk import NotTaken, Present, bulk_plan, settings_in
from chartui.core.plans.executor import Executor, Progress, StepState
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.models.characters import ModelEntry, Reasoning

MODELS = from_service(
    [
        ModelEntry(model_group_name="m1", reasoning=Reasoning(levels=["low", "high"], supports_auto=True)),
        ModelEntry(model_group_name="m2"),
    ]
)


def ids() -> str:
    return "id"


def present(character_id: str, **settings: Wire) -> Present:
    return Present(character_id, character_id.upper(), settings)


def test_only_who_has_it_otherwise_takes_a_step() -> None:
    chosen = [present("a", temperature=Decimal("0.5")), present("b", temperature=Decimal("0.50")), present("c")]
    plan = bulk_plan(chosen, {"temperature": "0.5"}, MODELS, ids=ids, reason="why")
    assert [(step.payload, step.expected) for step in plan.steps] == [
        ({"charID": "c", "temperature": Decimal("0.5")}, None)
    ]
    assert (plan.independent, plan.steps[0].reason, plan.steps[0].subject) == (True, "why", "C")
    assert plan.title == "Set temperature of 1 character"


def test_what_surely_is_refused_is_not_planned() -> None:
    chosen = [present("a", model_group_name="m1"), *(present(x, model_group_name="m2") for x in "bcd")]
    with pytest.raises(NotTaken, match=r"m2 does not take ‘low’.*3 characters"):
        bulk_plan(chosen, {"reasoning_effort": "low"}, MODELS, ids=ids)
    # The level is judged by the model that comes with it, and where only the catalogue knows, the service decides.
    assert len(bulk_plan(chosen, {"model_group_name": "m1", "reasoning_effort": "low"}, MODELS, ids=ids).steps) == 4
    assert len(bulk_plan(chosen, {"reasoning_effort": "low"}, from_catalogue(), ids=ids).steps) == 4


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (
            {"personalised_prompt_config": {"MODEL": "m1", "TEMPERATURE": 1}},
            {"model_group_name": "m1", "temperature": 1},
        ),
        ({"personalised_prompt_config": {"MODEL": None}}, {"model_group_name": None}),
        ({"personalised_prompt_config": None}, {}),
        ({}, {}),
    ],
)
def test_what_a_record_tells(record: Mapping[str, Wire], found: Mapping[str, Wire]) -> None:
    assert settings_in(record) == found


def test_a_change_that_came_between_is_a_conflict_of_its_own_step() -> None:
    async def run() -> tuple[Progress, list[Wire]]:
        session = open_session(BUILT_IN["local"])
        service = session.service
        characters = [await service.create_character(name) for name in "abc"]
        chosen = [Present(one, one, (await service.settings(one)).raw) for one in characters]
        plan = bulk_plan(chosen, {"temperature": "0.25"}, MODELS, ids=ids)
        await service.update_character(characters[1], temperature=Decimal("0.9"))
        async for progress in Executor(service, session.journal, session.profile.place).run(plan):
            last = progress
        found = [(await service.settings(one)).temperature for one in characters]
        await session.aclose()
        return last, found

    last, found = asyncio.run(run())
    assert last.states == (StepState.DONE, StepState.FAILED, StepState.DONE)
    assert last.errors[1].kind is ErrorKind.CONFLICT
    assert found == [Decimal("0.25"), Decimal("0.9"), Decimal("0.25")]
