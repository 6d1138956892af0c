"""Make text from outside the program safe to show.

Pass every string from a service, a file or a user through :func:`display_text` before it is shown, logged or copied to
the clipboard. In such a string, control characters could set the window title, overwrite the clipboard or clear the
screen, and bidirectional overrides could reorder the characters of a line. These characters are replaced with visible
marks. The stored values are never changed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from json.encoder import encode_basestring_ascii
from typing import Final

# Characters that a terminal would obey or that reorder the line: C0, DEL and C1 controls, the soft hyphen, the Arabic
# letter mark, the bidirectional marks, embeddings, overrides and isolates, line and paragraph separators, the
# deprecated format characters, a byte order mark inside text, interlinear annotation, lone surrogates and the language
# tags. The zero-width joiner and non-joiner are allowed, because emoji families and several scripts need them.
# None of them is printable, so most text needs no pattern: it is compiled when it is first used.
_UNSAFE: Final = (
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_KEPT_WHEN_MULTILINE: Final = frozenset("\n\t")
# Combining marks pile up over neighbouring cells when there are very many of them on one letter.
_PILE: Final = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def _mark(character: str) -> str:
    """Return a visible replacement for an unsafe character: ``␛`` for escape, or a code such as ``⟨U+202E⟩``."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"⟨U+{code:04X}⟩"


def display_text(text: str, *, multiline: bool = False) -> str:
    """Return ``text`` with visible marks in place of control characters and other characters that affect a terminal.

    If ``multiline`` is set, line feeds are kept, tabs are replaced with spaces, and carriage returns before line feeds
    are removed. Otherwise, the result is always a single line.
    """
    if text.isascii() and text.isprintable():
        return text
    if multiline:
        text = text.replace("\r\n", "\n").expandtabs(4)
    text = _PILE.sub(r"\1…", text)
    if text.isprintable():
        return text
    kept = _KEPT_WHEN_MULTILINE if multiline else ()
    return re.sub(_UNSAFE, lambda m: m[0] if m[0] in kept else _mark(m[0]), text)


def ends_in_quotes(text: str) -> bool:
    """Return whether ``text`` ends within double quotes, so that a closing quote has to follow if it is truncated."""
    return text.count("“") > text.count("”") + text.count("„")


def single_line(text: str, *, limit: int = 500) -> str:
    """Return ``text`` as one safe line of at most ``limit`` characters. Runs of white space become single spaces.

    If the line is truncated within quotes, the closing quote is kept.
    """
    if len(text) <= limit and "  " not in text and text.isascii() and text.isprintable() and text == text.strip():
        return text
    line = display_text(" ".join(text[: limit * 4].split()))
    if len(line) <= limit:
        return line
    head = line[: max(0, limit - 2)]
    return f"{head}…”" if ends_in_quotes(head) else f"{line[: limit - 1]}…"


# Accents, the points of Hebrew and Arabic, and the sound marks of kana.
_ACCENTS: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]+"
)


def fold(text: str) -> str:
    """Return ``text`` as it is used for searching: case-folded and without accents."""
    if text.isascii():
        return text.lower()
    import unicodedata

    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()


def found_in(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each match in ``text``. The pattern is matched against the folded text."""
    if text.isascii():
        yield from (found.span() for found in pattern.finditer(text.lower()))
        return
    pieces = [fold(character) for character in text]
    starts = list(accumulate(map(len, pieces), initial=0))
    for found in pattern.finditer("".join(pieces)):
        start, end = bisect_right(starts, found.start()) - 1, bisect_left(starts, found.end())
        while end < len(text) and not pieces[end]:
            end += 1
        yield start, end


def is_plain(text: str) -> bool:
    """Return whether ``text`` is safe to show unchanged."""
    return text.isprintable() or re.search(_UNSAFE, text) is None


def escape_json(text: str) -> str:
    """Return JSON ``text`` with unsafe characters written as escapes. The values in the text do not change."""
    # A line feed outside a string separates members. Inside a string, it is escaped already.
    return re.sub(_UNSAFE, lambda m: m[0] if m[0] == "\n" else encode_basestring_ascii(m[0])[1:-1], text)


def cell_width(text: str) -> int:
    """Return the width of ``text`` in terminal cells.

    A wide character takes two cells. Combining marks and joiners take none.
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


@lru_cache(4096)
def _cells(character: str) -> int:
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return ``text``, padded with spaces to ``width`` terminal cells."""
    if text.isascii():
        return text.rjust(width) if right else text.ljust(width)
    blanks = " " * (width - cell_width(text))
    return blanks + text if right else text + blanks


def cut(line: str, width: int) -> str:
    """Return a line, truncated to at most ``width`` terminal cells. The closing quote is kept."""
    if cell_width(line) <= width:
        return line
    head = beginning(line, width - 2)
    return f"{head}…”" if ends_in_quotes(head) else f"{beginning(line, width - 1)}…"


def beginning(line: str, width: int) -> str:
    """Return the first characters of a line, at most ``width`` terminal cells of them."""
    kept, left = [], width
    for character in line:
        left -= cell_width(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept)


def wrapped(text: str, width: int) -> Iterator[str]:
    """Break text into lines of at most ``width`` terminal cells, at spaces where possible. Yield each line."""
    for paragraph in text.split("\n"):
        line, taken = "", 0
        for word in paragraph.split(" "):
            whole = cell_width(word)
            for piece, cells in ((word, whole),) if whole <= width else _pieces(word, width):
                if line and taken + 1 + cells > width:
                    yield line
                    line, taken = piece, cells
                else:
                    line, taken = (f"{line} {piece}", taken + 1 + cells) if line else (piece, cells)
        yield line


def _pieces(word: str, width: int) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a word that fit into lines, each with its width in cells."""
    piece, taken = "", 0
    for character in word:
        cells = cell_width(character)
        if taken + cells > width:
            yield piece, taken
            piece, taken = "", 0
        piece, taken = piece + character, taken + cells
    yield piece, taken
