"""The order that is meant: "before you ring the bell, point at the lens" points first (decision 72)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chartui.core.actions.clauses import Clause, Item
from chartui.core.actions.language import Word

__all__ = ["in_order"]

_TIMES: Final = frozenset({"before", "after", "when", "while"})


def in_order(clauses: Sequence[Clause]) -> list[int]:
    """The places of the clauses of a sentence in the order in which they are meant to be done.

    -1 stands for what was said in the sentence before: a clause in front of it goes there.
    """
    order = [-1]
    place = 0
    while place < len(clauses):
        clause = clauses[place]
        if clause.marker in _TIMES and clause.act is not None:
            place = _add_dependent(clauses, place, order)
            continue
        if clause.marker == "earlier":
            order.insert(len(order) - 1, place)
        elif place and _comes_first(clause):
            order.insert(1, place)
        elif not place and any(_is_first(group.items, ends=True) for group in clause.groups):
            order.insert(0, place)  # "… . But heat it first."
        else:
            order.append(place)
        place += 1
    return order


def _add_dependent(clauses: Sequence[Clause], place: int, order: list[int]) -> int:
    """Put a clause that depends on another into the order, with those joined to it; the place behind what was put."""
    clause = clauses[place]
    end = place + 1
    while end < len(clauses) and _goes_on(clauses[end], clause):
        end += 1
    dependent = list(range(place, end))
    last = end
    while last < len(clauses) and clauses[last].marker not in _TIMES | {"earlier"}:
        last += 1
    follows = end < len(clauses) and clauses[end].marker != "then" and last > end
    apart = clause.comma or clause.link != "" or not any(one.act for one in clauses[:place])
    if follows and apart:
        main = list(range(end, last))
        order += main + dependent if clause.marker == "before" else dependent + main
        return last
    if clause.marker in ("after", "when"):
        at = len(order) - 1
        while at > 1 and (clause.link or clause.comma) and clauses[order[at]].marker in _TIMES:
            at -= 1  # "ring before opening, but after closing": both are about the ringing
        while at > 1 and clauses[order[at]].link == "and" and not clauses[order[at]].comma:
            at -= 1
        order[at:at] = dependent
    else:
        order += dependent
    return end


def _goes_on(clause: Clause, first: Clause) -> bool:
    """Tell whether a clause is part of what depends: "before you ring the bell and open the door"."""
    if clause.marker or clause.comma or clause.act is None or first.act is None:
        return False
    if clause.lead[:1] == [Word("to")]:
        return True
    return clause.link in ("and", "or") and bool(clause.act.form & first.act.form)


def _comes_first(clause: Clause) -> bool:
    return clause.marker == "first" or _is_first(clause.lead, ends=False) or any(
        _is_first(group.items, ends=True) for group in clause.groups
    )  # fmt: skip


def _is_first(items: Sequence[Item], *, ends: bool) -> bool:
    """Tell whether "first" says when, and not which ("the first key")."""
    return any(
        isinstance(item, Word) and item.text == "first" and (not ends or place == len(items) - 1)
        for place, item in enumerate(items)
    )
