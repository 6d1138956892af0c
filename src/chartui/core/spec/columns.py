"""Thousands of values of one type, read a member of all of them at a time.

To read one record after the other calls a function for every member of every record; to read a column calls one for
every member. What is read here is as declared throughout: where a single value is not, :class:`Unlike` is raised, and
whoever asked looks at each value by itself to find out what becomes of it.

Each function makes a reader of columns; :mod:`chartui.core.spec.shape` puts them together for a type.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any, NamedTuple

from chartui.core.jsontext import Wire

#: Turns wire values into as many typed ones, or raises :class:`Unlike`.
Column = Callable[[Sequence[Wire]], Sequence[Any]]


class Unlike(Exception):
    """One of the values is not as declared and has to be looked at by itself."""


class Member(NamedTuple):
    """A member of a record: its name on the wire, how it is read, and what makes its default, None without one."""

    name: str
    read: Column
    default: Callable[[], Any] | None


def plain(*kinds: type) -> Column:
    """Values that stay as they are if they are of one of these types."""
    allowed = frozenset(kinds)

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        if not allowed.issuperset(map(type, values)):
            raise Unlike
        return values

    return read


def one_by_one(reader: Callable[[Wire], Any], misfit: type[Exception]) -> Column:
    """Values for which there is no better way; ``misfit`` is what the reader raises."""

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        try:
            return [reader(value) for value in values]
        except misfit as error:
            raise Unlike from error

    return read


def nullable(column: Column) -> Column:
    """Values of which some may be null."""

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        given = [value for value in values if value is not None]
        found = iter(column(given))
        return [None if value is None else next(found) for value in values]

    return read


def arrays(column: Column) -> Column:
    """Arrays, the items of all of them read at once."""
    is_array = plain(list, tuple)

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        found = iter(column(list(chain.from_iterable(is_array(values)))))
        return [tuple(islice(found, len(array))) for array in is_array(values)]

    return read


def members_of(members: Sequence[Member]) -> Callable[[Sequence[Wire]], list[Sequence[Any]]]:
    """Reads objects: a column for each member, in the order given."""
    is_object = plain(dict)
    readers = [_member(*member) for member in members]

    def read(values: Sequence[Wire]) -> list[Sequence[Any]]:
        objects = is_object(values)
        return [reader(objects) for reader in readers]

    return read


def _member(name: str, column: Column, default: Callable[[], Any] | None) -> Callable[[Sequence[Any]], Sequence[Any]]:
    member = itemgetter(name)

    def read(objects: Sequence[Any]) -> Sequence[Any]:
        try:
            return column(list(map(member, objects)))
        except KeyError:
            if default is None:
                raise Unlike from None
        found = iter(column([one[name] for one in objects if name in one]))
        return [next(found) if name in one else default() for one in objects]

    return read


def rows(kind: Any, members: Sequence[Member]) -> Column:
    read_members = members_of(members)
    return lambda values: list(map(kind._make, zip(*read_members(values), strict=True)))


def records(
    model: type, attributes: Sequence[str], members: Sequence[Member], raw: str | None, constant: Mapping[str, Any]
) -> Column:
    """Objects as instances of a frozen class with slots.

    ``raw`` is the attribute that keeps what each was read from, ``constant`` holds those that are the same in all.
    """
    read_members = members_of(members)
    # A frozen class refuses assignment, its slots do not; to go through the constructor would take thrice the time.
    names = (*attributes, *([raw] if raw else ()), *constant)
    slots = [getattr(model, attribute).__set__ for attribute in names]

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        columns = read_members(values)
        if raw is not None:
            columns.append(values)
        columns += [[value] * len(values) for value in constant.values()]
        made: list[Any] = list(map(object.__new__, repeat(model, len(values))))
        for put, column in zip(slots, columns, strict=True):
            deque(map(put, made, column), maxlen=0)
        return made

    return read
