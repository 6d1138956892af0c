"""Scenes as files: whatever was composed comes back, and every mistake is told by its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.actions.scene_file import ActionFileError, read_scene, scene_toml
from chartui.core.actions.turn import Turn
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.text import display_text
from tests.tui.hostile import HOSTILE

HEAD = 'format = "chartui-scene"\nversion = 1\n'


def read(folder: Path, text: str) -> Turn:
    path = folder / "scene.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return read_scene(path)


def scene(*texts: str) -> Turn:
    return Turn(
        character_id="",
        text="\n".join(texts),
        actions=texts,
        objects=tuple(Thing(name=text, description=text) for text in texts),
        people=tuple(Person(name=text, bio=text) for text in texts),
        multistep=False,
    )


@pytest.mark.parametrize(
    "turn",
    [
        Turn(character_id=""),
        scene("Picks Up", "Opens"),
        scene("", " ", "a;b", "a,b", "a\nb", "a\r\nb", "\t", '"', "\\", "'''", "#", "= [x]"),
        scene("茶碗一", "الضيف", "उठाती है", "🧑‍🌾", "é", "e\u0301", "Z\u0301\u0301\u0301\u0301\u0301\u0301"),
    ],
)
def test_what_was_composed_comes_back(turn: Turn, tmp_path: Path) -> None:
    assert read(tmp_path, scene_toml(turn)) == turn


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_file_can_be_shown_and_copied_without_being_altered(text: str, tmp_path: Path) -> None:
    written = scene_toml(scene(text))
    assert display_text(written, multiline=True) == written
    assert read(tmp_path, written) == scene(text)


def test_half_a_character_is_told() -> None:
    with pytest.raises(ValueError, match="an unpaired surrogate cannot be written to a file: U\\+D800"):
        scene_toml(scene("a\ud800b"))


def test_what_is_left_out_is_empty_and_a_file_asks_for_actions(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD) == Turn(character_id="", multistep=True)
    assert read(tmp_path, f'{HEAD}objects = [{{ name = "Key" }}]').objects == (Thing(name="Key", description=""),)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("version = 1", ['the file must start with: format = "chartui-scene".']),
        ('format = "chartui-scene"', ["the version is missing; write version = 1 below the format."]),
        (f"{HEAD}text = ?\n", ["not TOML: Invalid value (column 8)."]),
        (f"{HEAD}texts = 1", ["Unknown key “texts” in the file. Did you mean “text”?"]),
        (f"{HEAD}text = 1", ["text must be text."]),
        (f"{HEAD}multistep = 1", ["multistep must be true or false."]),
        (f'{HEAD}actions = "Opens"', ["actions must be a list of strings."]),
        (f"{HEAD}objects = [1]", ["objects[0] must be a table with a name and a description."]),
        (
            f'{HEAD}actions = ["Opens", 2]\n[[objects]]\ndescription = "x"\n[[characters]]\nname = 3\nrole = "y"',
            [
                "actions[1] must be text.",
                'objects[0].name is missing; write name = "…".',
                "Unknown key “role” in characters[0]. Known: name, bio.",
                "characters[0].name must be text.",
            ],
        ),
    ],
)
def test_every_mistake_is_told_with_its_place(text: str, problems: list[str], tmp_path: Path) -> None:
    with pytest.raises(ActionFileError) as told:
        read(tmp_path, text)
    assert [mistake.message for mistake in told.value.mistakes] == problems


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ActionFileError, match="no such file"):
        read_scene(tmp_path / "none.toml")
    with pytest.raises(ActionFileError, match="cannot be read"):
        read_scene(tmp_path)


_TEXTS = st.lists(st.text(max_size=12), max_size=3)


@given(_TEXTS)
def test_anything_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    turn = scene(*texts)
    written = scene_toml(turn)
    assert display_text(written, multiline=True) == written
    assert read(tmp_path_factory.getbasetemp(), written) == turn
