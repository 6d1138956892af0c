"""Compare two long texts and show the differences in as few lines as possible.

Unchanged lines are counted but not shown. Long lines are shortened to the changes and the words around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal

from chartui.core.classes import dataclass

#: A removed (``-``) or added (``+``) line, or a number of unchanged lines (``=``).
Sign = Literal["-", "+", "="]

#: Comparing takes time proportional to the product of both lengths. If the product exceeds this limit, the whole text
#: counts as replaced.
_MOST_COMPARED: Final = 2_000_000
#: Number of characters shown on each side of a change in a long line.
_AROUND: Final = 32
#: A word, white space, or one other character. Scripts without spaces count character by character.
_TOKEN: Final = re.compile("\\s+|[^\\W\u2e80-\uffff]+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line in a comparison. ``changed`` is true if the piece does not occur in the other text."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line in the comparison of two texts. If ``sign`` is ``=``, ``count`` is the number of unchanged lines."""

    sign: Sign
    parts: tuple[Part, ...] = ()
    count: int = 1


def differences(before: str, after: str) -> tuple[DiffLine, ...]:
    """Return the removed lines of ``before`` and the added lines of ``after``, in order."""
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    found: list[DiffLine] = []
    for tag, old_lines, new_lines in _compared(old, new):
        if tag == "equal":
            found.append(DiffLine("=", count=len(old_lines)))
            continue
        pairs = min(len(old_lines), len(new_lines))
        for line, other in zip(old_lines[:pairs], new_lines[:pairs], strict=True):
            found += _changed_line(line, other)
        found += [DiffLine("-", (Part(line, changed=True),)) for line in old_lines[pairs:]]
        found += [DiffLine("+", (Part(line, changed=True),)) for line in new_lines[pairs:]]
    return tuple(found)


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """Yield runs of lines, each either equal on both sides or replaced by the other side's.

    Common lines at the beginning and the end are found first.
    """
    start = _alike(old, new, lambda items, index: items[index])
    end = _alike(old[start:], new[start:], lambda items, index: items[-1 - index])
    if start:
        yield "equal", old[:start], new[:start]
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(middle_old) * len(middle_new) > _MOST_COMPARED or not middle_old or not middle_new:
        if middle_old or middle_new:
            yield "replace", middle_old, middle_new
    else:
        from difflib import SequenceMatcher

        for tag, a, b, c, d in SequenceMatcher(None, middle_old, middle_new, autojunk=False).get_opcodes():
            yield tag, middle_old[a:b], middle_new[c:d]
    if end:
        yield "equal", old[len(old) - end :], new[len(new) - end :]


def _alike(old: Sequence[str], new: Sequence[str], item: Callable[[Sequence[str], int], str]) -> int:
    most = min(len(old), len(new))
    return next((i for i in range(most) if item(old, i) != item(new, i)), most)


def _changed_line(before: str, after: str) -> list[DiffLine]:
    """Return both versions of a line, even if words were only added or only removed."""
    if before == after:
        return [DiffLine("=")]
    old: list[Part] = []
    new: list[Part] = []
    for tag, gone, come in _compared(_TOKEN.findall(before), _TOKEN.findall(after)):
        _append(old, "".join(gone), changed=tag != "equal")
        _append(new, "".join(come), changed=tag != "equal")
    return [DiffLine("-", _shortened(old)), DiffLine("+", _shortened(new))]


def _append(parts: list[Part], text: str, *, changed: bool) -> None:
    """Append a piece to the parts of a line. An empty piece marks the place where the other text contains more."""
    if parts and parts[-1].changed == changed:
        text = parts.pop().text + text
    elif len(parts) > 1 and text and changed and parts[-1].text.isspace():
        # A space between two changed words belongs to the change, so the reader has to check only one place.
        text = parts.pop().text + text
        text = parts.pop().text + text
    parts.append(Part(text, changed))


def _shortened(parts: Sequence[Part]) -> tuple[Part, ...]:
    shown: list[Part] = []
    for index, part in enumerate(parts):
        first, last = index == 0, index == len(parts) - 1
        room = _AROUND * (1 if first or last else 2)
        if part.changed or len(part.text) <= room + 4:
            shown.append(part)
            continue
        head = "" if first else part.text[:_AROUND].rsplit(" ", 1)[0] + " "
        tail = "" if last else " " + part.text[-_AROUND:].split(" ", 1)[-1]
        shown.append(Part(f"{head}…{tail}", changed=False))
    runs = groupby((part for part in shown if part.text), attrgetter("changed"))
    return tuple(Part("".join(part.text for part in run), changed) for changed, run in runs)
