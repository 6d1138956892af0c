"""Values as TOML that people like to read and edit: long texts over several lines, what belongs together on one.

The writer of machine-owned files (:func:`chartui.core.tables.as_toml`) does neither. What is written here shows and
copies as it is: what a terminal would obey, marks that would pile up on a letter, and blanks that an editor would take
from the end of a line are escapes, which leave the value as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from chartui.core.jsontext import canonical
from chartui.core.text import is_plain

__all__ = ["as_header", "as_key", "as_value"]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHORT: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
#: So many marks on one letter are still to be read.
_MARKS: Final = 3


def as_key(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if _BARE.fullmatch(name) else _quoted(name)


def as_header(path: Sequence[str]) -> str:
    """The line that begins a table."""
    return f"[{'.'.join(map(as_key, path))}]"


def as_value(value: Any) -> str:
    """A text, number, truth value, table or list of these; tables in a list stand on a line each.

    Raises ``ValueError`` for half a character, which no file can hold.
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return canonical(value)
    if isinstance(value, Mapping):
        members = ", ".join(f"{as_key(name)} = {_inline(item)}" for name, item in value.items())
        return f"{{ {members} }}" if members else "{}"
    if any(isinstance(item, Mapping) for item in value):
        return "[\n" + "".join(f"    {as_value(item)},\n" for item in value) + "]"
    return f"[{', '.join(map(_inline, value))}]"


def _inline(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else as_value(value)


def _text(text: str) -> str:
    if "\n" not in text:
        return _quoted(text)
    written = "".join(_escaped(text, lines=True))
    # Blanks at the end of a line are lost in many an editor, and nobody sees them.
    written = re.sub(r" (?=\n)", r"\\u0020", written)
    # A quotation mark may stand for itself but beside another one: three would end the text.
    written = re.sub(r'(?<=")"|"\Z', r'\\"', written)
    return f'"""\n{written}"""'


def _quoted(text: str) -> str:
    return f'"{"".join(_escaped(text, lines=False))}"'


def _escaped(text: str, *, lines: bool) -> Iterator[str]:
    if text.isascii() and text.isprintable() and "\\" not in text and (lines or '"' not in text):
        yield text
        return
    kept = '\n"' if lines else ""
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if character in kept:
            yield character
        elif character in _SHORT:
            yield _SHORT[character]
        elif is_plain(character) and marks <= _MARKS:
            yield character
        elif "\ud800" <= character <= "\udfff":
            raise ValueError(f"no file can hold the half character U+{ord(character):04X}")
        else:
            yield f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}"
