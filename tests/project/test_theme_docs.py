"""The page about themes: its example can be used, and it tells of everything that a theme can say."""

from __future__ import annotations

import re
from pathlib import Path

from chartui.core.paths import shipped_themes
from chartui.core.themes import ATTRIBUTES, COLORS, MEANINGS, STYLED, TERMINAL_COLORS, load_theme, too_weak

from .pages import DOCS

THEMES = (DOCS / "themes.md").read_text(encoding="utf-8")


def test_the_example_of_a_theme_can_be_used_and_read(tmp_path: Path) -> None:
    [example] = re.findall(r"^```toml\n(.*?)^```$", THEMES, re.MULTILINE | re.DOTALL)
    path = tmp_path / "dusk.toml"
    path.write_text(example)
    theme, problems = load_theme(path)
    assert theme is not None, problems
    assert list(too_weak(theme)) == []


def test_everything_that_a_theme_can_say_is_described() -> None:
    names = {*COLORS, *MEANINGS, *STYLED, *ATTRIBUTES, *(path.stem for path in shipped_themes())}
    assert {name for name in names if f"`{name}`" not in THEMES} == set()
    assert {name for name in TERMINAL_COLORS if f'"{name}"' not in THEMES and not name.startswith("bright-")} == set()
