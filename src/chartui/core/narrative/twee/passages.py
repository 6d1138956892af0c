"""The passages of a Twee file, with the lines that they stand on.

A passage begins with a line such as ``:: The hall [indoors] {"position":"100,200"}`` and goes on to the next one. In
its name and its tags a backslash lets the sign behind it stand for itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

__all__ = ["MARK", "File", "Passage", "escaped", "passages"]

#: What a line begins with that begins a passage.
MARK: Final = "::"


class Passage(NamedTuple):
    """A passage: ``line`` is the number of its first line, counted from 1, and ``text_line`` that of ``text``.

    ``text`` has no empty lines at its ends. ``metadata`` is what stands in braces behind the name, as it is.
    """

    name: str
    tags: tuple[str, ...]
    metadata: str
    line: int
    text: str
    text_line: int


class File(NamedTuple):
    """What a file holds. ``lines`` is how many it has, ``stray`` the first with words before a passage, 0 for none."""

    passages: list[Passage]
    lines: int
    stray: int


def passages(text: str, *, before: int = 0) -> File:
    """The passages of a file; ``before`` is how many lines of other files its own are counted behind."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    begins = [number for number, line in enumerate(lines) if line.startswith(MARK)]
    first = [*begins, len(lines)][0]
    stray = next((before + number for number, line in enumerate(lines[:first], start=1) if line.strip()), 0)
    ends = [*begins, len(lines)][1:]
    found = [_passage(lines, begin, end, before) for begin, end in zip(begins, ends, strict=True)]
    return File(found, len(lines), stray)


def _passage(lines: list[str], begin: int, end: int, before: int) -> Passage:
    first = begin + 1
    while first < end and not lines[first].strip():
        first += 1
    while end > first and not lines[end - 1].strip():
        end -= 1
    name, tags, metadata = _header(lines[begin][len(MARK) :])
    return Passage(name, tags, metadata, before + begin + 1, "\n".join(lines[first:end]), before + first + 1)


def _header(line: str) -> tuple[str, tuple[str, ...], str]:
    """Name, tags and metadata."""
    name, rest = _until(line, "[{")
    tags: tuple[str, ...] = ()
    if rest.startswith("["):
        inside, rest = _until(rest[1:], "]", keep=True)
        tags = tuple(_until(tag, "")[0] for tag in inside.split())
        rest = rest[1:].lstrip()
    return " ".join(name.split()), tags, rest.strip()


def _until(text: str, ends: Collection[str], *, keep: bool = False) -> tuple[str, str]:
    """What stands before the first of ``ends`` that no backslash precedes, without backslashes unless ``keep``."""
    found: list[str] = []
    signs = iter(enumerate(text))
    for index, sign in signs:
        if sign in ends:
            return "".join(found), text[index:]
        if sign == "\\" and index + 1 < len(text):
            found.append(sign if keep else "")
            found.append(next(signs)[1])
        else:
            found.append(sign)
    return "".join(found), ""


def escaped(name: str) -> str:
    """A name or a tag as it stands in the first line of a passage."""
    return "".join(f"\\{sign}" if sign in "\\[]{}" else sign for sign in name)
