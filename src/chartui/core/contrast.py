"""Whether a theme can be read: the contrast between its texts and the grounds that they are painted on.

By the formula and the limits of the Web Content Accessibility Guidelines 2.1 (level AA, criteria 1.4.3 and 1.4.11).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from chartui.core.themes import ThemeFile

__all__ = ["FOR_SIGNS", "FOR_TEXT", "Pair", "contrast", "pairs", "too_weak"]

#: The least contrast of a text and its ground, and of a sign that says something by itself, such as the focus' border.
FOR_TEXT: Final = 4.5
FOR_SIGNS: Final = 3.0

#: What texts are painted in, by where their colour stands in the file.
_TEXTS: Final = (
    *("colors.foreground", "colors.primary", "colors.secondary", "colors.accent"),
    *("colors.success", "colors.warning", "colors.error"),
    *("meanings.label", "meanings.quiet", "meanings.credits", "meanings.latency", "meanings.staged"),
    *("meanings.warning", "meanings.danger", "meanings.local", "meanings.remote"),
)
#: What they are painted on: the panels, the bars and dialogues, boxes for text and the idle cursor, and the cursor.
_GROUNDS: Final = ("colors.background", "colors.surface", "colors.panel", "meanings.cursor")
#: The focus is seen from its border, and credits and danger are the grounds of badges with the background as text.
_FOCUS: Final = "colors.primary"
_BADGES: Final = ("meanings.credits", "meanings.danger", "colors.primary")


class Pair(NamedTuple):
    """Two colours that meet on screen, by where they stand in the file, their contrast, and the least it should be."""

    text: str
    ground: str
    contrast: float
    needed: float


def contrast(one: str, other: str) -> float:
    """The contrast of two colours ``#rrggbb``, from 1 (none) to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return float(channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4)


def pairs(theme: ThemeFile) -> Iterator[Pair]:
    """Every pair of colours that meet; none of a theme of the terminal's own colours, which nobody else knows."""
    if theme.terminal:
        return
    color = {f"colors.{name}": value for name, value in theme.colors.items()}
    color |= {f"meanings.{name}": value for name, value in theme.meanings.items()}
    for ground in _GROUNDS:
        for text in _TEXTS:
            yield Pair(text, ground, contrast(color[text], color[ground]), FOR_TEXT)
    for ground in _GROUNDS[:2]:
        yield Pair(_FOCUS, ground, contrast(color[_FOCUS], color[ground]), FOR_SIGNS)
    for badge in _BADGES:
        yield Pair("colors.background", badge, contrast(color["colors.background"], color[badge]), FOR_TEXT)


def too_weak(theme: ThemeFile) -> Iterator[Pair]:
    """The pairs that are hard to read."""
    return (pair for pair in pairs(theme) if pair.contrast < pair.needed)
