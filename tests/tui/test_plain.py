"""Terminals that show less: what they are sent is ASCII, or without colors, and as wide as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from chartui.core.paths import shipped_theme
from chartui.core.themes import STYLED, load_theme
from chartui.tui.glyphs import BIG_DIGITS, GLYPHS, MARKERS, Glyphs, big_letters
from chartui.tui.plain import SIGNS, AsciiText, Colorless, in_ascii
from chartui.tui.terminal import Terminal, terminal_of
from chartui.tui.theme import VARIABLES, Palette, as_framework_theme

_SIGNS = {name: sign for name, sign in vars(Glyphs).items() if not name.startswith("_")}
_GROUND = Color(0, 0, 0)
#: Signs of which several can stand in one place, so that they must be told apart.
_TOLD_APART = (
    ("local", "remote"),
    ("on", "off"),
    ("open", "closed"),
    ("warning", "danger", "note"),
    ("done", "danger", "unknown", "waiting", "given_up"),
    ("readable", "write_only", "known_here"),
    ("ascending", "descending"),
    ("start", "trigger", "elsewhere", "beta"),
    ("narrative", "memory", "gone", "staged"),
    ("immediate", "realtime"),
    ("differs", "staged", "danger"),
    ("sure", "longer"),
)


def filtered(line_filter: LineFilter, *segments: Segment) -> list[Segment]:
    return line_filter.apply(list(segments), _GROUND)


# -- ASCII -------------------------------------------------------------------------------------------------------------


def test_every_sign_has_a_twin() -> None:
    assert [name for name, sign in _SIGNS.items() if not sign.isascii() and sign not in SIGNS] == []
    assert [name for name, sign in _SIGNS.items() if not in_ascii(sign).isascii()] == []


@pytest.mark.parametrize("names", _TOLD_APART, ids="-".join)
def test_what_must_be_told_apart_is(names: tuple[str, ...]) -> None:
    assert len({in_ascii(getattr(GLYPHS, name)) for name in names}) == len(names)


def test_the_twins_are_as_wide_as_the_signs() -> None:
    for sign, twin in SIGNS.items():
        assert twin.isascii()
        assert twin.isprintable()
        assert len(twin) == cell_len(sign), sign


def test_lines_of_a_plot_are_told_apart() -> None:
    assert len({in_ascii(marker) for marker in MARKERS}) == len(MARKERS)


def test_bars_and_big_figures_are_drawn() -> None:
    assert in_ascii("▄▖").isascii()
    rows = ["".join(BIG_DIGITS[character][row] for character in "0123456789.<–") for row in range(3)]
    assert all(in_ascii(row).isascii() for row in (*rows, *big_letters("chartui")))
    digits = {tuple(in_ascii(row) for row in BIG_DIGITS[digit]) for digit in "0123456789"}
    assert len(digits) == 10


@given(st.text(max_size=40))
def test_any_text_becomes_ascii_of_the_same_width(text: str) -> None:
    plain = in_ascii(text)
    assert plain.isascii()
    assert cell_len(plain) == cell_len(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Lucía – “déjà vu”…", 'Lucia - "deja vu"~'),
        ("┌─┬┐ ╭╴│ ━┛", "+-++ +-| -+"),
        ("白石 静", "???? ??"),
        ("⠁⠀⡀⣿", "' .:"),
        ("⚡ 5 ± 1 ×", "zz 5 ~ 1 x"),
        ("plain", "plain"),
    ],
)
def test_what_texts_look_like(text: str, plain: str) -> None:
    assert in_ascii(text) == plain


def test_styles_and_controls_stay() -> None:
    style = Style(color="red", meta={"@click": "app.quit"})
    found = filtered(AsciiText(), Segment("●", style), Segment("x", style))
    assert found == [Segment("*", style), Segment("x", style)]


# -- no colors --------------------------------------------------------------------------------------------------------


def test_colors_go_and_the_rest_stays() -> None:
    style = Style(color="#ff0000", bgcolor="#00ff00", bold=True, reverse=True, meta={"@click": "app.quit"})
    [colored, plain] = filtered(Colorless(), Segment("a", style), Segment("b", None))
    assert colored.style is not None
    assert (colored.style.color, colored.style.bgcolor) == (None, None)
    assert (colored.style.bold, colored.style.reverse, colored.style.meta) == (True, True, {"@click": "app.quit"})
    assert plain == Segment("b", None)


def palette_of(name: str) -> Palette:
    file = load_theme(shipped_theme(name)).theme
    assert file is not None
    theme = as_framework_theme(file)
    return Palette.of({**VARIABLES, **theme.to_color_system().generate(), **theme.variables})


def test_without_colors_each_meaning_has_a_sign_or_an_attribute_of_its_own() -> None:
    palette = palette_of("monochrome")
    signs = {"staged": GLYPHS.staged, "warning": GLYPHS.warning, "danger": GLYPHS.danger, "local": GLYPHS.local}
    signs["remote"] = GLYPHS.remote
    told: dict[tuple[str, str], str] = {}
    for role, sign in signs.items():
        style = filtered(Colorless(), Segment("x", getattr(palette, role)))[0].style
        assert told.setdefault((in_ascii(sign), str(style)), role) == role
    # A row with the cursor is seen without colors, whether or not keys go there.
    value = str(palette.value.without_color)
    marked = {str(getattr(palette, role).without_color) for role in ("cursor", "cursor_idle", "badge", "match", "key")}
    assert value not in marked
    assert palette.cursor.reverse
    assert not palette.cursor_idle.reverse


@pytest.mark.parametrize("name", ["lantern", "daylight", "beacon", "colorblind", "terminal", "monochrome"])
def test_every_role_is_painted_as_the_theme_says(name: str) -> None:
    palette, file = palette_of(name), load_theme(shipped_theme(name)).theme
    assert file is not None
    for role in STYLED:
        style: Style = getattr(palette, role)
        for attribute in file.styles.get(role, "").split():
            assert getattr(style, attribute), (role, attribute)
    if not file.terminal:
        assert palette.credits.color is not None
        assert palette.credits.color.name == file.meanings["credits"]
    else:
        written = {re.sub("bright_", "", c.name) for s in _styles(palette) for c in (s.color, s.bgcolor) if c}
        assert written <= {"default", "red", "green", "yellow", "blue", "magenta", "cyan", "black"}


def _styles(palette: Palette) -> list[Style]:
    return [getattr(palette, role) for role in STYLED]


# -- which it is -------------------------------------------------------------------------------------------------------

_UTF8 = {"LANG": "de_DE.UTF-8", "TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("environment", "plain"),
    [
        (_UTF8, False),
        ({"TERM": "xterm"}, False),
        ({**_UTF8, "TERM": "screen"}, False),
        ({**_UTF8, "TERM": "linux"}, True),
        ({**_UTF8, "LC_ALL": "C"}, True),
        ({**_UTF8, "LC_ALL": "POSIX"}, True),
        ({**_UTF8, "LC_CTYPE": "en_US.ISO-8859-15@euro"}, True),
        ({**_UTF8, "LC_CTYPE": "C.utf8"}, False),
        ({"LANG": "en_US"}, True),
        ({"LANG": "en_US.UTF-8", "LC_ALL": ""}, False),
        ({"LANG": "ca_ES.UTF-8@valencia"}, False),
        ({**_UTF8, "CHARTUI_ASCII": "1"}, True),
        ({**_UTF8, "CHARTUI_ASCII": "no"}, False),
        ({**_UTF8, "TERM": "linux", "CHARTUI_ASCII": ""}, True),
        ({**_UTF8, "TERM": "linux", "CHARTUI_ASCII": "0"}, False),
    ],
)
def test_where_ascii_is_drawn(environment: Mapping[str, str], plain: bool) -> None:
    assert terminal_of(environment).ascii == plain


def test_a_flag_or_the_settings_go_before_that() -> None:
    assert terminal_of(_UTF8, ascii=True).ascii
    assert not terminal_of({"TERM": "linux", "CHARTUI_ASCII": "1"}, ascii=False).ascii


@pytest.mark.parametrize(
    ("environment", "few"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "tmux-256color"}, False),
        ({"TERM": "xterm-kitty"}, False),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, False),
        ({"TERM": "xterm"}, True),
        ({"TERM": "screen"}, True),
        ({"TERM": "linux"}, True),
    ],
)
def test_where_there_are_few_colors(environment: Mapping[str, str], few: bool) -> None:
    assert terminal_of(environment).few_colors == few


def test_where_there_is_a_window() -> None:
    assert terminal_of(_UTF8).windowed
    assert not terminal_of({"TERM": "linux"}).windowed
    assert not terminal_of({}).windowed


def test_where_there_are_none() -> None:
    assert terminal_of({**_UTF8, "NO_COLOR": "1"}) == Terminal(colorless=True, windowed=True)
    assert terminal_of({**_UTF8, "NO_COLOR": ""}) == Terminal(windowed=True)
