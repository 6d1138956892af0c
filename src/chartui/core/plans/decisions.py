"""Compare two lists of decisions, and report which decisions were added, removed, moved or rewritten.

Decisions are not matched by position, because removing the first decision changes the positions of all others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, dumps, same
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.plans.plan import Change

#: The text for an empty list.
ENDING: Final = "none: the story ends here"


class _Decision(NamedTuple):
    """A decision in wire form, which may be any JSON value, and its editable members."""

    raw: Wire
    criteria: str
    target: str
    priority: Wire

    @classmethod
    def of(cls, raw: Any) -> _Decision:
        if not isinstance(raw, Mapping):
            return cls(raw, dumps(raw, indent=None), "", None)
        criteria, target = (_text(raw.get(member)) for member in ("criteria", "next_section_id"))
        priority = raw.get("priority")
        return cls(raw, criteria, target, priority if type(priority) in (int, Decimal) else None)

    @property
    def title(self) -> str:
        return f"“{single_line(self.criteria, limit=40)}”" if self.criteria else "a decision without criteria"

    def others(self) -> Mapping[str, Wire]:
        """Return the undocumented members of the decision."""
        known = ("criteria", "next_section_id", "priority")
        raw = self.raw if isinstance(self.raw, Mapping) else {}
        return {name: value for name, value in raw.items() if name not in known}


def decision_changes(before: Wire, after: Wire, titled: Callable[[str], str]) -> tuple[Change, ...]:
    """Return the changes that turn one list of decisions into another.

    Both lists are compared in the order in which their decisions are tried. ``titled`` is a function that
    returns the name of a section, given its ID.
    """
    from chartui.core.plans.plan import Change

    if not before and not after:
        return (Change(label="decisions", before=before, after=ENDING if after is not None else None),)
    old, new = _in_order(before), _in_order(after)
    pairs = _pairs(old, new)
    stay = _longest_rising([(pairs[number], number) for number in sorted(pairs)])
    found = [
        Change(label="decision", before=decision_text(decision, titled), after=None, sign="−")
        for number, decision in enumerate(old)
        if number not in pairs.values()
    ]
    for number, decision in enumerate(new):
        if number in pairs:
            found += _rewritten(old[pairs[number]], decision, titled)
            if number not in stay:
                found.append(
                    Change(label=f"decision {decision.title}", before=pairs[number] + 1, after=number + 1, sign="↕")
                )
        else:
            place = f" (position {number + 1} of {len(new)})" if old and number + 1 < len(new) else ""
            found.append(Change(label="decision", before=None, after=decision_text(decision, titled) + place, sign="+"))
    if not found and not same(before, after):
        stored = (", ".join(_Decision.of(raw).criteria for raw in _list(entries)) for entries in (before, after))
        found.append(Change(label="stored order", before=next(stored), after=next(stored)))
    return tuple(found)


def decision_texts(decisions: Wire, titled: Callable[[str], str]) -> str:
    """Return a list of decisions as text, one decision per line."""
    return "\n".join(decision_text(decision, titled) for decision in _in_order(decisions)) or ENDING


def decision_text(decision: _Decision, titled: Callable[[str], str]) -> str:
    """Return a decision as text, such as ``asks → “Hall” (priority 2)``."""
    when = "" if decision.priority is None else f" (priority {decision.priority})"
    return f"{decision.criteria or 'no criteria'} → {_target(decision, titled)}{when}"


def _rewritten(old: _Decision, new: _Decision, titled: Callable[[str], str]) -> Iterator[Change]:
    from chartui.core.plans.plan import Change

    if old.criteria != new.criteria:
        yield Change(label="criteria", before=old.criteria, after=new.criteria)
    if old.target != new.target:
        was, comes = _target(old, titled), _target(new, titled)
        if was == comes:  # two sections with the same name
            was, comes = f"{was} {old.target}", f"{comes} {new.target}"
        yield Change(label=f"target of {new.title}", before=was, after=comes)
    if not same(old.priority, new.priority):
        yield Change(label=f"priority of {new.title}", before=old.priority, after=new.priority)
    if not same(old.others(), new.others()):
        yield Change(label=f"other fields of {new.title}", before=old.others(), after=new.others())


def _pairs(old: Sequence[_Decision], new: Sequence[_Decision]) -> dict[int, int]:
    """Map positions in ``new`` to positions in ``old``, for the decisions that are in both lists."""
    keys: tuple[Callable[[_Decision], Hashable], ...] = (
        lambda decision: (decision.criteria, decision.target, decision.priority),
        lambda decision: (decision.criteria, decision.target),
        lambda decision: decision.criteria,
        lambda decision: decision.target or None,
    )
    pairs: dict[int, int] = {}
    left = set(range(len(old)))
    for key in keys:
        waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for number in sorted(left):
            waiting[key(old[number])].append(number)
        for number, decision in enumerate(new):
            if number not in pairs and key(decision) is not None and waiting[key(decision)]:
                pairs[number] = waiting[key(decision)].popleft()
                left.remove(pairs[number])
    return pairs


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return the second numbers of the longest sequence of pairs with rising first numbers: decisions that need not
    move.
    """
    ends: list[int] = []  # for each length, the lowest first number that ends a run
    runs: list[tuple[int, tuple[Any, ...] | None]] = []
    for first, second in pairs:
        length = bisect_left(ends, first)
        run = (second, runs[length - 1] if length else None)
        ends[length : length + 1], runs[length : length + 1] = [first], [run]
    stay, last = [], runs[-1] if runs else None
    while last is not None:
        stay.append(last[0])
        last = last[1]
    return frozenset(stay)


def _in_order(decisions: Wire) -> list[_Decision]:
    """Return the decisions in evaluation order.

    They are sorted by priority, and those without a priority come last (decision 35).
    """
    entries = [_Decision.of(raw) for raw in _list(decisions)]
    return sorted(entries, key=lambda decision: (decision.priority is None, decision.priority or 0))


def _list(decisions: Wire) -> Sequence[Wire]:
    return decisions if isinstance(decisions, list | tuple) else []


def _target(decision: _Decision, titled: Callable[[str], str]) -> str:
    return titled(decision.target) if decision.target else "no target"


def _text(value: Wire) -> str:
    return value if isinstance(value, str) else ""
