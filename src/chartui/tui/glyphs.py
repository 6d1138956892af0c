"""Every sign that the program draws."""

from __future__ import annotations

from typing import Final

from chartui.core.narrative import signs


class Glyphs:
    """Signs by meaning. Each goes with a color, so that color never carries a meaning alone."""

    local = "●"
    remote = "↗"
    read_only = "⊘"
    on = "■"
    off = "□"
    chosen = "›"
    more = "▾"
    warning = "▲"
    danger = "✗"
    staged = "Δ"
    differs = "≠"
    gone = "†"
    missing = signs.DANGLING
    conflict = "⇄"
    ascending = "↑"
    descending = "↓"
    done = "✓"
    unknown = "?"
    waiting = "·"
    text = "≡"
    given_up = "◌"
    act = "»"
    busy = "…"
    narrative = "◆"
    memory = "■"
    start = signs.START
    ending = signs.ENDING
    unreachable = signs.UNREACHABLE
    untested = signs.UNTESTED
    chain = "↳"
    back = "↩"
    to = "→"
    open = "▾"
    closed = "▸"
    trigger = "ϟ"
    cursor = "▌"
    caret = "▏"
    immediate = "*"
    realtime = "≋"
    elsewhere = "○"
    beta = "β"
    link = "∝"
    ellipsis = "…"
    note = "·"
    readable = "·"
    write_only = "↦"
    known_here = "⌂"
    no_call = "¬"
    sure = "▄"
    longer = "▒"
    stage = "─"
    stage_begin = "├"
    stage_end = "┤"


GLYPHS: Final = Glyphs()

#: One per line of a plot, to tell lines apart without colors.
MARKERS: Final = ("●", "▲", "■", "◆", "○", "△", "□", "◇")

# Each digit is five dots high, two dots per row, so three rows high.
_DOTS: Final = {
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": (" # ", "## ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
    ".": (" ", " ", " ", " ", "#"),
    " ": (" ", " ", " ", " ", " "),
    "–": ("   ", "   ", "###", "   ", "   "),
    "<": ("  #", " # ", "#  ", " # ", "  #"),
}


def _rows(dots: tuple[str, ...]) -> tuple[str, str, str]:
    padded = (*dots, " " * len(dots[0]))
    halves = {"  ": " ", "# ": "▀", " #": "▄", "##": "█"}
    lines = ["".join(halves[a + b] for a, b in zip(padded[i], padded[i + 1], strict=True)) for i in (0, 2, 4)]
    return (lines[0], lines[1], lines[2])


#: Character → its three rows.
BIG_DIGITS: Final = {character: _rows(dots) for character, dots in _DOTS.items()}

# As high as the digits, with crossbars where letters have them.
_LETTERS: Final = {
    "a": ("   ", "###", " ##", "# #", "###"),
    "c": ("   ", "###", "#  ", "#  ", "###"),
    "h": ("#  ", "###", "# #", "# #", "# #"),
    "i": ("#", " ", "#", "#", "#"),
    "r": ("   ", "###", "#  ", "#  ", "#  "),
    "t": (" # ", "###", " # ", " # ", " ##"),
    "u": ("   ", "# #", "# #", "# #", "###"),
}


def big_letters(word: str) -> tuple[str, str, str]:
    """``word`` three rows high, if it has only letters of the program's name."""
    letters = [_rows(_LETTERS[letter]) for letter in word]
    return tuple(" ".join(letter[row] for letter in letters) for row in range(3))  # type: ignore[return-value]
