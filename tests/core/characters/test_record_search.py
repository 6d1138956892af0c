"""Looking for something in a record."""

from __future__ import annotations

import pytest

from chartui.core.characters.record import Search, grouped, narrowed
from chartui.core.fields import Access, Entry, Group

ENTRY = Entry(
    "Sample dialogues",
    "speaking_style.sample_dialogues",
    "Visitor:  Is this\nthe real bell?",
    access=Access.KNOWN_HERE,
    remark="last written from this machine",
)


@pytest.mark.parametrize(
    "text",
    ["dialog", "SAMPLE", "speaking_style.s", "visitor: is", "this the real", "  bell? ", "from this", "last written"],
)
def test_it_is_found_in_name_path_value_and_remark(text: str) -> None:
    assert Search(text).finds(ENTRY)


@pytest.mark.parametrize("text", ["", " \t", "bells", "real this", "visitor.*bell", "\x1b"])
def test_it_is_not_found(text: str) -> None:
    assert not Search(text).finds(ENTRY)


def test_what_is_looked_for_is_what_is_seen() -> None:
    entry = Entry("Name", "character_name", "a\x1b[2Jb\u202e")
    for seen in ("␛[2J", "⟨U+202E⟩"):
        assert Search(seen).finds(entry)


def test_where_it_stands_in_a_line() -> None:
    assert [line[start:end] for line in ["Bell, bell, b"] for start, end in Search("bell").spans(line)] == [
        "Bell",
        "bell",
    ]
    assert not Search("").spans("bell")
    # Accents are ignored, and may be characters of their own.
    line = "Cafe\u0301, CAFÉ, coffee; ﬁne Straße"
    assert [line[start:end] for start, end in Search("cafe").spans(line)] == ["Cafe\u0301", "CAFÉ"]
    assert [line[start:end] for start, end in Search("fine strasse").spans(line)] == ["ﬁne Straße"]
    assert Search("CAFÉ").finds(Entry("", "", "a cafe"))


def test_groups_without_a_hit_are_left_out() -> None:
    groups = grouped({"character_name": "Ada", "voice_type": "deep"})
    assert [(g.title, [e.label for e in g.entries]) for g in narrowed(groups, Search("voice_type"))] == [
        ("Voice and languages", ["Voice"])
    ]
    assert narrowed(groups, Search("nowhere to be found")) == ()
    assert narrowed((Group("voice", (ENTRY,)),), Search("voice")) == ()


def test_a_very_long_search_ends() -> None:
    assert not Search("x " * 100_000).finds(Entry("", "", "x" * 100_000))
