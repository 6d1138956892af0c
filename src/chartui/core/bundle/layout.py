"""A TOML file written anew over its earlier text, with its comments.

Every key comes with the comments above it and behind it; what stays as it was is written back letter by letter, and
what is new has the form of :mod:`chartui.core.bundle.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from chartui.core.bundle.toml import as_header, as_key, as_value
from chartui.core.jsontext import same
from chartui.core.toml_text import Path, Piece, pieces

__all__ = ["rewritten"]


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
