"""Messages about elements of a response that could not be read (decision 69)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import NotJson, Wire, loads
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.operation import Operation


class Missed(NamedTuple):
    """The unreadable elements of a response, and the call that returned the response.

    Most responses have no unreadable elements.
    """

    operation: Operation
    payload: Mapping[str, Wire]
    unreadable: tuple[Unreadable, ...]


#: The kind of a duplicate member. Its last value is used, so nothing is missing.
_DUPLICATE: Final = "duplicate"


def counted(unreadable: Iterable[Unreadable]) -> str:
    """Return the number of elements of each kind in words, such as “2 sections and 1 trigger”.

    If there are no elements, the result is empty.
    """
    numbers: dict[str, int] = {}
    for element in unreadable:
        kind = "duplicate member" if element.kind == _DUPLICATE else element.kind
        numbers[kind] = numbers.get(kind, 0) + 1
    *most, last = [f"{number} {kind if number == 1 else f'{kind}s'}" for kind, number in numbers.items()] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def sentence(unreadable: Sequence[Unreadable]) -> str:
    """Return a sentence about unreadable elements, or an empty string if there are none.

    For example: “1 record could not be read: character_id: missing”. The reason is included only if it is the same for
    all elements. It may quote the service, so sanitize the sentence before displaying it.
    """
    parts = (
        (" could not be read", [element for element in unreadable if element.kind != _DUPLICATE]),
        ("", [element for element in unreadable if element.kind == _DUPLICATE]),
    )
    return "; ".join(f"{counted(found)}{verdict}{_reason(found)}" for verdict, found in parts if found)


def _reason(found: Sequence[Unreadable]) -> str:
    reasons = {element.reason for element in found}
    return f": {reasons.pop()}" if len(reasons) == 1 else ""


def by_reason(unreadable: Iterable[Unreadable]) -> Sequence[Sequence[Unreadable]]:
    """Return the elements grouped by kind and reason, in order of first occurrence."""
    groups: dict[tuple[str, str], list[Unreadable]] = {}
    for element in unreadable:
        groups.setdefault((element.kind, element.reason), []).append(element)
    return list(groups.values())


def at_pointer(value: Wire, pointer: str) -> Wire:
    """Return the part of ``value`` that a JSON pointer (RFC 6901) identifies.

    The pointer may lead into JSON inside a string. Raises ``LookupError`` if there is no such part. The error message
    names the first step that failed.
    """
    if not pointer:
        return value
    first, *steps = pointer.split("/")
    if first:
        raise LookupError(f"'{pointer}' is not a JSON pointer; pointers begin with '/', as in '/characters/0'")
    passed = ""
    for step in steps:
        value = _entered(value)
        try:
            value = _below(value, step.replace("~1", "/").replace("~0", "~"))
        except (KeyError, IndexError, ValueError, TypeError):
            raise LookupError(f"the response has no '{step}' at '{passed or '/'}'") from None
        passed = f"{passed}/{step}"
    return value


def _below(value: Wire, step: str) -> Wire:
    if isinstance(value, Mapping):
        return value[step]
    from chartui.core.spec.records import Records

    if isinstance(value, Records):
        return value.element(step)
    if not isinstance(value, list) or not (step.isascii() and step.isdigit()):
        raise KeyError(step)
    return value[int(step)]


def _entered(value: Wire) -> Wire:
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except NotJson:
        return value
