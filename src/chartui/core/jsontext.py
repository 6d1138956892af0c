"""JSON in the service's format, with exact numbers.

The whole program reads and writes JSON with this module. Numbers with a fraction become :class:`~decimal.Decimal`, so
an amount keeps every digit when it is read and written. Whole numbers become ``int``. Invalid tokens (``NaN``,
``Infinity``), text that cannot be stored (lone surrogates) and attacks on parsers (deep nesting, numbers with thousands
of digits) raise :class:`NotJson`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from json.encoder import encode_basestring
from typing import Any, Final

from chartui.core.classes import NamedTuple

#: A decoded JSON value: ``None``, ``bool``, ``int``, ``Decimal``, ``str``, ``list`` and ``dict`` of these.
Wire = Any

#: The maximum nesting, which no operation's answer exceeds (§2 of both documents needs five levels).
MAX_DEPTH: Final = 64
MAX_DIGITS: Final = 400
_SURROGATE: Final = "[\ud800-\udfff]"


class NotJson(ValueError):
    """Raised for text that is not JSON, or that this program does not accept. The message does not quote the text.

    ``line`` is the line of the error, counted from 1, if known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class BadNumber(str):
    """A number token that cannot be represented as a number, such as ``NaN``, ``Infinity`` or ``1e999``."""

    __slots__ = ()


class GivenTwice(NotJson):
    """Raised if a member appears twice in one object. ``member`` is the name of the member."""

    def __init__(self, member: str) -> None:
        super().__init__("duplicate member in an object")
        self.member = member


def _number(token: str) -> Decimal:
    # An exponent makes a few characters stand for any number of digits: 1e999999999 would be written as a gigabyte.
    exponent = token.lower().partition("e")[2]
    if len(token) > MAX_DIGITS or (exponent and abs(int(exponent)) > MAX_DIGITS):
        raise NotJson("a number with too many digits")
    return Decimal(token)


def _whole(token: str) -> int:
    if len(token) > MAX_DIGITS:
        raise NotJson("a number with too many digits")
    return int(token)


def _constant(token: str) -> None:
    raise NotJson(f"{token} is not a JSON number")


def _unique(pairs: Sequence[tuple[str, Wire]]) -> dict[str, Wire]:
    members: dict[str, Wire] = {}
    for name, value in pairs:
        if name in members:
            raise GivenTwice(name)
        members[name] = value
    return members


_DECODER: Final = json.JSONDecoder(parse_float=_number, parse_int=_whole, parse_constant=_constant)
#: A second decoder, which finds the end of values that the first decoder refuses.
_SKIPPER: Final = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_STRICT: Final = json.JSONDecoder(
    parse_float=_number, parse_int=_whole, parse_constant=_constant, object_pairs_hook=_unique
)


def loads(data: bytes | str, *, unique: bool = False) -> Wire:
    """Parse one JSON document. If an object has duplicate members, the last one is used.

    If ``unique`` is set, duplicates raise :class:`GivenTwice`. Raises :class:`NotJson` if the bytes are not UTF-8, or
    the text is not JSON, is nested too deeply, or contains a number or character that cannot be represented exactly.
    """
    return _loads(data, _STRICT if unique else _DECODER)


def loads_marked(data: bytes) -> tuple[Wire, Sequence[Repeated]]:
    """Parse one JSON document from a service.

    An invalid value does not make the other values unreadable. This function works like :func:`loads`, with three
    differences. A byte order mark is skipped. Numbers that cannot be represented are returned as :class:`BadNumber`.
    Objects with duplicate members are also listed separately in the result (decision 73).
    """
    repeated: list[Repeated] = []

    def members(pairs: list[tuple[str, Wire]]) -> dict[str, Wire]:
        made = dict(pairs)
        if len(made) < len(pairs):
            values: dict[str, list[Wire]] = {}
            for name, value in pairs:
                values.setdefault(name, []).append(value)
            repeated.append(Repeated(made, {name: given for name, given in values.items() if len(given) > 1}))
        return made

    decoder = json.JSONDecoder(
        object_pairs_hook=members,
        parse_float=partial(_or_marked, _number),
        parse_int=partial(_or_marked, _whole),
        parse_constant=BadNumber,
    )
    return _loads(data.removeprefix(b"\xef\xbb\xbf"), decoder), repeated


