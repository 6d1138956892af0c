"""Every declared model: its wire form survives, unknown members and nulls included, and both readers agree on it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError

from chartui.core.jsontext import dumps, loads
from chartui.core.spec import models as models_package
from chartui.core.spec.check import adapter, check_request
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character, PromptConfig
from chartui.core.spec.models.estimation import Estimate, LatencyRange
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.operation import Operation, Ref
from chartui.core.spec.operations import OPERATIONS
from chartui.core.spec.shape import Odd, Record, build, wire_names
from chartui.core.spec.tolerance import read_answer


def declared() -> list[type]:
    found: dict[str, type] = {}
    for info in pkgutil.iter_modules(models_package.__path__):
        module = importlib.import_module(f"{models_package.__name__}.{info.name}")
        found |= {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, type) and is_dataclass(value) and value not in (Odd, Record)
        }
    return [found[name] for name in sorted(found)]


MODELS = declared()
ANSWERS = [model for model in MODELS if issubclass(model, Record)]
REQUESTS = [model for model in MODELS if not issubclass(model, Record)]


def is_row(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple)


def name_of(value: Any) -> str:
    return str(getattr(value, "__name__", None) or getattr(value, "name", value))


SCALARS = {str: "text ʦ 日本", int: 3, bool: True, Decimal: Decimal("0.125"), Any: {"any": [None]}}


def sample(kind: Any, *, unknown: bool) -> Any:
    """A wire value that fits ``kind``; with ``unknown`` every answer model in it has members nobody declared."""
    if kind in SCALARS:
        return SCALARS[kind]
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        names = wire_names(kind)  # type: ignore[arg-type]
        wire = {name: sample(hints[attribute], unknown=unknown) for attribute, name in names.items()}
        extra: dict[str, Any] = {"x-new": None, "x-list": [], "x-deep": {"a": [Decimal("0.1")]}}
        return wire | extra if unknown and issubclass(kind, Record) else wire  # type: ignore[arg-type]
    if is_row(kind):
        return {name: sample(hint, unknown=unknown) for name, hint in get_type_hints(kind).items()}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Mapping:
        return {"member": sample(arguments[1], unknown=unknown)}
    if origin is Sequence:
        return [sample(arguments[0], unknown=unknown)]
    assert origin in (Annotated, UnionType, Union), kind
    return sample(arguments[0], unknown=unknown)


def test_there_are_models_of_both_sorts() -> None:
    assert len(ANSWERS) >= 30
    assert len(REQUESTS) >= 20


@pytest.mark.parametrize("model", ANSWERS, ids=name_of)
def test_an_answer_survives_whole_whoever_reads_it(model: type[Record]) -> None:
    wire = sample(model, unknown=True)
    text = dumps(wire)
    built = build(model, loads(text))
    assert dumps(built.raw) == text
    for attribute, name in wire_names(model).items():
        assert getattr(built, attribute) is not None, f"{name} was not taken"
    TypeAdapter(model).validate_json(text)


@pytest.mark.parametrize("model", ANSWERS, ids=name_of)
def test_nulls_are_kept_and_are_not_the_same_as_absent_or_empty(model: type[Record]) -> None:
    whole = sample(model, unknown=False)
    for attribute, name in wire_names(model).items():
        wire = {**whole, name: None}
        absent = {key: value for key, value in whole.items() if key != name}
        try:
            built, without = build(model, wire), build(model, absent)
        except ServiceError as error:
            assert name in error.message  # noqa: PT017 - a required member: the error names it
            continue
        assert dumps(built.raw) == dumps(wire)
        assert dumps(without.raw) == dumps(absent)
        if isinstance(whole[name], list):
            assert getattr(build(model, {**whole, name: []}), attribute) == ()
            assert getattr(built, attribute) == getattr(without, attribute)


@pytest.mark.parametrize("model", REQUESTS, ids=name_of)
def test_a_request_is_taken_as_declared_and_with_nothing_else(model: type) -> None:
    wire = sample(model, unknown=False)
    validator: TypeAdapter[Any] = TypeAdapter(model)
    validator.validate_json(dumps(wire))
    with pytest.raises(ValidationError, match="x-new"):
        validator.validate_json(dumps({**wire, "x-new": 1}))


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=name_of)
def test_every_row_refuses_unknown_and_missing_members_by_name(row: Operation) -> None:
    wire = sample(row.request.load(), unknown=False)
    assert check_request(row, wire) == wire
    with pytest.raises(ServiceError) as caught:
        check_request(row, {**wire, "x-new": 1})
    assert (caught.value.kind, caught.value.member) == (ErrorKind.INVALID, "x-new")
    assert all(name in caught.value.message for name in wire)
    optional = {name for name in wire if accepted(row, {key: value for key, value in wire.items() if key != name})}
    for name in set(wire) - optional:
        with pytest.raises(ServiceError) as caught:
            check_request(row, {key: value for key, value in wire.items() if key != name})
        assert (caught.value.kind, caught.value.member) == (ErrorKind.INVALID, name)


def accepted(row: Operation, payload: dict[str, Any]) -> bool:
    try:
        check_request(row, payload)
    except ServiceError:
        return False
    return True


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=name_of)
def test_an_answer_as_declared_is_read_as_it_is(row: Operation) -> None:
    model = row.response.load()
    one = sample(Ref(row.response.module, row.response.name).load(), unknown=True)
    wire = [one] if row.response.many else one
    if row.path is not None:  # others never come from a service
        body, unreadable = read_answer(model, wire)
        assert body is wire
        assert unreadable == ()
    build(model, wire)
    assert adapter(row.response) is adapter(row.response)


@pytest.mark.parametrize("row", [row for row in OPERATIONS.values() if row.path is not None], ids=name_of)
def test_only_a_turn_and_options_can_be_read_in_anything(row: Operation) -> None:
    if row.name in ("get-response", "options"):
        read_answer(row.response.load(), "text")
        return
    with pytest.raises(ServiceError) as caught:
        read_answer(row.response.load(), "text")
    assert caught.value.kind is ErrorKind.UNEXPECTED


def test_quirks_of_the_character_record_are_kept() -> None:
    raw = loads(
        """{"character_id": "c", "speaking_style": {"description": "d"}, "character_traits": {"speaking_style": "t"},
        "personalised_prompt_config": {"USE_COMBINED_PROMPT": "true", "USE_ACTION_OPTMIZED_PROMPT": false,
        "TEMPERATURE": 0.70}, "timestamp": "2026-01-01T10:00:00", "mint_address": "N/A", "embodiment": null}"""
    )
    character = build(Character, raw)
    config = character.personalised_prompt_config
    assert isinstance(config, PromptConfig)
    assert config.use_combined_prompt == "true"
    assert build(PromptConfig, {"USE_COMBINED_PROMPT": True}).use_combined_prompt is True
    assert config.use_action_optimized_prompt is False
    assert config.temperature == Decimal("0.7")
    assert character.timestamp == "2026-01-01T10:00:00"
    assert character.speaking_style is not None
    assert character.character_traits is not None
    assert (character.speaking_style.description, character.character_traits.speaking_style) == ("d", "t")
    assert "embodiment" in character.raw
    assert "embodiment_data" not in character.raw


def test_no_decisions_and_an_empty_list_are_two_things() -> None:
    assert build(Section, {"section_id": "s", "decisions": None}).decisions is None
    assert build(Section, {"section_id": "s", "decisions": []}).decisions == ()
    moved = build(Section, {"section_id": "s", "node_position": [1, Decimal("2.5")]})
    assert moved.node_position == [1, Decimal("2.5")]


def test_latency_is_a_number_a_range_or_nothing() -> None:
    def line(latency: Any) -> LatencyRange | None:
        body = {"totals": {"credits": 1}, "lines": [{"key": "new", "credits": 1, "latency_ms": latency}]}
        assert read_answer(Estimate, body).unreadable == ()
        return build(Estimate, body).lines[0].latency

    assert line(None) is None
    assert line(5) == LatencyRange(min=Decimal(5), max=Decimal(5))
    assert line({"min": 1, "max": Decimal("2.5")}) == LatencyRange(min=Decimal(1), max=Decimal("2.5"))


def test_shares_are_of_the_total_and_unknown_of_nothing() -> None:
    def share(total: int) -> Decimal | None:
        body = {"totals": {"credits": total}, "lines": [{"key": "prompt", "credits": 1}]}
        estimate = build(Estimate, body)
        return estimate.share(estimate.lines[0])

    assert share(4) == Decimal("0.25")
    assert share(0) is None
