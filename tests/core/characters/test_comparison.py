"""Two characters side by side: every member once, and a verdict that says no more than is known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.characters.comparison import (
    Comparison,
    Side,
    Verdict,
    compare,
    comparison_sheet,
    comparison_wire,
    label_of,
    members,
)
from chartui.core.jsontext import Wire
from chartui.core.sheet import as_csv

ELENA: dict[str, Wire] = {
    "character_id": "c1",
    "character_name": "Elena",
    "personalised_prompt_config": {"MODEL": "mdla-5.1", "TEMPERATURE": Decimal("0.50"), "PROMPT": "One.\nTwo."},
    "memory_settings": {"enabled": True},
    "start_narrative_section_id": "s1",
}
OTHER: dict[str, Wire] = {
    "character_id": "c2",
    "character_name": "Nova",
    "personalised_prompt_config": {"MODEL": "mdla-4.1", "TEMPERATURE": Decimal("0.5"), "PROMPT": "One.\nThree."},
    "memory_settings": {"enabled": True},
    "start_narrative_section_id": "s2",
}
TOLD: dict[str, Wire] = {"backstory": "Long ago.", "reasoning_effort": None}
MODEL = "personalised_prompt_config.MODEL"


def verdicts(comparison: Comparison) -> dict[str, Verdict]:
    found = {m.path: m.verdict for part in comparison.parts for m in part.members}
    assert len(found) == sum(len(part.members) for part in comparison.parts)
    return found


def differing(left: dict[str, Wire], right: dict[str, Wire]) -> set[str]:
    found = verdicts(compare(Side("a", left, TOLD), Side("b", right, TOLD)))
    return {path for path, verdict in found.items() if verdict is Verdict.DIFFERENT}


def test_what_differs_and_what_is_another_by_nature() -> None:
    comparison = compare(Side("Elena", ELENA, TOLD), Side("Nova", OTHER, TOLD))
    found = verdicts(comparison)
    assert differing(ELENA, OTHER) == {"character_name", MODEL, "personalised_prompt_config.PROMPT"}
    assert {path for path, v in found.items() if v is Verdict.APART} == {"character_id", "start_narrative_section_id"}
    assert found["personalised_prompt_config.TEMPERATURE"] is Verdict.SAME
    assert not comparison.alike
    assert compare(Side("a", ELENA, TOLD), Side("b", {**ELENA, "character_id": "c9"}, TOLD)).alike


def test_a_story_that_begins_somewhere_and_one_that_does_not_differ() -> None:
    assert differing(ELENA, {**ELENA, "start_narrative_section_id": None}) == {"start_narrative_section_id"}


@pytest.mark.parametrize(
    ("one", "other"), [(None, ""), (None, []), ([], {}), (0, None), (False, 0), ("1", 1), ("null", None)]
)
def test_what_only_looks_alike_differs(one: Wire, other: Wire) -> None:
    assert differing({"voice_type": one}, {"voice_type": other}) == {"voice_type"}
    assert differing({"voice_type": one}, {}) == {"voice_type"}


def test_an_empty_object_is_not_a_missing_one() -> None:
    assert differing({"memory_settings": {}}, {}) == {"memory_settings"}
    assert differing({"memory_settings": {}}, {"memory_settings": {"enabled": True}}) == {
        "memory_settings",
        "memory_settings.enabled",
    }


def test_what_a_service_does_not_tell_is_not_known() -> None:
    left = Side("here", ELENA, {"backstory": "Long ago.", "reasoning_effort": "low"})
    comparison = compare(left, Side("there", {**ELENA, "more": 1}))
    found = verdicts(comparison)
    assert (found["backstory"], found["reasoning_effort"]) == (Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert comparison.count(Verdict.UNKNOWN) == 2
    assert comparison.count(Verdict.DIFFERENT) == 1
    shown = {m.path for part in comparison.shown(everything=False) for m in part.members}
    assert shown == {"backstory", "reasoning_effort", "more"}


def test_not_set_auto_none_and_minimal_are_four_things() -> None:
    levels = [None, "auto", "none", "minimal"]
    for one in levels:
        for other in levels:
            sides = (Side("x", {}, {"reasoning_effort": level}) for level in (one, other))
            expected = Verdict.SAME if one == other else Verdict.DIFFERENT
            assert verdicts(compare(*sides))["reasoning_effort"] is expected


def test_members_that_no_group_names_come_last_and_under_their_own_names() -> None:
    left, right = {**ELENA, "new": [1]}, {**ELENA, "personalised_prompt_config": {"EXTRA": "x"}}
    last = compare(Side("a", left), Side("b", right)).parts[-1]
    assert last.title == "Other fields"
    assert [m.path for m in last.members] == ["new", "personalised_prompt_config.EXTRA"]


def test_a_name_with_a_dot_is_not_taken_for_a_path() -> None:
    assert members({MODEL: "false friend"}) == {f'"{MODEL}"': "false friend"}
    assert differing({MODEL: "x"}, {}) == {f'"{MODEL}"'}


def test_people_read_labels() -> None:
    assert (label_of(MODEL), label_of("memory_settings.enabled"), label_of("unheard.of")) == (
        "Model",
        "Memory",
        "unheard.of",
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["personalised_prompt_config", "memory_settings", "MODEL", "enabled", "a.b", "x"])
RECORDS = st.dictionaries(NAMES, st.dictionaries(NAMES, JSON, max_size=3) | JSON, max_size=4)


@given(RECORDS, RECORDS)
def test_nothing_is_lost_and_both_sides_are_treated_alike(left: dict[str, Any], right: dict[str, Any]) -> None:
    there, back = (
        compare(Side("a", left, TOLD), Side("b", right, TOLD)),
        compare(Side("b", right, TOLD), Side("a", left, TOLD)),
    )
    assert verdicts(there) == verdicts(back)
    assert members(left).keys() | members(right).keys() <= verdicts(there).keys()
    assert compare(Side("a", left, TOLD), Side("a", left, TOLD)).alike
    if left != right and there.alike:
        # Nothing but what two records may say in two ways: 1 and true are never the same here, 1 and 1.0 are.
        assert members(left) == members(right)


def test_it_can_be_taken_along() -> None:
    comparison = compare(Side("Elena", ELENA, TOLD), Side("=Nova", OTHER))
    wire = comparison_wire(comparison)
    assert wire[0] == {
        "group": "Identity",
        "path": "character_name",
        "verdict": "different",
        "left": "Elena",
        "right": "Nova",
    }
    unknown = next(row for row in wire if row["path"] == "backstory")
    assert unknown == {**unknown, "left": "Long ago.", "verdict": "unknown"}
    assert "right" not in unknown
    every = comparison_wire(comparison, everything=True)
    assert len(every) == sum(len(part.members) for part in comparison.parts)
    lines = as_csv(comparison_sheet(comparison)).splitlines()
    assert lines[0] == "group,field,path,Elena,'=Nova,verdict"
    assert "Model and prompt,Model,personalised_prompt_config.MODEL,mdla-5.1,mdla-4.1,different" in lines
