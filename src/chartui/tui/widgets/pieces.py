"""Lines of words and roles, painted when they are seen: what changes in a text, and sentences in the width there is.

Kept as words and roles, so that a change of theme needs no new layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from rich.cells import cell_len
from rich.style import Style

from chartui.core.plans.difference import differences
from chartui.core.text import display_text
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.painting import Line, wrap
from chartui.tui.theming import Palette

__all__ = ["Piece", "PieceRow", "Role", "difference_rows", "put", "told"]

#: Of a text that is longer than this many lines, the first are shown: one reviews a change, one does not proofread.
MOST_LINES: Final = 200

Role = Literal["value", "label", "quiet", "title", "accent", "staged", "warning", "danger", "local"]


class Piece(NamedTuple):
    """Some words of a line; what ``changed`` is underlined."""

    text: str
    role: Role
    changed: bool = False


PieceRow = tuple[Piece, ...]


def put(line: Line, row: PieceRow, palette: Palette) -> Line:
    """Add the pieces of a row to a line."""
    for text, role, changed in row:
        style: Style = getattr(palette, role)
        line.add(text, style + Style(underline=True) if changed else style)
    return line


def told(text: str, width: int, role: Role, glyph: str = "", indent: int = 0) -> Iterator[PieceRow]:
    """A sentence, wrapped; none where there is nothing to say."""
    if not text:
        return
    start = " " * indent + (f"{glyph} " if glyph else "")
    for number, line in enumerate(wrap(text, width - len(start))):
        yield (Piece(start if number == 0 else " " * len(start), role), Piece(line, role))


def difference_rows(before: str, after: str, width: int, same: str = "as before") -> Iterator[PieceRow]:
    """The lines that go, with ``−``, and those that come, with ``+``; lines that stay are counted."""
    left = MOST_LINES
    for line in differences(before, after):
        if left <= 0:
            yield (Piece("  … and more that is not shown here", "quiet"),)
            return
        if line.sign == "=":
            yield (Piece(f"  {GLYPHS.ellipsis} {number_of(line.count, 'line')} {same}", "quiet"),)
            left -= 1
            continue
        gone = line.sign == "-"
        mark = Piece("− " if gone else "+ ", "danger" if gone else "staged")
        shown = [(display_text(part.text), part.changed) for part in line.parts]
        for number, row in enumerate(_flow(shown, width - 2)):
            pieces = (Piece(text, mark.role if changed else "label", changed) for text, changed in row)
            yield (mark if number == 0 else Piece("  ", "label"), *pieces)
            left -= 1
            if left <= 0:
                break


def _flow(parts: Iterable[tuple[str, bool]], width: int) -> Iterator[list[tuple[str, bool]]]:
    """Marked text in lines of at most ``width`` cells, broken behind blanks where that can be done."""
    line: list[tuple[str, bool]] = []
    used = 0
    for text, changed in parts:
        for word in _words(text, width):
            cells = cell_len(word)
            if used and used + cell_len(word.rstrip(" ")) > width:
                yield line
                line, used = [], 0
            if line and line[-1][1] == changed:
                line[-1] = (line[-1][0] + word, changed)
            else:
                line.append((word, changed))
            used += cells
    if line:
        yield line


def _words(text: str, width: int) -> Iterator[str]:
    """The words of a text, each with the blanks behind it; one that is wider than a line comes in pieces."""
    for piece in text.replace(" ", " \n").split("\n"):
        yield from wrap(piece, width) if cell_len(piece) > width else [piece]
