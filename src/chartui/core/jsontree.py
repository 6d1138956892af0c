"""Show a JSON value as lines that can be folded.

This module has no side effects. A node of the tree is identified by its path from the top. A value with many parts is
divided into spans, which are nodes themselves. For example, a list of a million items is shown as a hundred spans, each
of which unfolds into another hundred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Final, TypeAlias

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, dumps
from chartui.core.text import escape_json

#: The step from a node to one of its children: a member, an item, or a span, which includes its start and excludes its
#: stop.
Step: TypeAlias = str | int | range
Place: TypeAlias = tuple[Step, ...]
#: The place of the whole value.
TOP: Final[Place] = ()

#: The maximum number of parts that a node shows directly. If there are more, they are divided into spans.
SPAN: Final = 100
#: Nodes with more parts than this start folded.
FEW: Final = 20
#: Longer texts are cut at first. Opening them shows all of their lines.
SHORT_TEXT: Final = 32
#: The number of characters shown of a cut text. No window shows more in a line.
CUT: Final = 500
#: The maximum number of nodes opened at once. A record has about two hundred.
MOST_OPEN: Final = 5_000
_NAME: Final = re.compile(r"[^\W\d]\w*\Z")


class NodeKind(StrEnum):
    """The kinds of nodes in a JSON tree."""

    OBJECT = "object"
    LIST = "list"
    SPAN = "span"
    TEXT = "text"
    NUMBER = "number"
    WORD = "word"  # true, false, null


class Row(NamedTuple):
    """A line of the tree.

    It shows the start of a node or, if ``closing`` is set, the end of an unfolded node. ``key`` is the name of the
    member as JSON, or empty. ``text`` is the rest of the line. It is the bracket of an unfolded object or list, the
    size of a folded one, or a complete value as JSON. Unsafe characters are escaped as in JSON. ``comma`` is True if a
    comma follows.
    """

    place: Place
    depth: int
    kind: NodeKind
    key: str
    text: str
    comma: bool
    foldable: bool = False
    open: bool = False
    closing: bool = False


def rows(value: Wire, opened: Collection[Place]) -> list[Row]:
    """Return the lines of ``value``, with the nodes in ``opened`` unfolded."""
    return list(_rows(value, TOP, "", opened, comma=False))


def _rows(value: Wire, place: Place, key: str, opened: Collection[Place], *, comma: bool) -> Iterator[Row]:
    kind, foldable = _kind(value), _foldable(value)
    is_open = foldable and place in opened
    row = Row(place, len(place), kind, key, _text(value, kind, is_open=is_open), comma, foldable, is_open)
    yield row
    if is_open and kind is not NodeKind.TEXT:
        parts = list(_parts(value))
        for number, (step, part) in enumerate(parts, 1):
            name = literal(step) if isinstance(step, str) else ""
            # A comma follows the last part of a span unless the span itself is the last.
            more = number < len(parts) or (kind is NodeKind.SPAN and comma)
            yield from _rows(part, (*place, step), name, opened, comma=more)
        if kind is not NodeKind.SPAN:
            yield row._replace(key="", text="}" if kind is NodeKind.OBJECT else "]", foldable=False, closing=True)


def literal(value: Wire) -> str:
    """Return a value as JSON on one line, with control characters escaped."""
    return escape_json(dumps(value))


class _Span(NamedTuple):
    """A range of the parts of a large object or list."""

    whole: Wire
    span: range


def _kind(value: Wire) -> NodeKind:
    if isinstance(value, _Span):
        return NodeKind.SPAN
    if isinstance(value, Mapping):
        return NodeKind.OBJECT
    if isinstance(value, list):
        return NodeKind.LIST
    if isinstance(value, str):
        return NodeKind.TEXT
    return NodeKind.WORD if value is None or isinstance(value, bool) else NodeKind.NUMBER


def _foldable(value: Wire) -> bool:
    if isinstance(value, str):
        return len(value) > SHORT_TEXT or "\n" in value
    return isinstance(value, _Span) or (isinstance(value, Mapping | list) and bool(value))


def _text(value: Wire, kind: NodeKind, *, is_open: bool) -> str:
    if isinstance(value, _Span):
        return f"{value.span.start} … {value.span.stop - 1}"
    if isinstance(value, str) and len(value) > CUT and not is_open:
        return f"{literal(value[:CUT])[:-1]}…"
    if kind not in (NodeKind.OBJECT, NodeKind.LIST):
        return literal(value)
    first, last = "{}" if kind is NodeKind.OBJECT else "[]"
    if is_open or not value:
        return first if value else first + last
    noun = "member" if kind is NodeKind.OBJECT else "item"
    return f"{first} {len(value)} {noun}{'' if len(value) == 1 else 's'} {last}"


def _parts(value: Wire) -> Iterator[tuple[Step, Wire]]:
    whole, span = value if isinstance(value, _Span) else (value, range(len(value)))
    if len(span) > SPAN:
        width = SPAN
        while width * SPAN < len(span):
            width *= SPAN
        for start in range(span.start, span.stop, width):
            cut = range(start, min(start + width, span.stop))
            yield cut, _Span(whole, cut)
    elif isinstance(whole, Mapping):
        yield from islice(whole.items(), span.start, span.stop)
    else:
        for number in span:
            yield number, whole[number]


def usually_open(value: Wire) -> frozenset[Place]:
    return _opened(value, lambda part: not isinstance(part, str | _Span) and len(part) <= FEW)


def all_open(value: Wire) -> frozenset[Place]:
    """Return the nodes that can be unfolded, but at most :data:`MOST_OPEN` of them.

    Groups of items in a large list or object are not included.
    """
    return _opened(value, lambda part: not isinstance(part, _Span))


def _opened(value: Wire, wanted: Callable[[Wire], bool]) -> frozenset[Place]:
    opened = {TOP} if _foldable(value) else set()
    waiting: list[tuple[Place, Wire]] = [(TOP, value)]
    # Level by level: if there are too many nodes, only those near the top are open.
    for place, part in waiting:
        if place not in opened or isinstance(part, str):
            continue
        for step, inner in _parts(part):
            if len(opened) >= MOST_OPEN:
                return frozenset(opened)
            if _foldable(inner) and wanted(inner):
                below = (*place, step)
                opened.add(below)
                waiting.append((below, inner))
    return frozenset(opened)


def path_to(value: Wire, place: Place) -> tuple[Place, ...]:
    """Return the nodes to unfold, outermost first, to make the node at ``place`` visible.

    The path in ``place`` need not include the groups into which a large list or object is divided.
    """
    way, part, here = [], value, TOP
    for step in (step for step in place if not isinstance(step, range)):
        while True:
            way.append(here)
            found_step, part = _towards(part, step)
            here = (*here, found_step)
            if not isinstance(found_step, range):
                break
    return tuple(way)


def _towards(value: Wire, wanted: Step) -> tuple[Step, Wire]:
    """Return the child ``wanted`` of a node, or the span that contains it."""
    parts = list(_parts(value))
    if not isinstance(parts[0][0], range):
        return next((step, part) for step, part in parts if step == wanted)
    whole = value.whole if isinstance(value, _Span) else value
    number = wanted if isinstance(wanted, int) else list(whole).index(wanted)
    return next((step, part) for step, part in parts if isinstance(step, range) and number in step)


def at(value: Wire, place: Place) -> Wire:
    """Return the value at a path.

    If the path leads to a group of items in a large list or object, these items are returned as a list or an object.
    """
    for step in place:
        if isinstance(step, range):
            continue
        value = value[step]
    if place and isinstance(place[-1], range):
        parts = islice(value.items() if isinstance(value, Mapping) else value, place[-1].start, place[-1].stop)
        return dict(parts) if isinstance(value, Mapping) else list(parts)
    return value


def order_of(value: Wire, place: Place) -> tuple[int, ...]:
    """Return a sort key that puts paths in reading order.

    For each node on the path, the key contains the node's position among its siblings.
    """
    numbers = []
    for step in (step for step in place if not isinstance(step, range)):
        numbers.append(step if isinstance(step, int) else list(value).index(step))
        value = value[step]
    return tuple(numbers)


def path_text(place: Place) -> str:
    """Return a path as text, such as ``a.b[0]``. Names that are not plain words are written as JSON in brackets."""
    text = ""
    for step in place:
        if isinstance(step, range):
            continue
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.match(step):
            text += f".{step}" if text else step
        else:
            text += f"[{literal(step)}]"
    return text


def found(value: Wire, holds: Callable[[str], bool]) -> list[Place]:
    """Return the paths of all nodes whose name or value satisfies the function ``holds``, in reading order.

    Names and values are passed to ``holds`` as they are displayed, with quotation marks and escapes. Groups of items in
    a large list or object are not included.
    """
    return list(_found(value, TOP, holds))


def _found(value: Wire, place: Place, holds: Callable[[str], bool]) -> Iterator[Place]:
    name = literal(place[-1]) if place and isinstance(place[-1], str) else ""
    whole = isinstance(value, Mapping | list)
    if (name and holds(name)) or (not whole and holds(literal(value))):
        yield place
    if whole:
        for step, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _found(part, (*place, step), holds)
