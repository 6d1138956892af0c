"""``dataclass`` of the standard library, with one comparison, hash and representation for all classes.

The standard library compiles these methods for each class, which takes nearly half of the time that a class needs. The
first opening of a screen declares up to 80 classes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass as _dataclass
from dataclasses import fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # checkers know this one
else:

    def dataclass(cls: type | None = None, /, *, eq: bool = True, frozen: bool = False, **options: Any) -> Any:
        """Do what :func:`dataclasses.dataclass` does. ``repr``, ``order`` and ``unsafe_hash`` are not supported."""

        def declare(cls: type) -> type:
            own = vars(cls).keys()
            declared = _dataclass(eq=False, frozen=frozen, repr=False, **options)(cls)
            if "__repr__" not in own:
                declared.__repr__ = _repr
            if eq:
                if "__eq__" not in own:
                    declared.__eq__ = _eq
                if "__hash__" not in own:
                    declared.__hash__ = _hash if frozen else None
            return declared

        return declare if cls is None else declare(cls)


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    compared = _compared(cast("Hashable", type(self)))
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(cast("Hashable", type(self)))(self))


@cache
def _compared(cls: Any) -> Callable[[Any], object]:
    """Return the function that gets the values by which instances of ``cls`` are compared."""
    names = [each.name for each in fields(cls) if each.compare]
    return attrgetter(*names) if names else lambda _: ()
