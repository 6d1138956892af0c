"""What a text says: word for word, as an instruction, and with its template keys filled in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.narrative.speech import filled, keys_in, speech


def told(text: str, **values: str) -> list[tuple[bool, str]]:
    return [(passage.exactly, passage.text) for passage in speech(text, values).passages]


def test_what_stands_between_the_marks_is_said_exactly_so() -> None:
    text = "Smile. <speak>Mind the sparks, {Name}.</speak>\nThen ask for {Thing}."
    assert told(text, Name="Ada") == [
        (False, "Smile."),
        (True, "Mind the sparks, Ada."),
        (False, "Then ask for {Thing}."),
    ]


def test_a_key_is_a_part_of_its_own_and_stays_in_sight_without_a_value() -> None:
    (passage,) = speech("{Name} has {Silver} silver", {"Name": "[bold]"}).passages
    assert [(part.text, part.key, part.known) for part in passage.parts] == [
        ("[bold]", "Name", True),
        (" has ", "", True),
        ("{Silver}", "Silver", False),
        (" silver", "", True),
    ]


def test_a_value_is_not_read_again() -> None:
    assert told("{A}", A="<speak>{B}</speak>", B="no") == [(False, "<speak>{B}</speak>")]


@pytest.mark.parametrize(
    ("text", "balanced"),
    [
        ("", True),
        ("plain", True),
        ("<speak>a</speak> b <SPEAK>c</ Speak >", True),
        ("<speak>", False),
        ("a</speak>", False),
        ("<speak>a<speak>b</speak>", False),
        ("<speak>a</speak></speak>", False),
        ("<speaker>a", True),
    ],
)
def test_marks_without_a_partner_are_noticed(text: str, balanced: bool) -> None:
    assert speech(text).balanced is balanced


def test_an_unclosed_mark_goes_on_to_the_end() -> None:
    assert told("a <speak>b <speak>c") == [(False, "a"), (True, "b c")]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("{Name} {Name} {Grüße_2} {a.b-c} {two words}", ("Name", "Grüße_2", "a.b-c", "two words")),
        ("{} {1} { Name } {a  b} {{x}", ("x",)),
        ('{"json": 1}', ()),
    ],
)
def test_what_is_a_key(text: str, keys: tuple[str, ...]) -> None:
    assert keys_in([text, None]) == keys
    assert filled(text, dict.fromkeys(keys, "!")).count("!") == text.count("{Name}") + len(set(keys) - {"Name"})


@given(st.lists(st.sampled_from([*"ab <>/{}\n", "<speak>", "</speak>", "{Key}", "{No}"]), max_size=40).map("".join))
def test_whatever_a_text_holds_its_words_are_all_there(text: str) -> None:
    found = speech(text, {"Key": "v"})
    assert all(passage.text.strip() for passage in found.passages)
    plain = "".join(passage.text for passage in found.passages)
    without_marks = "".join(p.text for p in speech(text).passages)
    assert "".join(plain.split()) == "".join(filled(without_marks, {"Key": "v"}).split())
