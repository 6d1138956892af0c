"""``chartui themes``: what there is, and what is wrong with a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema_rs
import pytest

from chartui.core.paths import own_themes, shipped_themes
from chartui.core.tables import read_table

from .conftest import Run

_HEAD = 'format = "chartui-theme"\nversion = 1\n'


def own(text: str, name: str = "dusk") -> Path:
    own_themes().mkdir(parents=True, exist_ok=True)
    path = own_themes() / f"{name}.toml"
    path.write_text(text)
    return path


def test_themes_are_listed_with_what_cannot_be_used(run: Run) -> None:
    own(_HEAD + 'about = "Grey."\n')
    own(_HEAD + "dark = 1\n", "dawn")
    result = run("themes", "list")
    assert result.status == 2
    lines = [line.split() for line in result.out.splitlines()]
    assert [line[0] for line in lines] == ["NAME", *(path.stem for path in shipped_themes()), "dusk"]
    assert lines[-1] == ["dusk", "yours", "Grey."]
    assert "dawn.toml:3: dark must be true or false." in result.err
    listed = run("themes", "list", "--json").value
    assert [(theme["name"], theme["own"], len(theme["problems"])) for theme in listed[-2:]] == [
        ("dawn", True, 1),
        ("dusk", True, 0),
    ]


def test_a_file_is_checked(run: Run) -> None:
    path = own(_HEAD + '[colors]\nprimary = "rde"\n')
    for given in ("dusk", str(path)):
        result = run("themes", "check", given)
        assert result.status == 1
        assert result.out.startswith(f"{path}:4: Unknown color “rde” for colors.primary")
    assert run("themes", "check", "dusk", "--json").value["valid"] is False
    assert run("themes", "check", "nowhere").status == 1
    assert run("themes", "check", "lantern").err.endswith("lantern.toml is valid.\n")


def test_what_is_hard_to_read_is_told_and_no_mistake(run: Run) -> None:
    own(_HEAD + '[colors]\nforeground = "#404040"\n')
    result = run("themes", "check", "dusk")
    assert result.status == 0
    assert "colors.foreground" in result.out
    assert "color pairs that many people will find hard to read" in result.err
    value = run("themes", "check", "dusk", "--json").value
    assert value["valid"] is True
    assert {pair["text"] for pair in value["hard_to_read"]} == {"colors.foreground"}


def test_a_wrong_file_is_found_with_the_settings(run: Run) -> None:
    own(_HEAD + "dark = 1\n")
    result = run("config", "validate")
    assert result.status == 1
    assert "dusk.toml:3: dark must be true or false." in result.out


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ('[colors]\nprimary = "bright-red"\n', True),
        ('[styles]\nwarning = "bold underline"\ndanger = ""\n', True),
        ('[colors]\nprimary = "#12345"\n', False),
        ('[styles]\nwarning = "bald"\n', False),
        ('[meanings]\ncredit = "red"\n', False),
        (f'about = "{"x" * 61}"\n', False),
    ],
)
def test_the_schema_takes_what_the_program_takes(text: str, valid: bool, run: Run) -> None:
    checker = jsonschema_rs.Draft202012Validator(json.loads(run("themes", "schema").out))
    assert checker.is_valid(read_table(own(_HEAD + text))) == valid
    assert (run("themes", "check", "dusk").status == 0) == valid
    assert all(checker.is_valid(read_table(path)) for path in shipped_themes())


def test_a_theme_that_is_no_file_is_not_called_missing(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    result = run("themes", "check", str(pipe))
    assert result.status == 1
    assert "not a regular file" in result.out + result.err
    assert "no such file" in run("themes", "check", str(tmp_path / "none.toml")).out
