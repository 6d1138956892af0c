"""Words with slips in them, and letters left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.fuzzy import START, Vocabulary, near
from chartui.core.text import fold


def distance(typed: str, word: str) -> int:
    """Letters changed, added, left out or swapped between two words: the definition, without anything clever."""
    table = {(0, column): column for column in range(len(word) + 1)}
    for row in range(1, len(typed) + 1):
        table[row, 0] = row
        for column in range(1, len(word) + 1):
            different = typed[row - 1] != word[column - 1]
            best = min(table[row - 1, column] + 1, table[row, column - 1] + 1, table[row - 1, column - 1] + different)
            if row > 1 and column > 1 and typed[row - 2 : row] == word[column - 2 : column][::-1]:
                best = min(best, table[row - 2, column - 2] + 1)
            table[row, column] = best
    return table[len(typed), len(word)]


def nearest(typed: str, word: str) -> int:
    return min(distance(typed, word[:end]) for end in range(len(word) + 1))


WORDS = st.lists(st.text("abc", max_size=9), unique=True, max_size=30).map(sorted)


@given(st.text("abc", min_size=4, max_size=8), WORDS)
def test_one_slip_is_found_wherever_it_is(typed: str, words: list[str]) -> None:
    assert dict(near(typed, words, 1)) == {word: n for word in words if (n := nearest(typed, word)) <= 1}


@given(st.text("abc", min_size=8, max_size=10), WORDS)
def test_two_slips_are_found_but_not_at_the_beginning(typed: str, words: list[str]) -> None:
    def begins_well(word: str) -> bool:
        beginnings = [typed[:end] for end in range(len(typed) + 1)]
        return all(
            min(distance(beginning, word[:letters]) for beginning in beginnings) <= 1
            for letters in range(min(START, len(word)) + 1)
        )

    found = dict(near(typed, words, 2))
    assert found == {word: n for word in words if (n := nearest(typed, word)) <= 2 and begins_well(word)}


@pytest.mark.parametrize(
    ("text", "folded"), [("Zoë", "zoe"), ("ÅNGSTRÖM", "angstrom"), ("Straße", "strasse"), ("静", "静"), ("ﬁn", "fin")]
)
def test_accents_and_case_do_not_count(text: str, folded: str) -> None:
    assert fold(text) == folded


def vocabulary(*names: str, models: tuple[str, ...] = (), others: tuple[str, ...] = ()) -> Vocabulary:
    filled = [*models, *[""] * (len(names) - len(models))]
    return Vocabulary(
        names=names,
        codes=[(model, "en-US") for model in filled],
        ids=[f"{index:032x}" for index in range(len(names))],
        others=[*others, *[""] * (len(names) - len(others))],
    )


def ranked(words: Vocabulary, *typed: str) -> list[int]:
    return list(words.ranked(range(100), typed))


def test_what_is_as_typed_comes_before_what_is_nearly_so() -> None:
    names = ("Mharta", "Samarta", "Martine", "Marta", "Maura Tate", "Nobody")
    assert ranked(vocabulary(*names), "marta") == [3, 1, 0, 2, 4]


#: Names whose words are also models, or begin like others.
TERMS = st.sampled_from(["Anna", "Ann", "Berg", "Bergson", "Flash", "O'Neil", "42", "C++"])
NAMES = st.lists(TERMS, min_size=1, max_size=3).map("  ".join)


@given(st.lists(NAMES, min_size=1, max_size=6), st.sampled_from(["flash", "berg", "anna-1"]), st.data())
def test_the_exact_name_comes_first_then_names_that_begin_with_it(
    names: list[str], model: str, data: st.DataObject
) -> None:
    name = " ".join(data.draw(st.sampled_from(names)).split())
    typed = name[: data.draw(st.integers(1, len(name)))].strip()
    folded = [" ".join(fold(each).split()) for each in names]
    kinds = [0 if each == fold(typed) else 1 if each.startswith(fold(typed)) else 2 for each in folded]
    found = [kinds[place] for place in ranked(vocabulary(*names, models=(model,) * len(names)), *typed.split())]
    assert found == sorted(found)


def test_a_name_counts_more_than_a_model_and_that_more_than_a_trait() -> None:
    words = vocabulary("One", "Two", "Flash", models=("x", "mdlc-flash"), others=("a flash of wit",))
    assert ranked(words, "flash") == [2, 1, 0]
    assert ranked(words, "flsah") == [2, 1, 0]


def test_letters_in_order_begin_with_a_word() -> None:
    words = vocabulary("Elena Marsh", "Bran Alder", models=("mdlc-2.5-flash",))
    assert ranked(words, "elmsh") == [0]
    assert ranked(words, "bald") == [1]
    assert ranked(words, "lena") == [0]
    assert ranked(words, "lrsh") == []
    assert ranked(words, "m2f") == [0]


def test_a_letter_left_out_is_likelier_than_one_too_many() -> None:
    words = vocabulary("The Bells", "Show the graph", "Theme")
    assert ranked(words, "thme") == [2, 0, 1]


def test_short_words_have_no_slips() -> None:
    words = vocabulary("Bran")
    assert ranked(words, "bra") == [0]
    assert ranked(words, "bar") == []
    assert ranked(words, "brna") == [0]


def test_an_id_is_found_by_its_beginning_or_a_long_part_of_it() -> None:
    words = vocabulary(*["x"] * 16)
    assert ranked(words, f"{5:032x}") == [5]
    assert ranked(words, "0005") == [5]
    assert ranked(words, "05") == []
    assert ranked(words, "00") == list(range(16))


def test_every_word_must_match_and_each_counts() -> None:
    words = vocabulary("Anna Berg", "Anna Burg", "Berg")
    assert ranked(words, "anna", "berg") == [0, 1]
    assert ranked(words, "berg", "anna", "nothing") == []


def test_only_those_that_are_asked_about_are_ranked_and_equals_keep_their_order() -> None:
    words = vocabulary("Anna A", "Anna B", "Anna C")
    assert list(words.ranked([2, 0], ["anna"])) == [2, 0]
