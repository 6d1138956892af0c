"""A list from a service of which some elements could not be read (decision 69)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from chartui.core.jsontext import Wire

__all__ = ["WRAPPERS", "Decoded", "Elements", "Unreadable"]

#: Members in which some services put the list or object that is the answer.
WRAPPERS: Final = ("data", "items", "results", "result")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """One element that could not be read.

    ``kind`` is its noun ("record", "section", "decision", "override", "trigger", "model", "line", "step", "reply"), or
    "member" for a member of something that is shown without it, or "duplicate" for a member that was given more than
    once, of which the last counts. ``where`` is its JSON pointer in the answer, ``reason`` what was expected and what
    came, ``raw`` the element as it came; of a duplicate all of its values.
    """

    kind: str
    where: str
    reason: str
    raw: Wire


class Decoded(NamedTuple):
    """An answer in the form that its row declares, and what could not be read of it."""

    body: Wire
    unreadable: tuple[Unreadable, ...] = ()


class Elements(tuple[T, ...]):
    """The elements that could be read, in the service's order; ``unreadable`` holds the others."""

    unreadable: tuple[Unreadable, ...]

    def __new__(cls, readable: Iterable[T] = (), unreadable: Iterable[Unreadable] = ()) -> Elements[T]:
        """Both in the service's order."""
        made = super().__new__(cls, readable)
        made.unreadable = tuple(unreadable)
        return made
