"""A record in groups: nothing is left out, nothing is made up, and every value says how it is known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.characters.record import NAMED_PATHS, grouped
from chartui.core.clock import seeded_ids, system_clock
from chartui.core.fields import Access, Entry, Group
from chartui.core.journal import Written
from chartui.core.jsontext import Wire, dumps
from chartui.demos.sample import samples

SAMPLE = next(samples("local", ids=seeded_ids(7), clock=system_clock))


def entries(groups: tuple[Group, ...]) -> dict[str, Entry]:
    return {entry.path: entry for group in groups for entry in group.entries}


def of(record: dict[str, Wire], **more: Any) -> dict[str, Entry]:
    return entries(grouped(record, **more))


def test_the_groups_are_those_that_people_think_of() -> None:
    assert [group.title for group in grouped(SAMPLE.record)] == [
        "Identity",
        "Model and prompt",
        "Personality traits",
        "Speaking style",
        "Voice and languages",
        "Pronunciations",
        "Guard rails and moderation",
        "Memory",
        "Narrative",
        "Embodiment",
        "Technical",
    ]


def test_every_named_member_is_there_once_whatever_the_record_holds() -> None:
    for record in ({}, SAMPLE.record):
        paths = [entry.path for group in grouped(record) for entry in group.entries if "[" not in entry.path]
        assert sorted(paths) == sorted({*NAMED_PATHS, "reasoning_effort", "backstory", ""})


plain_values = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
json_values = plain_values | st.lists(plain_values, max_size=2) | st.dictionaries(st.text(max_size=3), plain_values)


@given(
    st.dictionaries(st.sampled_from(["voice_type", "memory_settings.enabled", "guard_rails", "x", "y"]), json_values)
)
def test_nothing_is_left_out(record: dict[str, Wire]) -> None:
    found = [entry.copied for group in grouped(record) for entry in group.entries if entry.copied is not None]
    for name, value in record.items():
        assert (value if isinstance(value, str) else dumps(value, indent=2)) in found, name


def test_members_that_nobody_names_come_last_under_their_paths() -> None:
    record = {"new": {"a": 1}, "character_traits": {"mood": "calm"}, "voice_type": "deep", "memory_settings.enabled": 1}
    *_, last = grouped(record)
    assert last.title == "Other fields"
    assert [(entry.path, entry.copied) for entry in last.entries] == [
        ("new", '{\n  "a": 1\n}'),
        ("character_traits.mood", "calm"),
        ('"memory_settings.enabled"', "1"),
    ]


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        (None, "null", False),
        ("", "empty text", False),
        ([], "empty list", False),
        ({}, "empty object", False),
        (0, "0", True),
        (False, "no", True),
        (Decimal("0.50"), "0.5", True),
        (["a", 1, True], "a · 1 · yes", True),
    ],
)
def test_absent_null_and_empty_are_three_things(value: Wire, text: str, said: bool) -> None:
    entry = of({"voice_type": value})["voice_type"]
    assert (entry.text, entry.said) == (text, said)
    absent = of({})["voice_type"]
    assert (absent.text, absent.said, absent.copied) == ("not in the record", False, None)


def test_a_list_of_plain_values_has_items_and_any_other_has_none() -> None:
    assert of({"language_codes": ["de", "fr"]})["language_codes"].items == ("de", "fr")
    assert of({"language_codes": ["de", {"a": 1}]})["language_codes"].items == ()
    assert of({"language_codes": "de"})["language_codes"].items == ()


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ({"openness": 4}, 0.8),
        ({"openness": 4, "sensitivity": 8}, 0.5),
        ({"openness": -(10**399)}, 0.0),
        ({"openness": 10**399}, 1.0),
        ({"openness": Decimal("2.5")}, 0.5),
        ({"openness": True}, None),
        ({"openness": "4"}, None),
    ],
)
def test_a_trait_is_a_bar_of_the_highest_score(scores: dict[str, Wire], scale: float | None) -> None:
    found = of({"character_traits": {"personality_traits": scores}})
    assert found["character_traits.personality_traits.openness"].scale == scale


# -- what can be read -------------------------------------------------------------------------------------------------


def test_the_embedded_store_tells_all() -> None:
    found = of({}, settings={"backstory": "Once.", "reasoning_effort": None})
    assert {entry.access for entry in found.values()} == {Access.READABLE, Access.NO_CALL}
    assert found["character_name"].access is found["backstory"].access is Access.READABLE
    assert (found["backstory"].text, found["reasoning_effort"].text) == ("Once.", "not set")
    assert found["reasoning_effort"].copied is None


def test_a_level_called_none_is_not_one_that_is_not_set() -> None:
    found = of({}, settings={"reasoning_effort": "none"})["reasoning_effort"]
    assert (found.text, found.said) == ("none", True)


def test_a_service_does_not_give_back_what_can_only_be_written() -> None:
    found = of({}, known_here={"reasoning_effort": Written("high", "2026-11-20T10:11:12.123Z")})
    assert (found["backstory"].access, found["backstory"].copied) == (Access.WRITE_ONLY, None)
    level = found["reasoning_effort"]
    assert (level.access, level.text, level.copied) == (Access.KNOWN_HERE, "high", "high")
    assert "2026-11-20 10:11 UTC" in level.remark


@pytest.mark.parametrize("path", ["language_code", "personalised_prompt_config.MODERATION_ENABLED", "odd"])
@pytest.mark.parametrize("settings", [None, {}])
def test_a_field_that_no_call_changes_is_marked(path: str, settings: dict[str, Wire] | None) -> None:
    found = of({"language_code": "en-US", "odd": 1}, settings=settings)
    assert found[path].access is Access.NO_CALL
    assert found["personalised_prompt_config.TEMPERATURE"].access is Access.READABLE


def test_only_a_store_changes_the_name() -> None:
    assert of({})["character_name"].access is Access.NO_CALL
    assert of({}, settings={})["character_name"].access is Access.READABLE


def test_who_changed_a_character_is_unknown() -> None:
    entry = next(e for group in grouped(SAMPLE.record) for e in group.entries if e.label == "Changed by")
    assert (entry.text, entry.said, entry.access) == ("not reported", False, Access.NO_CALL)


def test_what_a_service_returns_is_never_taken_from_here() -> None:
    record = {"personalised_prompt_config": {"MODEL": "theirs"}}
    found = of(record, known_here={"model_group_name": Written("mine", "2026-11-20T10:11:12.123Z")})
    assert found["personalised_prompt_config.MODEL"].text == "theirs"


def test_a_level_that_was_cleared_from_here_is_known_not_to_be_set() -> None:
    level = of({}, known_here={"reasoning_effort": Written("", "2026-11-20T10:11:12.123Z")})["reasoning_effort"]
    assert (level.access, level.text, level.said) == (Access.KNOWN_HERE, "not set", False)


@pytest.mark.parametrize(
    ("time", "marked"),
    [
        ("2026-11-20T10:11:12", True),
        ("2026-11-20T10:11:12Z", False),
        ("2026-11-20T10:11:12+01:00", False),
        ("", False),
        (None, False),
    ],
)
def test_a_time_without_a_zone_says_so(time: Wire, marked: bool) -> None:
    assert bool(of({"timestamp": time})["timestamp"].remark) is marked


# -- pronunciations ---------------------------------------------------------------------------------------------------


def pronounced(value: Wire) -> list[tuple[str, str, str]]:
    groups = grouped({"pronunciation_metadata": {"pronunciations": value}})
    (group,) = (group for group in groups if group.title == "Pronunciations")
    return [(entry.label, entry.text, entry.path.rpartition(".")[2]) for entry in group.entries]


def test_an_object_of_plain_values_is_a_list_of_them() -> None:
    entry = of({"guard_rails": {"type1": "standard", "level": 2}})["guard_rails"]
    assert (entry.text, entry.items) == ("type1: standard · level: 2", ("type1: standard", "level: 2"))
    assert of({"guard_rails": {"a": [1]}})["guard_rails"].text == '{\n  "a": [\n    1\n  ]\n}'


def test_pronunciations_are_a_table() -> None:
    assert pronounced(
        [
            {"word": "Fresnel", "ipaPronunciation": "freɪˈnɛl", "customPronunciation": "fray-NELL"},
            {"word": "sea", "ipaPronunciation": "", "more": 1},
            "odd",
        ]
    ) == [
        ("Word", "IPA         Custom", "pronunciations"),
        ("Fresnel", "freɪˈnɛl    fray-NELL", "pronunciations[0]"),
        ("sea", 'empty text  –  {"more": 1}', "pronunciations[1]"),
        ("–", "odd", "pronunciations[2]"),
    ]


@pytest.mark.parametrize("value", [None, [], {}, "text", 3])
def test_pronunciations_of_another_shape_are_shown_as_they_are(value: Wire) -> None:
    ((label, _, path),) = pronounced(value)
    assert (label, path) == ("Pronunciations", "pronunciations")
