"""Answers of which some elements could not be read (decision 69), and why a value is not of its declared type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from chartui.core.jsontext import BadNumber, Wire

#: Members in which some services put the list or object that is the answer.
WRAPPERS: Final = ("data", "items", "results", "result")

T = TypeVar("T")


def escaped(name: str) -> str:
    """A member name as a part of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


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
        made = super().__new__(cls, readable)
        made.unreadable = tuple(unreadable)
        return made


class Misfit(Exception):
    """A value is not of the declared type; ``path`` grows on the way out and says where.

    ``got`` is the value in a word or two; empty for one that is not there.
    """

    def __init__(self, expected: str, got: str, path: str = "") -> None:
        super().__init__(expected)
        self.expected = expected
        self.got = got
        self.path = path

    def inside(self, step: str) -> Misfit:
        return Misfit(self.expected, self.got, f"{step}{self.path}")

    @property
    def reason(self) -> str:
        """What was expected where, and what came: ``decisions: expected a list, got text``."""
        where = self.path.lstrip(".")
        found = f"expected {self.expected}, got {self.got}" if self.got else "missing"
        return f"{where}: {found}" if where else found


#: As much of a number that cannot be kept as a reason shows, in characters.
_LONGEST_TOKEN: Final = 40


def called(value: Wire) -> str:
    """What a value is, in a word or two, without quoting it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, BadNumber):
        return value if len(value) <= _LONGEST_TOKEN else f"{value[:_LONGEST_TOKEN]}…"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list | tuple) else "an object" if isinstance(value, Mapping) else "a number"
