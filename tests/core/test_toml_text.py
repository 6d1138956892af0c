"""The lines on which the parts of a TOML document stand, compared with what the reader of TOML finds in it."""

import itertools
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.bundle.writer import as_key, as_value
from chartui.core.toml_text import Place, TomlLines, places

_TEXT = """\
# a story
format = "x"   # its kind
long = \"\"\"
one = 1
[not.a.table]
\"\"\"
a.b.c = 1

[sections.hall]
name = 'Hall [1] # not a comment'
decisions = [
  { when = "a, b", to = "c" },   # the first
  # { when = "no" }

  { when = "d", also = { deep = [1,
    2] } },
]

[sections."the door"]
name = "Door"

[[steps]]
keys = ["a"]
  [steps.more]
  x = 1
[[steps]]
at = 1979-05-27 07:32:00
"""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("format must be text.", 2),
        ("long", 3),
        ("one must not be found in a text", None),
        ("not.a.table", None),
        ("a.b.c: no", 7),
        ("sections.hall.name must be text", 10),
        ("sections.hall.decisions[0].to names the section", 12),
        ("sections.hall.decisions[1].when", 15),
        ("sections.hall.decisions[1].also.deep[1] must be text", 16),
        ("sections.hall.decisions[1].to is missing", 15),
        ("sections.hall.objective is missing", 9),
        ("sections.hallway.name", 9),
        ("sections.the door.name must be text", 20),
        ('sections."the door" is no name', 19),
        ("steps[0].more.x", 25),
        ("steps[1].at", 27),
        ("steps[1]", 26),
        ("steps", 22),
        ("steps[2].at", 22),
        ("nothing of it is there", None),
    ],
)
def test_the_line_of_a_place_is_found_by_its_name(words: str, line: int | None) -> None:
    assert TomlLines(_TEXT).line(words) == line


def test_line_ends_of_windows_count_once() -> None:
    assert TomlLines(_TEXT.replace("\n", "\r\n")).line("steps[1].at") == 27


def test_a_name_that_means_two_places_has_no_line_of_its_own() -> None:
    lines = TomlLines('[a]\n"b.c" = 1\n[a.b]\nc = 2\n')
    assert lines.line("a.b.c must be text") == 3


_KEYS = st.text(st.sampled_from("ab.-\"'# [=é"), max_size=4)
_LEAVES = (
    st.integers(-9, 9)
    | st.text(st.sampled_from("a#[]{}\"'\\,=\n é"), max_size=8)
    | st.booleans()
    | st.datetimes()
    | st.floats(allow_nan=False)
)
_DOCUMENTS = st.dictionaries(
    _KEYS,
    st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4)),
    max_size=5,
)


def _expected(value: Any, place: Place = ()) -> Iterator[Place]:
    if place:
        yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from _expected(one, (*place, key))


def _at(document: Any, place: Place) -> Any:
    for part in place:
        document = document[part]
    return document


@given(_DOCUMENTS, st.booleans())
def test_every_place_that_the_reader_finds_has_a_line(document: dict[str, Any], multiline: bool) -> None:
    text = tomli_w.dumps(document, multiline_strings=multiline)
    assert set(places(text)) == set(_expected(tomllib.loads(text)))
    assert all(1 <= line <= text.count("\n") + 1 for line in places(text).values())


@given(_DOCUMENTS)
def test_a_value_stands_on_its_line(document: dict[str, Any]) -> None:
    marks = itertools.count(5_000_001)

    def marked(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: marked(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [marked(inner) for inner in value]
        return next(marks) if type(value) is int else value

    document = marked(document)
    text = tomli_w.dumps(document)
    lines = text.split("\n")
    for place, line in places(text).items():
        value = _at(document, place)
        if type(value) is int:
            assert str(value) in lines[line - 1]


def test_values_of_bundles_are_walked_as_well() -> None:
    value = [{"when": "a", "to": "b\nc"}, {"when": 'd"'}]
    text = f"{as_key('decisions')} = {as_value(value)}\n"
    assert set(places(text)) == set(_expected(tomllib.loads(text)))