class Repeated(NamedTuple):
    """An object with duplicate members.

    ``object`` contains only the last value of each member. ``values`` maps each duplicate member to all of its values.
    """

    object: Mapping[str, Wire]
    values: Mapping[str, Sequence[Wire]]


def _or_marked(read: Callable[[str], Wire], token: str) -> Wire:
    try:
        return read(token)
    except NotJson:
        return BadNumber(token)


def _loads(data: bytes | str, decoder: json.JSONDecoder) -> Wire:
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise NotJson("not UTF-8") from error
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        message = f"{error.msg.lower()} at line {error.lineno} column {error.colno}"
        raise NotJson(message, error.lineno) from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    # A surrogate can only come from an escape or from a str that already held one; depth only from brackets. Testing
    # the text for these characters is far cheaper than visiting every value, which is then hardly ever necessary.
    # Testing bytes is even faster, and blocks other threads less.
    if isinstance(data, bytes):
        brackets, doubtful = data.count(b"[") + data.count(b"{"), b"\\ud" in data or b"\\uD" in data
    else:
        brackets = text.count("[") + text.count("{")
        doubtful = "\\ud" in text or "\\uD" in text or not _can_be_encoded(text)
    if brackets > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise NotJson("nested too deeply")
    if doubtful and _has_surrogate(value):
        raise NotJson("an unpaired surrogate")
    return value


def unsayable(value: Wire) -> bool:
    """Return whether ``value`` contains a :class:`BadNumber`, which JSON can express only as a string."""
    if isinstance(value, Mapping):
        return any(map(unsayable, value.values()))
    return any(map(unsayable, value)) if isinstance(value, list | tuple) else isinstance(value, BadNumber)


def scan(text: str, at: int) -> tuple[Wire, int, str]:
    """Parse the JSON value at position ``at`` of ``text``.

    Return the value, the position of its end, and, if the value cannot be represented, the reason. A value that
    :func:`loads` rejects, such as an invalid number or deep nesting, is returned as text if its end is known. Raises
    ``json.JSONDecodeError``, with the position, for text that is not JSON or ends too early, and :class:`NotJson` for
    nesting so deep that no end is found. ``text`` itself is not checked for unpaired surrogates.
    """
    reason = ""
    try:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except NotJson as error:
            reason = str(error)
            value, end = _SKIPPER.raw_decode(text, at)
    except RecursionError:
        raise NotJson("nested too deeply") from None
    if text.count("[", at, end) + text.count("{", at, end) > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        reason = reason or "nested too deeply"
    if (text.find("\\ud", at, end) >= 0 or text.find("\\uD", at, end) >= 0) and _has_surrogate(value):
        reason = reason or "an unpaired surrogate"
    return (text[at:end] if reason else value), end, reason


def repeated(text: str) -> tuple[str, ...]:
    """Return the names of members that occur more than once in the same object of a JSON text.

    Each name is listed once.
    """
    names: dict[str, None] = {}

    def note(pairs: list[tuple[str, Wire]]) -> dict[str, Wire]:
        members = dict(pairs)
        if len(members) < len(pairs):
            given = [name for name, _ in pairs]
            names.update(dict.fromkeys(name for name in members if given.count(name) > 1))
        return members

    json.loads(text, object_pairs_hook=note, parse_float=str, parse_int=str)
    return tuple(names)


