"""The same settings for many characters: which steps there are, and that nobody's change is overwritten."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal

import pytest

from chartui.core.characters.models import from_catalogue, from_service
from chartui.core.estimation.character_cost import CharacterCost, Priced
from chartui.core.estimation.character_map import Facts, Inputs, map_character
from chartui.core.estimation.pins import Pins
from chartui.core.journal import Written
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.plans.bulk import Present, bulk_change, gone_models, with_costs
from chartui.core.plans.executor import Executor, Progress, StepState
from chartui.core.plans.plan import cost_effects, from_wire, to_wire
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.models.characters import ModelEntry, Reasoning
from chartui.core.spec.models.estimation import Estimate, LatencyRange, Totals
from chartui.core.spec.records import settings_in
from tests import writes

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
    bulk = bulk_change(chosen, {"temperature": "0.5"}, MODELS, ids=ids, reason="why")
    plan = bulk.plan
    assert [(step.payload, step.expected) for step in plan.steps] == [
        ({"charID": "c", "temperature": Decimal("0.5")}, None)
    ]
    assert (plan.independent, plan.steps[0].reason, plan.steps[0].subject) == (True, "why", "C")
    assert plan.title == "Set temperature for 1 character"
    assert plan.notes == ("2 characters already have these settings and are skipped: A, B.",)
    assert [one.character_id for one in bulk.already] == ["a", "b"]
    assert [one.character_id for one, _ in bulk.changed] == ["c"]


def test_who_would_surely_be_refused_is_left_out() -> None:
    chosen = [present("a", model_group_name="m1"), *(present(x, model_group_name="m2") for x in "bcd")]
    bulk = bulk_change(chosen, {"reasoning_effort": "low"}, MODELS, ids=ids)
    assert [step.payload["charID"] for step in bulk.plan.steps] == ["a"]
    why = "m2 does not support “low”; it supports no reasoning levels."
    why = f"3 characters cannot be given these settings: B, C, D. {why}"
    assert (bulk.refusals, bulk.plan.notes) == ((why,), (f"Skipped: {why}",))
    assert [one.present.character_id for one in bulk.refused] == ["b", "c", "d"]
    # The level is judged by the model that comes with it, and where only the catalogue knows, the service decides.
    both = {"model_group_name": "m1", "reasoning_effort": "low"}
    assert len(bulk_change(chosen, both, MODELS, ids=ids).plan.steps) == 4
    assert len(bulk_change(chosen, {"reasoning_effort": "low"}, from_catalogue(), ids=ids).plan.steps) == 4


def test_each_reason_is_told_once_and_many_names_are_counted() -> None:
    chosen = [present(f"c{number}", model_group_name="m2") for number in range(20)]
    chosen.append(present("x", model_group_name="m1"))
    bulk = bulk_change(chosen, {"reasoning_effort": "medium"}, MODELS, ids=ids)
    assert bulk.plan.steps == ()
    many, one = bulk.refusals
    assert many.startswith("20 characters cannot be given these settings: C0, C1,")
    assert "C11 and 8 more. m2 does not support" in many
    assert (
        one
        == "1 character cannot be given these settings: X. m1 does not support “medium”; it supports low, high, auto."
    )


def test_what_another_model_makes_of_the_levels_is_counted() -> None:
    levels = {"a": "max", "b": "low", "c": None, "d": "max"}
    chosen = [present(one, model_group_name="m0", reasoning_effort=level) for one, level in levels.items()]
    chosen.append(present("e", model_group_name="m0"))
    to_m1 = bulk_change(chosen, {"model_group_name": "m1"}, MODELS, ids=ids).plan
    assert to_m1.notes == (
        "The reasoning level of 2 characters is not supported by the new model and becomes auto.",
        "The reasoning level of 1 character is not reported by the service.",
    )
    to_m2 = bulk_change(chosen[:4], {"model_group_name": "m2"}, MODELS, ids=ids).plan
    assert to_m2.notes == ("The reasoning level of 3 characters is not supported by the new model and is cleared.",)
    # One that is chosen with the model is no consequence of it, and nothing is known of a model that no list has.
    with_level = {"model_group_name": "m1", "reasoning_effort": "high"}
    assert bulk_change(chosen, with_level, MODELS, ids=ids).plan.notes == ()
    assert bulk_change(chosen[:4], {"model_group_name": "m9"}, MODELS, ids=ids).plan.notes == ()


def test_what_cannot_be_read_is_shown_as_it_was_last_written_from_here() -> None:
    written = {"reasoning_effort": Written("high", "2026-11-01T12:00:00.000+00:00")}
    one = Present("a", "A", {"model_group_name": "m1"}, known_here=written)
    [step] = bulk_change([one], {"reasoning_effort": "low"}, MODELS, ids=ids).plan.steps
    assert [(change.before, change.after, change.known) for change in step.changes] == [("high", "low", False)]


def test_models_that_no_list_has() -> None:
    chosen = [
        present("a", model_group_name="old"),
        present("b", model_group_name="m1"),
        present("c", model_group_name="older"),
        present("d", model_group_name="old"),
        present("e", model_group_name=None),
        present("f"),
    ]
    found = gone_models(chosen, MODELS)
    assert {code: [one.character_id for one in having] for code, having in found.items()} == {
        "old": ["a", "d"],
        "older": ["c"],
    }


# -- what it comes to --------------------------------------------------------------------------------------------------


def cost(credits_: str | None, latency: tuple[int, int] | None = (100, 200)) -> CharacterCost:
    """A cost of so many credits; of none, when nobody knows."""
    mapped = map_character(Facts("m1"), Inputs(given={"llm": "k"}), Pins())
    if credits_ is None:
        return CharacterCost(mapped, (Priced("k", None, "No option of this name."),))
    span = LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1])) if latency else None
    estimate = Estimate(totals=Totals(credits=Decimal(credits_)), lines=(), latency_ms=span)
    return CharacterCost(mapped, (Priced("k", estimate),))


def test_costs_are_added_and_latencies_compared() -> None:
    chosen = [present(one, model_group_name="m0", reasoning_effort=None) for one in "abcd"]
    bulk = bulk_change(chosen, {"model_group_name": "m1"}, MODELS, ids=ids)
    costs = [
        (cost("1.5"), cost("2.25", (50, 150))),
        (cost("1"), cost("0.5", (50, 250))),
        (cost("1"), cost("1")),
        (cost(None), cost("3")),
    ]
    plan = with_costs(bulk.plan, costs)
    assert [step.effects for step in plan.steps] == [cost_effects(now, then, alone=False) for now, then in costs]
    [together] = plan.effects
    assert (together.before, together.after) == ((Decimal("3.5"),) * 2, (Decimal("3.75"),) * 2)
    assert together.note == (
        "One interaction with each of 3 characters, not counting 1 character with an unknown price. "
        "Worst-case end-to-end latency: 1 faster, 1 slower, 1 at the same speed, 1 with unknown latency. "
        "With default inputs. Assumed: memory the service's default, speech output the service's default."
    )
    assert from_wire(loads(dumps(to_wire(plan)))) == plan


def test_nothing_is_added_up_where_nothing_is_known_or_one_is_alone() -> None:
    chosen = [present(one, model_group_name="m0", reasoning_effort=None) for one in "ab"]
    bulk = bulk_change(chosen, {"model_group_name": "m1"}, MODELS, ids=ids)
    [together] = with_costs(bulk.plan, [(cost(None), cost("1")), (cost("1"), cost(None))]).effects
    assert (together.before, together.after) == (None, None)
    assert together.note.startswith(
        "No character has a known price both before and after the change. Worst-case end-to-end"
    )
    alone = bulk_change(chosen[:1], {"model_group_name": "m1"}, MODELS, ids=ids)
    assert with_costs(alone.plan, [(cost("1"), cost("2"))]).effects == ()


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
        characters = [await writes.create_character(service, name) for name in "abc"]
        chosen = [Present(one, one, (await service.settings(one)).raw) for one in characters]
        plan = bulk_change(chosen, {"temperature": "0.25"}, MODELS, ids=ids).plan
        await writes.update_character(service, characters[1], temperature=Decimal("0.9"))
        async for progress in Executor(service, session.journal, session.profile.place).run(plan):
            last = progress
        found = [(await service.settings(one)).temperature for one in characters]
        await session.aclose()
        return last, found

    last, found = asyncio.run(run())
    assert last.states == (StepState.DONE, StepState.FAILED, StepState.DONE)
    assert last.errors[1].kind is ErrorKind.CONFLICT
    assert found == [Decimal("0.25"), Decimal("0.9"), Decimal("0.25")]
