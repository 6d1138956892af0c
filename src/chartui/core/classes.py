"""``dataclass`` and ``NamedTuple`` of the standard library, which take about half the time for a class.

The standard library compiles comparison, hash and representation for each data class, and checks the annotation of
each field of a named tuple. The start declares over a hundred named tuples, and the first opening of a screen up to
80 data classes.
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
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

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

    class _NamedTupleType(type):
        """Declares a tuple with named fields in place of a subclass of :class:`NamedTuple`."""

        def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, members)
            names = members.get("__annotations__", {})
            defaults = [members[each] for each in names if each in members]
            declared = namedtuple(name, names, defaults=defaults, module=members["__module__"])
            for key, value in members.items():
                if key not in names:
                    setattr(declared, key, value)
            return declared

    class NamedTuple(metaclass=_NamedTupleType):
        """Does what :class:`typing.NamedTuple` does. Type parameters have no effect at run time."""


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
