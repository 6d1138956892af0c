"""What a backstory names of a scene: whole words, however a text bends its verbs, and no part of new name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.actions.backstory import Declared, Unnamed, sentences, unnamed, word_count
from chartui.core.text import is_plain
from tests.tui.hostile import HOSTILE


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ("Pick Up", "She picks up whatever lies about."),
        ("Picks Up", "She can pick up a key."),
        ("Drop", "Dropping things is what he does best."),
        ("Dance", "They were dancing all night."),
        ("Carry", "He carries the lamp, and carried it before."),
        ("MoveTo", "Where should I move to?"),
        ("Walk-To", "walk to the door"),
        ("Open", "OPEN"),
        ("Push", "pushes"),
    ],
)
def test_a_text_bends_its_verbs(action: str, text: str) -> None:
    assert unnamed(text, Declared(actions=(action,))) == ()


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ("Open", "The opener of tins."),
        ("Pick Up", "He picks what is up there."),  # not one behind the other
        ("Pick Up", "Pick"),
        ("Drop", "A droplet."),
        ("Dance", ""),
    ],
)
def test_words_that_only_look_alike_are_no_action(action: str, text: str) -> None:
    assert unnamed(text, Declared(actions=(action,))) == (Unnamed("actions", (action,)),)


def test_names_are_whole_and_not_bent() -> None:
    declared = Declared(
        objects=("Key 2", "Door (cannot be opened)", "the lamp", "Keyboard"), characters=("Dr. Ann-Marie O'Hara",)
    )
    text = "Key 1 opens the oaken door. A LAMP burns. Keyboards! dr ann marie o’hara sits there."
    assert unnamed(text, declared) == (Unnamed("objects", ("Key 2", "Keyboard")),)


def test_each_list_is_told_once_and_long_ones_are_counted() -> None:
    declared = Declared(("Run", "Run"), tuple(f"Thing {number}" for number in range(7)), ("Mara",))
    assert sentences("Mara runs.", declared) == (
        "The backstory does not mention the objects “Thing 0”, “Thing 1”, “Thing 2”, “Thing 3”, “Thing 4” and 2 more.",
    )
    assert sentences("", Declared(actions=("Run",), characters=("Mara",))) == (
        "The backstory does not mention the action “Run”.",
        "The backstory does not mention the character “Mara”.",
    )


def test_a_scene_that_declares_nothing_misses_nothing() -> None:
    assert sentences("", Declared()) == ()
    assert sentences("", Declared(actions=("",), objects=("…", " "))) == ()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_told_plainly(name: str) -> None:
    told = sentences("Nothing of it.", Declared((HOSTILE[name],), (HOSTILE[name],), (HOSTILE[name],)))
    assert all(is_plain(sentence) for sentence in told)


@given(st.lists(st.text(max_size=20), max_size=4), st.text(max_size=60))
def test_a_text_that_lists_the_names_names_them(names: list[str], text: str) -> None:
    declared = Declared(names, names, names)
    assert unnamed("\n".join((text, *names)), declared) == ()


@pytest.mark.parametrize(("text", "words"), [("", 0), (" \n ", 0), ("one", 1), ("Two  words.\n", 2), ("a–b", 1)])
def test_words_are_counted_by_the_white_space_between_them(text: str, words: int) -> None:
    assert word_count(text) == words
