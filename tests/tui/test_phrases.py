"""A summary is broken between its phrases only, and says that something was left out."""

from __future__ import annotations

import pytest
from textual.geometry import Size

from chartui.core.paths import shipped_theme
from chartui.core.themes import load_theme
from chartui.tui.theme import DEFAULT_THEME, Palette, as_framework_theme
from chartui.tui.widgets.phrases import Phrase, draw_phrases

PHRASES = [Phrase("0.197 credits"), Phrase("−0.012 (−6%) vs. baseline", "label", "−0.012"), Phrase("57 of 58 models")]

_FILE = load_theme(shipped_theme(DEFAULT_THEME)).theme
assert _FILE is not None
_LOADED = as_framework_theme(_FILE)
PALETTE = Palette.of({**_LOADED.to_color_system().generate(), **_LOADED.variables})


def drawn(width: int, height: int) -> list[str]:
    return [strip.text.rstrip() for strip in draw_phrases(PHRASES, Size(width, height), PALETTE)]


@pytest.mark.parametrize(
    ("width", "height", "lines"),
    [
        (80, 1, [" 0.197 credits · −0.012 (−6%) vs. baseline · 57 of 58 models"]),
        (42, 1, [" 0.197 credits · −0.012 · 57 of 58 models"]),
        (40, 1, [" 0.197 credits · −0.012 · 1 more"]),
        (24, 1, [" 0.197 credits · 2 more"]),
        (22, 1, [" 0.197 credits …"]),
        (22, 2, [" 0.197 credits", " −0.012 · 1 more"]),
    ],
)
def test_phrases_stay_whole(width: int, height: int, lines: list[str]) -> None:
    assert drawn(width, height) == lines
