"""Represent responses with unreadable elements (decision 69), and errors about values of the wrong type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import BadNumber, Wire

#: Members in which some services wrap the actual answer.
WRAPPERS: Final = ("data", "items", "results", "result")

T = TypeVar("T")


def escaped(name: str) -> str:
    """Escape a member name for use in a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


class Unreadable(NamedTuple):
    """An element of a response that could not be read.

    ``kind`` is a noun for the element, such as "record", "section" or "trigger". It is "member" for a single unreadable
    member, and "duplicate" for a member that occurs several times. If there are duplicates, the last value is used.
    ``where`` is the JSON pointer of the element, ``reason`` states the expected and the received type, and ``raw`` is
    the original value (for a duplicate, a list of all values).
    """

    kind: str
    where: str
    reason: str
    raw: Wire


class Decoded(NamedTuple):
    """A response in the form declared by its operation. ``unreadable`` contains the elements that could not be read."""

    body: Wire
    unreadable: tuple[Unreadable, ...] = ()


class Elements(tuple[T, ...]):
    """The readable elements of a list, in the service's order. ``unreadable`` contains the other elements."""

    unreadable: tuple[Unreadable, ...]

    def __new__(cls, readable: Iterable[T] = (), unreadable: Iterable[Unreadable] = ()) -> Elements[T]:
        made = super().__new__(cls, readable)
        made.unreadable = tuple(unreadable)
        return made


class Misfit(Exception):
    """Raised if a value does not have the declared type.

    ``path`` is the location of the value. ``got`` is its actual type in one or two words, or empty if the value is
    missing.
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
        """The location, the expected type and the actual type, such as ``decisions: expected a list, got text``."""
        where = self.path.lstrip(".")
        found = f"expected {self.expected}, got {self.got}" if self.got else "missing"
        return f"{where}: {found}" if where else found


#: Maximum length of an unusable number in a reason, in characters.
_LONGEST_TOKEN: Final = 40


def called(value: Wire) -> str:
    """Return the type of a value in one or two words, such as ``a list``."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, BadNumber):
        return value if len(value) <= _LONGEST_TOKEN else f"{value[:_LONGEST_TOKEN]}…"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list | tuple) else "an object" if isinstance(value, Mapping) else "a number"
