"""How often something is to be done: "ring the bell twice" (decision 72)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chartui.core.actions.clauses import Group, Item
from chartui.core.actions.language import NUMBERS, Word

__all__ = ["MOST", "count_of", "counted"]

#: An action is repeated so many times in one turn, and no more.
MOST: Final = 10
_ADVERBS: Final = {"twice": 2, "thrice": 3}
_DOZEN: Final = 12
_LONGEST: Final = 60


def counted(groups: Sequence[Group]) -> tuple[list[Group], list[int]]:
    """The groups without what counts, and for each how often it says; 1 where it does not."""
    found = [_counted(group.items) for group in groups]
    return (
        [Group(group.link, group.comma, items) for group, (items, _) in zip(groups, found, strict=True)],
        [times for _, times in found],
    )


def count_of(word: str) -> int | None:
    """The number that a word is, of a very long one as much as matters; None where it is none."""
    digits = NUMBERS.get(word, word)
    return int(digits[:_LONGEST]) if digits.isdecimal() else None


def _counted(items: list[Item]) -> tuple[list[Item], int]:
    for place, item in enumerate(items):
        if not isinstance(item, Word):
            continue
        if item.text in _ADVERBS:
            return [*items[:place], *items[place + 1 :]], _ADVERBS[item.text]
        number = _DOZEN if item.text == "dozen" else count_of(item.text)
        end = place + 2 if items[place + 1 : place + 2] == [Word("more")] else place + 1
        if number is not None and items[end : end + 1] in ([Word("times")], [Word("time")]):
            return [*items[:place], *items[end + 1 :]], number
    return items, 1
