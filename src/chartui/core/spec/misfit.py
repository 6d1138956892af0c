"""Why a value is not of the type that its declaration says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.jsontext import BadNumber, Wire

__all__ = ["Misfit", "called"]


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
        """The same, seen from one level further out."""
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
