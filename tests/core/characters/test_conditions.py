"""Choosing characters by what their records hold."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.characters.conditions import BadCondition, check_fields, matches, parse
from chartui.core.jsontext import Wire

RECORD: dict[str, Wire] = {
    "character_id": "c1",
    "character_name": "Elena Marsh",
    "language_code": "en-GB",
    "language_codes": ["en-GB", "cy-GB"],
    "is_narrative_driven": True,
    "memory_settings": {"enabled": False},
    "personalised_prompt_config": {"MODEL": "mdla-5.1", "TEMPERATURE": Decimal("0.70"), "VERBOSITY": 3},
    "voice_type": None,
    "guard_rails": {"dots.in": {"name": "yes"}},
    "listing": "",
    "own.member": 1,
}


@pytest.mark.parametrize(
    "text",
    [
        "model=mdla-5.1",
        "personalised_prompt_config.MODEL=mdla-5.1",
        "model~5.1",
        "name~MARSH",
        "name = Elena Marsh",
        "temperature=0.7",
        "temperature=7e-1",
        "temperature!=0.71",
        "temperature~0.7",
        "personalised_prompt_config.VERBOSITY=3",
        "narrative=yes",
        "narrative=TRUE",
        "narrative!=no",
        "memory=false",
        "memory~no",
        "language_codes=cy-GB",
        "language_codes~CY",
        "language_codes!=fr-FR",
        "voice=",
        "listing=",
        "description=",
        "model!=",
        "voice!=deep",
        "name!=elena marsh",
        "own.member=1",
        "guard_rails.dots.in~name",
        "guard_rails~dots",
    ],
)
def test_what_holds(text: str) -> None:
    assert matches([parse(text)], RECORD)


@pytest.mark.parametrize(
    "text",
    [
        "model=mdla-5",
        "model!=mdla-5.1",
        "name=elena marsh",
        "temperature=warm",
        "temperature=0.7x",
        "narrative=1",
        "narrative=",
        "memory=yes",
        "language_codes=en",
        "language_codes!=cy-GB",
        "voice~e",
        "description~e",
        "voice!=",
        "personalised_prompt_config.MODEL.more=x",
    ],
)
def test_what_does_not_hold(text: str) -> None:
    assert not matches([parse(text)], RECORD)


def test_all_conditions_must_hold() -> None:
    both = [parse("model=mdla-5.1"), parse("narrative=no")]
    assert matches(both[:1], RECORD)
    assert not matches(both, RECORD)
    assert matches([], RECORD)


@pytest.mark.parametrize("text", ["", "model", "=x", "  =x", "!=x", "~"])
def test_what_is_no_condition_is_told(text: str) -> None:
    with pytest.raises(BadCondition, match="is not a condition; write FIELD=VALUE"):
        parse(text)


def test_a_value_may_hold_signs_of_its_own() -> None:
    found = parse("name=a=b!=c~d")
    assert (found.path, found.relation, found.value) == ("character_name", "=", "a=b!=c~d")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modle=x", "Unknown field “modle”. Did you mean “model”?"),
        ("language_cod=x", "Did you mean “language_code” or “language_codes”?"),
        ("personalised_prompt_config.MODLE=x", "Did you mean “personalised_prompt_config.MODEL”?"),
        ("qqqqqqq=x", "Unknown field “qqqqqqq”. Known: id, name, model"),
    ],
)
def test_an_unknown_field_is_told_with_the_nearest(text: str, said: str) -> None:
    with pytest.raises(BadCondition) as bad:
        check_fields([parse(text)], [RECORD])
    assert said in str(bad.value)


def test_fields_that_only_a_record_has_are_known() -> None:
    check_fields([parse("own.member=1"), parse("guard_rails.dots.in=x"), parse("reasoning=high")], [RECORD])
    check_fields([parse("model=x")], [])