def _can_be_encoded(text: str) -> bool:
    # Much faster than searching for surrogates.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _depth(value: Wire) -> int:
    level, current = 0, [value]
    while current and level <= MAX_DEPTH:
        level += 1
        nested: list[Wire] = []
        for item in current:
            if isinstance(item, dict):
                nested.extend(item.values())
            elif isinstance(item, list):
                nested.extend(item)
        current = nested
    return level


def _has_surrogate(value: Wire) -> bool:
    if isinstance(value, str):
        return re.search(_SURROGATE, value) is not None
    if isinstance(value, Mapping):
        return any(_has_surrogate(key) or _has_surrogate(item) for key, item in value.items())
    if isinstance(value, list):
        return any(_has_surrogate(item) for item in value)
    return False


def shown_number(number: int | Decimal) -> str:
    """Format a number for use in a sentence, shortened to at most 40 characters."""
    most = 40
    text = f"{number:f}" if isinstance(number, Decimal) and -most < number.adjusted() < most else str(number)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def canonical(number: Decimal) -> str:
    """Format a decimal without an exponent or trailing zeros, such as ``4000``, ``0.25`` or ``0``.

    Zero never has a sign. Raises :class:`NotJson` for a number that JSON cannot represent, or that would have thousands
    of digits.
    """
    if not number.is_finite():
        raise NotJson(f"{number} is not a JSON number")
    if not number:
        return "0"
    if abs(number.adjusted()) > 2 * MAX_DIGITS:
        raise NotJson("a number with too many digits")
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dumps(value: Wire, *, indent: int | None = None) -> str:
    """Return ``value`` as JSON text, with decimals as plain number tokens and characters outside ASCII unescaped.

    A lone surrogate is written as an escape sequence, so the result can always be encoded. Raises :class:`NotJson` for
    a number that JSON cannot represent, and ``TypeError`` for a value that is not in wire form.
    """
    parts: list[str] = []
    _write(value, parts.append, indent, "\n" if indent is not None else "")
    text = "".join(parts)
    return text if _can_be_encoded(text) else re.sub(_SURROGATE, lambda m: f"\\u{ord(m[0]):04x}", text)


def _write(value: Wire, put: Callable[[str], None], indent: int | None, newline: str) -> None:
    if isinstance(value, str):
        put(encode_basestring(value))
    elif value is None:
        put("null")
    elif isinstance(value, bool):
        put("true" if value else "false")
    elif isinstance(value, int):
        put(str(value))
    elif isinstance(value, Decimal | float):
        put(canonical(value if isinstance(value, Decimal) else Decimal(repr(value))))
    elif isinstance(value, Mapping):
        inner = newline + " " * (indent or 0) if indent is not None else ""
        separator = "{" + inner
        for key, item in value.items():
            put(separator)
            put(encode_basestring(key))
            put(": ")
            _write(item, put, indent, inner)
            separator = ("," + inner) if inner else ", "
        put("{}" if not value else newline + "}")
    elif (texts := getattr(value, "json_texts", None)) is not None:
        # Values that were kept as JSON text are written unchanged or item by item, which avoids a million small writes.
        inner = newline + " " * (indent or 0) if indent is not None else ""
        items = texts() if indent is None else (_indented(item, indent, inner) for item in value)
        text = f",{inner or ' '}".join(items)
        put(f"[{inner}{text}{newline}]" if text else "[]")
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        inner = newline + " " * (indent or 0) if indent is not None else ""
        separator = "[" + inner
        for item in value:
            put(separator)
            _write(item, put, indent, inner)
            separator = ("," + inner) if inner else ", "
        put("[]" if not value else newline + "]")
    else:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _indented(value: Wire, indent: int, newline: str) -> str:
    parts: list[str] = []
    _write(value, parts.append, indent, newline)
    return "".join(parts)


def same(left: Wire, right: Wire) -> bool:
    """Return whether two values in wire form are equal.

    Numbers are compared by value, objects regardless of the order of their members, and true is never equal to 1.
    """
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(value, right[name]) for name, value in left.items())
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)
