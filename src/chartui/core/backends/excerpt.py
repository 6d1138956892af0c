"""A bounded copy of a value: enough to see what was asked and answered, however large it was.

Taking it never costs more than its bounds, so a list of ten thousand records is not walked for the sake of the first
hundred. What is left out is said in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from chartui.core.jsontext import NotJson, Wire, dumps

__all__ = ["Excerpt", "excerpt"]

#: As much of a value as is kept: characters of its JSON text (about), values in it, levels, characters of one text.
MAX_CHARACTERS: Final = 64 * 1024
MAX_VALUES: Final = 2000
MAX_DEPTH: Final = 64
MAX_TEXT: Final = 4096
#: The longest secret that is looked for, in characters: one that a cut goes through is still found.
MAX_SECRET: Final = 4096


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``value`` is in wire form and can be written as JSON; unless it is ``whole``, marks say how much is missing."""

    value: Wire
    whole: bool = True


def excerpt(value: Wire, *, redact: Callable[[str], str] = str) -> Excerpt:
    """The beginning of ``value``; every text in it passes ``redact`` first. What JSON cannot say is named instead."""
    taking = _Taking(redact)
    return Excerpt(taking.take(value, 0), taking.whole)


class _Taking:
    """One copy being made, and how much of it is still allowed."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._values = MAX_VALUES
        self._room = MAX_CHARACTERS
        self.whole = True

    def take(self, value: Wire, depth: int) -> Wire:
        self._values -= 1
        if isinstance(value, str):
            return self._text(value)
        if value is None or value is True or value is False:
            self._room -= 6
            return value
        if isinstance(value, (dict, list, Mapping, Sequence)) and not isinstance(value, bytes | bytearray):
            if depth >= MAX_DEPTH:
                return self._mark("nested too deeply")
            return self._members(value, depth) if isinstance(value, (dict, Mapping)) else self._items(value, depth)
        if isinstance(value, int | Decimal | float):
            try:
                self._room -= len(dumps(value)) + 2
            except (NotJson, ValueError):  # not a number, or one of thousands of digits
                return self._mark("a number that JSON cannot say")
            return value
        return self._mark(f"{type(value).__name__} has no JSON form")

    def _text(self, text: str) -> str:
        if len(text) <= MAX_TEXT and len(text) <= self._room:
            self._room -= len(text) + 4
            return self._redact(text)
        limit = max(0, min(MAX_TEXT, self._room))
        kept = self._redact(text[: limit + MAX_SECRET])[:limit]
        self._room -= len(kept) + 4
        missing = len(text) - limit
        return kept if missing <= 0 else kept + self._more(missing, "character")

    def _items(self, items: Sequence[Wire], depth: int) -> list[Wire]:
        kept: list[Wire] = []
        for item in items:
            if self._is_full():
                kept.append(self._more(len(items) - len(kept), "item"))
                break
            kept.append(self.take(item, depth + 1))
        return kept

    def _members(self, members: Mapping[str, Wire], depth: int) -> dict[str, Wire]:
        kept: dict[str, Wire] = {}
        for name, value in members.items():
            if self._is_full():
                kept["…"] = self._more(len(members) - len(kept), "member")
                break
            kept[self._text(str(name))] = self.take(value, depth + 1)
        return kept

    def _is_full(self) -> bool:
        return self._values <= 0 or self._room <= 0

    def _more(self, missing: int, what: str) -> str:
        return self._mark(f"{missing} more {what}{'' if missing == 1 else 's'}")

    def _mark(self, what: str) -> str:
        self.whole = False
        return f"… ({what})"
