"""Walks as files: written, read, gone again, and every mistake told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.walk.path import Choice, How, Place, Walk
from chartui.core.narrative.walk.replay import BadWalk, Script, read_walk, replay, script_of, walk_toml

WHOLE = """\
#:schema ./walk.schema.json
format = "chartui-walk"
version = 1
character = "c1"
name = "Bran"
start = "Door"
start_id = "a"
steps = [
    { take = "asks", to = "Wares", to_id = "b" },
    { fire = "Horn", fire_id = "t", to = "" },
    { jump = "Door", jump_id = "a" },
]

[keys]
Name = "Ada"

[expect]
ends = "Door"
ends_id = "a"
said = [
    "Hello Ada",
]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "walk.toml"


def graph() -> Graph:
    story = Story.of(None, [], []).with_section("b", name="Wares", objective="Show\n  everything.")
    story = story.with_section("a", name="Door", objective="<speak>Hello   {Name}</speak>")
    return story.with_section("a", decisions=[decision("asks", "b")]).with_trigger("t", name="Horn").graph()


def test_a_file_is_written_as_it_is_read(path: Path) -> None:
    path.write_text(WHOLE)
    script = read_walk(path)
    assert script == Script(
        start=Place("Door", "a"),
        choices=(
            Choice(how=How.DECISION, words="asks", to=Place("Wares", "b")),
            Choice(how=How.TRIGGER, words="Horn", id="t", to=Place("")),
            Choice(how=How.JUMP, to=Place("Door", "a")),
        ),
        keys={"Name": "Ada"},
        ends=Place("Door", "a"),
        said=("Hello Ada",),
        character_id="c1",
        character_name="Bran",
    )
    assert walk_toml(script) == WHOLE
    assert replay(script, graph()).holds


def test_what_was_walked_is_what_the_file_says(path: Path) -> None:
    walk = Walk.begin(graph(), "a")
    walk = walk.take(walk.ways[0])
    walk = walk.fire(walk.events[0]).jump("a")
    path.write_text(walk_toml(script_of(walk, {"Name": "Ada"}, character_id="c1", character_name="Bran")))
    assert path.read_text() == WHOLE.replace('said = [\n    "Hello Ada",\n]\n', "")
    assert replay(read_walk(path), walk.graph).retraced.walk == walk


def test_little_is_needed(path: Path) -> None:
    path.write_text('format = "chartui-walk"\nversion = 1\nstart = "door"\n[[steps]]\ntake = "ASKS"\n')
    replayed = replay(read_walk(path), graph())
    assert (replayed.holds, replayed.retraced.walk.here) == (True, "b")


def test_what_is_expected_is_looked_for(path: Path) -> None:
    path.write_text(WHOLE.replace('ends_id = "a"', 'ends_id = "b"').replace("Hello Ada", "Show everything.\\nHi"))
    replayed = replay(read_walk(path), graph())
    assert not replayed.holds
    assert replayed.unmet == (
        "end: expected “Door”; the walk ends at “Door”",
        "never spoken: “Show everything. Hi”",
    )


def test_a_value_given_now_goes_before_that_of_the_file(path: Path) -> None:
    path.write_text(WHOLE)
    assert replay(read_walk(path), graph(), {"Name": "Bo"}).unmet == ("never spoken: “Hello Ada”",)


def test_a_path_that_broke_is_not_looked_at_any_further(path: Path) -> None:
    path.write_text(WHOLE.replace('"asks", to = "Wares", to_id = "b"', '"goes", to = "Well"'))
    replayed = replay(read_walk(path), graph())
    assert (replayed.holds, replayed.unmet) == (False, ())
    assert str(replayed.retraced.broken) == ("step 1: expected the decision “goes” to “Well”; found “asks” to “Wares”")


HEAD = 'format = "chartui-walk"\nversion = 1\n'


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('format = "chartui-preset"\nversion = 1\n', ['the file must start with: format = "chartui-walk".']),
        (f"{HEAD}begin = 1\n", ["Unknown key “begin” in the file"]),
        (f"{HEAD}keys = 1\nsteps = 2\nexpect = 3\n", ["keys must be", "steps must be", "expect must be"]),
        (f"{HEAD}[keys]\nName = 1\n[expect]\nsaid = [1]\nend = ''\n", ["keys.Name", "said[0]", "Unknown key “end”"]),
        (
            f"{HEAD}steps = [1, {{}}, {{take = 'a', fire = 'b'}}]\n",
            ["steps[0] must be a table", "steps[1]", "steps[2]"],
        ),
        (f"{HEAD}[[steps]]\njump = 'a'\nto = 'b'\n", ["Unknown key “to” in steps[0]"]),
        (f"{HEAD}[[steps]]\ntake = 1\nto = 2\n", ["steps[0].take must be text", "steps[0].to must be text"]),
        ("[[", ["not TOML"]),
    ],
)
def test_every_mistake_is_told_with_its_place(path: Path, text: str, problems: list[str]) -> None:
    path.write_text(text)
    with pytest.raises(BadWalk) as raised:
        read_walk(path)
    lines = str(raised.value).splitlines()
    assert len(lines) == len(problems)
    for line, problem in zip(lines, problems, strict=True):
        assert re.match(rf"{re.escape(str(path))}(:[0-9]+)?: ", line)
        assert problem in line


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(BadWalk, match="no such file"):
        read_walk(path)


def test_half_a_character_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="an unpaired surrogate cannot be written to a file: U\\+D800"):
        walk_toml(Script(start=Place("\ud800")))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
places = st.builds(Place, texts.filter(bool), texts)
choices = st.one_of(
    st.builds(Choice, how=st.just(How.DECISION), words=texts, to=st.none() | places),
    st.builds(Choice, how=st.just(How.TRIGGER), words=texts, id=texts, to=st.none() | places | st.just(Place(""))),
    st.builds(Choice, how=st.just(How.JUMP), to=places),
)


@given(
    st.builds(
        Script,
        start=st.none() | places,
        choices=st.lists(choices, max_size=4).map(tuple),
        keys=st.dictionaries(texts, texts, max_size=3),
        ends=st.none() | places,
        said=st.lists(texts.filter(bool), max_size=2).map(tuple),
        character_id=texts,
        character_name=texts,
    )
)
def test_whatever_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, script: Script) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(walk_toml(script), encoding="utf-8")
    assert read_walk(path) == script
