"""Lines, cut and padded by cells whatever characters they hold."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from chartui.core.text import display_text, is_plain
from chartui.tui.lines import Line, bar, fit, wrap, wrap_numbers

texts = st.text(st.characters(codec="utf-8") | st.sampled_from(" \n\t漢\u0301\u200d👩ا\x1b\u202e"), max_size=200)
widths = st.integers(1, 60)


@given(texts.map(lambda text: " ".join(text.split())), widths, st.sampled_from(["left", "right"]))
def test_a_fitted_text_takes_exactly_its_cells(text: str, width: int, align: str) -> None:
    assert cell_len(fit(text, width, align)) == width


def test_a_text_that_is_cut_within_quotes_keeps_the_closing_one() -> None:
    assert fit("go to “abcdef” now", 10) == "go to “a…”"
    assert fit("go to “abc” or not", 15) == "go to “abc” or…"


@pytest.mark.parametrize("width", [0, -1])
def test_no_room_is_no_text(width: int) -> None:
    assert fit("text", width) == ""


@given(texts, st.integers(2, 60))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert all(is_plain(line) for line in lines)
    assert "".join("".join(lines).split()) == "".join(display_text(text, multiline=True).split())


def test_lines_break_at_spaces_and_keep_their_own_breaks() -> None:
    assert wrap("one two three\n\nfour", 8) == ["one two", "three", "", "four"]
    assert wrap("incomprehensible", 6) == ["incomp", "rehens", "ible"]
    assert wrap("", 8) == [""]


def test_a_number_with_its_thousands_apart_is_one_word() -> None:
    assert wrap("it is 18 897 233 in all", 10) == ["it is 18", "897 233 in", "all"]
    assert wrap_numbers("it is 18 897 233 in all", 10) == ["it is", "18 897 233", "in all"]
    assert wrap_numbers("5 of 12 3456", 6) == ["5 of", "12", "3456"]


@pytest.mark.parametrize("width", [0, -1, -30])
def test_what_has_no_room_is_wrapped_all_the_same(width: int) -> None:
    assert wrap("is it", width) == ["i", "s", "i", "t"]


def test_a_word_of_a_megabyte_is_wrapped() -> None:
    assert len(wrap("x" * 1_000_000, 40)) == 25_000


@given(st.lists(st.tuples(texts, st.none() | st.integers(-1, 30)), max_size=6), st.integers(0, 60))
def test_a_line_is_as_wide_as_it_was_asked_for_and_harmless(parts: list[tuple[str, int | None]], width: int) -> None:
    line = Line(width)
    for text, cells in parts:
        line.add(text, width=cells)
    strip = line.strip()
    assert cell_len(strip.text) == strip.cell_length == width
    assert is_plain(strip.text)


@given(st.decimals(0, 1, places=6), st.integers(1, 60))
def test_a_bar_shows_its_share_to_half_a_cell_and_a_trace_of_anything(share: Decimal, width: int) -> None:
    drawn = bar(share, width)
    assert len(drawn) == width
    halves = sum(" ▖▄".index(cell) for cell in drawn)
    assert abs(halves - float(share) * width * 2) <= 1
    assert (halves > 0) is (share > 0)
