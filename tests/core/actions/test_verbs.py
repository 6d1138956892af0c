"""Verbs in any form: which base a word comes from, and which forms are not made."""

from __future__ import annotations

import pytest

from chartui.core.actions.verbs import Form, alike, bases, form_of, readings


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("pick", "pick picks picked picking"),
        ("carry", "carry carries carried carrying"),
        ("drop", "drop drops dropped dropping"),
        ("heat", "heat heats heated heating"),
        ("move", "move moves moved moving"),
        ("travel", "travel travels travelled traveled travelling traveling"),
        ("lie", "lie lies lay lain lying"),
        ("free", "free frees freed freeing"),
        ("fix", "fix fixes fixed fixing"),
        ("quit", "quit quits quitting"),
        ("ring", "ring rings rang rung ringing"),
        ("give", "give gives gave given giving"),
        ("strike", "strike strikes struck stricken striking"),
        ("go", "go goes went gone going"),
        ("have", "have has had having"),
        ("play", "play plays played playing"),
    ],
)
def test_every_form_is_of_its_verb(base: str, words: str) -> None:
    assert all(base in readings(word) for word in words.split())


@pytest.mark.parametrize(
    ("word", "other"),
    [("hoping", "hop"), ("hopping", "hope"), ("ringed", "ring"), ("rated", "rat"), ("thing", "the")],
)
def test_other_words_are_not(word: str, other: str) -> None:
    assert not alike((word,), (other,))


def test_a_word_of_another_language_is_the_same_as_itself_alone() -> None:
    assert bases("coge") == {"coge"}
    assert alike(("取る",), ("取る",))


def test_which_form_a_word_is() -> None:
    assert form_of("rang", bases("rings")) == Form.PAST
    assert form_of("opened", bases("open")) == Form.PAST | Form.PARTICIPLE
    assert form_of("rings", bases("rings")) == Form.THIRD
    assert form_of("put", bases("puts")) == Form.BASE | Form.PAST | Form.PARTICIPLE
    assert form_of("wave", bases("ring")) == Form(0)
