"""Themes: those that come along can be read by everybody, and of a file of one's own every mistake is told."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem

from chartui.core.paths import own_themes, shipped_theme, shipped_themes
from chartui.core.themes import (
    COLORS,
    FOR_TEXT,
    MEANINGS,
    STYLED,
    TERMINAL_COLORS,
    ThemeFile,
    contrast,
    find_theme,
    load_theme,
    pairs,
    theme_names,
    too_weak,
)

_HEAD = 'format = "chartui-theme"\nversion = 1\n'
#: The five meanings that are never told by the same color.
_FIVE = ("credits", "latency", "staged", "warning", "danger")
_NAMES = [path.stem for path in shipped_themes()]
_PAINTED = [name for name in _NAMES if name not in ("terminal", "monochrome")]


def shipped(name: str) -> ThemeFile:
    theme, problems = load_theme(shipped_theme(name))
    assert theme is not None, problems
    return theme


def own(text: str, name: str = "dusk") -> Path:
    own_themes().mkdir(parents=True, exist_ok=True)
    path = own_themes() / f"{name}.toml"
    path.write_text(text)
    return path


# -- those that come along ---------------------------------------------------------------------------------------------


def test_there_are_six() -> None:
    assert _NAMES == ["beacon", "colorblind", "daylight", "lantern", "monochrome", "terminal"]
    assert theme_names() == tuple(_NAMES)


@pytest.mark.parametrize("name", _NAMES)
def test_each_is_whole_and_says_what_it_is(name: str) -> None:
    theme = shipped(name)
    assert (theme.name, bool(theme.about)) == (name, True)
    assert (set(theme.colors), set(theme.meanings)) == (set(COLORS), set(MEANINGS))
    assert theme.terminal == (name not in _PAINTED)


@pytest.mark.parametrize("name", _PAINTED)
def test_every_text_can_be_read_on_every_ground(name: str) -> None:
    found = list(pairs(shipped(name)))
    assert len(found) > 60
    assert [pair for pair in found if pair.contrast < pair.needed] == []


@pytest.mark.parametrize("name", _PAINTED)
def test_so_it_can_where_a_terminal_has_256_colors(name: str) -> None:
    theme = shipped(name)

    def shown(color: str) -> str:
        return Color.parse(color).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex

    fewer = ThemeFile(
        name=name,
        about="",
        dark=theme.dark,
        colors={key: shown(color) for key, color in theme.colors.items()},
        meanings={key: shown(color) for key, color in theme.meanings.items()},
        styles={},
    )
    assert [pair for pair in pairs(fewer) if pair.contrast < pair.needed] == []


def test_high_contrast_is_higher_than_that() -> None:
    assert min(pair.contrast for pair in pairs(shipped("beacon"))) >= 7


@pytest.mark.parametrize("name", ["terminal", "monochrome"])
def test_the_terminals_own_colors_are_all_that_these_use(name: str) -> None:
    theme = shipped(name)
    assert {*theme.colors.values(), *theme.meanings.values()} <= set(TERMINAL_COLORS)
    assert {theme.colors[ground] for ground in ("background", "surface", "panel")} == {"default"}
    assert list(too_weak(theme)) == []


def test_monochrome_has_no_color() -> None:
    theme = shipped("monochrome")
    assert {*theme.colors.values(), *theme.meanings.values()} == {"default"}


@pytest.mark.parametrize("name", [name for name in _NAMES if name != "monochrome"])
def test_five_meanings_have_a_color_each(name: str) -> None:
    meanings = shipped(name).meanings
    assert len({meanings[meaning] for meaning in _FIVE}) == len(_FIVE)
    assert meanings["local"] != meanings["remote"]


def test_monochrome_tells_meanings_apart_by_attributes() -> None:
    """Warnings and danger, what is staged, what is here and elsewhere: each with a glyph beside it on screen."""
    styles = shipped("monochrome").styles
    for one, other in (("warning", "danger"), ("staged", "warning"), ("staged", "danger"), ("local", "remote")):
        assert styles[one] != styles[other]
    assert "reverse" in styles["cursor"]
    assert styles["cursor_idle"] not in ("", styles["cursor"])


#: How light arrives in eyes without one kind of cones, by rows of red, green and blue (Machado and others, 2009).
_EYES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def _seen(color: str, eyes: str) -> tuple[float, ...]:
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return tuple(min(255.0, max(0.0, sum(a * b for a, b in zip(row, channels, strict=True)))) for row in _EYES[eyes])


@pytest.mark.parametrize("eyes", _EYES)
def test_the_theme_for_every_eye_keeps_meanings_apart(eyes: str) -> None:
    meanings = shipped("colorblind").meanings
    told_apart = [*combinations(_FIVE, 2), ("local", "remote")]
    for one, other in told_apart:
        distance = sum((a - b) ** 2 for a, b in zip(*(_seen(meanings[m], eyes) for m in (one, other)), strict=True))
        assert distance**0.5 > 40, (one, other)


def test_contrast_is_as_the_guidelines_compute_it() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert contrast("#777777", "#777777") == 1
    # The example that everybody gives: the lightest grey on white that passes, and the next one that does not.
    assert contrast("#767676", "#ffffff") > FOR_TEXT > contrast("#777777", "#ffffff")


# -- one's own ---------------------------------------------------------------------------------------------------------


def test_what_a_file_leaves_out_is_as_in_the_theme_of_its_kind() -> None:
    dark, _ = load_theme(own(_HEAD + '[colors]\nprimary = "#ABCDEF"\n[styles]\nwarning = "bold  underline bold"\n'))
    assert dark is not None
    assert dark.colors == {**shipped("lantern").colors, "primary": "#abcdef"}
    assert dark.meanings == shipped("lantern").meanings
    assert dark.styles["warning"] == "bold underline"
    light, _ = load_theme(own(_HEAD + "dark = false\n", "paper"))
    assert light is not None
    assert (light.name, light.meanings) == ("paper", shipped("daylight").meanings)
    plain, _ = load_theme(own(_HEAD + '[meanings]\ncredits = "bright-green"\n', "plain"))
    assert plain is not None
    assert plain.terminal
    assert plain.meanings == {**shipped("terminal").meanings, "credits": "bright-green"}


def test_it_is_found_by_its_name() -> None:
    path = own(_HEAD)
    assert find_theme("dusk") == path
    assert theme_names()[-1] == "dusk"
    for name in ("dawn", "../dusk", "", "a/b", "Dusk", "dusk.toml"):
        assert find_theme(name) is None


def test_the_names_of_those_that_come_along_are_theirs() -> None:
    path = own(_HEAD, "lantern")
    assert find_theme("lantern") == shipped_theme("lantern")
    assert theme_names().count("lantern") == 1
    theme, problems = load_theme(path)
    assert theme is None
    assert problems == (f"{path}: a built-in theme is called 'lantern'; give the file another name.",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[colors]\nprimary = "#12345"\n', "colors.primary is '#12345', which is not a color such as '#8ab4f8'"),
        ('[colors]\nprimary = "rde"\n', "Did you mean “red”?"),
        ("[colors]\nprimary = 7\n", "colors.primary must be a color such as"),
        ('[colors]\nprimry = "red"\n', "Unknown key “primry” in colors. Did you mean “primary”?"),
        ('[meanings]\ncredit = "red"\n', "Unknown key “credit” in meanings. Did you mean “credits”?"),
        ('[styles]\nwarning = "bald"\n', "Unknown key “bald” in styles.warning. Did you mean “bold”?"),
        ('[styles]\nwarnin = "bold"\n', "Unknown key “warnin” in styles. Did you mean “warning”?"),
        ("colors = 3\n", "colors must be a table."),
        ("dark = 1\n", "dark must be true or false."),
        ('name = "dawn"\n', "name must be 'dusk', the same as the file name."),
        (f'about = "{"x" * 61}"\n', "about must not be longer than 60 characters."),
        ("color = 3\n", "Unknown key “color” in the file. Did you mean “colors”?"),
        ("[colors\n", "not TOML: "),
        ("[colors\n", "dusk.toml:3: not TOML"),
        (
            '[colors]\nprimary = "red"\n[meanings]\ncredits = "#123456"\n',
            "colors.primary is a terminal color and meanings.credits is not. A theme cannot",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place_and_cure(text: str, told: str) -> None:
    path = own(_HEAD + text)
    theme, problems = load_theme(path)
    assert theme is None
    assert re.match(rf"{re.escape(str(path))}:[0-9]+: ", problems[0])
    assert told in problems[0]


def test_every_mistake_is_told_at_once() -> None:
    _, problems = load_theme(own(_HEAD + 'dark = 1\n[colors]\nprimary = "x"\npanl = "red"\n'))
    assert len(problems) == 3


def test_a_file_that_is_none_is_told() -> None:
    assert load_theme(own_themes() / "dusk.toml").problems == (f"{own_themes() / 'dusk.toml'}: no such file.",)
    assert "must start with" in load_theme(own("version = 1\n")).problems[0]
    assert "must end in .toml" in load_theme(own(_HEAD, "Dusk Two")).problems[0]


def test_attributes_are_for_what_lines_are_painted_with() -> None:
    for name in _NAMES:
        assert set(shipped(name).styles) <= set(STYLED)
