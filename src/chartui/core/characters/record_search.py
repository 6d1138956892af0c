"""Looking for something in a record: in the names of its members, in their paths and in what they hold. Pure.

What is looked in is what is seen, with everything made visible that a terminal would obey, so that somebody can look
for a mark that is on the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from chartui.core.fields import Entry, Group
from chartui.core.text import display_text

__all__ = ["Search", "Span", "narrowed"]

#: As much of what was typed is looked for.
LONGEST: Final = 200


class Span(NamedTuple):
    """A piece of a line: the characters from ``start`` to before ``end``."""

    start: int
    end: int


class Search:
    """What is looked for, in whatever case; any white space between words stands for any other.

    A search for nothing, or for nothing but white space, finds nothing.
    """

    def __init__(self, text: str) -> None:
        words = [re.escape(word) for word in text[:LONGEST].split()]
        self._pattern = re.compile(r"\s+".join(words), re.IGNORECASE) if words else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def spans(self, line: str) -> Sequence[Span]:
        """Where it stands in a line that is shown."""
        return [Span(*match.span()) for match in self._pattern.finditer(line)] if self._pattern else ()

    def holds(self, text: str) -> bool:
        """Whether a text from outside holds it somewhere."""
        return self._pattern is not None and bool(self._pattern.search(display_text(text, multiline=True)))

    def finds(self, entry: Entry) -> bool:
        """Whether a field holds it: its label, its path, its value, or what is remarked about it."""
        return any(map(self.holds, (entry.label, entry.path, entry.text, entry.access.value, entry.remark)))


def narrowed(groups: Iterable[Group], search: Search) -> tuple[Group, ...]:
    """The groups with nothing but the fields in which ``search`` finds something."""
    return tuple(_narrowed(groups, search))


def _narrowed(groups: Iterable[Group], search: Search) -> Iterator[Group]:
    for group in groups:
        found = tuple(entry for entry in group.entries if search.finds(entry))
        if found:
            yield Group(group.title, found)
