"""Read many values of one type together.

Reading records one by one calls a function for every member of every record. The functions in this module check one
member of all records together instead. They accept only values that are exactly as declared, and otherwise raise
:class:`Unlike`. :mod:`chartui.core.spec.shape` then reads the values one by one and finds out which value is wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any, Final

from chartui.core.jsontext import Wire

#: Converts wire values into the same number of typed values, or raises :class:`Unlike`.
Column = Callable[[Sequence[Wire]], Sequence[Any]]
#: The default of a member that is required.
REQUIRED: Final = object()


class Unlike(Exception):
    """Raised if a value is not exactly as declared."""


def plain(*kinds: type) -> Column:
    """Return a reader of values whose types are in ``kinds``. The values are not converted."""
    allowed = frozenset(kinds)

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        if not allowed.issuperset(map(type, values)):
            raise Unlike
        return values

    return read


def nullable(column: Column) -> Column:
    """Return a reader of values that may be null."""

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        found = iter(column([value for value in values if value is not None]))
        return [None if value is None else next(found) for value in values]

    return read


def arrays(column: Column) -> Column:
    """Return a reader of lists. The items of all lists are read together."""
    are_arrays = plain(list, tuple)

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        each = are_arrays(values)
        found = iter(column(list(chain.from_iterable(each))))
        return [tuple(islice(found, len(array))) for array in each]

    return read


def members_of(members: Sequence[tuple[str, Column, Any]]) -> Callable[[Sequence[Wire]], list[Sequence[Any]]]:
    """Return a function that reads objects and returns one column for each of their ``members``.

    Each member consists of a name, a reader and a default. If the default is :data:`REQUIRED`, the member is required.
    """
    are_objects = plain(dict)

    def column_of(objects: Sequence[Any], name: str, column: Column, default: Any) -> Sequence[Any]:
        try:
            return column(list(map(itemgetter(name), objects)))
        except KeyError:
            if default is REQUIRED:
                raise Unlike from None
        found = iter(column([one[name] for one in objects if name in one]))
        return [next(found) if name in one else default for one in objects]

    def read(values: Sequence[Wire]) -> list[Sequence[Any]]:
        objects = are_objects(values)
        return [column_of(objects, *member) for member in members]

    return read


def filled(model: Any, columns: Mapping[str, Sequence[Any]], count: int) -> list[Any]:
    """Create ``count`` instances of a frozen dataclass with slots, and fill their attributes from ``columns``."""
    made: list[Any] = list(map(object.__new__, repeat(model, count)))
    for name, column in columns.items():
        # A frozen class refuses assignments, but its slots do not. Its constructor would take three times as long.
        deque(map(getattr(model, name).__set__, made, column), maxlen=0)
    return made
