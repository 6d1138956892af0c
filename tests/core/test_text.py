"""Hostile text, made safe to show."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chartui.core.text import cell_width, cut, display_text, is_plain, single_line, wrapped

HOSTILE = [
    ("\x00", "␀"),
    ("\x07", "␇"),
    ("\x08", "␈"),
    ("\x0b", "␋"),
    ("\x0c", "␌"),
    ("\r", "␍"),
    ("\x1b", "␛"),
    ("\x7f", "␡"),
    ("\x9b", "⟨U+009B⟩"),
    ("\x90", "⟨U+0090⟩"),
    ("\xad", "⟨U+00AD⟩"),
    ("\u061c", "⟨U+061C⟩"),
    ("\u200b", "⟨U+200B⟩"),
    ("\u200e", "⟨U+200E⟩"),
    ("\u2028", "⟨U+2028⟩"),
    ("\u2029", "⟨U+2029⟩"),
    ("\u202a", "⟨U+202A⟩"),
    ("\u202e", "⟨U+202E⟩"),
    ("\u2066", "⟨U+2066⟩"),
    ("\u2069", "⟨U+2069⟩"),
    ("\ufeff", "⟨U+FEFF⟩"),
    ("\ud800", "⟨U+D800⟩"),
    ("\udfff", "⟨U+DFFF⟩"),
    ("\U000e0041", "⟨U+E0041⟩"),
]

texts = st.text(
    st.characters(codec=None) | st.sampled_from([*(character for character, _ in HOSTILE), "\n", "\t", "\u0301"])
)


def unsafe(text: str) -> list[str]:
    """What a terminal would obey, by Unicode category: controls, surrogates, separators, reordering."""
    reordering = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    return [
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in reordering
    ]


@pytest.mark.parametrize(("character", "mark"), HOSTILE)
def test_what_a_terminal_would_obey_is_shown_as_a_mark(character: str, mark: str) -> None:
    for text in (character, f"a{character}b", character * 3):
        assert display_text(text) == text.replace(character, mark)
        assert display_text(text, multiline=True) == text.replace(character, mark)
        assert not is_plain(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("MARK\x1b]52;c;aGVsbG8=\x1b\\END", "MARK␛]52;c;aGVsbG8=␛\\END"),
        ("\x1b[2J", "␛[2J"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("[/nope] [@click=app.quit]x[/]", "[/nope] [@click=app.quit]x[/]"),
    ],
)
def test_sequences_are_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert display_text(text) == shown


@pytest.mark.parametrize(
    "text", ["Ana", "Čeněk", "日本語", "שלום", "مرحبا", "👨‍👩‍👧", "n\u0303", "नमस्ते", "می‌خواهم", "½ × 3 – “x”"]
)
def test_every_script_stays_as_it_is(text: str) -> None:
    assert display_text(text) == text
    assert is_plain(text)


@given(st.text(string.digits + string.ascii_letters + string.punctuation + " "))
def test_printable_ascii_is_unchanged(text: str) -> None:
    assert display_text(text) == display_text(text, multiline=True) == text


@given(texts)
@example("\r\r\n")
@example("a" + "\u0301" * 9 + "\u200b" + "\u0301" * 9)
def test_a_line_holds_nothing_unsafe_and_is_final(text: str) -> None:
    shown = display_text(text)
    assert unsafe(shown) == []
    assert is_plain(shown)
    assert display_text(shown) == shown
    shown.encode("utf-8")


@given(texts)
@example("\r\r\n")
@example("\t\u202e\t")
def test_several_lines_hold_nothing_unsafe_but_line_feeds(text: str) -> None:
    shown = display_text(text, multiline=True)
    assert set(unsafe(shown)) <= {"\n"}
    assert display_text(shown, multiline=True) == shown
    assert shown.count("\n") == text.count("\n")


def test_lines_and_tabs_are_marked_in_a_line_and_kept_in_several() -> None:
    assert display_text("a\r\nb\tc") == "a␍␊b␉c"
    assert display_text("a\r\nb\tc", multiline=True) == "a\nb   c"
    assert display_text("a\rb", multiline=True) == "a␍b"


def test_marks_do_not_pile_up_over_the_neighbours() -> None:
    assert display_text("a" + "\u0301" * 100 + "b") == "a" + "\u0301" * 4 + "…b"
    assert display_text("a" + "\u0301" * 4) == "a" + "\u0301" * 4


@given(texts, st.integers(1, 40))
def test_a_single_line_is_safe_and_short(text: str, limit: int) -> None:
    line = single_line(text, limit=limit)
    assert unsafe(line) == []
    assert len(line) <= limit


def test_a_single_line_joins_what_white_space_parts() -> None:
    assert single_line("  a\n\n b\tc ") == "a b c"
    assert single_line("x" * 10, limit=5) == "xxxx…"
    assert single_line("go to “abcdef”", limit=10) == "go to “a…”"
    assert single_line("“abc”", limit=1) == "…"
    assert len(single_line("x" * 10_000_000)) == 500


# -- cells ------------------------------------------------------------------------------------------------------------

WIDE = st.text(st.sampled_from("ab 日本\u0301é"), max_size=30)


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abcdef", 1, "…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("go to “abcdef”", 10, "go to “a…”"),
        ("“a” to bcdef", 9, "“a” to b…"),
        ("„ab“ abcdef", 8, "„ab“ ab…"),
    ],
)
def test_a_line_is_cut_where_the_room_ends(line: str, width: int, shown: str) -> None:
    assert cut(line, width) == shown


@given(line=WIDE, width=st.integers(1, 20))
def test_of_a_cut_line_as_much_is_kept_as_there_is_room_for(line: str, width: int) -> None:
    shown = cut(line, width)
    assert cell_width(shown) <= width
    if shown != line:
        kept = shown.removesuffix("…")
        assert line.startswith(kept)
        assert cell_width(line[: len(kept) + 1]) > width - 1


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("aa bb cc", 8, ["aa bb cc"]),
        ("aa bb cc", 7, ["aa bb", "cc"]),
        ("aa bb cc", 5, ["aa bb", "cc"]),
        ("aa bb cc", 4, ["aa", "bb", "cc"]),
        ("日本 語語 aa", 9, ["日本 語語", "aa"]),
        ("aaaa bb", 3, ["aaa", "a", "bb"]),
        ("one\n\ntwo", 9, ["one", "", "two"]),
    ],
)
def test_a_text_is_wrapped_at_spaces_and_fills_its_lines(text: str, width: int, lines: list[str]) -> None:
    assert list(wrapped(text, width)) == lines
