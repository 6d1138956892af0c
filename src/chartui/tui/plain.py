"""Line filters for limited terminals: ASCII only, or no colors.

Both apply to all output, borders and scroll bars included. If neither is needed, this module is not loaded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

#: The ASCII replacement of each sign, equally wide. Signs that must differ still differ.
SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # states
        "●": "*",
        "○": "o",
        "◉": "@",
        "▲": "^",
        "△": "A",
        "▼": "v",
        "■": "#",
        "□": "_",
        "◆": "&",
        "◇": "<",
        "⊘": "%",
        "✗": "x",
        "∅": "0",
        "∎": "$",
        "↛": "!",
        "⇄": "X",
        "†": "t",
        "◌": "c",
        "▫": "u",
        "≋": "w",
        "✓": "+",
        "Δ": "~",
        "≠": "!",
        "≡": "=",
        "β": "b",
        "⌂": "h",
        "¬": "n",
        "ϟ": "z",
        "∝": "l",
        "⚡": "zz",
        # ways
        "›": ">",
        "‹": "<",
        "»": ">",
        "▸": ">",
        "▾": "v",
        "▶": ">",
        "→": ">",
        "↦": ">",
        "↗": "/",
        "←": "<",
        "↑": "^",
        "↓": "v",
        "↳": "v",
        "↕": ":",
        "↩": "<",
        "⏎": "\\",
        "⌫": "<",
        "▌": "|",
        # writing
        "…": "~",
        "·": ".",
        "•": "*",
        "–": "-",
        "—": "-",
        "−": "-",
        "×": "x",
        "±": "~",
        "≤": "<",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "§": "S",
        "⟨": "<",
        "⟩": ">",
        "␛": "^",
        "␡": "^",
        "�": "?",
        "¦": "|",
        "\N{NO-BREAK SPACE}": " ",
        # bars, plots and big digits
        "█": "#",
        "▀": '"',
        "▄": "_",
        "▖": ".",
        "▒": "=",
        "░": ".",
        **dict.fromkeys("▏▎▍", "."),
        **dict.fromkeys("▋▊▉", "#"),
        **dict.fromkeys("▁▂▃", "_"),
        **dict.fromkeys("▅▆▇", "#"),
        # lines
        **dict.fromkeys("─━┄┅┈┉╌╍╴╶╸╺═▔", "-"),
        **dict.fromkeys("│┃┆┇┊┋╎╏╵╷╹╻║▕▐", "|"),
        **dict.fromkeys("┌┍┎┏┐┑┒┓└┕┖┗┘┙┚┛├┝┠┣┤┥┨┫┬┯┳┴┷┻┼┿╂╋╭╮╯╰╔╗╚╝╠╣╦╩╬", "+"),
        **dict.fromkeys("▖▗▘▙▚▛▜▝▞▟", "#"),
    }
)
#: Dots of a plot, eight per character.
_BRAILLE: Final = range(0x2800, 0x2900)
#: The bits of the dots in the upper half of the cell.
_UPPER: Final = 0b00011011


def in_ascii(text: str) -> str:
    """``text`` in ASCII, equally wide: signs replaced, letters without diacritics, the rest as ``?``."""
    if text.isascii():
        return text
    cells = cell_len(text)
    plain = "".join(map(_twin, text))
    # Characters that combine into one sign take fewer cells together.
    return plain if len(plain) == cells else set_cell_size(plain, cells)


@lru_cache(4096)
def _twin(character: str) -> str:
    if character in SIGNS:
        twin = SIGNS[character]
    elif ord(character) in _BRAILLE:
        dots = ord(character) - _BRAILLE.start
        twin = " " if not dots else "." if not dots & _UPPER else "'" if not dots & ~_UPPER else ":"
    else:
        twin = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
    cells = cell_len(character)
    return twin if len(twin) == cells else (twin if twin != "?" else "?" * cells)[:cells].ljust(cells)


class AsciiText(LineFilter):
    """Replaces everything but ASCII; widths stay the same."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [s if s.control or s.text.isascii() else Segment(in_ascii(s.text), s.style) for s in segments]


class Colorless(LineFilter):
    """Removes colors from styles but keeps attributes and mouse targets."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [s if s.style is None else Segment(s.text, _colorless(s.style), s.control) for s in segments]


@lru_cache(4096)
def _colorless(style: Style) -> Style:
    if style.color is None and style.bgcolor is None:
        return style
    plain = style.without_color
    return plain + Style(meta=style.meta) if style.meta else plain
