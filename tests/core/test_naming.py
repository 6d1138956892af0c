"""Finding a thing by what a person types."""

from __future__ import annotations

import pytest

from chartui.core.naming import AmbiguousName, Item, PartOfId, UnknownName, find, is_whole_id, unknown

ONE, TWO = "1a2b3c4d-0000-4000-8000-000000000001", "1a2b3c4d-0000-4000-8000-000000000002"
ITEMS = [Item(ONE, "Elena"), Item(TWO, "elena"), Item("c3", "Stra\u00dfe"), Item("c4"), Item("other-id-5", ONE)]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (ONE, ONE),  # an ID comes before a name
        ("Elena", ONE),
        ("elena", TWO),
        ("STRASSE", "c3"),
        ("\uff33trasse", "c3"),
        ("C4", "c4"),
        ("other-id", "other-id-5"),
        (ONE[:-1] + "2", TWO),
    ],
)
def test_what_is_found(given: str, meant: str) -> None:
    assert find("thing", given, ITEMS).id == meant


@pytest.mark.parametrize("given", ["ELENA", "1a2b3c4d"])
def test_several(given: str) -> None:
    with pytest.raises(AmbiguousName, match=rf"Elena \(ID {ONE}\), elena \(ID {TWO}\)\. Use an ID\."):
        find("thing", given, ITEMS)


@pytest.mark.parametrize("given", ["", " ", "El", "1a2b3c4", "other-i"])
def test_too_little(given: str) -> None:
    with pytest.raises(UnknownName):
        find("thing", given, ITEMS)


def test_a_start_is_no_whole_id() -> None:
    with pytest.raises(PartOfId, match="“other-id” is only the start of"):
        find("thing", "other-id", ITEMS, whole=True)
    assert find("thing", "strasse", ITEMS, whole=True).id == "c3"


def test_the_start_of_a_name() -> None:
    assert find("model", "str", ITEMS, name_prefix=True).id == "c3"
    with pytest.raises(AmbiguousName):
        find("model", "c", ITEMS, name_prefix=True)


def test_at_most_ten_are_listed() -> None:
    with pytest.raises(AmbiguousName, match=r"n \(ID 9\) and 2 more\. Use an ID\."):
        find("thing", "n", [Item(f"{number}", "n") for number in range(12)])


def test_suggestions() -> None:
    with pytest.raises(UnknownName, match=rf"No thing named “Elna”\. Did you mean Elena \(ID {ONE}\)\?"):
        find("thing", "Elna", ITEMS[:1])
    assert unknown("color", "gren", ["green", "red"]) == "Unknown color “gren”. Did you mean “green”?"
    assert unknown("color", "x", ["green", "red"], place="for --color") == (
        "Unknown color “x” for --color. Known: green, red."
    )
    assert unknown("color", "x", map(str, range(11))).endswith("8, 9, 10.")
    assert unknown("color", "x", map(str, range(12))).endswith("8, 9 and 2 more.")
    assert unknown("color", "mag", ["mga", "magenta"]).endswith("Did you mean “magenta”?")
    assert unknown("color", "blue", ["dark blue", "light blue"]).endswith("Did you mean “dark blue” or “light blue”?")
    assert unknown("color", "gren", ["green"], others=["'paint'"]).endswith("Did you mean “green” or 'paint'?")
    assert unknown("preset", "x", []) == "Unknown preset “x”."


def test_all_that_may_be_meant_are_suggested() -> None:
    guides = [
        Item(f"g{number}", name) for number, name in enumerate(["Museum guide", "Tour guide", "Tour Guide", "Bran"])
    ]
    found = r"Did you mean Museum guide \(ID g0\), Tour guide \(ID g1\) or Tour Guide \(ID g2\)\?"
    for typed in ("guide", "giude"):
        with pytest.raises(UnknownName, match=found):
            find("character", typed, guides)
    many = [Item(f"m{number}", f"{number} guide") for number in range(12)]
    with pytest.raises(UnknownName, match=r"4 guide \(ID m4\) and 7 more\?"):
        find("character", "guide", many)


def test_the_form_of_an_id() -> None:
    assert is_whole_id(ONE)
    assert not any(map(is_whole_id, ("", ONE[:-1], ONE.upper(), f"{ONE}\n", "Elena Marsh")))
