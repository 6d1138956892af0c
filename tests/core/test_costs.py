"""A character's price: its record and settings as facts, and every configuration that it may be, as it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from chartui.core.character import Reading, models_of, read_character, with_objective
from chartui.core.characters.models import from_catalogue
from chartui.core.costs import Basis, facts_of, facts_with, price
from chartui.core.estimation.character_cost import tokens_text
from chartui.core.estimation.character_map import Inputs, map_character
from chartui.core.estimation.mix import Case
from chartui.core.estimation.pins import Pins
from chartui.core.estimation.prompt import tokens_as_wire
from chartui.core.estimation.source import Source
from chartui.core.journal import Written
from chartui.core.jsontext import Wire
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions
from chartui.core.typed_numbers import Range
from tests.tui.sessions import demo, doubled, remote

pytestmark = pytest.mark.anyio
MODELS = from_catalogue()
DEFAULT = Basis(Pins())


def reading(now: Mapping[str, Wire], *, known_here: Mapping[str, str] | None = None, **record: Wire) -> Reading:
    written = {member: Written(value, "2026-11-21T09:30:00Z") for member, value in (known_here or {}).items()}
    return Reading(record, None, now, written)


async def of(session: Session, name: str) -> Reading:
    [found] = [s for s in await session.service.summaries() if s.character_name == name]
    read = await read_character(session.service, session.journal, session.profile.place, found.character_id)
    assert read is not None
    return read


def test_what_was_read_goes_before_what_is_known_here() -> None:
    now = {"model_group_name": "mdla-5.1", "reasoning_effort": None}
    facts = facts_of(reading(now, known_here={"reasoning_effort": "high"}), MODELS)
    assert (facts.code, facts.level, facts.level_from) == ("mdla-5.1", None, Source.RECORD)
    facts = facts_of(reading({"model_group_name": "mdla-5.1"}, known_here={"reasoning_effort": "high"}), MODELS)
    assert (facts.level, facts.level_from) == ("high", Source.KNOWN_HERE)
    facts = facts_of(reading({"model_group_name": "mdla-5.1"}), MODELS)
    assert (facts.level, facts.level_from) == (None, None)


@pytest.mark.parametrize(
    ("code", "written", "level"),
    [
        ("mdla-5.1", "", None),  # cleared from here
        ("mdlc-3.5-flash", "xhigh", "auto"),  # the model was changed elsewhere since
        ("mdla-4o", "high", None),
    ],
)
def test_a_level_that_is_known_here_and_what_became_of_it(code: str, written: str, level: str | None) -> None:
    read = reading({"model_group_name": code}, known_here={"reasoning_effort": written})
    facts = facts_of(read, MODELS)
    assert (facts.level, facts.level_from) == (level, Source.KNOWN_HERE)


@pytest.mark.parametrize("settings", [None, [], {}, {"enabled": None}, {"enabled": "yes"}, "on"])
def test_memory_that_is_not_said(settings: Any) -> None:
    assert facts_of(reading({}, memory_settings=settings), MODELS).memory is None


@pytest.mark.parametrize("voice", [None, "", 3, ["soft"]])
def test_a_voice_that_is_not_said(voice: Any) -> None:
    assert facts_of(reading({}, voice_type=voice), MODELS).voice is None


def test_who_says_what_auto_comes_to() -> None:
    facts = facts_of(reading({"model_group_name": "mdlc-3.5-flash", "reasoning_effort": "auto"}), MODELS)
    for known, said in (
        (facts, "the default of this model is low, according to the built-in catalogue."),
        (facts._replace(sure=True), "the default of this model is low."),
    ):
        part = map_character(known, Inputs(), Pins()).part("llm")
        assert (part.values, part.assumed) == (("mdlc_3_5_flash_low",), True)
        assert part.why.endswith(said)


def test_what_waits_to_be_saved() -> None:
    facts = facts_of(reading({"model_group_name": "mdla-5.1", "reasoning_effort": "none"}), MODELS)
    assert facts_with(facts, {}, MODELS) == facts
    changed = facts_with(facts, {"model_group_name": "mdlc-3.5-flash"}, MODELS)
    assert (changed.code, changed.code_from) == ("mdlc-3.5-flash", Source.STAGED)
    assert changed.level == "auto"  # what the model makes of a level that it does not take (decision 22)
    changed = facts_with(facts, {"model_group_name": "mdlc-3.5-flash", "reasoning_effort": "low"}, MODELS)
    assert (changed.level, changed.level_from) == ("low", Source.STAGED)
    assert facts_with(facts, {"reasoning_effort": ""}, MODELS).level is None


def test_what_cannot_be_read_stays_unknown_under_another_model() -> None:
    facts = facts_with(facts_of(reading({"model_group_name": "mdla-5.1"}), MODELS), {"model_group_name": "x"}, MODELS)
    assert (facts.code, facts.level, facts.level_from, facts.levels) == ("x", None, None, None)


async def test_a_store_tells_the_level_and_a_service_does_not() -> None:
    session = demo()
    elena = await of(session, "Elena Marsh")
    assert elena.settings is not None
    assert facts_of(elena, MODELS).level == "medium"
    await session.aclose()
    session, _ = remote()
    elena = await of(session, "Elena Marsh")
    assert elena.settings is None
    assert facts_of(elena, MODELS).level_from is None
    assert await read_character(session.service, session.journal, session.profile.place, "nobody") is None
    await session.aclose()


async def test_levels_by_the_catalogue_where_the_service_does_not_tell() -> None:
    session, double = remote()
    character_id = (await session.service.summaries())[0].character_id
    assert (await models_of(session.service, character_id)).sure
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "A professional account is needed.", status=403)
    assert await models_of(session.service, character_id) == MODELS
    await session.aclose()


async def test_every_candidate_is_asked_once() -> None:
    session, double = doubled()
    facts = facts_of(reading({"model_group_name": "mdlb-sonnet"}), MODELS)
    remembered: dict[Any, Any] = {}
    cost = await price(session.service, facts, DEFAULT, remembered)
    assert [e.selections.llm for e in cost.estimates if e.selections] == list(cost.mapped.candidates)
    assert double.count("estimate") == 5
    assert await price(session.service, facts, DEFAULT, remembered) == cost
    assert double.count("estimate") == 5
    await price(session.service, facts, Basis(Pins(), assumptions=Assumptions(input_tokens=Decimal(1))), remembered)
    assert double.count("estimate") == 10
    await session.aclose()


async def test_an_option_that_is_refused_has_no_price() -> None:
    session, _ = doubled()
    pins = Pins().with_model("mdlb-sonnet", "nothing_such")
    facts = facts_of(reading({"model_group_name": "mdlb-sonnet"}), MODELS)
    cost = await price(session.service, facts, Basis(pins))
    assert cost.credits is None
    assert cost.unknown.startswith("'nothing_such' is not a valid llm.")
    await session.aclose()


async def test_other_failures_are_raised() -> None:
    session, double = doubled()
    facts = facts_of(reading({"model_group_name": "mdla-4o"}), MODELS)
    with pytest.raises(ServiceError, match="inputTokens"):
        await price(session.service, facts, Basis(Pins(), assumptions=Assumptions(input_tokens=Decimal(10**13))))
    double.failures["estimate"] = ServiceError(ErrorKind.UNREACHABLE, "No answer.")
    with pytest.raises(ServiceError, match="No answer"):
        await price(session.service, facts, DEFAULT)
    await session.aclose()


async def test_what_has_no_configuration_asks_nobody() -> None:
    session, double = doubled()
    facts = facts_of(reading({"model_group_name": "our-own-13b"}), MODELS)
    assert (await price(session.service, facts, DEFAULT)).credits is None
    assert double.count("estimate") == 0
    await session.aclose()


async def test_input_tokens_are_estimated_only_for_the_kinds_that_give_none() -> None:
    session = demo()
    elena = facts_of(await with_objective(session.service, await of(session, "Elena Marsh")), MODELS)
    lecture, greeting = (
        Case("Lecture", Decimal(1), {"input_tokens": Range.of(Decimal(3000))}),
        Case("Hi", Decimal(1), {}),
    )
    cost = await price(session.service, elena, DEFAULT._replace(cases=(lecture, greeting)))
    assert cost.tokens is not None
    number = cost.tokens.number
    assert cost.tokens_in_short == f"{number} for “Hi”, estimated"
    assert f"{number} input tokens for “Hi”, estimated from the texts" in tokens_text([cost])
    echoed = cost.estimates[0].assumptions
    assert echoed is not None
    assert echoed.input_tokens == Decimal(3000 + number) / 2
    assert tokens_as_wire(cost.tokens)["kinds"] == ["Hi"]
    everywhere = await price(session.service, elena, DEFAULT._replace(cases=(greeting, greeting)))
    assert everywhere.tokens is not None
    assert everywhere.tokens.kinds == ()
