"""Split TOML text into pieces without losing a character, and find the line of each key and table.

The text must be valid TOML.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from chartui.core.classes import NamedTuple

#: The path of a table: its keys from the top.
Path = tuple[str, ...]

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_LONG_QUOTED: Final = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL)
_LITERAL: Final = re.compile(r"'[^']*'")
_LONG_LITERAL: Final = re.compile(r"'''.*?'{3,5}", re.DOTALL)
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_LEAD: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
_BLANKS: Final = re.compile(r"[ \t]*")
_REST: Final = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
#: The rest of a value, outside strings, up to the next special character.
_PLAIN: Final = re.compile(r"[^\"'\[\]{}#\n]+")


class Piece(NamedTuple):
    """A piece of a TOML file: either a header or a key with its value.

    ``lead`` contains the empty lines and comments above it, ``body`` contains the header or the key with its value, and
    ``rest`` is the remainder of the line. ``path`` is the path of the key or of the header's table. ``table`` is the
    table that contains a key. ``plain`` is false for the header of an array of tables.
    """

    path: Path
    table: Path
    header: bool
    plain: bool
    lead: str
    body: str
    rest: str

    @property
    def text(self) -> str:
        return f"{self.lead}{self.body}{self.rest}"


def pieces(text: str) -> tuple[tuple[Piece, ...], str]:
    """Return the pieces of a TOML document in order, and the text after the last piece."""
    found: list[Piece] = []
    table: Path = ()
    plain = True
    position = 0
    while True:
        lead, position = _taken(_LEAD, text, position)
        blanks, begin = _taken(_BLANKS, text, position)
        if begin == len(text) or text[begin] == "#":  # a comment without a line end is the end of the text
            return tuple(found), lead + text[position:]
        header = text[begin] == "["
        if header:
            plain = not text.startswith("[[", begin)
            path, end = _keys(text, begin + (1 if plain else 2))
            end += 1 if plain else 2
            table = path
        else:
            path, end = _keys(text, begin)
            end = _value_end(text, end + 1)
        rest, position = _taken(_REST, text, end)
        body = blanks + text[begin:end]
        found.append(Piece(path if header else (*table, *path), table, header, plain, lead, body, rest))


def _taken(pattern: re.Pattern[str], text: str, position: int) -> tuple[str, int]:
    match = pattern.match(text, position)
    end = position if match is None else match.end()
    return text[position:end], end


def _keys(text: str, position: int) -> tuple[Path, int]:
    """Return a dotted key and the position of its end: the ``=`` or ``]`` after it."""
    import tomllib

    parts: list[str] = []
    while True:
        while text[position] in " \t.":
            position += 1
        if text[position] in "=]":
            return tuple(parts), position
        pattern = {'"': _QUOTED, "'": _LITERAL}.get(text[position], _BARE)
        part, position = _taken(pattern, text, position)
        parts.append(part if pattern is _BARE else tomllib.loads(f"x = {part}")["x"])


def _text_end(text: str, position: int) -> int | None:
    """Return the end of the quoted string that begins at ``position``, or None if no string begins there."""
    character = text[position]
    if character not in "\"'":
        return None
    long = text.startswith(character * 3, position)
    patterns = (_QUOTED, _LONG_QUOTED) if character == '"' else (_LITERAL, _LONG_LITERAL)
    return _taken(patterns[long], text, position)[1]


def _value_end(text: str, position: int) -> int:
    """Return the end of the value that begins at ``position``, without trailing spaces."""
    depth, end = 0, position
    while position < len(text):
        character = text[position]
        if depth == 0 and character in "#\n":
            break
        if behind := _text_end(text, position):
            position = behind
        elif character == "#":
            position = text.find("\n", position)
        elif character in "[]{}":
            depth += 1 if character in "[{" else -1
            position += 1
        elif character == "\n":
            position += 1
        else:
            run, position = _taken(_PLAIN, text, position)
            if not run.strip():
                continue
            end = position - (len(run) - len(run.rstrip()))
            continue
        end = position
    return end


#: The place of a value: keys, and indexes of array elements, from 0.
Place = tuple[str | int, ...]

#: A value that is neither string nor array nor table, with the text up to the next value.
_SCALAR: Final = re.compile(r"[^,\[\]{}#\n]+")
#: The characters that can follow the name of a place in a message.
_BEHIND: Final = re.compile(r"[ .:\[]|\Z")
#: The maximum length of the name of a place at the beginning of a message.
_LONGEST: Final = 1000


class TomlLines:
    """Finds the line number for a path in a TOML document, such as ``sections.hall``. Lines are counted from 1."""

    def __init__(self, text: str) -> None:
        """Read ``text``, which must be a valid TOML document."""
        self._lines: dict[str, int | None] = {}
        for place, line in places(text).items():
            name = _name(place)
            # two places share this name, so it identifies neither
            self._lines[name] = None if self._lines.get(name, line) != line else line

    def line(self, words: str) -> int | None:
        """Return the line number for a message that begins with a path.

        An example of such a message is ``sections.hall.decisions[0].to is missing``. If the document does not contain
        the path, return the line number of the innermost table or key around it that the document contains. If there is
        no such table or key, return None.
        """
        words = words[:_LONGEST].replace('"', "")
        ends = [found.start() for found in _BEHIND.finditer(words)]
        return next((line for end in reversed(ends) if (line := self._lines.get(words[:end])) is not None), None)


def _name(place: Place) -> str:
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return name.removeprefix(".").replace('"', "")


def places(text: str) -> Mapping[Place, int]:
    """Return the number of the line where each table, key and element of a TOML document first appears.

    Lines are counted from 1.
    """
    breaks = [found.start() for found in re.finditer("\n", text)]
    found: dict[Place, int] = {}
    #: The number of tables so far in each array of tables.
    numbers: dict[Place, int] = {}
    begin = 0
    table: Place = ()
    for piece in pieces(text)[0]:
        at = begin + len(piece.lead)
        line = bisect_left(breaks, at) + 1
        begin += len(piece.text)
        if piece.header:
            *around, last = piece.path
            table = (*_reached((), around, line, found, numbers), last)
            if not piece.plain:
                found.setdefault(table, line)
                numbers[table] = numbers.get(table, -1) + 1
                table = (*table, numbers[table])
            found.setdefault(table, line)
            continue
        keys = piece.path[len(piece.table) :]
        place = _reached(table, keys, line, found, {})
        _, equals = _keys(text, at + len(piece.body) - len(piece.body.lstrip(" \t")))
        for inner, position in _within(text, equals + 1, begin - len(piece.rest), place):
            found.setdefault(inner, bisect_left(breaks, position) + 1)
    return found


def _reached(
    place: Place, keys: Iterable[str], line: int, found: dict[Place, int], numbers: Mapping[Place, int]
) -> Place:
    """Return the place that ``keys`` reach from ``place``. New places are recorded.

    In an array of tables, the last table is used.
    """
    for key in keys:
        place = (*place, key)
        found.setdefault(place, line)
        if place in numbers:
            place = (*place, numbers[place])
    return place


def _within(text: str, position: int, end: int, place: Place) -> Iterator[tuple[Place, int]]:
    """Yield the elements and members of the value at ``place``, which ends at ``end``, and where each begins."""
    #: Arrays and tables around the position: the place of each, and for an array the index of its next element.
    around: list[tuple[Place, int | None]] = []
    while position < end:
        character = text[position]
        if character in " \t\r\n,":
            position += 1
        elif character == "#":
            position = text.index("\n", position)
        elif character in "]}":
            around.pop()
            position += 1
        else:
            here = place
            if around:
                owner, number = around[-1]
                keys: tuple[str, ...] = ()
                begin = position
                if number is None:
                    keys, position = _keys(text, position)
                    position = _taken(_BLANKS, text, position + 1)[1]
                else:
                    around[-1] = owner, number + 1
                here = owner
                for part in keys or (number or 0,):
                    here = (*here, part)
                    yield here, begin
            if text[position] in "[{":
                around.append((here, 0 if text[position] == "[" else None))
                position += 1
            else:
                position = _text_end(text, position) or _taken(_SCALAR, text, position)[1]
