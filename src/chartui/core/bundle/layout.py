"""The text of a TOML file, taken apart without losing a character: so that it can be written anew with its comments.

Only for text that has been read as TOML without a fault. Every key comes with the comments above it and behind it; what
stays as it was is written back letter by letter, and what is new has the form of :mod:`chartui.core.bundle.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chartui.core.bundle.toml import as_header, as_key, as_value
from chartui.core.jsontext import same

__all__ = ["Path", "Piece", "pieces", "rewritten"]

#: Where a table stands: the keys that lead to it.
Path = tuple[str, ...]

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_LONG_QUOTED: Final = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL)
_LITERAL: Final = re.compile(r"'[^']*'")
_LONG_LITERAL: Final = re.compile(r"'''.*?'{3,5}", re.DOTALL)
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_LEAD: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
_BLANKS: Final = re.compile(r"[ \t]*")
_REST: Final = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
#: What a value goes on with, outside of texts: up to something that must be looked at.
_PLAIN: Final = re.compile(r"[^\"'\[\]{}#\n]+")


class Piece(NamedTuple):
    """A header or a key with its value: ``lead`` are the blank lines and comments above it, ``body`` is what it says,
    ``rest`` what stands behind it up to the end of the line.

    ``path`` is that of the table for a header, else that of the key; ``table`` is the table that a key stands in. Of a
    table in a list of tables the header is no ``plain`` one.
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
        """All of it, as it stands in the file."""
        return f"{self.lead}{self.body}{self.rest}"


def pieces(text: str) -> tuple[tuple[Piece, ...], str]:
    """The pieces of a file in their order, and what is left behind the last of them."""
    found: list[Piece] = []
    table: Path = ()
    plain = True
    position = 0
    while True:
        lead, position = _taken(_LEAD, text, position)
        blanks, begin = _taken(_BLANKS, text, position)
        if begin == len(text) or text[begin] == "#":  # a comment without a line end is the end
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
    """A key, of which the parts are joined by dots, and where it ends: at the ``=`` or ``]`` behind it."""
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


def _value_end(text: str, position: int) -> int:
    """Where a value ends that begins at ``position``, without the blanks behind it."""
    depth, end = 0, position
    while position < len(text):
        character = text[position]
        if depth == 0 and character in "#\n":
            break
        if character in "\"'":
            long = text.startswith(character * 3, position)
            patterns = (_QUOTED, _LONG_QUOTED) if character == '"' else (_LITERAL, _LONG_LITERAL)
            _, position = _taken(patterns[long], text, position)
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


# -- writing it anew ---------------------------------------------------------------------------------------------------


def rewritten(tables: Mapping[Path, Mapping[str, Any]], text: str = "", held: Mapping[str, Any] | None = None) -> str:
    """The ``tables`` as the text of a file, over ``text`` that holds ``held`` already.

    What is the same there stays letter by letter, with its comments and in its order; what ``tables`` lacks goes with
    the comments above it; what is new comes behind what it follows in ``tables``.
    """
    found, tail = pieces(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    headers = {piece.path: piece for piece in found if piece.header and piece.plain}
    members: dict[Path, dict[str, Piece]] = {}
    for piece in found:
        if (
            not piece.header
            and piece.path == (*piece.table, piece.path[-1])
            and (piece.table in headers or not piece.table)
        ):
            members.setdefault(piece.table, {})[piece.path[-1]] = piece
    parts: list[str] = []
    for path in _in_order(headers, tables, key=lambda path: path[:1] == ("ids",)):
        parts += _header(path, headers.get(path), bool(parts), newline)
        wanted, there = tables[path], members.get(path, {})
        before = _at(held or {}, path)
        for name in _in_order(there, wanted):
            parts.append(_member(name, wanted[name], there.get(name), before, newline))
    return _ended("".join(parts), newline) + tail


def _in_order(old: Iterable[Any], new: Iterable[Any], *, key: Callable[[Any], bool] = lambda _: False) -> list[Any]:
    """What is new in the order of the old, the rest behind what it follows; at last that for which ``key`` holds."""
    wanted = list(new)
    among = set(wanted)
    kept = [one for one in old if one in among]
    staying = set(kept)
    following: dict[Any, list[Any]] = {}
    last: Any = None
    for one in wanted:
        if one in staying:
            last = one
        else:
            following.setdefault(last, []).append(one)
    ordered = list(following.get(None, ()))
    for one in kept:
        ordered += (one, *following.get(one, ()))
    return sorted(ordered, key=key)


def _at(table: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for name in path:
        inner = table.get(name)
        table = inner if isinstance(inner, Mapping) else {}
    return table


def _header(path: Path, old: Piece | None, behind_others: bool, newline: str) -> Iterator[str]:
    if not path:
        return
    if old is not None:
        yield _ended(old.text, newline)
    else:
        yield f"{newline if behind_others else ''}{as_header(path)}{newline}"


def _member(name: str, value: Any, old: Piece | None, before: Mapping[str, Any], newline: str) -> str:
    if old is not None and name in before and same(before[name], value):
        return _ended(old.text, newline)
    written = f"{as_key(name)} = {as_value(value)}".replace("\n", newline)
    return f"{written}{newline}" if old is None else _ended(f"{old.lead}{written}{old.rest}", newline)


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}{newline}"
