"""A change in words: right for every operation that changes something, and one safe short line whatever it is given."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import pytest

from chartui.core.jsontext import Wire
from chartui.core.plans.plan import Change
from chartui.core.plans.wording import (
    change_text,
    changes,
    new_value,
    sentence,
    short,
    stored,
    subject,
    subject_of,
    written,
)
from chartui.core.spec.operation import Effect
from chartui.core.spec.operations import OPERATIONS
from chartui.core.text import is_plain

_WRITES: Final = {name for name, row in OPERATIONS.items() if row.effect is Effect.WRITE}
_C: Final[dict[str, Wire]] = {"character_id": "c1"}
_S: Final[dict[str, Wire]] = {**_C, "section_id": "s1"}
_T: Final[dict[str, Wire]] = {**_C, "trigger_id": "t1"}
_NAMED: Final[dict[str, Wire]] = {"record": {"character_id": "c1", "character_name": "Old"}}
_GATE: Final[dict[str, Wire]] = {"section_id": "s1", "section_name": "Gate"}
_BELL: Final[dict[str, Wire]] = {"trigger_id": "t1", "trigger_name": "bell"}

#: Operation → payload, what was there before, the sentence, and the sentence where nothing of it could be read.
SENTENCES: Final[Mapping[str, tuple[dict[str, Wire], dict[str, Wire] | None, str, str]]] = {
    "update-character": (
        {"charID": "c1", "model_group_name": "m2", "temperature": Decimal("0.50"), "reasoning_effort": ""},
        {"model_group_name": "m1", "temperature": Decimal("0.7"), "reasoning_effort": "none"},
        "model m1 → m2, temperature 0.7 → 0.5, reasoning level none → not set · Mara",
        "model → m2, temperature → 0.5, reasoning level → not set · Mara",
    ),
    "toggle-narrative": (
        {**_C, "is_narrative_driven": True},
        {"is_narrative_driven": False},
        "narrative graph off → on · Mara",
        "narrative graph → on · Mara",
    ),
    "create-section": (
        {**_C, "section_name": "Gate", "objective": "Greet."},
        None,
        "added a section · “Gate” · Mara",
        "added a section · “Gate” · Mara",
    ),
    "edit-section": (
        {**_S, "updated_data": {"section_name": "Hall", "decisions": [{}, {}]}},
        {"section_name": "Gate", "decisions": None},
        "name Gate → Hall, + decision: no criteria → no target, + decision: no criteria → no target · “Gate” · Mara",
        "name → Hall, decisions → no criteria → no target no criteria → n… · section s1 · Mara",
    ),
    "delete-section": (_S, _GATE, "deleted a section · “Gate” · Mara", "deleted a section · section s1 · Mara"),
    "restore-section": (
        {**_C, "section": _GATE},
        None,
        "restored a section · “Gate” · Mara",
        "restored a section · “Gate” · Mara",
    ),
    "create-trigger": (
        {**_C, "trigger_name": "bell", "trigger_message": "Rings."},
        None,
        "added a trigger · “bell” · Mara",
        "added a trigger · “bell” · Mara",
    ),
    "update-trigger": (
        {**_T, "updated_data": {"trigger_message": "", "destination_section": None}},
        {"trigger_message": "Rings.", "destination_section": "s1"},
        "message Rings. → empty, destination s1 → not set · trigger t1 · Mara",
        "message → empty, destination → not set · trigger t1 · Mara",
    ),
    "delete-trigger": (_T, _BELL, "deleted a trigger · “bell” · Mara", "deleted a trigger · trigger t1 · Mara"),
    "restore-trigger": (
        {**_C, "trigger": _BELL},
        None,
        "restored a trigger · “bell” · Mara",
        "restored a trigger · “bell” · Mara",
    ),
    "create-character": (
        {"character_name": "New"},
        None,
        "created a character · New",
        "created a character · New",
    ),
    "duplicate-character": ({"charID": "c1"}, None, "copied a character · Mara", "copied a character · Mara"),
    "rename-character": (
        {"charID": "c1", "character_name": "New"},
        {"character_name": "Old"},
        "name Old → New · Old",
        "name → New · New",
    ),
    "delete-character": ({"charID": "c1"}, _NAMED, "deleted a character · Old", "deleted a character · Mara"),
    "restore-character": (
        {"snapshot": _NAMED},
        None,
        "restored a character · Old",
        "restored a character · Old",
    ),
    "set-start-section": (
        {**_C, "section_id": None},
        {"section_id": "s1"},
        "start s1 → not set · Mara",
        "start → not set · Mara",
    ),
    "set-override": (
        {**_S, "trigger_id": "t1", "destination_section": "s2"},
        {"destination_section": None},
        "destination not set → s2 · trigger t1 in section s1 · Mara",
        "destination → s2 · trigger t1 in section s1 · Mara",
    ),
}


def _of(character_id: str) -> str:
    return {"c1": "Mara"}.get(character_id, character_id)


def test_sections_and_triggers_are_told_by_their_names() -> None:
    names = {"s1": "Gate", "s2": "Hall", "t1": "bell", "c1": "Mara", "gone": ""}

    def of(item_id: str) -> str:
        return names.get(item_id, item_id)

    payload: dict[str, Wire] = {**_S, "updated_data": {"decisions": [{"criteria": "asks", "next_section_id": "s2"}]}}
    before: dict[str, Wire] = {"decisions": [{"criteria": "begs", "next_section_id": "gone"}]}
    told = "− decision: begs → (missing), + decision: asks → “Hall” · “Gate” · Mara"
    assert sentence("edit-section", payload, before, of=of) == told
    override = {**_S, "trigger_id": "t1", "destination_section": "s2"}
    told = "destination not set → “Hall” · trigger “bell” in section “Gate” · Mara"
    assert sentence("set-override", override, {"destination_section": None}, of=of) == told
    assert subject("set-override", override, None, of) == "Mara · trigger “bell” in section “Gate”"
    assert subject("edit-section", payload, None, of) == "Mara · section “Gate”"
    unknown = "663bf2dd-d2c1-4e1e-a6d4-0f3ad5a9a1b7"
    assert subject("delete-section", {**_C, "section_id": unknown}, None, of) == "Mara · section 663bf2dd-d2…"


def test_every_operation_that_changes_something_is_told() -> None:
    assert set(SENTENCES) == _WRITES


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence(name: str) -> None:
    payload, before, told, told_unread = SENTENCES[name]
    assert sentence(name, payload, before, of=_of) == told
    assert sentence(name, payload, None, of=_of) == told_unread
    assert sentence(name, payload, {}, of=_of) == told_unread


HOSTILE: Final = {
    "control characters": "\x1b[2J\x00\x07\x9b31m\x7f",
    "another title": "\x1b]0;owned\x07",
    "markup": "[red]x[/] [@click=app.quit]y[/] <b>",
    "bidirectional": "\u202eevil\u2066\u200f\u061c",
    "lines": "one\ntwo\r\nthree\u2028four\tfive\x85six",
    "very long": "x" * 2_000_000,
    "very long and wide": "語\u202e" * 700_000,
    "only blanks": " \n\t" * 1000,
    "half of a pair": "\ud800 x",
    "pile of marks": "a" + "\u0301" * 5000,
}


def _with(value: Any, text: str) -> Any:
    """``value`` with every text in it replaced."""
    if isinstance(value, str):
        return text
    if isinstance(value, Mapping):
        return {member: _with(inner, text) for member, inner in value.items()}
    return [_with(inner, text) for inner in value] if isinstance(value, list) else value


def _is_one_safe_line(line: str) -> bool:
    return is_plain(line) and len(line.splitlines()) == 1 and 0 < len(line) <= 480


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", sorted(_WRITES))
def test_whatever_comes_from_outside_is_one_safe_short_line(name: str, text: str) -> None:
    payload, before, *_ = SENTENCES[name]
    for seen in (before, None, {}):
        line = sentence(name, _with(payload, text), seen if seen is None else _with(seen, text), of=lambda _: text)
        assert _is_one_safe_line(line), line
        assert len(line) >= 8


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_names_of_members_come_from_outside_too(text: str) -> None:
    many = {f"{text[:1000]}{number}": text for number in range(50)}
    for name, payload in (("update-character", {"charID": "c1", **many}), ("edit-section", {"updated_data": many})):
        line = sentence(name, payload)
        assert _is_one_safe_line(line)
        assert "and 46 more" in line
    assert _is_one_safe_line(sentence(text, {text: text}))
    for value in (text, {text: text}, [text], Decimal(1).scaleb(300)):
        assert _is_one_safe_line(short(value))
        assert len(short(value)) <= 40
        assert len(short(value, 12)) <= 12


@pytest.mark.parametrize("name", sorted(_WRITES))
@pytest.mark.parametrize("odd", [None, 7, True, [], [1], {}, {"x": []}, "text"])
def test_what_is_of_another_kind_than_it_should_be_is_told_all_the_same(name: str, odd: Wire) -> None:
    payload, before, *_ = SENTENCES[name]
    odd_payload = dict.fromkeys(payload, odd)
    assert _is_one_safe_line(sentence(name, odd_payload, dict.fromkeys(before or {}, odd)))
    assert _is_one_safe_line(sentence(name, {}, {"record": odd, "section_name": odd, "character_name": odd}))


def test_an_operation_of_another_version_is_told_by_its_name() -> None:
    assert sentence("polish-character", {"charID": "c1"}, of=_of) == "polish-character · Mara"


def test_values_are_told_apart() -> None:
    values: tuple[Wire, ...] = (None, "", "  ", True, False, [], [1], "auto", "none", 0, Decimal("0.10"), {"a": 1})
    told = [short(value) for value in values]
    assert told == [
        "not set",
        "empty",
        "blank",
        "on",
        "off",
        "none",
        "1 item",
        "auto",
        "none",
        "0",
        "0.1",
        '{"a": 1}',
    ]


def test_what_could_not_be_read_is_not_made_up() -> None:
    payload = {"charID": "c1", "backstory": "New.", "temperature": 1}
    assert changes("update-character", payload, {"temperature": None}) == (
        Change(label="backstory", before=None, after="New.", known=False),
        Change(label="temperature", before=None, after=1, known=True),
    )
    assert changes("update-character", payload, None)[1] == Change(
        label="temperature", before=None, after=1, known=False
    )


def test_only_a_level_is_cleared_by_nothing() -> None:
    backstory, level = changes("update-character", {"charID": "c1", "backstory": "", "reasoning_effort": ""}, None)
    assert (new_value(backstory), new_value(level)) == ("empty", "not set")
    assert stored("update-character", {"reasoning_effort": "", "backstory": ""}) == {
        "reasoning_effort": None,
        "backstory": "",
    }
    assert stored("update-trigger", {"destination_section": ""}) == {"destination_section": None}
    assert stored("edit-section", {"objective": ""}) == {"objective": ""}


def test_addresses_are_not_what_is_written() -> None:
    for name, (payload, *_) in SENTENCES.items():
        assert not {"charID", "character_id"} & written(name, payload).keys()
    assert written("set-start-section", {**_C, "section_id": "s"}) == {"section_id": "s"}
    assert written("edit-section", {**_S, "updated_character_data": {"objective": "x"}}) == {"objective": "x"}
    assert written("delete-section", _S) == {}


def test_whose_a_change_is() -> None:
    assert subject_of({"charID": "c1"}, {"record": {"character_name": "Old"}}) == "Old"
    assert subject_of({"snapshot": _NAMED}, None) == "Old"
    assert subject_of({"charID": "c1"}, None) == ""


_ELENA: Final = "Elena keeps the lamp room of the maritime museum"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (f"{_ELENA}.", f"{_ELENA}. At night too.", "…time museum. → …time museum. At night too."),
        (f"{_ELENA} in May.", f"{_ELENA} in June.", "…e museum in May. → …e museum in June."),
        (f"{_ELENA}.", f"{_ELENA}.\n", "49 → 50 characters"),
        ("Elena keeps.", "Elena keeps on.", "Elena keeps. → Elena keeps on."),
        (_ELENA, _ELENA, "Elena keeps the lamp room of the mariti… → Elena keeps the lamp room of the mariti…"),
    ],
)
def test_texts_with_the_same_beginning_are_shown_from_where_they_differ(before: str, after: str, told: str) -> None:
    assert change_text(Change(label="backstory", before=before, after=after)) == told
